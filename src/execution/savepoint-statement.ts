import { type Connection, withConnection } from './connection.ts'
import type { Database, Options } from './database.ts'
import { sendStatement } from './send-statement.ts'
import { closingIfLeft, patient } from './statement-timeout.ts'
import { translated } from './translate-errors.ts'

/** Runs a statement that begins or ends a part of a transaction. It has no timeout on the server: resetting
 *  that would take longer, and is impossible after a failure. */
export function sendSavepointStatement(
  database: Database,
  sql: string,
  { timeoutMs = database.timeoutMs }: Options,
  /** Called before the statement is sent. It may throw. */
  begins?: () => void,
): Promise<unknown> {
  const statement = { sql, parameters: [] }
  const { unit, dialect } = database
  const run = async (connection: Connection) => {
    begins?.()
    const own = patient(connection, database, timeoutMs)
    const work = () => sendStatement(own, database, statement)
    const send = () => (unit ? unit.state.send(own, dialect, work) : work())
    return closingIfLeft(connection, database, send)
  }
  return translated(() => withConnection(database.db, run), database, undefined)
}
