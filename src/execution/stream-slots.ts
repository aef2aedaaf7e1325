// Streams hold a connection for as long as somebody reads them, however slowly. So they may take a part of a pool only, and the rest is left
// to all others.

import { withAcquireTimeout } from './acquire-timeout.ts'
import { roomOf } from './connection.ts'
import type { Database, Options } from './database.ts'

/** Takes a place among the streams of a pool, once there is one; answers how to leave it. */
export async function takeStreamSlot(database: Database, { signal }: Options): Promise<() => void> {
  const room = roomOf(database.home)
  const most = database.maxStreams ?? Math.max(1, Math.floor((room.most ?? defaultSlots) / 2))
  const seats = seatsOf(room.pool)
  if (seats.take(most)) return leaving(seats)
  await withAcquireTimeout((isWanted) => seats.wait(most, isWanted), database.acquireTimeoutMs, signal)
  return leaving(seats)
}

/** As many connections a pool of pg has unless it is told otherwise. */
export const defaultSlots = 10

function leaving(seats: Seats): () => void {
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
  readonly most: number
  readonly isWanted: () => boolean
  readonly give: () => void
}

/** Whoever comes first is served first. */
class Seats {
  #taken = 0
  readonly #waiting: WaitingStream[] = []

  take(most: number): boolean {
    if (this.#taken >= most || this.#waiting.length > 0) return false
    this.#taken++
    return true
  }

  wait(most: number, isWanted: () => boolean): Promise<void> {
    return new Promise((give) => {
      this.#waiting.push({ most, isWanted, give })
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
      if (!first || this.#taken >= first.most) return
      this.#waiting.shift()
      // Whoever gave up has been told so already.
      if (first.isWanted()) this.#taken++
      first.give()
    }
  }
}
