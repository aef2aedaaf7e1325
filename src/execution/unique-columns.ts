// Whether a database keeps some columns of a table unique. A table that does is asked once; one that does not is asked again, because it may be
// given an index.

import { render, sql } from '../dialects/sql.ts'
import type { Collection } from '../schema/model.ts'
import type { Database, Options } from './database.ts'
import { execute } from './execute.ts'
import { TableFacts } from './table-facts.ts'

/** What a database promises of the values of some columns, of which none is null. */
export interface Uniqueness {
  /** True if no two rows have the same values. */
  readonly areUnique: boolean
  /** True if these columns, and no fewer, are those of a key or an index, which compares values as the columns do. */
  readonly areKey: boolean
}

/** Columns that are known to be unique. */
const unique = new TableFacts<Uniqueness | undefined>()

/** Returns whether the rows of a table are told apart by some columns: by all of a key or of a unique index over all rows that is checked at once.
 *  Views, and tables of databases that describe none, promise nothing. */
export async function uniquenessOf(
  collection: Collection,
  columns: readonly string[],
  database: Database,
  options: Options,
): Promise<Uniqueness> {
  const name = nameOf(columns)
  const known = unique.get(collection, name, database)
  if (known) return known
  const { dialect } = database
  const phrases = dialect.catalogue?.uniqueness?.(collection, columns)
  if (!phrases || columns.length === 0) return { areUnique: false, areKey: false }
  const cells = [phrases.areUnique, phrases.areKey].map(
    // A number, which every driver returns as one.
    (cell, at) => sql`case when ${cell} then 1 else 0 end as ${dialect.identifier(String(at))}`,
  )
  const [row] = await execute(database, render(sql`select ${sql.join(cells, sql`, `)}`, dialect), options)
  const found = { areUnique: Number(row?.[0]) === 1, areKey: Number(row?.[1]) === 1 }
  if (found.areUnique) unique.set(collection, name, database, found)
  return found
}

/** Lets the database be asked again: a statement that relied on its answer has failed. */
export function forgetUniqueness(
  collection: Collection,
  columns: readonly string[],
  database: Pick<Database, 'home'>,
): void {
  unique.set(collection, nameOf(columns), database, undefined)
}

const nameOf = (columns: readonly string[]): string => [...columns].sort().join('\n')
