// Recognises a call that would wait for itself: on a database with one connection, a query of the engine inside its own transaction.
import { AsyncLocalStorage } from 'node:async_hooks'
import { fault } from '../errors.ts'

const held = new AsyncLocalStorage<readonly object[]>()

/** Does something while the connection of a database is held. */
export function whileHolding<Result>(database: object, work: () => Result): Result {
  return held.run([...(held.getStore() ?? []), database], work)
}

/** Refuses to wait for a connection that the caller itself holds. */
export function refuseNested(database: object): void {
  if (!held.getStore()?.includes(database)) return
  throw fault('SERVICE_UNAVAILABLE', 'The only connection is held by the transaction around this call.', {
    hint: 'Use the engine that the transaction hands to its function.',
  })
}
