// Ends a statement that takes too long, or that nobody waits for any more.
import { CompiledQuery } from 'kysely'
import { onAbort } from '../abort.ts'
import type { Interruption } from '../dialects/dialect.ts'
import { render, type Sql } from '../dialects/sql.ts'
import { fault } from '../errors.ts'
import type { Database } from './execute.ts'
import { type Connection, withConnection } from './lending.ts'

interface Bounds {
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number | undefined
  /** The text of what is run. */
  readonly statement: string
}

/** Runs with a limit of time and a way to be cancelled, where the database has them. Elsewhere a statement, once begun, ends by itself. */
export async function interruptible<Result>(
  run: () => Promise<Result>,
  connection: Connection,
  database: Database,
  { signal, timeoutMs, statement }: Bounds,
): Promise<Result> {
  const { interruption } = database.dialect
  if (!interruption) {
    const result = await run()
    signal?.throwIfAborted()
    return result
  }
  const before = await begin(connection, interruption, database, timeoutMs)
  const cancellation = new Cancellation(database, interruption.cancel(before.process, statement))
  const stopListening = onAbort(signal, () => cancellation.ask())
  try {
    signal?.throwIfAborted()
    return await run()
  } catch (error) {
    signal?.throwIfAborted()
    throw timeoutMs !== undefined && interruption.isInterrupted(error) ? outOfTime(timeoutMs, error) : error
  } finally {
    stopListening()
    await cancellation.settle()
    if (before.timeout !== undefined) await end(connection, interruption, database, before.timeout)
  }
}

/** Cancels a statement by another connection. There may be none left until this statement ends by itself; then it is no longer sent,
 *  and nobody waits for it. */
class Cancellation {
  readonly #database: Database
  readonly #text: Sql
  #isOver = false
  #sending: Promise<unknown> | undefined

  constructor(database: Database, text: Sql) {
    this.#database = database
    this.#text = text
  }

  ask(): void {
    const send = async (connection: Connection) => {
      if (this.#isOver) return
      this.#sending = connection.executeQuery(compiled(this.#text, this.#database))
      await this.#sending
    }
    withConnection(this.#database.home, send).catch(() => undefined)
  }

  /** One still on its way would hit whatever runs next on the connection. */
  async settle(): Promise<void> {
    this.#isOver = true
    await this.#sending?.catch(() => undefined)
  }
}

/** Which process serves a connection does not change, so it is asked once; a limit of time is set for each statement. */
const processes = new WeakMap<Connection, number>()

async function begin(
  connection: Connection,
  interruption: Interruption,
  database: Database,
  timeoutMs: number | undefined,
): Promise<{ readonly process: number; readonly timeout: string | undefined }> {
  const known = processes.get(connection)
  if (known !== undefined && timeoutMs === undefined) return { process: known, timeout: undefined }
  const { rows } = await connection.executeQuery<Record<string, unknown>>(
    compiled(interruption.begin(timeoutMs, isInside(database)), database),
  )
  const process = Number(rows[0]?.process)
  processes.set(connection, process)
  return { process, timeout: timeoutMs === undefined ? undefined : String(rows[0]?.timeout) }
}

/** In a transaction that has failed nothing can be set, and nothing has to: it takes the setting back itself. */
async function end(
  connection: Connection,
  interruption: Interruption,
  database: Database,
  timeout: string,
): Promise<void> {
  await connection
    .executeQuery(compiled(interruption.end(timeout, isInside(database)), database))
    .catch(() => undefined)
}

/** Inside a transaction a setting is made for that alone: the host's own may be, too. */
const isInside = ({ db, home }: Database): boolean => db !== home

function compiled(text: Sql, { dialect }: Database) {
  const { sql, parameters } = render(text, dialect)
  return CompiledQuery.raw(sql, [...parameters])
}

const outOfTime = (milliseconds: number, cause: unknown) =>
  fault('OUT_OF_TIME', `The database took longer than ${milliseconds} milliseconds.`, { cause })
