// The index of stored variants.
import type { Storage } from '../storage/storage.ts'
import { readVariantKey, type VariantKey, variantFolderIn } from './variant-key.ts'

/** A variant that is stored. */
export interface FoundVariant extends VariantKey {
  readonly key: string
  readonly lastModified: Date
}

/** A variant that has just been made: its waiting callers need not read it from the storage. */
export interface Fresh extends FoundVariant {
  readonly data: Uint8Array
}

/** Finds variants, and remembers when each was used. */
export interface VariantIndex {
  /** The variant of a place from memory. If it was deleted meanwhile, `forget` it and `find` it again. */
  readonly known: (place: string) => FoundVariant | undefined
  /** Finds the variant of a place in the storage. It costs one call, also if there is none. */
  readonly find: (storage: Storage, place: string) => Promise<FoundVariant | undefined>
  readonly remember: (place: string, found: FoundVariant) => void
  /** Forgets the variants whose places begin so. */
  readonly forget: (beginning: string) => void
  /** The time of the last use of a variant; undefined if this process has not used it. */
  readonly usedAt: (key: string) => number | undefined
}

interface VariantUse {
  readonly found: FoundVariant
  readonly at: number
}

export function newVariantIndex(): VariantIndex {
  /** Uses by place, the most recent last. */
  const uses = new Map<string, VariantUse>()

  function remember(place: string, found: FoundVariant): void {
    uses.delete(place)
    // Finer than the system clock, so that no two uses have the same time.
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
    // A file truncated by a loss of power is made again, and replaced.
    if (known?.size === size) return { ...known, key, lastModified }
  }
  return undefined
}

// Some 500 bytes each.
const mostKnown = 10_000
