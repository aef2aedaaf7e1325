// Processes that write to one folder: killed in the middle, and many at once.
import { spawn } from 'node:child_process'
import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fileStorage, type Storage } from '../../../src/storage.ts'
import { bytesOf, text } from '../../../src/testing/storage/bodies.ts'
import { assertHolds, assertSame, keysOf, readWhole } from '../../../src/testing/storage/storage-case.ts'
import { builtPrograms } from '../../support/built.ts'
import { folders } from '../folder.ts'

const folder = folders()

const programOf = builtPrograms({ writing: 'test/storage/writing.ts' })

/** Runs the process to its end, and says how it ended. */
function run(...given: readonly string[]): Promise<string | number | null> {
  const child = spawn(process.execPath, [programOf('writing'), ...given], { stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(signal ?? code))
  })
}

const [old, replacement] = [bytesOf(50_000, 1), bytesOf(100_000, 2)]

it('a process killed at any call leaves the old file or the new one, and what is half-filled is swept', async () => {
  const seen = { old: 0, replacement: 0, halfFilled: 0 }
  for (let k = 1; ; k += 1) {
    const root = await folder()
    const storage = fileStorage({ root })
    await storage.write('deep/er/file', old)
    const end = await run(root, 'kill', String(k))
    expect(await keysOf(storage, '')).toEqual(['deep/er/file'])
    const bytes = await readWhole(storage, 'deep/er/file')
    const found = bytes.length === old.length ? 'old' : 'replacement'
    assertSame(bytes, { old, replacement }[found], found)
    seen[found] += 1
    seen.halfFilled += await sweepLater(root)
    await storage.write('deep/er/file', text('again'))
    await assertHolds(storage, 'deep/er/file', text('again'))
    if (end === 0) break
    expect(end).toBe('SIGKILL')
  }
  expect(seen.old).toBeGreaterThanOrEqual(15)
  expect(seen.replacement).toBeGreaterThanOrEqual(4)
  expect(seen.halfFilled).toBeGreaterThanOrEqual(10)
})

/** Lets a day go by and a storage be opened. Says how many files were swept. */
async function sweepLater(root: string): Promise<number> {
  const nursery = join(root, '.quernel')
  const names = await readdir(nursery)
  const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000)
  for (const name of names) await utimes(join(nursery, name), longAgo, longAgo)
  const storage = fileStorage({ root })
  await storage.write('other', text('x'))
  await storage.delete('other')
  expect(await readdir(nursery)).toEqual([])
  return names.length
}

it('of eight processes that write one key at once, one is there afterwards, and whole at any time', async () => {
  const root = await folder()
  const storage = fileStorage({ root })
  const seeds = Array.from({ length: 8 }, (_, index) => index + 1)
  let isDone = false
  const ends = Promise.all(seeds.map((seed) => run(root, 'many', String(seed)))).finally(() => {
    isDone = true
  })
  const seen = new Set<number>()
  while (!isDone) seen.add(await writerOf(storage))
  expect(await ends).toEqual(seeds.map(() => 0))
  expect(seeds).toContain(await writerOf(storage))
  expect([...seen].filter((seed) => seed > 0).length).toBeGreaterThanOrEqual(2)
  expect(await keysOf(storage, '')).toEqual(['deep/er/file'])
  expect(await readdir(join(root, '.quernel'))).toEqual([])
})

/** Whose bytes are there, all of them; 0 as long as nobody's are. */
async function writerOf(storage: Storage): Promise<number> {
  const bytes = await readWhole(storage, 'deep/er/file').catch(() => new Uint8Array(200_000))
  const seed = bytes.length - 200_000
  if (seed !== 0) assertSame(bytes, bytesOf(bytes.length, seed), `the file of writer ${seed}`)
  return seed
}
