// The course of a transaction, or of a savepoint in one. What ends a transaction from outside ends all that goes on in it: on some databases
// whatever follows would be stored by itself.
import { CompiledQuery } from 'kysely'
import type { Dialect } from '../dialects/dialect.ts'
import { isGoingOn } from '../dialects/transaction-status.ts'
import { codes, fault, isEngineError } from '../errors/errors.ts'
import type { Connection } from './connection.ts'

interface TransactionFailure {
  readonly error: unknown
}

export class TransactionState {
  readonly #around: TransactionState | undefined
  #end: TransactionFailure | undefined
  /** The first since it was certain that the transaction goes on. */
  #failure: TransactionFailure | undefined
  #isProven = true
  #proof: Promise<void> | undefined

  constructor(around?: TransactionState) {
    this.#around = around
  }

  /** What has ended it, or what is around it. */
  get ended(): TransactionFailure | undefined {
    return this.#end ?? this.#around?.ended
  }

  /** What may have ended it. */
  get failure(): TransactionFailure | undefined {
    return this.ended ?? this.#failure
  }

  /** Statements of somebody else may have ended it, or one of ours that has failed. */
  doubt(failure?: TransactionFailure): void {
    this.#failure ??= failure
    this.#isProven = false
  }

  end(failure: TransactionFailure): void {
    this.#end ??= failure
  }

  /** Sends a statement, unless the transaction is over. */
  async send<Result>(connection: Connection, dialect: Dialect, work: () => Promise<Result>): Promise<Result> {
    const { goingOn } = dialect
    if (!goingOn.isToldByEach && !this.isCertain) await this.prove(connection, dialect)
    this.requireOn(dialect)
    try {
      const result = await work()
      if (goingOn.isToldByEach) this.#forgetDoubts()
      return result
    } catch (error) {
      this.doubt({ error })
      throw goingOn.isOver(error) ? isOver(this.failure, dialect) : error
    }
  }

  /** Whether nothing has happened since the transaction was last seen to go on. */
  get isCertain(): boolean {
    return this.#isProven && !this.ended
  }

  /** Finds out whether the transaction goes on, and fails where it does not. */
  async prove(connection: Connection, dialect: Dialect): Promise<void> {
    if (!this.#isProven && !this.ended) {
      // Statements that are sent at once find it out together.
      this.#proof ??= this.#findOut(connection, dialect).finally(() => {
        this.#proof = undefined
      })
      await this.#proof
    }
    this.requireOn(dialect)
  }

  /** Fails where the transaction is known to be over. */
  requireOn(dialect: Dialect): void {
    if (this.ended) throw isOver(this.ended, dialect)
  }

  async #findOut(connection: Connection, { goingOn }: Dialect): Promise<void> {
    const told = isGoingOn(connection)
    if (told) return this.#forgetDoubts()
    if (told === false) return this.end(this.#failure ?? { error: undefined })
    // What answers at once throws at once.
    const send = async (text: string) => connection.executeQuery(CompiledQuery.raw(text))
    const answer = await send(goingOn.probe).then(
      () => undefined,
      (error: unknown): TransactionFailure => ({ error }),
    )
    if (goingOn.isShownBy(answer?.error)) return this.#forgetDoubts()
    this.end(this.#failure ?? answer ?? { error: undefined })
    if (!answer && goingOn.undo !== undefined) await send(goingOn.undo)
  }

  #forgetDoubts(): void {
    this.#isProven = true
    this.#failure = undefined
  }
}

/** Says of a transaction that is over what has ended it. */
function isOver(failure: TransactionFailure | undefined, { faultOf }: Dialect) {
  const error = failure?.error
  const { code = 'INTERNAL_SERVER_ERROR', says } = faultOf(error) ?? {}
  const why = isEngineError(error) ? error.message : (says ?? codes[code].text)
  const over = 'This transaction is over, and nothing of it is stored'
  return fault('SERVICE_UNAVAILABLE', error === undefined ? `${over}.` : `${over}: ${why}`, {
    hint: 'Begin it anew.',
    cause: isEngineError(error) ? (error.cause ?? error) : error,
  })
}
