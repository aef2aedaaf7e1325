// Sends a statement to the driver, and reports it.
import { CompiledQuery, type QueryResult } from 'kysely'
import type { Row } from '../rows/row.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import { attempt } from './report-errors.ts'
import type { BoundStatement } from './statement.ts'

/** Further properties that Kysely's own executors need. Drivers only read the text and the values, and each
 *  call would make them anew. */
const unnamed = CompiledQuery.raw('')

/** Sends a statement on a connection, and returns its result. */
export function sendStatement(
  connection: Connection,
  database: Database,
  statement: BoundStatement,
): Promise<QueryResult<Row>> {
  const { sql, parameters } = statement
  // Nothing is done with its result here, so that no further promise has to wait for it.
  if (!database.onQuery) return connection.executeQuery<Row>({ ...unnamed, sql, parameters })
  return sendAndReport(connection, database, statement)
}

async function sendAndReport(
  connection: Connection,
  database: Database,
  { sql, parameters }: BoundStatement,
): Promise<QueryResult<Row>> {
  const started = performance.now()
  const result = await connection.executeQuery<Row>({ ...unnamed, sql, parameters })
  report(database, { sql, parameters }, result, started)
  return result
}

/** Reports a statement after it has run: a report that fails does not affect it. */
export function report(
  { onQuery, onError }: Database,
  { sql, parameters }: BoundStatement,
  result: QueryResult<Row>,
  started: number,
): void {
  const rows = result.rows.length || Number(result.numAffectedRows ?? 0)
  const durationMs = performance.now() - started
  void attempt(() => onQuery?.({ sql, parameters, durationMs, rows }), undefined, onError)
}
