// Connections of which nobody knows any more in the middle of what they are.
import type { Line } from '../dialects/line.ts'
import type { Sql } from '../dialects/sql.ts'
import { fault } from '../errors.ts'
import type { Database } from './execute.ts'
import type { Connection } from './lending.ts'
import { compiled, patient } from './patience.ts'

/** Undoes what is open on a connection. Where that fails, the connection is closed; answers what it has failed with. */
export async function undo(
  rollback: Sql,
  connection: Connection,
  line: Line | undefined,
  database: Database,
  timeoutMs: number | undefined,
): Promise<{ readonly error: unknown } | undefined> {
  try {
    await patient(connection, database, timeoutMs).executeQuery(compiled(rollback, database))
    return undefined
  } catch (error) {
    line?.close(unended(error))
    return { error }
  }
}

export const unended = (cause: unknown) =>
  fault('SERVICE_UNAVAILABLE', 'The connection is in a transaction that does not end.', { cause })
