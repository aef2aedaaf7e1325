// Messages on their way to readers: they share the memory of lists, and a large one waits until there is room for it.

import { fault } from '../../errors/errors.ts'
import type { FeedLimits } from '../feed/feed-options.ts'
import { later } from '../timers.ts'
import { add, type KeptBytes } from './kept-bytes.ts'

/** Bytes of messages on their way to one connection that wait for no room. It takes as many before it counts as slow. */
export const maxAtOnce = 256 * 1024

/** Bytes that count. A connection takes as many itself. */
const leastCharged = 16 * 1024

/** Milliseconds in which a reader has to take something. */
export const maxBlockedMs = 30_000

/** Milliseconds after which it is checked why a message still waits. A reader that takes nothing was broken off by then. */
const maxWaitingMs = 1.5 * maxBlockedMs

/** A reader of messages. */
export interface Reader {
  /** The caller who pays. It may become another. */
  readonly payer: string
  /** Breaks off a reader that does not read, at once where its bytes are needed. Undefined for the host itself. */
  readonly breakOff?: ((isAtOnce?: boolean) => void) | undefined
}

type Bounds = Required<Pick<FeedLimits, 'bytes' | 'callerBytes' | 'unreadBytes'>>

export class UnsentBytes {
  readonly #kept: KeptBytes<object>
  readonly #bounds: Bounds
  /** Readers in the order in which they have last taken something. */
  readonly #charged = new Set<Unsent>()
  readonly #readers = new Map<Reader, number>()
  /** Those that wait for room, in their order, and what ends that. */
  readonly #waiting = new Map<Unsent, () => void>()
  /** When messages of a caller, and those of any, were given room last, as long as others wait. */
  readonly #lastRooms = new Map<string, number>()
  #lastRoom = Number.NEGATIVE_INFINITY

  constructor(kept: KeptBytes<object>, bounds: Bounds) {
    this.#kept = kept
    this.#bounds = bounds
    kept.onLess = () => this.#give()
  }

  hasRoom({ payer }: Reader, bytes: number): boolean {
    return this.#hasOwnRoom(payer, bytes) && this.#isRoomOfAll(bytes)
  }

