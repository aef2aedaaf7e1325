// Filters work with an engine, or with no more than a schema and a dialect.
import { type DialectName, dialectOf } from '../dialects/detect.ts'
import type { Dialect } from '../dialects/dialect.ts'
import type { Engine } from '../engine.ts'
import { resolveFilter } from '../plan/filter.ts'
import { rootCollection } from '../plan/gate.ts'
import type { Predicate } from '../plan/predicate.ts'
import { Problems } from '../problems.ts'
import { readFilter } from '../query/filter.ts'
import { defaultLimits } from '../query/limits.ts'
import { newReader } from '../query/reader.ts'
import type { Collection, Schema } from '../schema/model.ts'
import { utc } from '../values/zone.ts'
import type { Caller } from '../vocabulary/variables.ts'

/** What is known only when a filter is used. */
export interface Occasion {
  /** The moment that `$NOW` means; else the engine's clock says it. */
  readonly now?: Date | number
  /** Who asks: the values of `$CURRENT_USER` and its like. */
  readonly access?: Caller
  /** Values for variables and paths into them, over those of the access. */
  readonly variables?: Readonly<Record<string, unknown>>
}

/** A schema alone, for matching in memory. */
export interface Described<S extends Schema = Schema> {
  readonly schema: S
}

/** A schema and a dialect, for compiling without a database. */
export interface Spoken<S extends Schema = Schema> extends Described<S> {
  readonly dialect: DialectName | Dialect
}

type Means = Described & Partial<Omit<Engine, 'schema' | 'dialect'>>

export const meansOf = (given: Means) => ({
  zone: given.zone ?? utc,
  byCodePoint: given.byCodePoint ?? false,
  negationMatchesNull: given.negationMatchesNull ?? false,
})

export const speech = (given: Spoken): Dialect => dialectOf(given.dialect)

/** Reads and resolves a filter; all that is wrong with it is thrown together. */
export function predicateOf(
  given: Means,
  name: string,
  filter: unknown,
  occasion: Occasion,
  use: 'query' | 'memory',
): { readonly collection: Collection; readonly predicate: Predicate } {
  const collection = rootCollection(given.schema, name)
  const reader = newReader(given.limits ?? defaultLimits, false)
  const node = readFilter(filter, ['filter'], reader)
  reader.problems.throwIfAny()

  const problems = new Problems('INVALID_QUERY')
  const caller = { ...occasion.access, variables: { ...occasion.access?.variables, ...occasion.variables } }
  const circumstances = { now: momentOf(occasion.now ?? given.clock?.() ?? new Date()), caller }
  const predicate = resolveFilter(node, collection, ['filter'], {
    schema: given.schema,
    circumstances,
    problems,
    use,
  })
  problems.throwIfAny()
  return { collection, predicate }
}

const momentOf = (now: Date | number) => (typeof now === 'number' ? new Date(now) : now)
