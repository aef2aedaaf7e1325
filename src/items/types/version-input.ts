// Types of what the functions for versions take and return.

import type { Version } from '../../versions/version-rows.ts'

/** Input of a new version. */
export interface NewVersion<Delta> {
  /** Key of the version, unique for its item. */
  readonly key: string
  readonly name?: string | null | undefined
  /** Initial changes. */
  readonly delta?: Delta | undefined
}

/** Names of a version. */
export type VersionNames = Partial<Pick<NewVersion<never>, 'key' | 'name'>>

/** Query for a version: the parameters that shape any result, on the collection of versions. */
export interface VersionShape<Fields extends VersionKeyNames> {
  readonly fields?: Fields
  readonly alias?: Readonly<Record<string, string>> | undefined
  readonly deep?: object | undefined
  readonly backlink?: boolean | undefined
}

/** Query for the versions of an item. Without `limit` it returns all of them. */
export interface VersionsQuery<Fields extends VersionKeyNames> extends VersionShape<Fields> {
  readonly filter?: object | undefined
  readonly search?: string | undefined
  readonly sort?: VersionKeyNames
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly page?: number | undefined
}

/** Names of fields of versions. */
export type VersionKeyNames = string | readonly string[] | undefined

/** A version as shaped by a query. */
export type VersionAnswer<Delta, Fields> = [Fields] extends [readonly (infer Name)[]]
  ? [Name] extends [keyof Version]
    ? Pick<Version<Delta>, Name>
    : Readonly<Record<string, unknown>>
  : Readonly<Record<string, unknown>>
