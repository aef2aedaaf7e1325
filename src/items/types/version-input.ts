// Types of what the functions for versions take and return.

import type { Version } from '../../versions/version-rows.ts'

/** Input of a new version. */
export interface NewVersion<Delta> {
  /** Key of the version, unique for its item. */
  readonly key: string
  /** Name of the version, for people. */
  readonly name?: string | null | undefined
  /** Initial changes. */
  readonly delta?: Delta | undefined
}

/** Names of a version. */
export type VersionNames = Partial<Pick<NewVersion<never>, 'key' | 'name'>>

/** Query for a version: the parameters that shape any result, on the collection of versions. */
export interface VersionShape<Fields extends VersionKeyNames> {
  /** The fields of each version. By default all. */
  readonly fields?: Fields
  /** Other names for fields. */
  readonly alias?: Readonly<Record<string, string>> | undefined
  /** Parameters for related items, by the name of the relation. */
  readonly deep?: object | undefined
  /** False: wildcards do not lead back over the relation that led here. */
  readonly backlink?: boolean | undefined
}

/** Query for the versions of an item. Without `limit` it returns all of them. */
export interface VersionsQuery<Fields extends VersionKeyNames> extends VersionShape<Fields> {
  /** The condition that versions meet. */
  readonly filter?: object | undefined
  /** A text that some field of a version contains. */
  readonly search?: string | undefined
  /** The fields by which versions are sorted; with a minus, downwards. */
  readonly sort?: VersionKeyNames
  /** The most versions that are returned. */
  readonly limit?: number | undefined
  /** The number of versions that are left out first. */
  readonly offset?: number | undefined
  /** The page of `limit` versions, from 1. */
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
