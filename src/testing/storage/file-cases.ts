import assert from 'node:assert/strict'
import type { Body } from '../../storage/storage.ts'
import { bytesOf, streamOf, text } from './bodies.ts'
import {
  assertAbsent,
  assertHolds,
  assertSame,
  readWhole,
  refuses,
  type StorageCase,
  whole,
} from './storage-case.ts'

const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index)

const bodies: readonly { readonly kind: string; of(bytes: Uint8Array): Body }[] = [
  { kind: 'bytes', of: (bytes) => bytes },
  { kind: 'a buffer', of: (bytes) => Buffer.from(bytes) },
  { kind: 'a blob', of: (bytes) => new Blob([bytes.slice()]) },
  { kind: 'a stream', of: (bytes) => streamOf([bytes]) },
  {
    kind: 'a stream of single bytes',
    of: (bytes) => streamOf([...bytes].map((byte) => Uint8Array.of(byte))),
  },
  {
    kind: 'a stream with empty chunks',
    of: (bytes) => streamOf([new Uint8Array(), bytes, new Uint8Array(), new Uint8Array()]),
  },
]

const fromBodies = bodies.map(
  ({ kind, of }): StorageCase => ({
    title: `${kind} can be written, and is read as it was`,
    async run(storage) {
      assert.deepEqual(await storage.write('folder/file.bin', of(everyByte)), { size: 256 })
      await assertHolds(storage, 'folder/file.bin', everyByte)
      assert.deepEqual(await storage.write('empty', of(new Uint8Array())), { size: 0 })
      await assertHolds(storage, 'empty', new Uint8Array())
    },
  }),
)

// Lengths around the usual sizes of chunks, buffers and parts.
const lengths = [1, 65_535, 65_536, 65_537, 1_048_576, 5_242_880, 8_388_607, 8_388_608, 8_388_609, 17_000_000]

export const fileCases: readonly StorageCase[] = [
  ...fromBodies,
  {
    title: 'files of all lengths come back whole',
    async run(storage) {
      for (const length of lengths) {
        const bytes = bytesOf(length, length)
        const half = Math.floor(length / 2)
        const body = streamOf([bytes.subarray(0, half), bytes.subarray(half)])
        assert.deepEqual(await storage.write(`file-${length}`, body), { size: length })
        await assertHolds(storage, `file-${length}`, bytes)
        await storage.delete(`file-${length}`)
      }
    },
  },
  {
    title: 'a body may use one buffer for all of its chunks',
    async run(storage) {
      const wanted = Uint8Array.from({ length: 100_000 }, (_, index) => Math.floor(index / 1000))
      for (const buffer of [new Uint8Array(1000), Buffer.alloc(1000)]) {
        function* chunks() {
          for (let round = 0; round < 100; round += 1) yield buffer.fill(round)
        }
        await storage.write('file', streamOf(chunks()))
        buffer.fill(255)
        await assertHolds(storage, 'file', wanted)
      }
    },
  },
  {
    title: 'bytes that were written or read belong to the caller',
    async run(storage) {
      const bytes = bytesOf(1000)
      const kept = bytes.slice()
      await storage.write('file', bytes)
      bytes.fill(0)
      const read = await readWhole(storage, 'file')
      read.fill(1)
      await assertHolds(storage, 'file', kept)
    },
  },
  {
    title: 'a file that is not there is not found, is nothing to stat, and can be deleted',
    async run(storage) {
      await assertAbsent(storage, 'nothing')
      await assertAbsent(storage, 'folder/nothing.txt')
      await refuses('NOT_FOUND', () => storage.read('nothing', { start: 5 }))
      await storage.delete('nothing')
      await storage.delete('folder/nothing.txt')
      await storage.write('folder/file', text('here'))
      await assertAbsent(storage, 'folder/nothing.txt')
      // The folder is no file, and a file contains nothing.
      await assertAbsent(storage, 'folder')
      await assertAbsent(storage, 'folder/file/nothing')
      await storage.delete('folder')
      await storage.delete('folder/file/nothing')
      await assertHolds(storage, 'folder/file', text('here'))
    },
  },
  {
    title: 'a deleted file is gone, and can be deleted and written again',
    async run(storage) {
      await storage.write('folder/file', text('one'))
      await storage.write('folder/other', text('other'))
      await storage.delete('folder/file')
      await assertAbsent(storage, 'folder/file')
      await storage.delete('folder/file')
      await assertHolds(storage, 'folder/other', text('other'))
      await storage.write('folder/file', text('two'))
      await assertHolds(storage, 'folder/file', text('two'))
    },
  },
  {
    title: 'a folder that has become empty can become a file',
    async run(storage) {
      await storage.write('name/inner/file', text('one'))
      await storage.delete('name/inner/file')
      await storage.write('name', text('two'))
      await assertHolds(storage, 'name', text('two'))
    },
  },
  {
    title: 'a replaced file has the new bytes and nothing of the old ones',
    async run(storage) {
      await storage.write('file', bytesOf(100_000, 1))
      await storage.write('file', bytesOf(10, 2))
      await assertHolds(storage, 'file', bytesOf(10, 2))
      await storage.write('file', bytesOf(100_000, 3))
      await assertHolds(storage, 'file', bytesOf(100_000, 3))
    },
  },
  {
    title: 'every replacement shows in stat, however quickly they follow each other',
    async run(storage) {
      const seen = new Set<string>()
      let before = 0
      for (let round = 0; round < 20; round += 1) {
        await storage.write('file', bytesOf(1000, round + 1))
        const stat = await storage.stat('file')
        assert.ok(stat?.lastModified instanceof Date, 'lastModified is a date')
        assert.ok(stat.lastModified.getTime() >= before, 'lastModified does not go back')
        before = stat.lastModified.getTime()
        seen.add(stat.etag ?? String(before))
        assert.doesNotMatch(stat.etag ?? '', /["\s]/, 'an etag is bare')
      }
      assert.equal(seen.size, 20, 'etags, or else dates, that differ')
    },
  },
  {
    title: 'what is known of a file stays the same as long as the file does',
    async run(storage) {
      await storage.write('file', bytesOf(1000))
      const stat = await storage.stat('file')
      await readWhole(storage, 'file')
      await storage.write('other', bytesOf(1000))
      assert.deepEqual(await storage.stat('file'), stat)
    },
  },
  {
    title: 'a content type can be set, and an invalid one is refused',
    async run(storage) {
      for (const type of ['image/png', 'text/plain; charset=utf-8', 'image/svg+xml']) {
        await storage.write('file', text(type), { type })
        await assertHolds(storage, 'file', text(type))
      }
      for (const type of ['', 'png', 'image/png\r\nx-other: 1', 'image/', 'a/b; c']) {
        await refuses(
          'INVALID_PAYLOAD',
          () => storage.write('none', text('x'), { type }),
          JSON.stringify(type),
        )
      }
      await assertAbsent(storage, 'none')
    },
  },
  {
    title: 'a stream can be left at any time, and many of them at once',
    async run(storage) {
      const bytes = bytesOf(1_000_000)
      await storage.write('file', bytes)
      for (let round = 0; round < 100; round += 1) {
        const unread = await storage.read('file')
        await unread.cancel()
        const reader = (await storage.read('file')).getReader()
        await reader.read()
        await reader.cancel()
      }
      const streams = await Promise.all(Array.from({ length: 20 }, () => storage.read('file')))
      for (const read of await Promise.all(streams.map(whole))) assertSame(read, bytes, 'file')
    },
  },
]
