import type { Allowance } from '../images/asset-settings.ts'
import { type ImageLibrary, imageLibrary } from '../images/load-sharp.ts'
import { type Eviction, newEviction } from './eviction.ts'
import { newQueue, type Queue } from './render-queue.ts'
import { newShared, newSingleFlight, type Shared, type SingleFlight } from './single-flight.ts'
import { type FoundVariant, type Fresh, newVariantIndex, type VariantIndex } from './variant-index.ts'

/** Where the variants of an engine are made: what may be made, what is in work, and what has been made. */
export interface RenderSlots {
  readonly allowance: Allowance
  readonly loadLibrary: () => Promise<ImageLibrary>
  /** Who has a seat may read the source, and so has it when a desk is free. */
  readonly seats: Queue
  /** Who has a desk makes a picture. */
  readonly desks: Queue
  readonly flights: SingleFlight<FoundVariant | Fresh>
  /** The sources that something is made of just now: a page asks for one picture in many sizes. */
  readonly sources: Shared<Uint8Array>
  readonly shelf: VariantIndex
  readonly tidying: Eviction
}

/** Opens the workshop of an engine. */
export function openRenderSlots(
  allowance: Allowance,
  loadLibrary: () => Promise<ImageLibrary> = imageLibrary,
): RenderSlots {
  const shelf = newVariantIndex()
  const { concurrency, queue, timeoutMs } = allowance.limits
  const ahead = Math.min(concurrency, queue)
  return {
    allowance,
    loadLibrary,
    seats: newQueue({ concurrency: concurrency + ahead, queue: queue - ahead, timeoutMs }),
    desks: newQueue({ concurrency, queue: ahead, timeoutMs }),
    flights: newSingleFlight(),
    sources: newShared(),
    shelf,
    tidying: newEviction(allowance.limits, shelf),
  }
}
