// Uniqueness of columns, as the database keeps it.

import type { Collection } from '../schema/model.ts'
import type { Database, Options } from './database.ts'
import { execute } from './execute.ts'
import { knownUniqueness, noteUniqueness, type Uniqueness, uniquenessStatement } from './uniqueness.ts'

/** Returns whether some columns identify the rows of a table: by all of a key or of a unique index over all rows that is checked at once. Views,
 *  and tables of databases that describe none, guarantee nothing. */
export async function uniquenessOf(
  collection: Collection,
  columns: readonly string[],
  database: Database,
  options: Options,
): Promise<Uniqueness> {
  const known = knownUniqueness(collection, columns, database)
  if (known) return known
  const statement = uniquenessStatement(collection, columns, database)
  const [row] = statement ? await execute(database, statement, options) : []
  return noteUniqueness(collection, columns, row, database)
}
