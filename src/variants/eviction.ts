// Eviction of variants: the least recently used ones are deleted to make room for new ones.

import type { AssetLimits } from '../images/image-limits.ts'
import type { Storage, StoredFile } from '../storage/storage.ts'
import { allVariants, variantsOf } from '../storage/variant-prefix.ts'
import type { VariantIndex } from './variant-index.ts'

/** Keeps the number and the size of variants within their limits. */
export interface Eviction {
  /** Called after a variant of a file was stored. */
  readonly stored: (storage: Storage, id: string, variant: { key: string; size: number }) => Promise<void>
}

export function newEviction({ variantsPerFile, variantBytes }: AssetLimits, index: VariantIndex): Eviction {
  // Changes by other processes are noticed at the next count, which runs when there seem to be too many variants.
  /** The number of variants per file; absent until they were counted. */
  const counts = new Map<string, number>()
  /** The total bytes of all variants; undefined until they were counted. */
  let total: number | undefined
  let counting = Promise.resolve()

  const lastUse = ({ key, lastModified }: StoredFile) => index.usedAt(key) ?? lastModified.getTime()

  async function fewOfOne(storage: Storage, id: string, kept: string): Promise<void> {
    const counted = counts.get(id)
    if (counted !== undefined && counted < variantsPerFile) {
      counts.set(id, counted + 1)
      return
    }
    const others: StoredFile[] = []
    for await (const file of storage.list(variantsOf(id))) if (file.key !== kept) others.push(file)
    others.sort((one, other) => lastUse(one) - lastUse(other))
    const tooMany = Math.max(0, others.length - variantsPerFile + 1)
    for (const { key } of others.slice(0, tooMany)) await storage.delete(key)
    if (counts.size >= maxCounted) counts.clear()
    counts.set(id, others.length - tooMany + 1)
  }

  async function fewBytes(storage: Storage, kept: { key: string; size: number }): Promise<void> {
    if (total !== undefined) total += kept.size
    if (total !== undefined && total <= variantBytes) return
    const files: StoredFile[] = []
    for await (const file of storage.list(allVariants)) files.push(file)
    let bytes = files.reduce((sum, { size }) => sum + size, 0)
    files.sort((one, other) => lastUse(one) - lastUse(other))
    // A little more than necessary, or every new variant would count them all again.
    const room = bytes > variantBytes ? variantBytes * 0.9 : variantBytes
    for (const { key, size } of files) {
      if (bytes <= room) break
      if (key === kept.key) continue
      await storage.delete(key)
      bytes -= size
    }
    total = bytes
  }

  return {
    async stored(storage, id, variant) {
      await fewOfOne(storage, id, variant.key)
      if (!Number.isFinite(variantBytes)) return
      // No caller waits for it, and a failed deletion is tried again with the next variant.
      counting = counting.then(() => fewBytes(storage, variant)).catch(() => undefined)
    },
  }
}

const maxCounted = 10_000
