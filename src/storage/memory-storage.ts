import { defineStorage } from './define-storage.ts'
import { readStreamOf } from './read-stream.ts'
import type { FileStat, Storage } from './storage.ts'

/** A storage in memory, for tests and for files that may be lost.
 *  @example await memoryStorage().write('notes/one.txt', new Blob(['Hello'])) // → { size: 5 } */
export function memoryStorage(): Storage {
  const files = new Map<string, { readonly bytes: Uint8Array; readonly stat: FileStat }>()
  let changes = 0

  return defineStorage({
    async read(key, range) {
      const file = files.get(key)
      return file && readStreamOf(file.bytes, range)
    },

    stat: async (key) => files.get(key)?.stat,

    async write(key, chunks) {
      const parts: Uint8Array[] = []
      for await (const chunk of chunks) parts.push(chunk.slice())
      const bytes = Buffer.concat(parts)
      changes += 1
      const stat = { size: bytes.length, lastModified: new Date(), etag: changes.toString(36) }
      files.set(key, { bytes, stat })
    },

    async delete(key) {
      files.delete(key)
    },

    async *list(prefix) {
      const keys = [...files.keys()].filter((key) => key.startsWith(prefix)).sort()
      for (const key of keys) {
        const file = files.get(key)
        if (file) yield { key, ...file.stat }
      }
    },
  })
}
