// Files on a database and in a storage, and what is left of both.
import type { Kysely } from 'kysely'
import { createEngine, defineSchema, type EngineOptions, filesDefinition } from '../../src/index.ts'
import { fileStorage, memoryStorage, type Storage } from '../../src/storage.ts'
import type { AnyTables } from '../support/databases.ts'
import { key, maybeOne, text } from '../support/fields.ts'

/** A schema whose articles have pictures. */
export const schema = defineSchema({
  files: filesDefinition,
  articles: { fields: { id: key, title: text, image: maybeOne('files') } },
})
export type Gallery = typeof schema

/** A schema that says nothing of files. */
export const plain = defineSchema({ tags: { fields: { id: key } } })

export const storages: readonly { readonly kind: string; readonly make: (root: string) => Storage }[] = [
  { kind: 'memory', make: () => memoryStorage() },
  { kind: 'a folder', make: (root) => fileStorage({ root }) },
]

export async function keysIn(storage: Storage): Promise<readonly string[]> {
  const keys: string[] = []
  for await (const { key } of storage.list('')) keys.push(key)
  return keys
}

/** Where rows say that bytes are. */
export async function placesIn(db: Kysely<AnyTables>, table = 'files'): Promise<readonly string[]> {
  const rows = await db.selectFrom(table).select('filename_disk').orderBy('filename_disk').execute()
  return rows.map((row) => String(row.filename_disk))
}

export const openGallery = (
  db: Kysely<AnyTables>,
  storage: Storage,
  more: Partial<EngineOptions<Gallery>> = {},
) => createEngine({ db, schema, storage, clock: () => new Date('2024-03-01T12:00:00Z'), ...more })

/** Chunks, one when one is asked for. */
export function streamOf(...chunks: readonly (string | Uint8Array | Error)[]): ReadableStream<Uint8Array> {
  const left = [...chunks]
  return new ReadableStream(
    {
      pull(controller) {
        const next = left.shift()
        if (next === undefined) controller.close()
        else if (next instanceof Error) controller.error(next)
        else controller.enqueue(typeof next === 'string' ? new TextEncoder().encode(next) : next)
      },
    },
    { highWaterMark: 0 },
  )
}

/** A storage of which something fails. */
export function storageWith(
  storage: Storage,
  before: (call: keyof Storage, key: string) => void | Promise<void>,
): Storage {
  return {
    read: async (key, range) => {
      await before('read', key)
      return storage.read(key, range)
    },
    stat: async (key) => {
      await before('stat', key)
      return storage.stat(key)
    },
    write: async (key, body, options) => {
      await before('write', key)
      return storage.write(key, body, options)
    },
    delete: async (key) => {
      await before('delete', key)
      await storage.delete(key)
    },
    async *list(prefix) {
      await before('list', prefix)
      yield* storage.list(prefix)
    },
  }
}
