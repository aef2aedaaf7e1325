// The timeout of a response. A server ends by itself what takes too long. If it does not respond, or is
// unreachable, it gets a little more time; then the wait ends, and the connection is closed.
import { CompiledQuery } from 'kysely'
import { type RawConnection, rawConnection } from '../dialects/connections/wire.ts'
import { render, type Sql } from '../dialects/sql.ts'
import { type EngineError, fault, isEngineError } from '../errors/errors.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'

/** The additional time for the response of the server, in milliseconds. */
export const grace = 1_000

/** A connection whose responses are waited for no longer than that. */
export function patient(
  connection: Connection,
  database: Database,
  timeoutMs: number | undefined,
): Connection {
  if (timeoutMs === undefined || !database.dialect.interruption) return connection
  // While a statement is running, the raw connection cannot be looked up.
  const raw = rawOf(connection, database)
  return {
    ...(raw && { [rawConnection]: raw }),
    executeQuery: (query) => {
      const late = () => {
        const silent = outOfTime(timeoutMs)
        raw?.close(silent)
        return silent
      }
      return within(timeoutMs + grace, connection.executeQuery(query), late)
    },
  }
}

/** Runs work on a connection, and closes it if the driver gives up a statement of its own accord that the server still runs: the next user
 *  of the connection would wait for that. */
export function closingIfLeft<Result>(
  connection: Connection,
  database: Database,
  work: () => Promise<Result>,
): Promise<Result> {
  // While a statement is running, the raw connection cannot be looked up.
  const raw = rawOf(connection, database)
  return raw ? work().catch((error: unknown) => closeIfLeft(raw, error, database)) : work()
}

function closeIfLeft(raw: RawConnection, error: unknown, { dialect }: Database): never {
  const cause = isEngineError(error) ? error.cause : error
  if (cause instanceof Error && dialect.interruption?.leavesRunning(cause)) raw.close(cause)
  throw error
}

/** The outcome of some work, if there is one in time. */
export function within<Result>(
  milliseconds: number,
  work: PromiseLike<Result>,
  late: () => unknown,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const clock = alarm(milliseconds, () => reject(late()))
    const stop = () => clearTimeout(clock)
    work.then(resolve, reject).then(stop, stop)
  })
}

export const alarm = (milliseconds: number, ring: () => void): NodeJS.Timeout =>
  setTimeout(ring, Math.min(milliseconds, longest))

/** A timer of Node fires at once if it is set to more. */
const longest = 2 ** 31 - 1

export const rawOf = (connection: Connection, { dialect }: Database) =>
  dialect.interruption?.lineOf(connection)

export const outOfTime = (milliseconds: number, cause?: unknown): EngineError =>
  fault('OUT_OF_TIME', `The database took longer than ${milliseconds} milliseconds.`, { cause })

/** A statement in the form that a connection takes. */
export function compiled(text: Sql, { dialect }: Database): CompiledQuery {
  const { sql, parameters } = render(text, dialect)
  return CompiledQuery.raw(sql, [...parameters])
}
