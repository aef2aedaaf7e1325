// A flight: a transaction whose statements are all known before it begins. Where the driver can, they are sent together with begin and commit:
// one round trip, and no lock is held while the next statement is on its way.
import type { QueryResult } from 'kysely'
import { render } from '../../dialects/sql.ts'
import { isEngineError } from '../../errors/errors.ts'
import type { Row } from '../../rows/row.ts'
import { withAcquireTimeout } from '../acquire-timeout.ts'
import { cancellable } from '../cancel.ts'
import { type Connection, mayBePooled, sendTogetherOf, withConnection } from '../connection.ts'
import { checkMilliseconds, type Database, type Options } from '../database.ts'
import { confirmColumns, execute } from '../execute.ts'
import { isPrepared, prepareConnection } from '../prepare-connection.ts'
import { report } from '../send-statement.ts'
import { requireTimeLimits } from '../server-version.ts'
import type { BoundStatement } from '../statement.ts'
import { alarm, grace, outOfTime, rawOf } from '../statement-timeout.ts'
import { asRefusedOperand, translateError } from '../translate-errors.ts'
import { nobodyWaits } from './begin.ts'
import { isolationText } from './isolation-level.ts'
import { inTransaction } from './transaction.ts'
import { uncertain, undo, unverifiedCommit } from './uncertain-commit.ts'
import { UnitOfWork } from './unit-of-work.ts'

type Results = readonly (readonly Row[])[]

/** Runs statements as one transaction of its own, and returns the rows of each; inside a transaction, as a part of it. Nothing that is sent
 *  with its commit can be taken back: the statements write all or nothing by their own conditions, and by failing. */
export async function inFlight(
  database: Database,
  statements: readonly BoundStatement[],
  options: Options = {},
): Promise<Results> {
  const { signal, timeoutMs = database.timeoutMs } = options
  signal?.throwIfAborted()
  checkMilliseconds('timeoutMs', timeoutMs)
  if (database.unit) return inTurn(database, statements, options)
  for (const statement of statements) await confirmColumns(database, statement, options)
  const isSimple = statements.every(({ lossless }) => !lossless)
  if (isSimple && database.dialect.interruption && mayBePooled(database.home)) {
    const results = await sentTogether(database, statements, { signal, timeoutMs })
    if (results) return results
  }
  const work = (db: Database['db']) =>
    inTurn({ ...database, db, unit: new UnitOfWork() }, statements, options)
  return inTransaction(database, work, () => undefined, options)
}

async function inTurn(
  database: Database,
  statements: readonly BoundStatement[],
  options: Options,
): Promise<Results> {
  const results: (readonly Row[])[] = []
  for (const statement of statements) results.push(await execute(database, statement, options))
  return results
}

/** Returns undefined if the connection cannot send these together. */
function sentTogether(
  database: Database,
  statements: readonly BoundStatement[],
  { signal, timeoutMs }: Options,
): Promise<Results | undefined> {
  const work = (isWanted: () => boolean) =>
    withConnection(database.home, async (connection) => {
      // The connection goes back at once.
      if (!isWanted()) throw nobodyWaits()
      if (!isPrepared(connection, database)) await prepareConnection(connection, database, timeoutMs)
      if (timeoutMs !== undefined) requireTimeLimits(database)
      signal?.throwIfAborted()
      return new Flight(database, statements, timeoutMs).on(connection, signal)
    })
  return withAcquireTimeout(work, database.acquireTimeoutMs, { signal }, (error) =>
    translateError(error, database, signal),
  )
}

class Flight {
  readonly #database: Database
  readonly #statements: readonly BoundStatement[]
  readonly #timeoutMs: number | undefined
  readonly #results: (readonly Row[])[] = []
  #isSent = false
  #since = 0
  #clock: NodeJS.Timeout | undefined

  constructor(database: Database, statements: readonly BoundStatement[], timeoutMs: number | undefined) {
    this.#database = database
    this.#statements = statements
    this.#timeoutMs = timeoutMs
  }

  async on(connection: Connection, signal: AbortSignal | undefined): Promise<Results | undefined> {
    const raw = rawOf(connection, this.#database)
    // The running statement can only be cancelled through its own connection: no other one knows which it is.
    if (signal && !raw?.cancel) return undefined
    let isPossible = true
    const send = async () => {
      const flight = this.#send(connection)
      isPossible = flight !== undefined
      await flight
    }
    const bounds = { signal, timeoutMs: undefined, statement: '', isLast: true }
    try {
      await cancellable(send, connection, this.#database, bounds)
    } catch (error) {
      const { interruption } = this.#database.dialect
      const isOpen = this.#isSent && raw?.closedBy?.() === undefined
      if (interruption && isOpen)
        await undo(interruption.rollback, { connection, raw, timeoutMs: this.#timeoutMs }, this.#database)
      throw this.#translated(error, signal)
    }
    return isPossible ? this.#results : undefined
  }

  #send(connection: Connection): Promise<void> | undefined {
    const begin = beginning(this.#database, this.#timeoutMs)
    const all = [...begin, ...this.#statements, plain('commit')]
    const flight = sendTogetherOf(connection)?.(all, {
      sent: () => {
        this.#isSent = true
        this.#since = performance.now()
      },
      answered: (at, result) => {
        this.#clock?.refresh()
        this.#answered(this.#statements[at - begin.length], result)
      },
    })
    return flight && this.#inTime(flight, connection)
  }

  #answered(statement: BoundStatement | undefined, result: QueryResult<Row>): void {
    if (!statement) return
    this.#results.push(result.rows)
    const started = this.#since
    this.#since = performance.now()
    if (this.#database.onQuery) report(this.#database, statement, result, started)
  }

  /** The flight, with the usual time for each response. */
  #inTime(flight: Promise<void>, connection: Connection): Promise<void> {
    const timeoutMs = this.#timeoutMs
    if (timeoutMs === undefined) return flight
    return new Promise((resolve, reject) => {
      const silent = outOfTime(timeoutMs)
      this.#clock = alarm(timeoutMs + grace, () => {
        reject(unverifiedCommit('OUT_OF_TIME', silent))
        rawOf(connection, this.#database)?.close(silent)
      })
      const stop = () => clearTimeout(this.#clock)
      flight.then(resolve, reject).then(stop, stop)
    })
  }

  #translated(error: unknown, signal: AbortSignal | undefined): unknown {
    // An abort by the signal is thrown as it is.
    if (isEngineError(error) || (signal?.aborted && error === signal.reason)) return error
    const { dialect } = this.#database
    const limit = this.#timeoutMs
    if (limit !== undefined && dialect.interruption?.isInterrupted(error)) return outOfTime(limit, error)
    const reported = this.#isSent ? uncertain(error, this.#database) : error
    const known = translateError(reported, this.#database, signal)
    const failed = this.#statements[this.#results.length]
    return failed ? asRefusedOperand(known, failed.sql, this.#database) : known
  }
}

/** The statements before the first: the isolation level has to be set before any other. The timeout ends with the transaction. */
function beginning(database: Database, timeoutMs: number | undefined): readonly BoundStatement[] {
  const { interruption } = database.dialect
  const isolation = isolationText(database)
  return [
    plain('begin'),
    ...(isolation === undefined ? [] : [plain(isolation)]),
    ...(timeoutMs === undefined || !interruption
      ? []
      : [render(interruption.begin(timeoutMs), database.dialect)]),
  ]
}

const plain = (text: string): BoundStatement => ({ sql: text, parameters: [] })
