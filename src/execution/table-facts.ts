// Facts about tables: a database is asked once for each. Triggers and checks that are added later are reported beside the rows.

import { memoFor } from '../values/memo.ts'
import type { Database } from './database.ts'

/** Maximum number of facts about a table. */
const factsKept = 100

/** Answers to one question about the tables of collections, by database adapter: all copies of a Kysely instance share one. */
export class TableFacts<Fact = boolean> {
  readonly #known = new WeakMap<object, WeakMap<object, Map<string, Fact>>>()

  /** Returns the answer about a table, or about some of its columns, if it is known. */
  get(collection: object, columns: string, database: Pick<Database, 'home'>): Fact | undefined {
    return this.#of(collection, database).get(columns)
  }

  set(collection: object, columns: string, database: Pick<Database, 'home'>, fact: Fact): Fact {
    const all = this.#of(collection, database)
    if (all.size >= factsKept) all.clear()
    all.set(columns, fact)
    return fact
  }

  /** Forgets what was denied of a table: it may be true by now. */
  forgetDenials(collection: object, database: Pick<Database, 'home'>): void {
    const all = this.#of(collection, database)
    for (const [columns, fact] of all) if (Object.is(fact, false)) all.delete(columns)
  }

  #of(collection: object, { home }: Pick<Database, 'home'>): Map<string, Fact> {
    const ofAdapter = memoFor(
      this.#known,
      home.getExecutor().adapter,
      () => new WeakMap<object, Map<string, Fact>>(),
    )
    return memoFor(ofAdapter, collection, () => new Map())
  }
}

/** The columns of an answer about a whole table. */
export const wholeTable = ''
