// The place of a node in a filter, and the reporting of problems there.
import { type EngineError, isEngineError, type Path } from '../../errors/errors.ts'
import type { Problems } from '../../errors/problems.ts'
import type { Collection, Schema } from '../../schema/model.ts'
import type { NameReading } from './function-call.ts'
import { always, type Predicate } from './predicate.ts'

export interface FilterReading extends NameReading {
  readonly schema: Pick<Schema, 'collections'>
  readonly problems: Problems
  /** The use of the predicate: `_regex` works everywhere but in a query, undeclared relations everywhere but in memory. */
  readonly use: 'query' | 'memory' | 'validation'
}

export interface FilterPlace {
  readonly collection: Collection
  readonly path: Path
  readonly context: FilterReading
  /** True behind a relation, where operators may test the item's key. */
  readonly isRelated: boolean
}

// Written out, because it is made for every entry of a filter, and a spread takes five times as long.
export const below = (
  { collection, path, context, isRelated }: FilterPlace,
  step: string | number,
): FilterPlace => ({
  collection,
  path: [...path, step],
  context,
  isRelated,
})

/** Reports a problem, and returns a condition that is always true: the whole filter is refused anyway. */
export function refuse(
  { context, path }: FilterPlace,
  problem: string | EngineError,
  hint?: string,
): Predicate {
  if (isEngineError(problem)) context.problems.report(problem)
  else context.problems.add(path, problem, hint)
  return always
}
