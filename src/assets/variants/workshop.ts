import { type ImageLibrary, imageLibrary } from '../image/library.ts'
import type { Allowance } from '../image/settings.ts'
import { type Flights, newFlights } from './flights.ts'
import { newQueue, type Queue } from './queue.ts'
import { type Found, type Fresh, newShelf, type Shelf } from './shelf.ts'
import { newTidying, type Tidying } from './tidy.ts'

/** Where the variants of an engine are made: what may be made, what is in work, and what has been made. */
export interface Workshop {
  readonly allowance: Allowance
  readonly loadLibrary: () => Promise<ImageLibrary>
  readonly queue: Queue
  readonly flights: Flights<Found | Fresh>
  readonly shelf: Shelf
  readonly tidying: Tidying
}

/** Opens the workshop of an engine. */
export function openWorkshop(
  allowance: Allowance,
  loadLibrary: () => Promise<ImageLibrary> = imageLibrary,
): Workshop {
  const shelf = newShelf()
  return {
    allowance,
    loadLibrary,
    queue: newQueue(allowance.limits),
    flights: newFlights(),
    shelf,
    tidying: newTidying(allowance.limits, shelf),
  }
}
