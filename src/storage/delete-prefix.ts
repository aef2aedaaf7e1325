import type { Storage } from './storage.ts'

/** Deletes all files whose keys begin with `prefix`. */
export async function deleteBelow(storage: Storage, prefix: string): Promise<void> {
  for await (const { key } of storage.list(prefix)) await storage.delete(key)
}
