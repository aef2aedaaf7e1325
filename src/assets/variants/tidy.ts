// Room for new variants is made by deleting those that were not used for the longest time.
import type { Storage, StoredFile } from '../../storage/storage.ts'
import type { AssetLimits } from '../image/limits.ts'
import { allVariants, variantsOf } from './place.ts'
import type { Shelf } from './shelf.ts'

/** Sees to it that there are no more variants than there may be. */
export interface Tidying {
  /** To be called when a variant of a file was stored. */
  readonly stored: (storage: Storage, id: string, variant: { key: string; size: number }) => Promise<void>
}

export function newTidying({ variantsPerFile, variantBytes }: AssetLimits, shelf: Shelf): Tidying {
  /** What all variants have together; undefined until they were counted. Other processes are noticed when they are counted again. */
  let total: number | undefined
  let counting = Promise.resolve()

  const lastUse = ({ key, lastModified }: StoredFile) => shelf.usedAt(key) ?? lastModified.getTime()

  async function fewOfOne(storage: Storage, id: string, kept: string): Promise<void> {
    const others: StoredFile[] = []
    for await (const file of storage.list(variantsOf(id))) if (file.key !== kept) others.push(file)
    others.sort((one, other) => lastUse(one) - lastUse(other))
    for (const { key } of others.slice(0, Math.max(0, others.length - variantsPerFile + 1)))
      await storage.delete(key)
  }

  async function fewBytes(storage: Storage, kept: { key: string; size: number }): Promise<void> {
    if (total !== undefined) total += kept.size
    if (total !== undefined && total <= variantBytes) return
    const files: StoredFile[] = []
    for await (const file of storage.list(allVariants)) files.push(file)
    let bytes = files.reduce((sum, { size }) => sum + size, 0)
    files.sort((one, other) => lastUse(one) - lastUse(other))
    // A little more than has to be, or every new variant would count them all again.
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
      // Nobody waits for it, and what could not be deleted is tried again with the next one.
      counting = counting.then(() => fewBytes(storage, variant)).catch(() => undefined)
    },
  }
}
