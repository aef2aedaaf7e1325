// Whether what is written to a table is followed by more, such as a trigger that changes it again. It is asked once; what comes up later is told
// beside the rows.
import { execute } from '../run/execute.ts'
import type { Soon } from '../run/soon.ts'
import type { Collection } from '../schema/model.ts'
import { followedStatement } from '../sql/returning.ts'
import { keptFor } from '../values/kept.ts'
import type { Writing } from './writing.ts'

/** By the adapters of databases: all that is made of one instance of Kysely has one. */
const known = new WeakMap<object, WeakMap<Collection, boolean>>()

const knownOf = ({ engine: { home } }: Writing) =>
  keptFor(known, home.getExecutor().adapter, () => new WeakMap<Collection, boolean>())

export function isFollowed(collection: Collection, writing: Writing): Soon<boolean> {
  return knownOf(writing).get(collection) ?? asked(collection, writing)
}

export function noteFollowed(collection: Collection, writing: Writing, is: boolean): boolean {
  knownOf(writing).set(collection, is)
  return is
}

const asked = async (collection: Collection, writing: Writing): Promise<boolean> => {
  const { engine, options } = writing
  const [row] = await execute(engine, followedStatement(collection, engine.dialect), options)
  return noteFollowed(collection, writing, isTrue(row?.[0]))
}

/** SQLite has no type for it. */
export const isTrue = (cell: unknown): boolean => Boolean(cell)
