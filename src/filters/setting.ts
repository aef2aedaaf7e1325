// Settings of a filter: an engine, or no more than a schema and a dialect.

import type { Access } from '../access/access.ts'
import { callerScope, type Limited } from '../access/caller-scope.ts'
import { checkAccess } from '../access/rules.ts'
import { type DialectName, dialectOf } from '../dialects/detect.ts'
import type { Dialect } from '../dialects/dialect.ts'
import type { Engine } from '../engine/engine.ts'
import { keeperOf, ownCollections } from '../engine/internals.ts'
import { anything, optionNames } from '../errors/check-options.ts'
import { Problems } from '../errors/problems.ts'
import type { Predicate } from '../plan/predicate.ts'
import { resolveFilter } from '../plan/resolve-filter.ts'
import { rootCollection } from '../plan/resolve-name.ts'
import { defaultLimits } from '../query/limits.ts'
import { readFilter } from '../query/read-filter.ts'
import { newReader } from '../query/reader.ts'
import type { Collection, Schema } from '../schema/model.ts'
import { filesCollection } from '../schema/own-files.ts'
import { versionsCollection } from '../schema/own-versions.ts'
import { utc } from '../values/zone.ts'
import type { Circumstances } from '../vocabulary/variables.ts'

/** Values that are known only when a filter is used. */
export interface FilterContext {
  /** Current time for `$NOW`. By default from the engine's clock. */
  readonly now?: Date | number
  /** Caller: the values of `$CURRENT_USER` and similar variables and, if it has any, the rules for fields and rows. */
  readonly access?: Access
  /** Values for variables and paths into them. They take precedence over those of the access. */
  readonly variables?: Readonly<Record<string, unknown>>
}

export const occasionKinds = { now: anything, access: anything, variables: anything }
export const occasionOptions = optionNames<FilterContext>(occasionKinds)

/** A schema alone, for matching in memory. */
export interface SchemaAndDialect<S extends Schema = Schema> {
  readonly schema: S
}

/** A schema and a dialect, for compiling without a database. */
export interface Spoken<S extends Schema = Schema> extends SchemaAndDialect<S> {
  readonly dialect: DialectName | Dialect
}

type Means = SchemaAndDialect & Partial<Omit<Engine, 'schema' | 'dialect'>>

export const meansOf = (given: Means) => ({
  zone: given.zone ?? utc,
  byCodePoint: given.byCodePoint ?? false,
  negationMatchesNull: given.negationMatchesNull ?? false,
})

export const speech = (given: Spoken): Dialect => dialectOf(given.dialect)

export interface Resolved {
  readonly collection: Collection
  readonly predicate: Predicate
  readonly circumstances: Circumstances
  /** Rules under which the filter was read. */
  readonly limits: Limited | undefined
}

/** Reads and resolves a filter; all its mistakes are thrown together. */
export function predicateOf(
  given: Means,
  name: string,
  filter: unknown,
  occasion: FilterContext,
  use: 'query' | 'memory',
): Resolved {
  const seen = seenIn(given, occasion)
  const collection = rootCollection(seen?.seen.schema ?? given.schema, name)
  const reader = newReader(given.limits ?? defaultLimits, false)
  const node = readFilter(filter, ['filter'], reader)
  reader.problems.throwIfAny()

  const problems = new Problems('INVALID_QUERY')
  if (occasion.access !== undefined) checkAccess(occasion.access)
  const access = occasion.access ?? given.narrowing?.caller
  const caller = { ...access, variables: { ...access?.variables, ...occasion.variables } }
  const circumstances = { now: momentOf(occasion.now ?? given.clock?.() ?? new Date()), caller }
  const predicate = resolveFilter(node, collection, ['filter'], {
    schema: seen?.seen.schema ?? given.schema,
    circumstances,
    problems,
    use,
  })
  problems.throwIfAny()
  return { collection, predicate, circumstances, limits: seen }
}

/** Returns the rules for a filter: those of the engine, or those of the access beside it. */
function seenIn(given: Means, { access }: FilterContext): Limited | undefined {
  if (given.narrowing) return given.narrowing.limits
  if (access?.rules === undefined) return undefined
  const { schema, versions, files, templates: owner = schema } = given
  const others = () => (versions ? ownCollections({ schema, versions, files }) : ownOfAny(schema))
  const keeper = () => keeperOf({ schema, versions: versions ?? (() => versionsCollection(schema)) })
  return callerScope(access, { schema, others, versions: keeper, owner }).limits
}

/** Returns the engine's own collections that rules may name besides a schema where no engine is given: the same rules are meant for all
 *  engines. */
function ownOfAny(schema: Schema): readonly Collection[] {
  const own = ownCollections({ schema, versions: () => versionsCollection(schema) })
  return schema.collections.has('files') ? own : [...own, filesCollection(schema)]
}

const momentOf = (now: Date | number) => (typeof now === 'number' ? new Date(now) : now)
