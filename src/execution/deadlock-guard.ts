// Deadlock guard: detects a call that would wait for itself, on a database with one connection a query of the
// engine inside its own transaction.
import { AsyncLocalStorage } from 'node:async_hooks'
import { fault } from '../errors/errors.ts'
import type { Database } from './database.ts'
import type { TransactionState } from './transaction-state.ts'

/** The transaction or savepoint inside which code of the host runs. */
interface Call {
  readonly home: object
  readonly state: TransactionState
  /** True after the call has ended: what it has begun and goes on afterwards no longer keeps the transaction waiting. */
  isOver: boolean
}

const calls = new AsyncLocalStorage<readonly Call[]>()
/** The number of calls. At 0 the async context is disabled, because it costs each promise of the process, a
 *  quarter of a small read. */
let going = 0

/** Calls code of the host, for which a transaction waits. Only there can a call be nested, so only there is it
 *  followed from one promise to the next. */
export async function callHost<Result>(
  { home, unit, dialect }: Pick<Database, 'home' | 'unit' | 'dialect'>,
  call: () => Result,
): Promise<Awaited<Result>> {
  const isWaitedFor = unit && (dialect.hasOneConnection || unit.state.isNested)
  if (!isWaitedFor) return await call()
  const own: Call = { home, state: unit.state, isOver: false }
  going++
  try {
    // Awaited inside, because what the host returns may do nothing until then.
    return await calls.run([...(calls.getStore() ?? []), own], async () => await call())
  } finally {
    own.isOver = true
    going--
    if (going === 0) calls.disable()
  }
}

/** Refuses to wait for a connection, or for the turn in a transaction, that the caller itself is using. */
export function refuseNested(wanted: object): void {
  const isHeld = calls
    .getStore()
    ?.some(({ home, state, isOver }) => !isOver && (home === wanted || state.isWithin(wanted)))
  if (!isHeld) return
  throw fault('SERVICE_UNAVAILABLE', 'The only connection is held by the transaction around this call.', {
    hint: 'Use the engine that the transaction hands to its function.',
  })
}
