import assert from 'node:assert/strict'
import type { Storage } from '../../storage/storage.ts'
import { streamOf, text } from './bodies.ts'
import { assertAbsent, assertHolds, failureOf, keysOf, refuses, type StorageCase } from './storage-case.ts'

const good = [
  'a',
  '0',
  '_',
  '-',
  'file.txt',
  'archive.tar.gz',
  'a..b',
  '0b9f2c1e-2d5e-4b0a-9d4c-0c6b7f1a2e3d__5f2a.webp',
  'one/two/three/four/five/six.bin',
  'one/two/three.bin',
  'con-1/console.txt',
  'UPPER/Case.JPG',
  `${'p'.repeat(200)}/${'q'.repeat(200)}/${'r'.repeat(110)}`,
]

const bad: readonly unknown[] = [
  '',
  '/',
  '/a',
  'a/',
  'a//b',
  '.',
  '..',
  'a/.',
  'a/..',
  '../a',
  'a/../b',
  './a',
  'a/./b',
  '.hidden',
  'a/.hidden',
  'dot.',
  'dot./a',
  '...',
  'a b',
  ' a',
  'a\n',
  'a\0b',
  '\0',
  'a\\b',
  '..\\a',
  'C:a',
  'C:\\a',
  'a:stream',
  'a%2e%2e',
  'a%2fb',
  'a?b',
  'a*b',
  'a"b',
  "a'b",
  'a|b',
  'a<b>',
  '~',
  'ä',
  'e\u0301',
  '\u2025/a',
  'a\uff0fb',
  '\ud800',
  'nul',
  'NUL',
  'con.txt',
  'a/Aux/b',
  'com1',
  'LPT9.tar.gz',
  'x'.repeat(201),
  `${'p'.repeat(200)}/${'q'.repeat(200)}/${'r'.repeat(111)}`,
  undefined,
  null,
  5,
  ['a'],
  { toString: () => 'a' },
]

const shown = (key: unknown) => `the key ${JSON.stringify(key)}`

export const keyCases: readonly StorageCase[] = [
  {
    title: 'each good key holds a file of its own',
    async run(storage) {
      for (const key of good) await storage.write(key, text(`at ${key}`))
      for (const key of good) await assertHolds(storage, key, text(`at ${key}`))
      assert.deepEqual(await keysOf(storage, ''), [...good].sort())
      for (const key of good) await storage.delete(key)
      assert.deepEqual(await keysOf(storage, ''), [])
    },
  },
  {
    title: 'a text that is no key is refused by every method',
    async run(storage) {
      for (const input of bad) {
        const key = input as string // often an invalid key
        await refuses('INVALID_PAYLOAD', () => storage.read(key), shown(key))
        await refuses('INVALID_PAYLOAD', () => storage.stat(key), shown(key))
        await refuses('INVALID_PAYLOAD', () => storage.delete(key), shown(key))
        await refuses('INVALID_PAYLOAD', () => storage.write(key, text('x')), shown(key))
      }
      assert.deepEqual(await keysOf(storage, ''), [])
    },
  },
  {
    title: 'the body of a write that is refused is cancelled, and not read',
    async run(storage) {
      let isRead = false
      function* chunks() {
        isRead = true
        yield text('x')
      }
      const body = streamOf(chunks())
      await refuses('INVALID_PAYLOAD', () => storage.write('../a', body))
      assert.equal(isRead, false)
      assert.equal(body.locked, true)
    },
  },
  {
    title: 'keys that differ in case only are two files, or the second one is refused',
    async run(storage) {
      await storage.write('Case/file', text('one'))
      await assertAbsent(storage, 'case/file')
      await assertAbsent(storage, 'Case/FILE')
      await assertTwin(storage, 'Case/FILE')
      await assertTwin(storage, 'case/file')
      await assertHolds(storage, 'Case/file', text('one'))
    },
  },
]

async function assertTwin(storage: Storage, key: string): Promise<void> {
  const error = await failureOf(() => storage.write(key, text('two')))
  if (error === undefined) return assertHolds(storage, key, text('two'))
  await refuses('INVALID_PAYLOAD', () => Promise.reject(error))
  await assertAbsent(storage, key)
}
