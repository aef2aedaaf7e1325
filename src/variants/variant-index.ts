import type { Storage } from '../storage/storage.ts'
import { readVariantKey, type VariantKey, variantFolderIn } from './variant-key.ts'

export interface FoundVariant extends VariantKey {
  readonly key: string
  readonly lastModified: Date
}

/** A variant that has just been made: its waiting callers need not read it from the storage. */
export interface Fresh extends FoundVariant {
  readonly data: Uint8Array
}

export interface VariantIndex {
  /** The variant of a folder from memory. If it was deleted meanwhile, `forget` it and `find` it again. */
  readonly known: (folder: string) => FoundVariant | undefined
  /** Finds the variant of a folder in the storage. It costs one call, also if there is none. */
  readonly find: (storage: Storage, folder: string) => Promise<FoundVariant | undefined>
  readonly remember: (folder: string, found: FoundVariant) => void
  /** Forgets the variants whose folders begin so. */
  readonly forget: (beginning: string) => void
  /** The time of the last use of a variant; undefined if this process has not used it. */
  readonly usedAt: (key: string) => number | undefined
}

export function newVariantIndex(): VariantIndex {
  /** Uses by folder, the most recent last. */
  const uses = new Map<string, { readonly found: FoundVariant; readonly at: number }>()

  function remember(folder: string, found: FoundVariant): void {
    uses.delete(folder)
    // Finer than the system clock, so that no two uses have the same time.
    uses.set(folder, { found, at: performance.timeOrigin + performance.now() })
    const [oldest] = uses.keys()
    if (uses.size > maxKnown && oldest !== undefined) uses.delete(oldest)
  }

  return {
    known(folder) {
      const found = uses.get(folder)?.found
      if (found) remember(folder, found)
      return found
    },
    async find(storage, folder) {
      const found = await look(storage, folder)
      if (found) remember(folder, found)
      return found
    },
    remember,
    forget(beginning) {
      for (const folder of uses.keys()) if (folder.startsWith(beginning)) uses.delete(folder)
    },
    usedAt: (key) => uses.get(variantFolderIn(key))?.at,
  }
}

async function look(storage: Storage, folder: string): Promise<FoundVariant | undefined> {
  for await (const { key, size, lastModified } of storage.list(folder)) {
    const known = readVariantKey(key)
    // A file truncated by a loss of power is made again, and replaced.
    if (known?.size === size) return { ...known, key, lastModified }
  }
  return undefined
}

// Some 500 bytes each.
const maxKnown = 10_000
