import type { ByteRange } from '../../storage/storage.ts'
import { bytesOf } from './bodies.ts'
import { assertSame, readWhole, refuses, type StorageCase } from './storage-case.ts'

const satisfied: readonly ByteRange[] = [
  { start: 0 },
  { start: 0, end: 0 },
  { start: 0, end: 9 },
  { start: 3, end: 5 },
  { start: 3, end: undefined },
  { start: 9 },
  { start: 9, end: 9 },
  { start: 5, end: 10 },
  { start: 5, end: Number.MAX_SAFE_INTEGER },
]

const behindTheEnd: readonly ByteRange[] = [
  { start: 10 },
  { start: 10, end: 12 },
  { start: Number.MAX_SAFE_INTEGER },
]

const senseless: readonly unknown[] = [
  { start: -1 },
  { start: 1.5 },
  { start: Number.NaN },
  { start: Number.POSITIVE_INFINITY },
  { start: '0' },
  { start: 5, end: 3 },
  { start: 0, end: -1 },
  { start: 0, end: '5' },
  { end: 5 },
  {},
  null,
  'bytes=0-5',
]

const shown = (range: unknown) => `the range ${JSON.stringify(range)}`

export const rangeCases: readonly StorageCase[] = [
  {
    title: 'a range gives its bytes, from the first to the last one',
    async run(storage) {
      const bytes = bytesOf(10)
      await storage.write('file', bytes)
      for (const range of satisfied) {
        const { start, end = 9 } = range
        assertSame(await readWhole(storage, 'file', range), bytes.subarray(start, end + 1), shown(range))
      }
    },
  },
  {
    title: 'a range of a long file begins and ends anywhere',
    async run(storage) {
      const bytes = bytesOf(300_000)
      await storage.write('file', bytes)
      for (const start of [0, 1, 65_535, 65_536, 65_537, 131_072, 299_999]) {
        for (const length of [1, 2, 65_535, 65_536, 65_537, 131_073]) {
          const end = start + length - 1
          const wanted = bytes.subarray(start, end + 1)
          assertSame(await readWhole(storage, 'file', { start, end }), wanted, shown({ start, end }))
        }
      }
    },
  },
  {
    title: 'a range behind the end is not satisfiable, nor is any of an empty file',
    async run(storage) {
      await storage.write('file', bytesOf(10))
      await storage.write('empty', new Uint8Array())
      for (const range of behindTheEnd) {
        await refuses('RANGE_NOT_SATISFIABLE', () => storage.read('file', range), shown(range))
      }
      for (const range of satisfied) {
        await refuses('RANGE_NOT_SATISFIABLE', () => storage.read('empty', range), shown(range))
      }
    },
  },
  {
    title: 'a range that makes no sense is refused, whether there is a file or not',
    async run(storage) {
      await storage.write('file', bytesOf(10))
      for (const input of senseless) {
        const range = input as ByteRange // an invalid range
        await refuses('RANGE_NOT_SATISFIABLE', () => storage.read('file', range), shown(range))
        await refuses('RANGE_NOT_SATISFIABLE', () => storage.read('nothing', range), shown(range))
      }
    },
  },
]
