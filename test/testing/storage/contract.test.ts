// A contract is worth what it finds: each of these storages is wrong in one thing, and a case says so.
import { describe, expect, it } from 'vitest'
import {
  type ByteRange,
  defineStorage,
  memoryStorage,
  type Storage,
  type StorageDriver,
  type StoredFile,
} from '../../../src/storage.ts'
import { failureOf } from '../../../src/testing/storage/storage-case.ts'
import { storageContract } from '../../../src/testing.ts'

/** A driver that does as memory does. */
function good(): StorageDriver {
  const inner = memoryStorage()
  return {
    read: async (key, range) => ((await inner.stat(key)) ? inner.read(key, range) : undefined),
    stat: inner.stat,
    delete: inner.delete,
    list: inner.list,
    async write(key, chunks) {
      const kept: Uint8Array[] = []
      for await (const chunk of chunks) kept.push(chunk.slice())
      await inner.write(key, Buffer.concat(kept))
    },
  }
}

const driven = (wrong: (driver: StorageDriver) => Partial<StorageDriver>) => () => {
  const driver = good()
  return defineStorage({ ...driver, ...wrong(driver) })
}

const bare = (wrong: (storage: Storage) => Partial<Storage>) => () => {
  const storage = memoryStorage()
  return { ...storage, ...wrong(storage) }
}

const longer = ({ start, end }: ByteRange): ByteRange => ({ start, end: end === undefined ? end : end + 1 })

interface Defect {
  readonly defect: string
  readonly open: () => Storage
  /** A part of the title of a case that has to find it. */
  readonly finds: string
}

const defects: readonly Defect[] = [
  {
    defect: 'shows a file while it is written',
    open: driven(({ write }) => ({
      async write(key, chunks, options) {
        const kept: Uint8Array[] = []
        for await (const chunk of chunks) {
          kept.push(chunk.slice())
          await write(key, bodyOf(kept), options)
        }
        await write(key, bodyOf(kept), options)
      },
    })),
    finds: 'is not there before it is whole',
  },
  {
    defect: 'deletes the old file before the new one is whole',
    open: driven(({ write, delete: remove }) => ({
      async write(key, chunks, options) {
        await remove(key)
        await write(key, chunks, options)
      },
    })),
    finds: 'is the old one before the new one is whole',
  },
  {
    defect: 'keeps what it has of a body that fails',
    open: driven(({ write }) => ({
      async write(key, chunks, options) {
        const kept: Uint8Array[] = []
        try {
          for await (const chunk of chunks) kept.push(chunk.slice())
        } finally {
          await write(key, bodyOf(kept), options)
        }
      },
    })),
    finds: 'a body that fails leaves nothing behind',
  },
  {
    defect: 'keeps chunks instead of copies',
    open: driven(({ write }) => ({
      async write(key, chunks, options) {
        const kept: Uint8Array[] = []
        for await (const chunk of chunks) kept.push(chunk)
        await write(key, bodyOf(kept), options)
      },
    })),
    finds: 'one buffer for all of its chunks',
  },
  {
    defect: 'drops the last byte of a long file',
    open: driven(({ write }) => ({
      async write(key, chunks, options) {
        const kept: Uint8Array[] = []
        for await (const chunk of chunks) kept.push(chunk.slice())
        const all = Buffer.concat(kept)
        await write(key, bodyOf([all.length > 8_000_000 ? all.subarray(1) : all]), options)
      },
    })),
    finds: 'files of all lengths',
  },
  {
    defect: 'takes the end of a range for the one behind it',
    open: driven(({ read }) => ({ read: (key, range) => read(key, range && longer(range)) })),
    finds: 'a range gives its bytes',
  },
  {
    defect: 'reads nothing behind the end',
    open: driven(({ read }) => ({
      read: (key, range) => read(key, range).catch(() => new Blob([]).stream()),
    })),
    finds: 'a range behind the end',
  },
  {
    defect: 'fails to delete what is not there',
    open: bare(({ delete: remove, stat }) => ({
      delete: async (key) => ((await stat(key)) ? remove(key) : Promise.reject(new Error('missing'))),
    })),
    finds: 'a deleted file is gone',
  },
  {
    defect: 'throws something of its own',
    open: bare(({ read }) => ({ read: (key, range) => read(key, range).catch(() => Promise.reject('no')) })),
    finds: 'is not found',
  },
  {
    defect: 'has the same etag for every file',
    open: driven(({ stat }) => ({
      async stat(key) {
        const found = await stat(key)
        return found && { ...found, etag: String(found.size) }
      },
    })),
    finds: 'every replacement shows',
  },
  {
    defect: 'counts one byte too many',
    open: bare(({ write }) => ({
      write: async (key, body, options) => ({ size: (await write(key, body, options)).size + 1 }),
    })),
    finds: 'a stream can be written',
  },
  {
    defect: 'lists what only contains the prefix',
    open: driven(({ list }) => ({
      async *list(prefix) {
        for await (const file of list('')) if (file.key.includes(prefix)) yield file
      },
    })),
    finds: 'exactly the keys that begin with it',
  },
  {
    defect: 'lists in no order',
    open: driven(({ list }) => ({
      async *list(prefix) {
        const files: StoredFile[] = []
        for await (const file of list(prefix)) files.push(file)
        yield* files.reverse()
      },
    })),
    finds: 'exactly the keys that begin with it',
  },
  {
    defect: 'lists no more than a thousand files',
    open: driven(({ list }) => ({
      async *list(prefix) {
        let count = 0
        for await (const file of list(prefix)) if (count++ < 1_000) yield file
      },
    })),
    finds: 'more than a thousand',
  },
  {
    defect: 'takes any key',
    open: bare(({ write }) => ({
      write: (key, body, options) => write(/^[\w./-]+$/.test(key) ? key : 'other', body, options),
    })),
    finds: 'is refused by every method',
  },
  {
    defect: 'does not care for case',
    open: driven(({ read, stat, write }) => ({
      read: (key, range) => read(key.toLowerCase(), range),
      stat: (key) => stat(key.toLowerCase()),
      write: (key, chunks, options) => write(key.toLowerCase(), chunks, options),
    })),
    finds: 'differ in case only',
  },
  {
    defect: 'ignores the signal',
    open: bare(({ write }) => ({ write: (key, body, { type } = {}) => write(key, body, { type }) })),
    finds: 'stops a write before it begins',
  },
  {
    defect: 'reads a body before it looks at the key',
    open: bare(({ write }) => ({
      async write(key, body, options) {
        const bytes = new Uint8Array(await new Response(body).arrayBuffer())
        return write(key, bytes, options)
      },
    })),
    finds: 'is cancelled, and not read',
  },
]

async function* bodyOf(kept: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield Buffer.concat(kept)
}

describe('the contract of storages', () => {
  it('finds nothing wrong with a driver that does as memory does', async () => {
    for (const { title, run } of storageContract(() => defineStorage(good()), { keepsInMemory: true })) {
      expect(await failureOf(run), title).toBeUndefined()
    }
  })

  it.each(defects)('finds a storage that $defect', async ({ open, finds }) => {
    const cases = storageContract(open, { keepsInMemory: true }).filter(({ title }) => title.includes(finds))
    expect(cases.length).toBeGreaterThan(0)
    const found = await Promise.all(cases.map(({ run }) => failureOf(run)))
    expect(found.filter((error) => error !== undefined).length).toBeGreaterThan(0)
  })
})
