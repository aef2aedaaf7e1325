// Slots for streams. A stream uses a connection until it is read to its end, however slowly. So streams may
// only use a part of a pool, and the rest is left to all other calls.

import { withAcquireTimeout } from './acquire-timeout.ts'
import { roomOf } from './connection.ts'
import type { Database, Options } from './database.ts'

/** Waits for a free slot for a stream of a pool; returns a function that frees it. */
export async function takeStreamSlot(database: Database, { signal }: Options): Promise<() => void> {
  const room = roomOf(database.home)
  const max = database.maxStreams ?? Math.max(1, Math.floor((room.max ?? defaultSlots) / 2))
  const seats = seatsOf(room.pool)
  if (seats.take(max)) return leaver(seats)
  let isTaken = false
  const wait = (isWanted: () => boolean) => {
    const takes = () => {
      isTaken = isWanted()
      return isTaken
    }
    return seats.wait(max, takes)
  }
  try {
    await withAcquireTimeout(wait, database.acquireTimeoutMs, { signal })
  } catch (error) {
    // The caller may give up in the moment in which there is a slot.
    if (isTaken) seats.leave()
    throw error
  }
  return leaver(seats)
}

/** The default number of connections of a pool of pg. */
export const defaultSlots = 10

function leaver(seats: Seats): () => void {
  let isLeft = false
  return () => {
    if (!isLeft) seats.leave()
    isLeft = true
  }
}

const all = new WeakMap<object, Seats>()

function seatsOf(pool: object): Seats {
  const known = all.get(pool)
  if (known) return known
  const made = new Seats()
  all.set(pool, made)
  return made
}

interface WaitingStream {
  readonly max: number
  readonly isWanted: () => boolean
  readonly give: () => void
}

/** A queue of slots, first come first served. */
class Seats {
  #taken = 0
  readonly #waiting: WaitingStream[] = []

  take(max: number): boolean {
    if (this.#taken >= max || this.#waiting.length > 0) return false
    this.#taken++
    return true
  }

  wait(max: number, isWanted: () => boolean): Promise<void> {
    return new Promise((give) => {
      this.#waiting.push({ max, isWanted, give })
      this.#serve()
    })
  }

  leave(): void {
    this.#taken--
    this.#serve()
  }

  #serve(): void {
    for (;;) {
      const [first] = this.#waiting
      if (!first || this.#taken >= first.max) return
      this.#waiting.shift()
      // The caller of the first may have given up and got its error already.
      if (first.isWanted()) this.#taken++
      first.give()
    }
  }
}
