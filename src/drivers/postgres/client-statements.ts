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
import { canFly, FlightQuery, type FlightStatement } from './flight-query.ts'
import {
  type ClientResult,
  canPrepare,
  isPrepared,
  PreparedQuery,
  type ResultColumn,
  wireValues,
} from './prepared-query.ts'
import type { StatementNames } from './statement-names.ts'

type Run = (text: string, values: readonly unknown[], done: Done<ClientResult>) => void

/** Runs statements on a client. */
export interface ClientStatements {
  /** Runs a statement, and returns the result of pg. */
  readonly ask: Run
  /** Runs a statement whose rows and command are wanted, and nothing else of its result. */
  readonly run: Run
  /** Sends statements at once. Returns false if these cannot be sent so, and nothing is. */
  readonly fly: (statements: readonly Bound[], listener: Listener, done: Done<void>) => boolean
  /** Passes anything else to the client. */
  readonly query: (...input: unknown[]) => unknown
}

interface Bound {
  readonly text: string
  readonly values: readonly unknown[]
}

/** A statement that was sent under a name, or without one, and can be sent again. */
interface Attempt extends Bound {
  readonly name: string | undefined
  readonly send: Send
}

interface Listener {
  /** Called before anything is sent. */
  readonly sent: () => void
  readonly answered: (at: number, result: ClientResult) => void
}

/** Sends a statement by its name, or without one. */
type Send = (name: string | undefined, done: Done<ClientResult>) => void

/** The connection of a client. */
interface ClientConnection {
  /** Called with the error by which the server ends it. */
  readonly lose: (reason: unknown) => void
  readonly close: (reason: Error) => void
}

