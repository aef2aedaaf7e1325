// Deadlock guard: detects a call that would wait for itself, on a database with one connection a query of the
// engine inside its own transaction.

import { fault } from '../errors/errors.ts'
import { AsyncLocalStorage, types } from '../values/from-node.ts'
import type { Database } from './database.ts'
import type { Soon } from './soon.ts'
import type { TransactionState } from './transaction/transaction-state.ts'

/** The transaction or savepoint inside which code of the host runs. */
interface Call {
  readonly home: object
  readonly state: TransactionState
  /** True after the call has ended: what it has begun and goes on afterwards no longer keeps the transaction waiting. */
  isOver: boolean
}

const calls = new AsyncLocalStorage<readonly Call[]>()
/** The number of calls. At 0 the async context is disabled, because it costs each promise of the process, a
 *  quarter of a small read: behind what is to be done at once, because the next call often follows, and to enable it costs more. */
let going = 0
let isEnding = false

/** The call of a function that is expected to return at once, while it runs. */
let quick: Call | undefined

/** Functions of the host, and true for those that have always returned at once so far. */
const returnAtOnce = new WeakMap<object, boolean>()

/** Calls code of the host, for which a transaction waits: without a promise if it returns at once. Only there can a call be nested, so only there
 *  is it followed from one promise to the next. `known`: the function of the host, if it is called again and again. */
export function callHost<Result>(
  { home, unit, dialect }: Pick<Database, 'home' | 'unit' | 'dialect'>,
  call: () => Result,
  known?: object,
): Soon<Awaited<Result>> {
  const isWaitedFor = unit && (dialect.hasOneConnection || unit.state.isNested)
  if (!isWaitedFor) return arrived(call())
  const own: Call = { home, state: unit.state, isOver: false }
  // Following a call costs more than a small write. A function that has always returned at once is not followed. If it returns a promise
  // for once, its nested call ends when the time to wait for a connection is over. A wait for a turn in a transaction would have no end.
  if (known && !unit.state.isNested && returnAtOnce.get(known)) {
    const answer = callQuickly(own, call)
    if (isThenable(answer)) returnAtOnce.set(known, false)
    return arrived(answer)
  }
  return followed(own, call, known)
}

async function followed<Result>(
  own: Call,
  call: () => Result,
  known: object | undefined,
): Promise<Awaited<Result>> {
  const all = [...(calls.getStore() ?? []), own]
  going++
  try {
    const answer = calls.run(all, call)
    if (known && returnAtOnce.get(known) !== false) returnAtOnce.set(known, !isThenable(answer))
    // Awaited inside, because what the host returns may do nothing until then, unless it is a promise: its own "then" is not called.
    const hasBegun =
      !isThenable(answer) || (types.isPromise(answer) && Object(answer).constructor === Promise)
    return await (hasBegun ? answer : calls.run(all, async () => await answer))
  } finally {
    own.isOver = true
    going--
    if (going === 0 && !isEnding) {
      isEnding = true
      setImmediate(endIfIdle)
    }
  }
}

function endIfIdle(): void {
  isEnding = false
  if (going === 0) calls.disable()
}

const awaited = async <Result>(answer: Result): Promise<Awaited<Result>> => await answer

const arrived = <Result>(answer: Result): Soon<Awaited<Result>> =>
  // A value that is no promise is awaited already.
  isThenable(answer) ? awaited(answer) : (answer as Awaited<Result>)

function callQuickly<Result>(own: Call, call: () => Result): Result {
  const around = quick
  quick = own
  try {
    return call()
  } finally {
    quick = around
  }
}

const isThenable = (answer: unknown): boolean =>
  (typeof answer === 'object' || typeof answer === 'function') && answer !== null && 'then' in answer

/** Refuses to wait for a connection, or for the turn in a transaction, that the caller itself is using. */
export function refuseNested(wanted: object): void {
  const holds = ({ home, state, isOver }: Call) => !isOver && (home === wanted || state.isWithin(wanted))
  if (!(quick && holds(quick)) && !calls.getStore()?.some(holds)) return
  throw fault('SERVICE_UNAVAILABLE', 'The only connection is held by the transaction around this call.', {
    hint: 'Use the engine that the transaction hands to its function.',
  })
}
