// Bytes that no row tells of.
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { sweepFiles, updateFile, uploadFile } from '../../src/index.ts'
import { memoryStorage, type Storage, s3Storage } from '../../src/storage.ts'
import { fakeS3 } from '../storage/fake-s3.ts'
import { folders } from '../storage/folder.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { keysIn, openGallery, storages, streamOf } from './gallery-fixture.ts'

const hello = new TextEncoder().encode('Hello')
const folder = folders()
const kinds = [
  ...storages,
  { kind: 'a bucket', make: (root: string) => s3Storage({ client: fakeS3(root, 'files'), bucket: 'files' }) },
]
const aDay = 24 * 60 * 60 * 1000

/** A storage whose files are as old as a test says. */
function aged(storage: Storage, age: { ms: number }): Storage {
  return {
    ...storage,
    async *list(prefix) {
      for await (const file of storage.list(prefix))
        yield { ...file, lastModified: new Date(file.lastModified.getTime() - age.ms) }
    },
  }
}

describe.each(databases)('on $name', ({ open }) => {
  let database: OpenDatabase
  beforeEach(async () => {
    database = await open()
  })

  const lost = '00000000-0000-4000-8000-000000000000'
  const forgotten = [
    `files/${lost}/0123456789abcdef01.png`,
    `files/${lost}/0123456789abcdef02`,
    `variants/${lost}/abc-10x10-5.webp`,
  ]
  const others = ['avatars/ada.png', 'files/readme.txt', 'variants.txt', `backup/files/${lost}/x`]

  describe.each(kinds)('sweeping $kind', ({ make }) => {
    const age = { ms: 0 }
    let storage: Storage
    beforeEach(async () => {
      age.ms = 2 * aDay
      storage = aged(make(await folder()), age)
    })

    it('deletes what no row names, and nothing else', async () => {
      const engine = openGallery(database.db, storage)
      await engine.install()
      const { id } = await uploadFile(engine, hello, { filename: 'a.txt' })
      await storage.write(`variants/${id}/abc-10x10-5.webp`, hello)
      const kept = await keysIn(storage)
      for (const key of [...forgotten, ...others]) await storage.write(key, hello)
      const told = { deleted: 3, bytes: 15, keys: forgotten }
      expect(await sweepFiles(engine, { dryRun: true })).toEqual(told)
      expect(await keysIn(storage)).toHaveLength(kept.length + 7)
      expect(await sweepFiles(engine)).toEqual(told)
      expect(await keysIn(storage)).toEqual([...kept, ...others].sort())
      expect(await sweepFiles(engine)).toEqual({ deleted: 0, bytes: 0, keys: [] })
    })

    it('leaves alone what is younger than it is told', async () => {
      const engine = openGallery(database.db, storage)
      await engine.install()
      await storage.write(String(forgotten[0]), hello)
      age.ms = aDay / 2
      expect(await sweepFiles(engine)).toMatchObject({ deleted: 0 })
      expect(await sweepFiles(engine, { olderThanMs: aDay / 4 })).toMatchObject({ deleted: 1 })
    })
  })

  it('takes the row for what counts, whatever key it has', async () => {
    const storage = aged(memoryStorage(), { ms: 2 * aDay })
    const engine = openGallery(database.db, storage)
    await engine.install()
    const { id } = await uploadFile(engine, hello, { filename: 'a.txt' })
    await sql`update files set id = ${lost}`.execute(database.db)
    expect(await sweepFiles(engine)).toMatchObject({ deleted: 0 })
    await database.run('delete from files')
    expect(await sweepFiles(engine)).toMatchObject({ deleted: 1, keys: [expect.stringContaining(id)] })
  })

  it('leaves alone what is under way, however long it takes', async () => {
    const kept = aged(memoryStorage(), { ms: 2 * aDay })
    const seen: number[] = []
    const storage: Storage = {
      ...kept,
      async write(...given) {
        const written = await kept.write(...given)
        // The bytes are there, and their row is not.
        seen.push((await keysIn(kept)).length)
        expect(await sweepFiles(engine)).toMatchObject({ deleted: 0 })
        return written
      },
    }
    const engine = openGallery(database.db, storage)
    await engine.install()
    await uploadFile(engine, streamOf('He', 'llo'), { filename: 'a.txt' })
    await uploadFile(engine, streamOf('By', 'e'), { filename: 'b.txt' })
    expect(seen).toEqual([1, 2])
    await database.run('delete from files')
    expect(await sweepFiles(engine)).toMatchObject({ deleted: 2 })
  })

  it('knows of files whose transaction is at an end, and of no others', async () => {
    const storage = aged(memoryStorage(), { ms: 2 * aDay })
    const engine = openGallery(database.db, storage)
    await engine.install()
    await engine.transaction((inside) => uploadFile(inside, hello, { filename: 'a.txt' }))
    const undone = engine.transaction(async (inside) => {
      await uploadFile(inside, hello, { filename: 'b.txt' })
      throw new RangeError('no')
    })
    await expect(undone).rejects.toThrow(RangeError)
    expect(await keysIn(storage)).toHaveLength(1)
    await database.run('delete from files')
    expect(await sweepFiles(engine)).toMatchObject({ deleted: 1 })
  })

  it('is the business of the host, outside of transactions', async () => {
    const engine = openGallery(database.db, memoryStorage())
    await engine.install()
    await expect(sweepFiles(engine.as({ rules: { files: { delete: true } } }))).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
    await expect(engine.transaction((inside) => sweepFiles(inside))).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    })
    await expect(sweepFiles(engine, { olderThanMs: -1 })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      path: ['olderThanMs'],
    })
  })

  it('says so where a storage cannot tell what it holds', async () => {
    const { list: _list, ...storage } = memoryStorage()
    const engine = openGallery(database.db, storage as Storage) // as one of a host's may be
    await engine.install()
    await expect(sweepFiles(engine)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: 'This storage cannot list its files, so they cannot be swept.',
    })
  })

  it('is not needed for uploads that come while the database is away', async () => {
    const storage = memoryStorage()
    const engine = openGallery(database.db, storage)
    let isRead = false
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          isRead = true
          controller.enqueue(hello)
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    // Nothing is installed: the row could not be written.
    await expect(uploadFile(engine, body, { filename: 'a.txt' })).rejects.toThrow()
    expect(isRead).toBe(false)
    await expect(updateFile(engine, lost, {}, hello)).rejects.toThrow()
    expect(await keysIn(storage)).toEqual([])
  })
})
