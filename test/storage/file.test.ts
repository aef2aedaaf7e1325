import { readdirSync, readlinkSync } from 'node:fs'
import { readdir, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { type FileStorageOptions, fileStorage } from '../../src/storage.ts'
import { bytesOf, streamOf, text } from '../../src/testing/storage/bodies.ts'
import { failureOf, keysOf, readWhole } from '../../src/testing/storage/storage-case.ts'
import { carelessFs } from './careless-fs.ts'
import { contractOf } from './contract-lanes.ts'
import { fsWith } from './failing-fs.ts'
import { folders } from './folder.ts'

const folder = folders()

const lanes = [
  { lane: 'in a folder', open: async () => fileStorage({ root: await folder() }) },
  {
    lane: 'in a folder that is not there yet',
    open: async () => fileStorage({ root: join(await folder(), 'a/b') }),
  },
  {
    lane: 'on a file system that does not care for case',
    open: async () => {
      const root = await folder()
      return fileStorage({ root, fs: carelessFs(root) })
    },
  },
]
describe.each(lanes.map((lane, at) => ({ ...lane, at })))('fileStorage $lane', ({ at, open }) => {
  for (const { title, run } of contractOf(at, open, { countsAt: 0 })) it(title, run)
})

it('a file system that does not care for case keeps one of two twins', async () => {
  const root = await folder()
  const storage = fileStorage({ root, fs: carelessFs(root) })
  await storage.write('Photos/one.jpg', text('one'))
  for (const key of ['photos/one.jpg', 'Photos/One.jpg', 'photos/two.jpg', 'PHOTOS']) {
    expect(await failureOf(() => storage.write(key, text('two')))).toMatchObject({ code: 'INVALID_PAYLOAD' })
    await storage.delete(key)
  }
  expect(await keysOf(storage, '')).toEqual(['Photos/one.jpg'])
})

it.each([undefined, '', 5, 'a\0b'])('fileStorage says that the root %j is none', async (root) => {
  const error = await failureOf(async () => fileStorage({ root } as FileStorageOptions)) // which it is not
  expect(error).toMatchObject({ code: 'INVALID_OPTIONS', path: ['root'] })
})

it('a key is no folder of others, and a folder is no key', async () => {
  const storage = fileStorage({ root: await folder() })
  await storage.write('a/b', text('here'))
  for (const key of ['a', 'a/b/c', 'a/b/c/d']) {
    expect(await failureOf(() => storage.write(key, text('x')))).toMatchObject({ code: 'INVALID_PAYLOAD' })
  }
  expect(await readWhole(storage, 'a/b')).toEqual(Buffer.from('here'))
})

it('nothing but the file is left of a thousand writes, and no file is left open', async () => {
  const root = await folder()
  const storage = fileStorage({ root })
  const body = bytesOf(200_000)
  await storage.write('file', body)
  for (let round = 0; round < 125; round += 1) {
    await storage.write('file', streamOf([body, body]))
    await readWhole(storage, 'file')
    await readWhole(storage, 'file', { start: 100, end: 199 })
    await storage.stat('file')
    await keysOf(storage, '')
    await (await storage.read('file')).cancel()
    const reader = (await storage.read('file')).getReader()
    await reader.read()
    await reader.cancel()
    await failureOf(() => storage.read('file', { start: 1_000_000 }))
  }
  await expect.poll(() => openFilesOf(root)).toBe(0)
  expect(await readdir(root)).toEqual(['.quernel', 'file'])
  expect(await readdir(join(root, '.quernel'))).toEqual([])
})

/** The number of files of a folder that this process has open; other tests of the process open and close their own. */
const openFilesOf = (root: string) => {
  const pathOf = (descriptor: string) => {
    try {
      return readlinkSync(`/dev/fd/${descriptor}`)
    } catch {
      // It was closed since the list was read.
      return ''
    }
  }
  return readdirSync('/dev/fd').filter((descriptor) => pathOf(descriptor).startsWith(root)).length
}

it('what is read to its last byte is closed, though nobody asks for the end', async () => {
  const root = await folder()
  const storage = fileStorage({ root })
  await storage.write('file', bytesOf(100))
  const readers = await Promise.all(
    Array.from({ length: 50 }, async () => (await storage.read('file')).getReader()),
  )
  expect(openFilesOf(root)).toBe(50)
  for (const reader of readers) await reader.read()
  await expect.poll(() => openFilesOf(root)).toBe(0)
})

it('what need not last is not brought to the disk before it is there, and what has to is', async () => {
  const calls: string[] = []
  const storage = fileStorage({ root: await folder(), fs: fsWith((call) => void calls.push(call)) })
  const synced = async (isLasting?: boolean) => {
    calls.length = 0
    await storage.write('file', text('bytes'), { isLasting })
    return calls.filter((call) => call === 'handle.sync').length
  }
  await synced()
  expect([await synced(), await synced(true), await synced(false)]).toEqual([2, 2, 0])
  expect(await readWhole(storage, 'file')).toEqual(Buffer.from('bytes'))
})

it('the size of a file is not asked for where all bytes of a range are there', async () => {
  const calls: string[] = []
  const storage = fileStorage({ root: await folder(), fs: fsWith((call) => void calls.push(call)) })
  const bytes = bytesOf(200_000)
  await storage.write('file', bytes)
  const sizesAsked = async (start: number, end?: number) => {
    calls.length = 0
    const read = await readWhole(storage, 'file', { start, ...(end !== undefined && { end }) })
    expect(Buffer.from(bytes.subarray(start, (end ?? bytes.length) + 1)).equals(read)).toBe(true)
    return calls.filter((call) => call === 'handle.stat').length
  }
  expect([await sizesAsked(0, 0), await sizesAsked(0, 65_534), await sizesAsked(199_000, 199_999)]).toEqual([
    0, 0, 0,
  ])
  expect([await sizesAsked(199_000, 200_000), await sizesAsked(0, 65_535), await sizesAsked(0)]).toEqual([
    1, 1, 1,
  ])
  expect(await failureOf(() => storage.read('file', { start: 200_000, end: 200_001 }))).toMatchObject({
    code: 'RANGE_NOT_SATISFIABLE',
  })
})

it('a file that somebody cuts off breaks off the stream', async () => {
  const root = await folder()
  const storage = fileStorage({ root })
  await storage.write('file', bytesOf(200_000))
  const reader = (await storage.read('file')).getReader()
  await reader.read()
  await writeFile(join(root, 'file'), '')
  expect(await failureOf(() => reader.read())).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' })
})

it('of what takes much room, less is kept and for less long, the oldest going first', async () => {
  const root = await folder()
  await fileStorage({ root }).write('file', text('here'))
  const nursery = join(root, '.quernel')
  const halves = { a: 50, b: 40, c: 30, d: 5 }
  for (const [name, minutes] of Object.entries(halves)) {
    await writeFile(join(nursery, name), '')
    // Nothing of it takes room on the disk.
    await truncate(join(nursery, name), 600 * 1024 ** 2)
    const then = new Date(Date.now() - minutes * 60_000)
    await utimes(join(nursery, name), then, then)
  }
  await fileStorage({ root }).write('file', text('there'))
  expect(await readdir(nursery)).toEqual(['d'])
})

it('a storage that is used for long sweeps again', async () => {
  const root = await folder()
  const storage = fileStorage({ root })
  await storage.write('file', text('here'))
  const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000)
  await writeFile(join(root, '.quernel', 'stale'), 'half')
  await utimes(join(root, '.quernel', 'stale'), longAgo, longAgo)
  await storage.write('file', text('there'))
  expect(await readdir(join(root, '.quernel'))).toEqual(['stale'])
  const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 11 * 60_000)
  await storage.write('file', text('again')).finally(() => now.mockRestore())
  expect(await readdir(join(root, '.quernel'))).toEqual([])
})

