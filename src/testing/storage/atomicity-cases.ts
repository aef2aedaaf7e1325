import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import type { Storage } from '../../storage/storage.ts'
import { bytesOf, faucet, streamOf } from './bodies.ts'
import {
  assertAbsent,
  assertHolds,
  assertSame,
  keysOf,
  readWhole,
  type StorageCase,
  whole,
} from './storage-case.ts'

// More than any storage sends at once, so that the first chunks are stored already.
const manyChunks = Array.from({ length: 12 }, (_, index) => bytesOf(1_000_000, index + 1))

const writers = Array.from({ length: 8 }, (_, index) => bytesOf(300_000 + index * 1_000, index + 1))

export const atomicityCases: readonly StorageCase[] = [
  {
    title: 'a file that is being written is not there before it is whole',
    async run(storage) {
      const body = faucet()
      const writing = storage.write('folder/file', body.stream)
      for (const chunk of manyChunks) {
        await body.give(chunk)
        await assertAbsent(storage, 'folder/file')
        assert.deepEqual(await keysOf(storage, ''), [])
      }
      body.end()
      await writing
      await assertHolds(storage, 'folder/file', Buffer.concat(manyChunks))
    },
  },
  {
    title: 'a file that is being replaced is the old one before the new one is whole',
    async run(storage) {
      const old = bytesOf(100_000, 99)
      await storage.write('file', old)
      const before = await storage.stat('file')
      const body = faucet()
      const writing = storage.write('file', body.stream)
      for (const chunk of manyChunks) {
        await body.give(chunk)
        await assertHolds(storage, 'file', old)
        assert.deepEqual(await storage.stat('file'), before)
      }
      body.end()
      await writing
      await assertHolds(storage, 'file', Buffer.concat(manyChunks))
    },
  },
  {
    title: 'who has begun to read a file gets the whole of it, though it is replaced meanwhile',
    async run(storage) {
      const old = bytesOf(3_000_000, 1)
      await storage.write('file', old)
      const stream = await storage.read('file')
      const reader = stream.getReader()
      const { value: first = new Uint8Array() } = await reader.read()
      reader.releaseLock()
      await storage.write('file', bytesOf(3_000_000, 2))
      assertSame(Buffer.concat([first, await whole(stream)]), old, 'the file that was there')
      await assertHolds(storage, 'file', bytesOf(3_000_000, 2))
    },
  },
  {
    title: 'of several who write one key at once, one is there afterwards, and whole at any time',
    async run(storage) {
      const done = Promise.all(writers.map((bytes) => storage.write('file', streamOf(piecesOf(bytes)))))
      let isDone = false
      const watched = watch(storage, () => isDone)
      await done.finally(() => {
        isDone = true
      })
      await watched
      const { size = 0 } = (await storage.stat('file')) ?? {}
      assertIsOneOf(await readWhole(storage, 'file'))
      assert.ok(
        writers.some(({ length }) => length === size),
        'the size is that of a writer',
      )
      assert.deepEqual(await keysOf(storage, ''), ['file'])
    },
  },
  {
    title: 'the last writer to end wins, whichever began first',
    async run(storage) {
      const [slow, fast] = [bytesOf(50_000, 1), bytesOf(60_000, 2)]
      const body = faucet()
      const writing = storage.write('file', body.stream)
      await body.give(slow)
      await storage.write('file', fast)
      await assertHolds(storage, 'file', fast)
      body.end()
      await writing
      await assertHolds(storage, 'file', slow)
    },
  },
  {
    title: 'files of one folder can be written and deleted at once',
    async run(storage) {
      const names = Array.from({ length: 20 }, (_, index) => `deep/er/${index}`)
      for (let round = 0; round < 5; round += 1) {
        const bytes = bytesOf(1_000, round + 1)
        await Promise.all(
          names.map(async (key) => {
            await storage.write(key, bytes)
            await storage.delete(key)
            await storage.write(key, bytes)
          }),
        )
        for (const key of names) await assertHolds(storage, key, bytes)
        await Promise.all(names.map((key) => storage.delete(key)))
        assert.deepEqual(await keysOf(storage, ''), [])
      }
    },
  },
]

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 10_000) yield bytes.subarray(start, start + 10_000)
}

async function watch(storage: Storage, isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    const stream = await storage.read('file').catch(() => undefined)
    if (stream) assertIsOneOf(await whole(stream))
    // A storage that responds at once would leave no time for the writers.
    await turn()
  }
}

function assertIsOneOf(read: Uint8Array): void {
  assert.ok(
    writers.some((bytes) => Buffer.compare(bytes, read) === 0),
    'the bytes are those of one writer',
  )
}
