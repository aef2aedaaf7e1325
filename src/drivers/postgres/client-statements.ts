// Runs statements on a client of pg, by the names under which the server has prepared them.
import type { PostgresPoolClient } from 'kysely'
import { isMarked } from '../../dialects/connections/statement-mark.ts'
import { codeOf } from '../../dialects/error-codes.ts'
import {
  endsConnection,
  isAborted,
  isNameUncertain,
  isStale,
  leavesRunning,
  markSuspect,
  mayBeStale,
} from '../../dialects/postgres/driver-errors.ts'
import { fault } from '../../errors/errors.ts'
import type { Done } from '../../execution/acquire-timeout.ts'
import { isPromiseOf } from '../../values/guards.ts'
import { CloseStatements } from './close-statements.ts'
import {
  type ClientResult,
  canFly,
  type FlightClient,
  FlightQuery,
  type FlightStatement,
  nothing,
  type ResultColumn,
} from './flight-query.ts'
import { type BoundText, HeldStatements, isBegin } from './held-statements.ts'
import { mayBeSeveral, type StatementNames } from './statement-names.ts'
import { wireValues } from './wire-values.ts'

/** A statement that is sent under a name, or without one. */
interface Attempt extends BoundText {
  readonly name: string | undefined
  /** True if others are sent with it, in a transaction that fails with it. */
  readonly isTogether?: true
}

interface Listener {
  /** Called before anything is sent. */
  readonly sent: () => void
  readonly answered: (at: number, result: ClientResult) => void
}

/** The connection of a client. */
interface ClientConnection {
  /** Called with the error by which the server ends it. */
  readonly lose: (reason: unknown) => void
  readonly close: (reason: Error) => void
}

/** Runs statements on a client. */
export class ClientStatements {
  readonly query: (...input: unknown[]) => unknown
  /** True if the bytes of results are counted as they arrive. */
  readonly countsBytes: boolean
  readonly #names: StatementNames
  readonly #connection: ClientConnection
  readonly #flights: FlightClient | undefined
  /** Columns of prepared statements, by their names. */
  readonly #described = new Map<string, readonly ResultColumn[]>()
  readonly #held = new HeldStatements()

  constructor(client: PostgresPoolClient, names: StatementNames, connection: ClientConnection) {
    // pg's clients also accept an object with a name, and a callback, which Kysely's type omits.
    this.query = client.query.bind(client) as (...input: unknown[]) => unknown
    this.#names = names
    this.#connection = connection
    this.#flights = canFly(client) ? client : undefined
    this.countsBytes = this.#flights !== undefined
  }

  /** Runs a statement. */
  run(text: string, values: readonly unknown[], done: Done<ClientResult>): void {
    if (this.#isTogether(text, values, done)) return
    const attempt = { text, values, name: this.#names.for(text, values) }
    this.#whenClosed(() => this.#send(attempt, this.#ending(attempt, done)))
  }

  /** Passes anything else to the client. */
  pass(input: readonly unknown[]): unknown {
    for (const held of this.#held.take())
      this.query({ ...held }, (error: unknown) => {
        // The statement behind it must not run by itself.
        if (error) this.#connection.close(lost(error))
      })
    return this.query(...input)
  }

  /** Forgets what is left of a transaction without an end. */
  left(): void {
    this.#held.take()
  }

  /** True for a statement that is held back, or sent together with those that were. */
  #isTogether(text: string, values: readonly unknown[], done: Done<ClientResult>): boolean {
    if (!this.#flights) return false
    const ahead = this.#held.ahead({ text, values })
    if (!ahead) done(null, nothing)
    else if (ahead.length === 0) return false
    else this.#sendBehind(ahead, { text, values }, done)
    return true
  }

  #sendBehind(ahead: readonly BoundText[], last: BoundText, done: Done<ClientResult>): void {
    let isBegun = false
    const answered = () => {
      isBegun = true
    }
    const end: Done<ClientResult> = (error, result) => {
      // Names that the server does not know are no longer used by then.
      if (error && !isBegun && isBegin(ahead[0]) && isNameUncertain(error))
        this.#sendBehind(ahead, last, done)
      else if (error) done(error)
      else done(null, result)
    }
    if (isOne(last) && this.fly([...ahead, last], { sent: () => undefined, answered }, end)) return
    // One after the other, where a value cannot be sent so.
    const [first = last, ...rest] = ahead
    const attempt = { ...first, name: this.#names.for(first.text, first.values) }
    const next: Done<ClientResult> = (error) => (error ? done(error) : this.#sendBehind(rest, last, done))
    this.#send(attempt, ahead.length === 0 ? this.#ending(attempt, done) : next)
  }

  /** Sends statements at once. Returns false if these cannot be sent so, and nothing is. */
  fly(statements: readonly BoundText[], { sent, answered }: Listener, done: Done<ClientResult>): boolean {
    const client = this.#flights
    const flying = client && this.#flight(statements, client)
    if (!client || !flying) return false
    let at = 0
    let isUndoneAtEnd = false
    const attemptAt = (index: number): Attempt => ({
      ...(statements[index] ?? { text: '', values: [] }),
      name: flying[index]?.name || undefined,
      isTogether: true,
    })
    const note: Listener['answered'] = (index, result) => {
      at = index + 1
      const attempt = attemptAt(index)
      this.#noteEnd(attempt, undefined)
      this.#describe(attempt, result)
      isUndoneAtEnd = isUndone(attempt.text, result)
      answered(index, result)
    }
    const end: Done<ClientResult> = (error, result) => {
      if (error) this.#afterFailure(error, attemptAt(at), (failure) => done(failure))
      else done(isUndoneAtEnd ? undone() : error, result)
    }
    this.#whenClosed(() => this.query(new FlightQuery(flying, client, { sent, answered: note }), end))
    return true
  }

  /** Returns statements as they are sent at once; undefined if a value cannot be. */
  #flight(statements: readonly BoundText[], client: FlightClient): readonly FlightStatement[] | undefined {
    if (client.pipeline) return undefined
    const flying: FlightStatement[] = []
    for (const { text, values } of statements) {
      const one = this.#asSent({ text, values, name: this.#names.for(text, values) }, client)
      if (!one) return undefined
      flying.push(one)
    }
    return flying
  }

  /** Returns a statement as it is sent; undefined if a value cannot be. */
  #asSent(
    { text, values: input, name = '' }: Attempt,
    { connection: { parsedStatements } }: FlightClient,
  ): FlightStatement | undefined {
    const values = wireValues(input)
    if (!values) return undefined
    const isParsed = name !== '' && parsedStatements[name] === text
    const columns = isParsed ? this.#described.get(name) : undefined
    return { name, text, values, isParsed, columns, isInArrays: isMarked(text) }
  }

  /** Sends a statement, once those whose names are used no more are gone from the server. */
  #whenClosed(send: () => void) {
    const left = this.#names.takeLeft()
    if (left.length === 0) return send()
    for (const one of left) this.#described.delete(one)
    this.query(new CloseStatements(left, send))
  }

  #send(attempt: Attempt, done: Done<ClientResult>): void {
    const client = this.#flights
    const one = client && !client.pipeline && isOne(attempt) ? this.#asSent(attempt, client) : undefined
    if (!client || !one) {
      this.#sendByClient(attempt, done)
      return
    }
    const answered: Listener['answered'] = (_at, result) => this.#describe(attempt, result)
    this.query(new FlightQuery([one], client, { sent: () => undefined, answered }), done)
  }

