import type { Allowance } from '../images/asset-settings.ts'
import { type ImageLibrary, imageLibrary } from '../images/load-sharp.ts'
import { type Eviction, newEviction } from './eviction.ts'
import { newQueue, type Queue } from './render-queue.ts'
import { newShared, newSingleFlight, type Shared, type SingleFlight } from './single-flight.ts'
import { type FoundVariant, type Fresh, newVariantIndex, type VariantIndex } from './variant-index.ts'

/** The rendering state of an engine: its settings, the work in progress, and the index of stored variants. */
export interface Renderer {
  readonly allowance: Allowance
  readonly loadLibrary: () => Promise<ImageLibrary>
  /** Slots for reading a source, so that it is in memory when a rendering slot is free. */
  readonly sourceSlots: Queue
  readonly renderSlots: Queue
  readonly inProgress: SingleFlight<FoundVariant | Fresh>
  /** The sources in use just now: a page requests one picture in many sizes. */
  readonly sources: Shared<Uint8Array>
  readonly index: VariantIndex
  readonly eviction: Eviction
}

export function openRenderer(
  allowance: Allowance,
  loadLibrary: () => Promise<ImageLibrary> = imageLibrary,
): Renderer {
  const index = newVariantIndex()
  const { concurrency, queue, timeoutMs } = allowance.limits
  const ahead = Math.min(concurrency, queue)
  return {
    allowance,
    loadLibrary,
    sourceSlots: newQueue({ concurrency: concurrency + ahead, queue: queue - ahead, timeoutMs }),
    renderSlots: newQueue({ concurrency, queue: ahead, timeoutMs }),
    inProgress: newSingleFlight(),
    sources: newShared(),
    index,
    eviction: newEviction(allowance.limits, index),
  }
}
