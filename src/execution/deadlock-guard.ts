// Recognises a call that would wait for itself: on a database with one connection, a query of the engine inside its own transaction.
import { AsyncLocalStorage } from 'node:async_hooks'
import { fault } from '../errors/errors.ts'

interface Held {
  readonly database: object
  /** What is begun inside and goes on afterwards holds nothing any more. */
  isOver: boolean
}

const held = new AsyncLocalStorage<readonly Held[]>()
/** While nobody holds anything, Node need not carry it along: that costs each promise of the process, which is a quarter of a small read. */
let holders = 0

/** Does something while the connection of a database is held. */
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

/** Refuses to wait for a connection that the caller itself holds. */
export function refuseNested(database: object): void {
  const isHeld = held.getStore()?.some((holding) => holding.database === database && !holding.isOver)
  if (!isHeld) return
  throw fault('SERVICE_UNAVAILABLE', 'The only connection is held by the transaction around this call.', {
    hint: 'Use the engine that the transaction hands to its function.',
  })
}
