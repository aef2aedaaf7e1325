import assert from 'node:assert/strict'
import type { Storage, StoredFile } from '../../storage/storage.ts'
import { bytesOf, text } from './bodies.ts'
import { keysOf, refuses, type StorageCase } from './storage-case.ts'

const stored = ['a', 'a-b', 'a.b', 'a_b/x', 'ab/c', 'ab/c.d', 'ab/cd/e', 'ab/cd/f', 'abc', 'b/a', 'Z']

const prefixes = [
  '',
  'a',
  'ab',
  'ab/',
  'ab/c',
  'ab/cd',
  'ab/cd/',
  'ab/cd/e',
  'a.',
  'a_',
  'b',
  'z',
  'nothing/',
  'a/',
]

export const listCases: readonly StorageCase[] = [
  {
    title: 'an empty storage lists nothing',
    async run(storage) {
      assert.deepEqual(await keysOf(storage, ''), [])
      assert.deepEqual(await keysOf(storage, 'a/b'), [])
    },
  },
  {
    title: 'a prefix lists exactly the keys that begin with it, in their order',
    async run(storage) {
      for (const key of stored) await storage.write(key, text(key))
      for (const prefix of prefixes) {
        const wanted = stored.filter((key) => key.startsWith(prefix)).sort()
        assert.deepEqual(await keysOf(storage, prefix), wanted, JSON.stringify(prefix))
      }
    },
  },
  {
    title: 'a list has for each file what stat returns',
    async run(storage) {
      for (const [index, key] of stored.entries()) await storage.write(key, bytesOf(index * 100))
      const files = await filesOf(storage)
      assert.equal(files.length, stored.length)
      for (const { key, ...stat } of files) assert.deepEqual(stat, await storage.stat(key), key)
    },
  },
  {
    title:
      'a list has the time of the last write of each file, so that new files can be kept and old ones deleted',
    async run(storage) {
      await storage.write('old/one', text('a'))
      const [before] = await filesOf(storage)
      await storage.write('old/one', text('b'))
      const [after] = await filesOf(storage)
      assert.ok(before && after, 'the file is listed')
      assert.ok(after.lastModified >= before.lastModified, 'it is not older than it was')
      // Tolerance for the clocks of services.
      const age = Math.abs(Date.now() - after.lastModified.getTime())
      assert.ok(age < 60 * 60 * 1000, `it was written now, and not ${age} milliseconds ago`)
    },
  },
  {
    title: 'what is written while a list is read does not end it, and what was there is in it',
    async run(storage) {
      for (const key of stored) await storage.write(key, text(key))
      const seen: string[] = []
      for await (const { key } of storage.list('')) {
        seen.push(key)
        await storage.write(`new/${seen.length}`, text('x'))
        if (seen.length > 1_000) break
      }
      const kept = seen.filter((key) => !key.startsWith('new/'))
      assert.deepEqual(kept, [...stored].sort())
    },
  },
  {
    title: 'a prefix that no key can begin with is refused',
    async run(storage) {
      const bad = [
        '/',
        '/a',
        '../',
        '..',
        'a/../b',
        'a//',
        '.',
        'a/.',
        'a\0',
        'a\\',
        'ä',
        'nul/a',
        'x'.repeat(600),
      ]
      for (const prefix of bad) {
        await refuses('INVALID_PAYLOAD', () => keysOf(storage, prefix), JSON.stringify(prefix))
      }
    },
  },
  {
    title: 'a list of more than a thousand files is complete',
    async run(storage) {
      const many = Array.from({ length: 1_005 }, (_, index) => `many/${String(index).padStart(4, '0')}`)
      for (let start = 0; start < many.length; start += 50) {
        await Promise.all(many.slice(start, start + 50).map((key) => storage.write(key, text(key))))
      }
      assert.deepEqual(await keysOf(storage, 'many/'), many)
    },
  },
  {
    title: 'files may be deleted while they are listed, and a list may be left',
    async run(storage) {
      for (const key of stored) await storage.write(key, text(key))
      for await (const { key } of storage.list('')) {
        assert.equal(key, [...stored].sort()[0])
        break
      }
      for await (const { key } of storage.list('')) await storage.delete(key)
      assert.deepEqual(await keysOf(storage, ''), [])
    },
  },
]

async function filesOf(storage: Storage): Promise<readonly StoredFile[]> {
  const files: StoredFile[] = []
  for await (const file of storage.list('')) files.push(file)
  return files
}
