// Sequential keys: inserts rows whose keys the database counts up, so that only the first are returned one by one; returning a row takes as
// long as inserting it. The count is verified at the end. A trigger may have added rows of its own, or the key may be another number than
// the counted one.

import type { Dialect } from '../../dialects/dialect.ts'
import { execute } from '../../execution/execute.ts'
import { countedKeys, isCountedOn, type Key } from '../../plan/key.ts'
import type { Collection } from '../../schema/model.ts'
import { keysAboveStatement } from '../../sql/key-statements.ts'
import type { WriteContext } from '../write-context.ts'

/** Error: the keys are not those that were counted. The whole write has to be undone. */
class NotCounted extends Error {}

/** Collections whose keys turned out not to be sequential. */
const uncounted = new WeakSet<Collection>()

/** Runs work that has no effect if it fails: first by counting keys and, if that goes wrong, with keys that are returned. */
export async function withCountedKeys<Result>(
  collection: Collection,
  { countsKeys }: Dialect,
  work: (isCounted: boolean) => Promise<Result>,
): Promise<Result> {
  if (!countsKeys || uncounted.has(collection)) return work(false)
  try {
    return await work(true)
  } catch (error) {
    if (!(error instanceof NotCounted)) throw error
  }
  uncounted.add(collection)
  return work(false)
}

/** Returns the sequential keys of new rows, from the number of the last one. */
export function keysUpTo(last: bigint | undefined, rows: number): readonly Key[] {
  if (last === undefined) throw new NotCounted()
  return countedKeys(last, rows)
}

/** Requires that some keys are those of all rows behind another one. No other transaction has written since, because this one has. */
export async function requireCounted(
  collection: Collection,
  before: Key | undefined,
  keys: readonly Key[],
  { engine, options }: WriteContext,
): Promise<void> {
  if (before === undefined || !isCountedOn(before, keys)) throw new NotCounted()
  const [row] = await execute(engine, keysAboveStatement(collection, before, engine.dialect), options)
  if (Number(row?.[0]) !== keys.length || String(row?.[1]) !== String(keys.at(-1))) throw new NotCounted()
}
