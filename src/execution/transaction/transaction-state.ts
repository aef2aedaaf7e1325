// The state of a transaction, or of a savepoint in one. A transaction that is ended from outside ends all work
// in it: on some databases every later statement would commit by itself.

import { CompiledQuery } from 'kysely'
import { isGoingOn } from '../../dialects/connections/transaction-status.ts'
import type { Dialect } from '../../dialects/dialect.ts'
import { codeTexts } from '../../errors/code-texts.ts'
import { fault, isEngineError } from '../../errors/errors.ts'
import type { Connection } from '../connection.ts'

interface TransactionFailure {
  readonly error: unknown
  /** True for what has ended as it should. */
  readonly isDone?: true
}

export class TransactionState {
  readonly #around: TransactionState | undefined
  #end: TransactionFailure | undefined
  /** The first failure since the transaction was last known to be open. */
  #failure: TransactionFailure | undefined
  #isProven = true
  /** The failure that the host's commit would not report, unless something brings the transaction back before. */
  #unheard: 'failed' | 'over' | undefined
  #proof: Promise<void> | undefined

  constructor(around?: TransactionState) {
    this.#around = around
  }

  /** True for a savepoint. */
  get isNested(): boolean {
    return this.#around !== undefined
  }

  /** True for a savepoint in that transaction, or in a savepoint of it. */
  isWithin(other: object): boolean {
    return this.#around !== undefined && (this.#around === other || this.#around.isWithin(other))
  }

  /** The failure that has ended it, or the transaction around it. */
  get ended(): TransactionFailure | undefined {
    return this.#end ?? this.#around?.ended
  }

  /** The failure that may have ended it. */
  get failure(): TransactionFailure | undefined {
    return this.ended ?? this.#failure
  }

  /** Notes that statements of the host, or a failed one of the engine, may have ended it. */
  markUnverified(failure?: TransactionFailure): void {
    this.#failure ??= failure
    this.#isProven = false
  }

  end(failure: TransactionFailure): void {
    this.#end ??= failure
  }

  /** Notes that its work is done: nothing more is sent in it. */
  close(): void {
    this.end(this.#failure ?? { error: undefined, isDone: true })
  }

  /** Notes an error of a statement. */
  fail(error: unknown, connection: object, { transactionStatus, interruption }: Dialect): void {
    this.markUnverified({ error })
    const cause = isEngineError(error) ? error.cause : error
    if (!transactionStatus.isEndedBy?.(cause) || interruption?.lineOf(connection)?.reportsRollbacks) return
    this.#unheard = transactionStatus.isOver(cause) ? 'over' : (this.#unheard ?? 'failed')
  }

  /** Throws if a commit of the host's has stored nothing, if that is known here. */
  requireCommitted(dialect: Dialect): void {
    if (this.ended || this.#unheard === 'over') throw isOver(this.failure, dialect)
  }

  /** The failure behind which it is unknown whether a commit of the host's has stored something: it rolls back a transaction that has failed,
   *  unless the host has rolled back to a savepoint of its own. */
  get failureBeforeCommit(): TransactionFailure | undefined {
    return this.#unheard && this.failure
  }

  /** Sends a statement, unless the transaction is over. */
  async send<Result>(connection: Connection, dialect: Dialect, work: () => Promise<Result>): Promise<Result> {
    const { transactionStatus } = dialect
    if (!transactionStatus.isReportedByEach && !this.isCertain) await this.prove(connection, dialect)
    this.requireOn(dialect)
    try {
      const result = await work()
      if (transactionStatus.isReportedByEach) this.#forgetUnverified()
      return result
    } catch (error) {
      this.fail(error, connection, dialect)
      throw transactionStatus.isOver(error) ? isOver(this.failure, dialect) : error
    }
  }

  /** True if nothing has happened since the transaction was last known to be open. */
  get isCertain(): boolean {
    return this.#isProven && !this.ended
  }

  /** True if the transaction is open, where its connection knows without a statement. */
  isOpenNow(connection: object): boolean {
    if (!this.#isProven && !this.ended && isGoingOn(connection)) this.#forgetUnverified()
    return this.isCertain
  }

  /** Checks whether the transaction is still open, and throws if not. */
  async prove(connection: Connection, dialect: Dialect): Promise<void> {
    if (!this.#isProven && !this.ended) {
      // Statements that are sent at the same time share one check.
      this.#proof ??= this.#findOut(connection, dialect).finally(() => {
        this.#proof = undefined
      })
      await this.#proof
    }
    this.requireOn(dialect)
  }

  /** Throws if the transaction is known to be over. */
  requireOn(dialect: Dialect): void {
    if (this.ended) throw isOver(this.ended, dialect)
  }

  async #findOut(connection: Connection, { transactionStatus, interruption }: Dialect): Promise<void> {
    const reported =
      isGoingOn(connection) ?? (interruption?.lineOf(connection)?.isInTransaction?.() || undefined)
    if (reported) return this.#forgetUnverified()
    if (reported === false) return this.end(this.#failure ?? { error: undefined })
    // A synchronous driver throws at once; `async` makes that a rejection.
    const send = async (text: string) => connection.executeQuery(CompiledQuery.raw(text))
    const answer = await send(transactionStatus.probe).then(
      () => undefined,
      (error: unknown): TransactionFailure => ({ error }),
    )
    if (transactionStatus.isShownBy(answer?.error)) return this.#forgetUnverified()
    this.end(this.#failure ?? answer ?? { error: undefined })
    if (!answer && transactionStatus.undo !== undefined) await send(transactionStatus.undo)
  }

  #forgetUnverified(): void {
    this.#isProven = true
    this.#failure = undefined
    this.#unheard = undefined
  }
}

/** An error for a transaction that is over, with its reason. */
function isOver(failure: TransactionFailure | undefined, { faultOf }: Dialect) {
  if (failure?.isDone)
    return fault(
      'SERVICE_UNAVAILABLE',
      'The transaction of this call has ended before it, and nothing of the call is stored.',
      { hint: 'Await each call inside of the function of its transaction.' },
    )
  const error = failure?.error
  const { code = 'INTERNAL_SERVER_ERROR', says } = faultOf(error) ?? {}
  const why = isEngineError(error) ? error.message : (says ?? codeTexts[code])
  const over = 'This transaction is over, and nothing of it is stored'
  return fault('SERVICE_UNAVAILABLE', error === undefined ? `${over}.` : `${over}: ${why}`, {
    hint: 'Begin it anew.',
    cause: isEngineError(error) ? (error.cause ?? error) : error,
  })
}
