// The phrases that write JSON. Some versions of a database return JSON from a subselect as JSON, so that it
// need not be parsed again.
import { CompiledQuery } from 'kysely'
import { statementMark } from '../dialects/connections/statement-mark.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { render } from '../dialects/sql.ts'
import type { Row } from '../rows/row.ts'
import type { Database, Options } from './database.ts'
import { connected } from './execute.ts'

/** The state shared by all engines of one database. */
export interface JsonWriter {
  /** Undefined until the database was queried. */
  dialect: Dialect | undefined
}

/** A replica may have another version than its primary, and shares statements with it. */
export const jsonWriterFor = (dialect: Dialect, hasCopy: boolean): JsonWriter => ({
  dialect: dialect.jsonAgain && !hasCopy ? undefined : dialect,
})

/** Queries the database once. It is no statement of the caller's, so it is not reported. */
export async function learnToWrite(
  database: Database & { readonly jsonWriter: JsonWriter },
  options: Options,
): Promise<void> {
  const { dialect, jsonWriter } = database
  const { jsonAgain, ...others } = dialect
  if (!jsonAgain) return
  const { sql, parameters } = render(jsonAgain.isIdle, dialect)
  const probe = CompiledQuery.raw(`${statementMark}${sql}`, [...parameters])
  const { rows } = await connected(database, options, (connection) => connection.executeQuery<Row>(probe))
  jsonWriter.dialect = Number(rows[0]?.[0]) === 1 ? others : dialect
}