/** Returns the statements of a client. */
export function clientStatements(
  client: PostgresPoolClient,
  names: StatementNames,
  { lose, close }: ClientConnection,
): ClientStatements {
  // pg's clients also accept an object with a name, and a callback, which Kysely's type omits.
  const query = client.query.bind(client) as (...input: unknown[]) => unknown
  const preparing = canPrepare(client) ? client : undefined
  /** Columns of prepared statements, by their names. */
  const described = new Map<string, readonly ResultColumn[]>()

  const sending =
    (text: string, values: readonly unknown[]): Send =>
    (name, done) => {
      const config: Record<string, unknown> = { text, values }
      if (name !== undefined) config.name = name
      if (isMarked(text)) config.rowMode = 'array'
      // The promises of pg retain their results, which are then copied from one generation of memory to the next: for a tree of a hundred
      // kilobytes that takes a fifth of the time of the whole call.
      const answer = query(config, done)
      // Clients compatible with pg may support promises only.
      if (isPromiseOf<ClientResult>(answer)) answer.then((result) => done(null, result), done)
    }

  /** Sends a statement, once those whose names are used no more are gone from the server. */
  const whenClosed = (send: () => void) => {
    const left = names.takeLeft()
    if (left.length === 0) return send()
    for (const one of left) described.delete(one)
    query(new CloseStatements(left, send))
  }

  const sendPrepared = (text: string, input: readonly unknown[], name: string, done: Done<ClientResult>) => {
    const columns = described.get(name)
    const isKnown = columns !== undefined && preparing !== undefined && isPrepared(preparing, name, text)
    const values = isKnown ? wireValues(input) : undefined
    if (isKnown && values) {
      query(new PreparedQuery({ name, text, values, columns }, preparing), done)
      return
    }
    sending(text, input)(name, (error, result) => {
      if (preparing && result?.fields && isReadable(text, result.fields)) described.set(name, result.fields)
      done(error, result)
    })
  }

  /** Ends a first attempt. If the server does not know the statement as it was prepared, or does not take it any more, nothing was done, and
   *  it is sent again without a name; except in a transaction, which has failed by this. */
  const ending =
    ({ text, values, name, send: again }: Attempt, done: Done<ClientResult>): Done<ClientResult> =>
    (error, result) => {
      const settle: Done<ClientResult> = (failure, answer) => {
        noteFailure(failure)
        if (!failure && isUndone(text, answer)) done(undone())
        else done(failure, answer)
      }
      if (name === undefined && names.isSuspect(text, values)) names.settle(codeOf(error))
      if (!error || name === undefined) return settle(error, result)
      if (isStale(error)) names.renew(name)
      else if (isNameUncertain(error)) names.end()
      else if (!mayBeStale(error)) return settle(error)
      again(undefined, (failure, answer) => {
        if (!isAborted(failure)) {
          if (mayBeStale(error) && codeOf(failure) !== codeOf(error)) names.renew(name)
          return settle(failure, answer)
        }
        if (mayBeStale(error)) {
          names.suspect({ text, values, code: codeOf(error) })
          markSuspect(error)
        }
        settle(error, answer)
      })
    }

  /** Notes what a failure says of the connection. */
  const noteFailure = (failure: unknown) => {
    if (endsConnection(failure)) lose(failure)
    else if (failure instanceof Error && leavesRunning(failure)) close(failure)
  }

  /** Notes what a failure in a transaction says of the names. */
  const noteStale = (error: unknown, { text, values }: Bound, name: string) => {
    if (name === '') {
      if (names.isSuspect(text, values)) names.settle(codeOf(error))
    } else if (isStale(error)) names.renew(name)
    else if (isNameUncertain(error)) names.end()
    else if (mayBeStale(error)) {
      names.suspect({ text, values, code: codeOf(error) })
      markSuspect(error)
    }
  }

  return {
    query,
    fly: (statements, { sent, answered }, done) => {
      if (!preparing || !canFly(preparing)) return false
      const { parsedStatements } = preparing.connection
      const flying: FlightStatement[] = []
      for (const { text, values: input } of statements) {
        const values = wireValues(input)
        if (!values) return false
        const name = names.for(text, input) ?? ''
        const isParsed = name !== '' && parsedStatements[name] === text
        const columns = isParsed ? described.get(name) : undefined
        flying.push({ name, text, values, isParsed, columns, isInArrays: isMarked(text) })
      }
      let at = 0
      let isUndoneAtEnd = false
      const hear: Listener['answered'] = (index, result) => {
        at = index + 1
        const { text = '', name = '' } = flying[index] ?? {}
        const { values = [] } = statements[index] ?? {}
        if (name === '' && names.isSuspect(text, values)) names.settle(undefined)
        if (name !== '' && result.fields && isReadable(text, result.fields))
          described.set(name, result.fields)
        isUndoneAtEnd = isUndone(text, result)
        answered(index, result)
      }
      const end: Done<void> = (error) => {
        const [failed, statement] = [flying[at], statements[at]]
        if (error && failed && statement) noteStale(error, statement, failed.name)
        noteFailure(error)
        done(!error && isUndoneAtEnd ? undone() : error)
      }
      whenClosed(() => query(new FlightQuery(flying, preparing, { sent, answered: hear }, end)))
      return true
    },
    ask: (text, values, done) => {
      const name = names.for(text, values)
      const send = sending(text, values)
      whenClosed(() => send(name, ending({ text, values, name, send }, done)))
    },
    run: (text, values, done) => {
      const name = names.for(text, values)
      const send = sending(text, values)
      const end = ending({ text, values, name, send }, done)
      whenClosed(() => (name === undefined ? send(name, end) : sendPrepared(text, values, name, end)))
    },
  }
}

/** True if rows are arrays, or there are none. Only the names of columns are missing in the results of known ones. */
const isReadable = (text: string, columns: readonly ResultColumn[]) => isMarked(text) || columns.length === 0

/** True if the server has rolled back a failed transaction on commit. Kysely treats this as a success. */
const isUndone = (text: string, result: ClientResult | undefined) =>
  result?.command === 'ROLLBACK' && /^\s*(?:commit|end)\b/i.test(text)

const undone = () =>
  fault('SERVICE_UNAVAILABLE', 'This transaction is over, and nothing of it is stored.', {
    hint: 'Something in it has failed before.',
  })
