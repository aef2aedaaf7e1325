// Detects triggers, which may change rows again after a write to a table. Each table is queried once; triggers that are added later are
// reported beside the rows.
import { execute } from '../execution/execute.ts'
import type { Collection } from '../schema/model.ts'
import { followedStatement } from '../sql/returning.ts'
import { memoFor } from '../values/memo.ts'
import type { WriteContext } from './write-context.ts'

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
  return noteTriggers(collection, writing, isTrue(row?.[0]))
}

export function noteTriggers(collection: Collection, writing: WriteContext, is: boolean): boolean {
  knownOf(writing).set(collection, is)
  return is
}

/** SQLite has no boolean type. */
export const isTrue = (cell: unknown): boolean => Boolean(cell)
