// Runs a single statement on the shortest path to a connection: by callbacks, because each promise of the usual path costs a part of a small
// statement.
import type { QueryResult } from 'kysely'
import type { Row } from '../rows/row.ts'
import { type Done, withAcquireTimeoutOf } from './acquire-timeout.ts'
import { loneSender, type SendAlone } from './connection.ts'
import type { Database, Options } from './database.ts'
import { unpacked } from './send-statement.ts'
import { isKnown } from './server-version.ts'
import type { BoundStatement } from './statement.ts'
import { translateError } from './translate-errors.ts'
import { statementError } from './uncertain-commit.ts'

/** Returns the sender of a single statement. Undefined if anything is to be done before it or meanwhile. */
export function senderFor(
  database: Database,
  { signal, timeoutMs = database.timeoutMs }: Options,
): SendAlone | undefined {
  const { db, home, dialect, unit, onQuery } = database
  if (signal || timeoutMs !== undefined || unit || onQuery || db !== home) return undefined
  if (dialect.settings || !isKnown(database)) return undefined
  return loneSender(db)
}

/** Runs a statement and returns a part of its result. */
export function runAlone<Told>(
  send: SendAlone,
  database: Database,
  statement: BoundStatement,
  of: (result: QueryResult<Row>) => Told,
): Promise<Told> {
  let isSent = false
  const work = (isWanted: () => boolean, done: Done<Told>) => {
    const begins = () => {
      isSent = isWanted()
      return isSent
    }
    send(statement, begins, (error, result) => {
      if (!result) return done(error)
      let told: Told
      try {
        told = of(statement.isPacked ? unpacked(result) : result)
      } catch (failure) {
        return done(failure)
      }
      done(undefined, told)
    })
  }
  return withAcquireTimeoutOf(work, database.acquireTimeoutMs, (error) =>
    statementError(translateError(error, database, undefined), isSent, database, statement),
  )
}
