// The variants that are there already.
import type { Storage } from '../storage/storage.ts'
import { readVariantKey, type VariantKey, variantFolderIn } from './variant-key.ts'

/** A variant that is stored. */
export interface FoundVariant extends VariantKey {
  readonly key: string
  readonly lastModified: Date
}

/** One that has just been made: whoever waits for it need not ask the storage for it. */
export interface Fresh extends FoundVariant {
  readonly data: Uint8Array
}

/** Finds variants, and remembers which were used. */
export interface VariantIndex {
  /** The variant of a place that is remembered. Somebody else may have deleted it: `forget` it then, and look for it. */
  readonly known: (place: string) => FoundVariant | undefined
  /** Looks for the variant of a place. It costs one call, as it does when there is none. */
  readonly find: (storage: Storage, place: string) => Promise<FoundVariant | undefined>
  readonly remember: (place: string, found: FoundVariant) => void
  /** Forgets the variants whose places begin so. */
  readonly forget: (beginning: string) => void
  /** When a variant was used, the later the larger; undefined where nobody here has used it. */
  readonly usedAt: (key: string) => number | undefined
}

interface VariantUse {
  readonly found: FoundVariant
  readonly at: number
}

export function newVariantIndex(): VariantIndex {
  /** By place, the last one used last. */
  const uses = new Map<string, VariantUse>()

  function remember(place: string, found: FoundVariant): void {
    uses.delete(place)
    // Finer than the clock of the system, so that no two uses are at one time.
    uses.set(place, { found, at: performance.timeOrigin + performance.now() })
    const [oldest] = uses.keys()
    if (uses.size > mostKnown && oldest !== undefined) uses.delete(oldest)
  }

  return {
    known(place) {
      const found = uses.get(place)?.found
      if (found) remember(place, found)
      return found
    },
    async find(storage, place) {
      const found = await look(storage, place)
      if (found) remember(place, found)
      return found
    },
    remember,
    forget(beginning) {
      for (const place of uses.keys()) if (place.startsWith(beginning)) uses.delete(place)
    },
    usedAt: (key) => uses.get(variantFolderIn(key))?.at,
  }
}

async function look(storage: Storage, place: string): Promise<FoundVariant | undefined> {
  for await (const { key, size, lastModified } of storage.list(place)) {
    const known = readVariantKey(key)
    // One that a loss of power has cut off is made again, and takes its place.
    if (known?.size === size) return { ...known, key, lastModified }
  }
  return undefined
}

// Some 500 bytes each.
const mostKnown = 10_000
