// Detects triggers, which may change rows again after a write to a table. Each table is queried once; triggers that are added later are
// reported beside the rows.
import { execute } from '../../execution/execute.ts'
import type { Collection } from '../../schema/model.ts'
import { followedByUpdateStatement, followedStatement } from '../../sql/write/returning.ts'
import { memoFor } from '../../values/memo.ts'
import type { WriteContext } from '../write-context.ts'

/** Tables known to have triggers or none, by database adapter: all copies of a Kysely instance share one. */
const known = new WeakMap<object, WeakMap<Collection, boolean>>()

const knownOf = ({ engine: { home } }: WriteContext) =>
  memoFor(known, home.getExecutor().adapter, () => new WeakMap<Collection, boolean>())

/** Returns whether a table has triggers, if that is known already. */
export const knownTriggers = (collection: Collection, writing: WriteContext): boolean | undefined =>
  knownOf(writing).get(collection)

export async function hasTriggers(collection: Collection, writing: WriteContext): Promise<boolean> {
  const { engine, options } = writing
  const [row] = await execute(engine, followedStatement(collection, engine.dialect), options)
  return noteTriggers(collection, writing, Boolean(row?.[0]))
}

export function noteTriggers(collection: Collection, writing: WriteContext, is: boolean): boolean {
  knownOf(writing).set(collection, is)
  return is
}

/** Updates known to be followed by triggers or foreign keys, or by none, by the columns that they write. */
const knownUpdates = new WeakMap<object, WeakMap<Collection, Map<string, boolean>>>()
const updatesKept = 100

function updatesOf(collection: Collection, { engine: { home } }: WriteContext): Map<string, boolean> {
  const ofAdapter = memoFor(
    knownUpdates,
    home.getExecutor().adapter,
    () => new WeakMap<Collection, Map<string, boolean>>(),
  )
  return memoFor(ofAdapter, collection, () => new Map())
}

/** Returns whether the row may change again after an update of some columns, if that is known already. */
export const knownUpdate = (
  collection: Collection,
  columns: readonly string[],
  writing: WriteContext,
): boolean | undefined => updatesOf(collection, writing).get(columns.join('\n'))

/** True if the row may change again after an update of some columns. */
export async function isUpdateFollowed(
  collection: Collection,
  columns: readonly string[],
  writing: WriteContext,
): Promise<boolean> {
  const known = knownUpdate(collection, columns, writing)
  if (known !== undefined) return known
  const { engine, options } = writing
  const statement = followedByUpdateStatement(collection, columns, engine.dialect)
  const [row] = await execute(engine, statement, options)
  return noteUpdate(collection, columns, writing, Boolean(row?.[0]))
}

export function noteUpdate(
  collection: Collection,
  columns: readonly string[],
  writing: WriteContext,
  isFollowed: boolean,
): boolean {
  const updates = updatesOf(collection, writing)
  if (updates.size >= updatesKept) updates.clear()
  updates.set(columns.join('\n'), isFollowed)
  return isFollowed
}
