// How long an answer is waited for. A server ends by itself what takes longer than it may. One that says nothing at all, or that nothing is
// heard of, is given a little more time; then nobody waits any longer, and the connection is closed.
import { CompiledQuery } from 'kysely'
import { render, type Sql } from '../dialects/sql.ts'
import { type EngineError, fault } from '../errors/errors.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'

/** How much longer than the server an answer may take. */
export const grace = 1_000

/** A connection whose answers are waited for no longer than that. */
export function patient(
  connection: Connection,
  database: Database,
  timeoutMs: number | undefined,
): Connection {
  if (timeoutMs === undefined || !database.dialect.interruption) return connection
  // While something is under way nobody learns what is beneath.
  const line = lineOf(connection, database)
  return {
    executeQuery: (query) => {
      const late = () => {
        const silent = outOfTime(timeoutMs)
        line?.close(silent)
        return silent
      }
      return within(timeoutMs + grace, connection.executeQuery(query), late)
    },
  }
}

/** The outcome of something, if there is one in time. */
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

/** A timer of Node's that is set to more rings at once. */
const longest = 2 ** 31 - 1

export const lineOf = (connection: Connection, { dialect }: Database) =>
  dialect.interruption?.lineOf(connection)

export const outOfTime = (milliseconds: number, cause?: unknown): EngineError =>
  fault('OUT_OF_TIME', `The database took longer than ${milliseconds} milliseconds.`, { cause })

/** A statement as a connection takes it. */
export function compiled(text: Sql, { dialect }: Database): CompiledQuery {
  const { sql, parameters } = render(text, dialect)
  return CompiledQuery.raw(sql, [...parameters])
}
