// Source of a filter: an engine, or no more than a schema and a dialect.
import type { Access } from '../access/access.ts'
import type { CallerScope } from '../access/caller-scope.ts'
import type { Dialect } from '../dialects/dialect.ts'
import type { DialectName } from '../dialects/named.ts'
import { internals } from '../engine/engine.ts'
import { anything, optionNames } from '../errors/check-options.ts'
import type { Limits } from '../query/limits.ts'
import type { Collection, Schema } from '../schema/model.ts'
import type { OwnCollection } from '../schema/own-collections.ts'
import { utc, type Zone } from '../values/zone.ts'

/** Values that are known only when a filter is used. */
export interface FilterContext {
  /** Current time for `$NOW`. By default from the engine's clock. */
  readonly now?: Date | number
  /** Caller: the values of `$CURRENT_USER` and similar variables and, if it has any, the rules for fields and rows. */
  readonly access?: Access
  /** Values for variables and paths into them. They take precedence over those of the access. */
  readonly variables?: Readonly<Record<string, unknown>>
}

export const filterContextKinds = { now: anything, access: anything, variables: anything }
export const filterContextOptions = optionNames<FilterContext>(filterContextKinds)

/** A schema alone, for matching in memory. */
export interface SchemaAlone<S extends Schema = Schema> {
  /** Schema whose collections the filter is about. */
  readonly schema: S
}

/** A schema and a dialect, for compiling without a database. */
export interface SchemaAndDialect<S extends Schema = Schema> extends SchemaAlone<S> {
  /** Dialect of the SQL. */
  readonly dialect: DialectName | Dialect
}

/** The part of an engine that filters read. */
export interface EngineSource<S extends Schema = Schema> extends SchemaAlone<S> {
  readonly [internals]: FilterSource & SchemaAndDialect
}

/** Returns the settings of an engine. A schema is its own, alone or with a dialect. */
export function settingsOf(source: SchemaAndDialect | EngineSource): FilterSource & SchemaAndDialect
export function settingsOf(source: SchemaAlone | EngineSource): FilterSource
export function settingsOf(source: SchemaAlone | EngineSource): FilterSource {
  return internals in source ? source[internals] : source
}

/** A schema, and the settings that an engine has besides. */
export interface FilterSource extends SchemaAlone {
  readonly zone?: Zone
  readonly byCodePoint?: boolean
  readonly negationMatchesNull?: boolean
  readonly limits?: Limits
  readonly clock?: () => Date
  readonly scope?: CallerScope | undefined
  readonly versions?: () => Collection
  readonly own?: () => readonly OwnCollection[]
  readonly templates?: object
}

/** Returns the settings that decide what a condition means. */
export const meaningOf = ({ zone, byCodePoint, negationMatchesNull }: FilterSource) => ({
  zone: zone ?? utc,
  byCodePoint: byCodePoint ?? false,
  negationMatchesNull: negationMatchesNull ?? false,
})
