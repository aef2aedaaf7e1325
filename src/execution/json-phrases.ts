// Which phrases write JSON. Some versions of a database hand JSON out of a subselect as JSON, so that nothing has to be read again.
import { CompiledQuery } from 'kysely'
import { mark } from '../dialects/array-rows.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { render } from '../dialects/sql.ts'
import type { Row } from '../rows/row.ts'
import type { Database, Options } from './database.ts'
import { connected } from './execute.ts'

/** What is known of it, for all engines of one database. */
export interface JsonWriter {
  /** Undefined until the database has been asked. */
  dialect: Dialect | undefined
}

/** A copy may be of another version than what it follows, and shares statements with it. */
export const jsonWriterFor = (dialect: Dialect, hasCopy: boolean): JsonWriter => ({
  dialect: dialect.jsonAgain && !hasCopy ? undefined : dialect,
})

/** Asks the database, once. It is no statement of the caller's, so nobody is told of it. */
export async function learnToWrite(
  database: Database & { readonly jsonWriter: JsonWriter },
  options: Options,
): Promise<void> {
  const { dialect, jsonWriter } = database
  const { jsonAgain, ...others } = dialect
  if (!jsonAgain) return
  const { sql, parameters } = render(jsonAgain.isIdle, dialect)
  const question = CompiledQuery.raw(`${mark}${sql}`, [...parameters])
  const { rows } = await connected(database, options, (connection) => connection.executeQuery<Row>(question))
  jsonWriter.dialect = Number(rows[0]?.[0]) === 1 ? others : dialect
}
