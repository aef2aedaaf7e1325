// A transaction on a connection that is known before it begins. If its outcome is unknown, the connection is
// closed: its next user would be in the middle of a transaction.

import type { HostTransaction } from '../../dialects/host.ts'
import { plainFault } from '../../errors/code-texts.ts'
import { type Connection, holdsBegins } from '../connection.ts'
import type { Database } from '../database.ts'
import { isPrepared, prepareConnection } from '../prepare-connection.ts'
import { attempt } from '../report-errors.ts'
import { requireTimeLimits } from '../server-version.ts'
import { alarm, compiled, grace, outOfTime, rawOf } from '../statement-timeout.ts'
import { rollBackAgain, uncertain, undo, unverifiedCommit } from './uncertain-commit.ts'

interface TransactionBounds {
  /** The timeout of each step of its own, such as begin and commit. */
  readonly timeoutMs: number | undefined
  /** True if the caller has given up: then nothing more begins, and nothing is committed. */
  readonly isLeft: () => boolean
}

/** `isLeft` is that of the bounds, and also true for what was given up here. */
type TransactionWork<Result> = (
  transaction: HostTransaction,
  connection: Connection,
  isLeft: () => boolean,
) => Promise<Result>

/** Runs work in a transaction, and resolves once it is committed. */
export function runTransaction<Result>(
  database: Database,
  bounds: TransactionBounds,
  work: TransactionWork<Result>,
): Promise<Result> {
  const { home, dialect } = database
  const limit = dialect.interruption && bounds.timeoutMs
  const step = new TransactionStep(limit)
  const isLeft = () => step.isGivenUp || bounds.isLeft()
  return step.watching(
    home.connection().execute(async (held) => {
      const connection = await held.getExecutor().provideConnection(async (own) => own)
      // The caller has given up and got its error already; the connection goes back at once.
      if (isLeft()) throw nobodyWaits()
      // The isolation level has to be set before the first query of a transaction.
      if (!isPrepared(connection, database)) await prepareConnection(connection, database, limit)
      if (limit !== undefined) requireTimeLimits(database)
      const raw = rawOf(connection, database)
      let failure: { readonly error: unknown } | undefined
      let isEnding = false
      step.begin(connection, database)
      try {
        return await held.transaction().execute(async (transaction) => {
          // A begin that is held back goes with this statement, whose answer has the limit of a begin.
          if (dialect.interruption && limit !== undefined && holdsBegins(home))
            await connection.executeQuery(compiled(dialect.interruption.process, database))
          step.end()
          try {
            // Both throw for the rollback alone: the caller has an error that says that nothing is stored.
            if (isLeft()) throw nobodyWaits()
            const result = await work(transaction, connection, isLeft)
            if (isLeft()) throw nobodyWaits()
            isEnding = true
            return result
          } catch (error) {
            failure = { error }
            throw error
          } finally {
            step.begin(connection, database, isEnding)
          }
        })
      } catch (error) {
        // The error of the work is thrown after the rollback, and a transaction that the server refused to
        // begin needs none.
        const { interruption } = dialect
        // A rollback on a connection that was closed for it fails with another error.
        const left = [raw?.closedBy?.(), error].find((one) => interruption?.leavesRunning(one))
        if (left instanceof Error) raw?.close(left)
        const isUndone = failure ? failure.error === error : !isEnding && !interruption?.isInDoubt(error)
        if (interruption && !isUndone)
          await undo(interruption.rollback, { connection, raw, timeoutMs: limit }, database)
        if (!interruption && !isUndone)
          await attempt(() => rollBackAgain(connection, database), undefined, database.onError)
        throw isEnding ? uncertain(left ?? error, database) : (failure?.error ?? error)
      } finally {
        step.end()
      }
    }),
  )
}

/** Ends work whose caller has given up and got an error already. */
export const nobodyWaits = () => plainFault('SERVICE_UNAVAILABLE')

/** The timeout of steps that the driver does by itself, such as begin and commit. */
class TransactionStep {
  readonly #timeoutMs: number | undefined
  #clock: NodeJS.Timeout | undefined
  #giveUp: (reason: unknown) => void = () => undefined
  #isGivenUp = false

  constructor(timeoutMs: number | undefined) {
    this.#timeoutMs = timeoutMs
  }

  /** True if a step got no response in time. It may get one later, from a connection that cannot be closed. */
  get isGivenUp(): boolean {
    return this.#isGivenUp
  }

  /** The outcome of the work, unless a step gets no response. */
  watching<Result>(work: Promise<Result>): Promise<Result> {
    if (this.#timeoutMs === undefined) return work
    return new Promise((resolve, reject) => {
      this.#giveUp = reject
      work.then(resolve, reject)
    })
  }

  begin(connection: Connection, database: Database, isCommit = false): void {
    if (this.#timeoutMs === undefined) return
    const raw = rawOf(connection, database)
    const silent = outOfTime(this.#timeoutMs)
    const late = () => {
      this.#isGivenUp = true
      raw?.close(silent)
      this.#giveUp(isCommit ? unverifiedCommit('OUT_OF_TIME', silent) : silent)
    }
    this.#clock = alarm(this.#timeoutMs + grace, late)
  }

  end(): void {
    clearTimeout(this.#clock)
  }
}