  /** True for bytes that are on top of what may be on its way, since little is on its way to that reader. */
  isOnTop({ reader, bytes: charged }: Unsent, bytes: number): boolean {
    return (this.#readers.get(reader) ?? 0) - charged + bytes <= maxAtOnce
  }

  /** Charges bytes to the reader's caller of now, in the place of those before. */
  charge(one: Unsent, bytes: number): void {
    const { payer, bytes: before, reader } = one
    one.payer = reader.payer
    one.bytes = bytes
    add(this.#readers, reader, bytes - before)
    this.#kept.send(payer, -before)
    this.#kept.send(one.payer, bytes)
    if (bytes === 0 || before - bytes >= leastCharged) this.#charged.delete(one)
    if (bytes > 0) this.#charged.add(one)
    if (bytes > before) this.#endSlowest()
    if (bytes < before || (before > 0 && payer !== one.payer)) this.#give()
  }

  /** Ends those first that have taken nothing for the longest, until the rest is not too much. */
  #endSlowest(): void {
    let ending = 0
    for (const one of this.#charged) {
      if (this.#kept.sent - ending <= this.#bounds.unreadBytes) return
      one.reader.breakOff?.(true)
      // Some give back what they have in a later turn.
      if (one.reader.breakOff) ending += one.bytes
    }
  }

  /** Lets one wait for its turn, and gives it room at once if it has it already. */
  wait(one: Unsent): void {
    if (!this.#waiting.has(one)) this.#waiting.set(one, this.#planLook(one))
    this.#give()
  }

  /** Ends the wait of one. There may be room for those behind it. */
  leave(one: Unsent): void {
    this.#endWait(one)
    this.#give()
  }

  #endWait(one: Unsent): void {
    this.#waiting.get(one)?.()
    this.#waiting.delete(one)
    one.wanted = 0
  }

  #hasOwnRoom(payer: string, bytes: number): boolean {
    return fits(this.#kept.of(payer), this.#kept.sentTo(payer), bytes, this.#bounds.callerBytes)
  }

  #isRoomOfAll(bytes: number): boolean {
    return fits(this.#kept.all, this.#kept.sent, bytes, this.#bounds.bytes)
  }

  /** Gives room in turn. The messages of a caller whose own room is taken stay behind; where the room of all is taken, none overtakes another. */
  #give(): void {
    const full = new Set<string>()
    let isFull = false
    for (const one of this.#waiting.keys()) {
      const { wanted, reader } = one
      const { payer } = reader
      if (!this.isOnTop(one, wanted)) {
        if (isFull || full.has(payer)) continue
        if (!this.#hasOwnRoom(payer, wanted)) full.add(payer)
        else isFull = !this.#isRoomOfAll(wanted)
        if (isFull || full.has(payer)) continue
        this.#lastRoom = performance.now()
        this.#lastRooms.set(payer, this.#lastRoom)
      }
      this.#endWait(one)
      this.charge(one, wanted)
      one.onRoom?.()
    }
    if (this.#waiting.size === 0) this.#lastRooms.clear()
  }

  #planLook(one: Unsent): () => void {
    return later(maxWaitingMs, () => {
      this.#waiting.set(one, this.#planLook(one))
      // One that would be on top waits for its own connection, which is broken off if it takes nothing.
      if (one.wanted > maxAtOnce) this.#unblock(one)
    })
  }

  /** Lets one wait on as long as others get room. Else it is over for it, or for the largest message of others that takes the room of all. */
  #unblock(one: Unsent): void {
    const { payer } = one.reader
    const isOwn = !this.#hasOwnRoom(payer, one.wanted)
    const last = isOwn ? this.#lastRooms.get(payer) : this.#lastRoom
    if (last !== undefined && performance.now() - last < maxWaitingMs) return
    const sentTo = (other: Unsent) => this.#kept.sentTo(other.payer)
    const [largest] = [...this.#charged]
      .filter((other) => other.payer !== payer)
      .sort((first, other) => sentTo(other) - sentTo(first) || other.bytes - first.bytes)
    if (!isOwn && largest?.reader.breakOff) largest.reader.breakOff()
    else {
      this.leave(one)
      one.onNoRoom?.(() => (isOwn ? tooMuchUnsent() : full()))
    }
  }
}

/** Bytes on their way to a reader. */
export class Unsent {
  readonly #all: UnsentBytes
  readonly reader: Reader
  /** Bytes that are charged, and the caller who pays for them. */
  bytes = 0
  payer = ''
  /** Bytes for which it waits. */
  wanted = 0
  /** Called when what it waited for is charged. */
  onRoom: (() => void) | undefined
  /** Called when there will be no room. */
  onNoRoom: ((reason: () => Error) => void) | undefined

  constructor(all: UnsentBytes, reader: Reader) {
    this.#all = all
    this.reader = reader
  }

  /** Charges what is on its way now, whether there is room for it or not. */
  set(now: number): void {
    if (this.wanted > 0) this.#all.leave(this)
    const bytes = now < leastCharged ? 0 : now
    if (bytes !== this.bytes || (bytes > 0 && this.payer !== this.reader.payer)) this.#all.charge(this, bytes)
  }

  /** Charges a message that is made. False if it has to wait for room first, and gives back what it has. */
  take(bytes: number): boolean {
    // The host itself holds the messages that it receives.
    if (!this.reader.breakOff) return true
    if (bytes <= this.bytes || this.#all.isOnTop(this, bytes)) this.set(bytes)
    else {
      if (this.bytes > 0) this.set(0)
      this.wanted = bytes
      this.#all.wait(this)
    }
    return this.wanted === 0
  }

  /** True if its reader may be sent so much more. */
  hasRoom(bytes: number): boolean {
    return this.#all.hasRoom(this.reader, bytes)
  }
}

/** True if there is room for more beside what is kept, and on its way. A quarter of the bound is there for messages whatever is kept, and who is
 *  sent nearly nothing is sent a message of any size. */
const fits = (kept: number, sent: number, more: number, bound: number): boolean =>
  sent <= bound / 8 || sent + more <= Math.max(bound - kept, bound / 4)

/** The error in the place of what is too much for a caller who does not read. */
export const tooMuchUnsent = (isWrite = false) =>
  fault('TOO_MANY_REQUESTS', 'What this caller was sent is not read, and takes the memory that it may.', {
    hint: `${isWrite ? 'Look whether it was stored.' : 'Read what is sent, or ask for less.'} The host raises "limits.callerBytes".`,
    extensions: isWrite ? { mayBeStored: true } : {},
  })

const full = () =>
  fault('SERVICE_UNAVAILABLE', 'What others were sent is not read, and takes the memory of this feed.', {
    hint: 'Try again later. The host raises "limits.bytes" of its feed.',
  })
