// The variants that are there already.
import type { Storage } from '../../storage/storage.ts'
import { type Known, placeIn, readKey } from './place.ts'

/** A variant that is stored. */
export interface Found extends Known {
  readonly key: string
  readonly lastModified: Date
}

/** Finds variants, and remembers which were used. */
export interface Shelf {
  /** The variant at a place. One that is remembered may have been deleted by somebody else: `forget` it then, and look again. */
  readonly find: (storage: Storage, place: string) => Promise<Found | undefined>
  readonly remember: (place: string, found: Found) => void
  readonly forget: (place: string) => void
  /** When a variant was used, the later the larger; undefined where nobody here has used it. */
  readonly usedAt: (key: string) => number | undefined
}

interface Use {
  readonly found: Found
  readonly at: number
}

export function newShelf(): Shelf {
  /** By place, the last one used last. */
  const known = new Map<string, Use>()

  function remember(place: string, found: Found): void {
    known.delete(place)
    // Finer than the clock of the system, so that no two uses are at one time.
    known.set(place, { found, at: performance.timeOrigin + performance.now() })
    const [oldest] = known.keys()
    if (known.size > mostKnown && oldest !== undefined) known.delete(oldest)
  }

  return {
    async find(storage, place) {
      const found = known.get(place)?.found ?? (await look(storage, place))
      if (found) remember(place, found)
      return found
    },
    remember,
    forget: (place) => void known.delete(place),
    usedAt: (key) => known.get(placeIn(key))?.at,
  }
}

/** Costs one look, as it does when there is none. */
async function look(storage: Storage, place: string): Promise<Found | undefined> {
  for await (const { key, size, lastModified } of storage.list(place)) {
    const known = readKey(key)
    // One that a loss of power has cut off is made again, and takes its place.
    if (known?.size === size) return { ...known, key, lastModified }
  }
  return undefined
}

// Some 500 bytes each.
const mostKnown = 10_000
