// Deadlock guard: detects a call that would wait for itself, on a database with one connection a query of the
// engine inside its own transaction.
import { AsyncLocalStorage } from 'node:async_hooks'
import { fault } from '../errors/errors.ts'

interface Held {
  readonly database: object
  /** True after the work has ended: calls begun inside that go on afterwards no longer hold the connection. */
  isOver: boolean
}

const held = new AsyncLocalStorage<readonly Held[]>()
/** The number of holders. At 0 the async context is disabled, because it costs each promise of the process, a
 *  quarter of a small read. */
let holders = 0

/** Runs work while the connection of a database is in use by it. */
export async function whileHolding<Result>(database: object, work: () => Promise<Result>): Promise<Result> {
  const holding: Held = { database, isOver: false }
  holders++
  try {
    return await held.run([...(held.getStore() ?? []), holding], work)
  } finally {
    holding.isOver = true
    holders--
    if (holders === 0) held.disable()
  }
}

/** Refuses to wait for a connection that the caller itself is using. */
export function refuseNested(database: object): void {
  const isHeld = held.getStore()?.some((holding) => holding.database === database && !holding.isOver)
  if (!isHeld) return
  throw fault('SERVICE_UNAVAILABLE', 'The only connection is held by the transaction around this call.', {
    hint: 'Use the engine that the transaction hands to its function.',
  })
}