it('what dead processes left half-filled is swept, what others fill is not', async () => {
  const root = await folder()
  await fileStorage({ root }).write('file', text('here'))
  const nursery = join(root, '.quernel')
  await writeFile(join(nursery, 'stale'), 'half')
  await writeFile(join(nursery, 'fresh'), 'half')
  const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000)
  await utimes(join(nursery, 'stale'), longAgo, longAgo)
  const storage = fileStorage({ root })
  await storage.write('file', text('there'))
  expect(await readdir(nursery)).toEqual(['fresh'])
  expect(await keysOf(storage, '')).toEqual(['file'])
})

it('a file in a new folder is looked for nowhere, and the disk syncs its folders together', async () => {
  const calls: string[] = []
  const root = await folder()
  await fileStorage({ root }).write('a/old', text('old'))
  const storage = fileStorage({ root, fs: fsWith((call) => void calls.push(call)) })
  await storage.write('a/b/new', text('new'))
  const made = calls.indexOf('mkdir')
  expect(calls.slice(made - 2, made + 2)).toEqual(['handle.close', 'realpath', 'mkdir', 'rename'])
  expect(calls.slice(made + 2, made + 5)).toEqual(['open', 'open', 'open'])
  expect(String(await readWhole(storage, 'a/b/new'))).toBe('new')
})
