// The variants that are there already.
import type { FileStat, Storage } from '../../storage/storage.ts'

export interface Found {
  readonly key: string
  readonly stat: FileStat
}

/** Finds variants, and remembers which were used. */
export interface Shelf {
  /** The variant at a place. It costs one look, as it does when there is none. */
  readonly find: (storage: Storage, place: string) => Promise<Found | undefined>
  readonly remember: (place: string, key: string) => void
  /** When a variant was used, the later the larger; undefined where nobody here has used it. */
  readonly usedAt: (key: string) => number | undefined
}

export function newShelf(): Shelf {
  /** By place, the last one used last. */
  const known = new Map<string, string>()
  const uses = new Map<string, number>()

  function remember(place: string, key: string): void {
    forget(place)
    known.set(place, key)
    // Finer than the clock of the system, so that no two uses are at one time.
    uses.set(key, performance.timeOrigin + performance.now())
    const [oldest] = known.keys()
    if (known.size > mostKnown && oldest !== undefined) forget(oldest)
  }

  function forget(place: string): void {
    const key = known.get(place)
    if (key === undefined) return
    known.delete(place)
    uses.delete(key)
  }

  async function look(storage: Storage, place: string): Promise<Found | undefined> {
    const key = known.get(place)
    const stat = key === undefined ? undefined : await storage.stat(key)
    if (key !== undefined && stat) return { key, stat }
    // Another process may have made it, or deleted it.
    forget(place)
    for await (const { key: stored, ...facts } of storage.list(place)) return { key: stored, stat: facts }
    return undefined
  }

  return {
    async find(storage, place) {
      const found = await look(storage, place)
      if (found) remember(place, found.key)
      return found
    },
    remember,
    usedAt: (key) => uses.get(key),
  }
}

// Some 300 bytes each.
const mostKnown = 10_000
