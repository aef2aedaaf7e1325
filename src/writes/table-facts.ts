// What a database has said about its tables: each is asked once. Triggers and checks that are added later are reported beside the rows.

import type { Collection } from '../schema/model.ts'
import { memoFor } from '../values/memo.ts'
import type { WriteContext } from './write-context.ts'

/** Maximum number of facts about a table. */
const factsKept = 100

/** Answers to one question about tables, by database adapter: all copies of a Kysely instance share one. */
export class TableFacts {
  readonly #known = new WeakMap<object, WeakMap<Collection, Map<string, boolean>>>()

  /** Returns the answer about a table, or about some of its columns, if it is known. */
  get(collection: Collection, columns: string, writing: WriteContext): boolean | undefined {
    return this.#of(collection, writing).get(columns)
  }

  set(collection: Collection, columns: string, writing: WriteContext, is: boolean): boolean {
    const all = this.#of(collection, writing)
    if (all.size >= factsKept) all.clear()
    all.set(columns, is)
    return is
  }

  #of(collection: Collection, { engine: { home } }: WriteContext): Map<string, boolean> {
    const ofAdapter = memoFor(
      this.#known,
      home.getExecutor().adapter,
      () => new WeakMap<Collection, Map<string, boolean>>(),
    )
    return memoFor(ofAdapter, collection, () => new Map())
  }
}

/** The columns of an answer about a whole table. */
export const wholeTable = ''
