// Cancels a statement that takes too long, or whose caller has given up.

import { abandonerOf } from '../dialects/connections/abandoned-statement.ts'
import type { RawConnection } from '../dialects/connections/wire.ts'
import type { Sql } from '../dialects/sql.ts'
import type { Interruption } from '../dialects/transaction-phrases.ts'
import { onAbort } from '../errors/abort-signal.ts'
import { fault } from '../errors/errors.ts'
import { type Connection, withConnection } from './connection.ts'
import type { Database } from './database.ts'
import { attempt } from './report-errors.ts'
import { alarm, compiled, grace, outOfTime, patient, rawOf, within } from './statement-timeout.ts'

interface StatementBounds {
  readonly signal: AbortSignal | undefined
  /** The timeout enforced by the server within a transaction, which the caller has begun. */
  readonly timeoutMs: number | undefined
  /** The text of the statement. */
  readonly statement: string
  /** True if the transaction ends with this statement, and the timeout with it. */
  readonly isLast: boolean
}

type Run<Result> = (connection: Connection) => Promise<Result>

/** Runs with a timeout and a way to be cancelled, where the database has them. Elsewhere a statement, once
 *  begun, runs to its end. */
export async function cancellable<Result>(
  run: Run<Result>,
  connection: Connection,
  database: Database,
  bounds: StatementBounds,
): Promise<Result> {
  const { signal, timeoutMs } = bounds
  const { interruption } = database.dialect
  if (!interruption) {
    const result = await runOrAbandon(run, connection, bounds)
    signal?.throwIfAborted()
    return result
  }
  const interruptible = { connection, own: patient(connection, database, timeoutMs), interruption, database }
  const cancellation = signal && (await cancellationOf(interruptible, bounds.statement))
  const stopListening = onAbort(signal, () => cancellation?.ask())
  try {
    signal?.throwIfAborted()
    return await (timeoutMs === undefined ? run(interruptible.own) : limited(run, interruptible, bounds))
  } catch (error) {
    // The reason of the signal says nothing of the transaction.
    if (signal?.aborted) database.unit?.state.fail(error, connection, database.dialect)
    signal?.throwIfAborted()
    throw timeoutMs !== undefined && interruption.isInterrupted(error) ? outOfTime(timeoutMs, error) : error
  } finally {
    stopListening()
    await cancellation?.settle()
  }
}

/** Runs a statement, and abandons it when its time is over or its caller gives up, where the connection can. */
async function runOrAbandon<Result>(
  run: Run<Result>,
  connection: Connection,
  { signal, timeoutMs }: StatementBounds,
): Promise<Result> {
  const abandon = abandonerOf(connection)
  if (!abandon) return run(connection)
  const stopListening = onAbort(signal, () => abandon(signal?.reason))
  const clock = timeoutMs === undefined ? undefined : alarm(timeoutMs, () => abandon(outOfTime(timeoutMs)))
  try {
    return await run(connection)
  } finally {
    stopListening()
    clearTimeout(clock)
  }
}

/** A connection whose statements can be interrupted. */
interface Interruptible {
  readonly connection: Connection
  /** The connection as it waits for the end of its statements. */
  readonly own: Connection
  readonly interruption: Interruption
  readonly database: Database
}

async function limited<Result>(
  run: Run<Result>,
  { own, interruption, database }: Interruptible,
  { signal, timeoutMs = 0, isLast }: StatementBounds,
): Promise<Result> {
  const send = (text: Sql) => own.executeQuery<Record<string, unknown>>(compiled(text, database))
  const { rows } = await send(interruption.begin(timeoutMs))
  const end = () => send(interruption.end(String(rows[0]?.timeout)))
  let result: Result
  try {
    signal?.throwIfAborted()
    result = await run(own)
  } catch (error) {
    // The timeout belongs to the transaction: a failed one resets it by itself, and refuses this statement. A
    // statement that never reached the server has not failed there, and its timeout is reset here. Either way
    // the error of the statement is thrown.
    await end().catch(() => undefined)
    throw error
  }
  // The reset runs under the timeout itself. If it fails, so does the transaction, and all changes are rolled back.
  if (!isLast) await end()
  return result
}

async function cancellationOf(interruptible: Interruptible, statement: string): Promise<Cancellation> {
  const { connection, interruption, database } = interruptible
  const raw = rawOf(connection, database)
  const text = raw?.cancel ? undefined : interruption.cancel(await processOf(interruptible), statement)
  return new Cancellation(database, raw, text)
}

/** Server processes by connection. They do not change, so each is queried once. */
const processes = new WeakMap<Connection, number>()

async function processOf({ connection, own, interruption, database }: Interruptible): Promise<number> {
  const known = processes.get(connection)
  if (known !== undefined) return known
  const { rows } = await own.executeQuery<Record<string, unknown>>(compiled(interruption.process, database))
  const process = Number(rows[0]?.process)
  processes.set(connection, process)
  return process
}

/** Cancels a statement by the raw connection itself, or else by another connection of the pool. If none is free
 *  until the statement ends by itself, the cancellation is no longer sent and not waited for. */
export class Cancellation {
  readonly #database: Database
  readonly #raw: RawConnection | undefined
  readonly #text: Sql | undefined
  #isOver = false
  #sending: PromiseLike<boolean> | undefined
  #clock: NodeJS.Timeout | undefined

  constructor(database: Database, raw: RawConnection | undefined, text?: Sql) {
    this.#database = database
    this.#raw = raw
    this.#text = text
  }

  ask(): void {
    if (this.#text) this.#askByAnother(this.#text)
    else if (this.#raw) this.#askBy(this.#raw)
  }

  #askBy(raw: RawConnection): void {
    this.#sending = raw.cancel?.()
    // A server that does not end the statement by then is unreachable or hangs.
    this.#clock = setTimeout(() => raw.close(unheard()), grace)
  }

  #askByAnother(text: Sql): void {
    const send = async (connection: Connection) => {
      if (this.#isOver) return
      const requested = connection.executeQuery(compiled(text, this.#database))
      // Once there is a response, whatever it is, the cancellation hits nothing that runs later.
      const isAnswered = () => true
      this.#sending = requested.then(isAnswered, isAnswered)
      await requested
    }
    const { home, onError } = this.#database
    const report = (cause: unknown) => {
      const failure = fault('SERVICE_UNAVAILABLE', 'The request to cancel a statement failed.', { cause })
      return attempt(() => Promise.reject(failure), undefined, onError)
    }
    // For a statement that has ended by itself, a failed cancellation is irrelevant.
    withConnection(home, send).catch((cause: unknown) => (this.#isOver ? undefined : report(cause)))
  }

  /** Waits for a cancellation that is still on its way: it would hit whatever runs next on the connection. */
  settle(): Promise<void> | undefined {
    this.#isOver = true
    clearTimeout(this.#clock)
    return this.#sending && this.#arrived(this.#sending)
  }

  async #arrived(sending: PromiseLike<boolean>): Promise<void> {
    const isCertain = await within(grace, sending, unheard).catch(() => false)
    if (!isCertain) this.#raw?.close(unheard())
  }
}

const unheard = () => fault('SERVICE_UNAVAILABLE', 'The database did not end a cancelled statement in time.')
