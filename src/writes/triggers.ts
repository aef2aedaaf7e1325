// Whether what is written to a table is followed by more, such as a trigger that changes it again. It is asked once; what comes up later is told
// beside the rows.
import { execute } from '../execution/execute.ts'
import type { Collection } from '../schema/model.ts'
import { followedStatement } from '../sql/returning.ts'
import { memoFor } from '../values/memo.ts'
import type { WriteContext } from './write-context.ts'

/** By the adapters of databases: all that is made of one instance of Kysely has one. */
const known = new WeakMap<object, WeakMap<Collection, boolean>>()

const knownOf = ({ engine: { home } }: WriteContext) =>
  memoFor(known, home.getExecutor().adapter, () => new WeakMap<Collection, boolean>())

/** What is known already of the triggers on a table. */
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

/** SQLite has no type for it. */
export const isTrue = (cell: unknown): boolean => Boolean(cell)
