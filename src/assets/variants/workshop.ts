import { type ImageLibrary, imageLibrary } from '../image/library.ts'
import type { Allowance } from '../image/settings.ts'
import { type Flights, newFlights, newShared, type Shared } from './flights.ts'
import { newQueue, type Queue } from './queue.ts'
import { type Found, type Fresh, newShelf, type Shelf } from './shelf.ts'
import { newTidying, type Tidying } from './tidy.ts'

/** Where the variants of an engine are made: what may be made, what is in work, and what has been made. */
export interface Workshop {
  readonly allowance: Allowance
  readonly loadLibrary: () => Promise<ImageLibrary>
  /** Who has a seat may read the source, and so has it when a desk is free. */
  readonly seats: Queue
  /** Who has a desk makes a picture. */
  readonly desks: Queue
  readonly flights: Flights<Found | Fresh>
  /** The sources that something is made of just now: a page asks for one picture in many sizes. */
  readonly sources: Shared<Uint8Array>
  readonly shelf: Shelf
  readonly tidying: Tidying
}

/** Opens the workshop of an engine. */
export function openWorkshop(
  allowance: Allowance,
  loadLibrary: () => Promise<ImageLibrary> = imageLibrary,
): Workshop {
  const shelf = newShelf()
  const { concurrency, queue, timeoutMs } = allowance.limits
  const ahead = Math.min(concurrency, queue)
  return {
    allowance,
    loadLibrary,
    seats: newQueue({ concurrency: concurrency + ahead, queue: queue - ahead, timeoutMs }),
    desks: newQueue({ concurrency, queue: ahead, timeoutMs }),
    flights: newFlights(),
    sources: newShared(),
    shelf,
    tidying: newTidying(allowance.limits, shelf),
  }
}
