// The rights under which a message was read. They are compared when its turn to be sent comes: a reader may be slow.

import { fault, unreachable } from '../../errors/errors.ts'
import type { CallerRights, OfCaller, Rights } from '../feed/feed-caller.ts'
import type { FeedMessage } from '../messages.ts'

interface MessageRights {
  readonly rights: Rights
  readonly holds: () => boolean | Promise<boolean>
  /** Bytes of memory that its items take, about, which are charged until the next message is asked for. */
  readonly bytes: number
  /** Notes that it was not sent: its subscription begins anew. */
  readonly drop: () => void
}

const readings = new WeakMap<FeedMessage, MessageRights>()

/** Notes that a subscription has read a message just now. `maxAge`: milliseconds after which its caller is asked again. */
export function noteReading(message: FeedMessage, of: OfCaller, maxAge: number, bytes: number): FeedMessage {
  const { caller } = of
  const { current: rights } = caller
  if (rights)
    readings.set(message, {
      rights,
      bytes,
      holds: () => hasStill(caller, rights, maxAge),
      drop: () => of.reset('access'),
    })
  return message
}

/** Returns how the items of a message were read. A reset has none. */
export function readingOf(message: Exclude<FeedMessage, { readonly kind: 'reset' }>): MessageRights {
  const reading = readings.get(message)
  if (reading) return reading
  throw unreachable('a message with items was read by the rights of its caller')
}

/** True if a caller has the same rights still, which are not older than some milliseconds. */
function hasStill(caller: CallerRights, { number }: Rights, maxAge: number): boolean | Promise<boolean> {
  if (maxAge > 0 && caller.isCertain) return caller.current?.number === number
  return caller.fresh(maxAge).then(
    (now) => now.number === number,
    // The subscription, or the next message, reports why there are none.
    () => false,
  )
}

/** Returns the condition of sending an answer: its caller has the rights by which it was read. They are asked for again where it waited for its reader, or where the
 *  host has asked for a recheck since `rechecks` was read. */
export const mayReply =
  (feed: Asking, caller: CallerRights, rights: Rights, rechecks: number) =>
  (isLate: boolean): boolean | Promise<boolean> =>
    hasStill(caller, rights, isLate || feed.rechecks !== rechecks ? 0 : feed.recheckMs)

/** A feed that asks its callers again. */
interface Asking {
  readonly recheckMs: number
  /** How often the host has asked for it. */
  readonly rechecks: number
}

/** The error in the place of an answer that was not sent, because its caller may see something else by now. */
export const outlived = (isWrite: boolean) =>
  fault('SERVICE_UNAVAILABLE', 'This caller may see something else than when this was answered.', {
    hint: isWrite ? 'Look whether it was stored.' : 'Ask again.',
    extensions: isWrite ? { mayBeStored: true } : {},
  })