  /** Sends what only the client itself can: values that it converts, and several statements in one text. */
  #sendByClient({ text, values, name }: Attempt, done: Done<ClientResult>): void {
    const config: Record<string, unknown> = { text, values }
    if (name !== undefined) config.name = name
    if (isMarked(text)) config.rowMode = 'array'
    // The promises of pg retain their results, which are then copied from one generation of memory to the next: for a tree of a hundred
    // kilobytes that takes a fifth of the time of the whole call.
    const answer = this.query(config, done)
    // Clients compatible with pg may support promises only.
    if (isPromiseOf<ClientResult>(answer)) answer.then((result) => done(null, result), done)
  }

  /** Keeps the columns of a prepared statement. */
  #describe({ name }: Attempt, { fields }: ClientResult): void {
    if (name !== undefined && fields) this.#described.set(name, fields)
  }

  #ending(attempt: Attempt, done: Done<ClientResult>): Done<ClientResult> {
    return (error, result) => {
      if (error) return this.#afterFailure(error, attempt, done)
      this.#noteEnd(attempt, undefined)
      done(isUndone(attempt.text, result) ? undone() : error, result)
    }
  }

  /** Notes how a suspected statement has ended without a name. */
  #noteEnd({ text, values, name }: Attempt, error: unknown): void {
    if (name === undefined && this.#names.isSuspect(text, values)) this.#names.settle(codeOf(error))
  }

  /** Ends a statement that has failed. If the server does not know it as it was prepared, or does not take it any more, nothing was done, and
   *  it is sent again without a name; except in a transaction, which has failed by this. */
  #afterFailure(error: unknown, attempt: Attempt, done: Done<ClientResult>) {
    const names = this.#names
    const { text, values, name } = attempt
    const mayBeOld = name !== undefined && mayBeStale(error)
    this.#noteEnd(attempt, error)
    if (name !== undefined && isStale(error)) names.renew(name)
    else if (name !== undefined && isNameUncertain(error)) names.end()
    else if (!mayBeOld) return this.#fail(error, undefined, done)
    const failWithTransaction = () => {
      if (mayBeOld) {
        names.suspect({ text, values, code: codeOf(error) })
        markSuspect(error)
      }
      this.#fail(error, undefined, done)
    }
    if (attempt.isTogether) return failWithTransaction()
    this.#send({ text, values, name: undefined }, (failure, answer) => {
      if (isAborted(failure)) return failWithTransaction()
      if (mayBeOld && codeOf(failure) !== codeOf(error)) names.renew(name)
      if (failure) this.#fail(failure, answer, done)
      else done(isUndone(text, answer) ? undone() : failure, answer)
    })
  }

  /** Hands on a failure, and notes what it says of the connection. */
  #fail(error: unknown, result: ClientResult | undefined, done: Done<ClientResult>): void {
    if (endsConnection(error)) this.#connection.lose(error)
    else if (error instanceof Error && leavesRunning(error)) this.#connection.close(error)
    done(error, result)
  }
}

/** False for a text that may be several statements. */
const isOne = ({ text, values }: BoundText) => values.length > 0 || !mayBeSeveral(text)

const lost = (cause: unknown) =>
  cause instanceof Error ? cause : fault('SERVICE_UNAVAILABLE', 'The transaction has not begun.', { cause })

/** True if the server has rolled back a failed transaction on commit. Kysely treats this as a success. */
const isUndone = (text: string, result: ClientResult | undefined) =>
  result?.command === 'ROLLBACK' && /^\s*(?:commit|end)\b/i.test(text)

const undone = () =>
  fault('SERVICE_UNAVAILABLE', 'This transaction is over, and nothing of it is stored.', {
    hint: 'Something in it has failed before.',
  })
