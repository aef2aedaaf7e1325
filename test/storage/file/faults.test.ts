// The first call to the file system fails, then the second, and so on, until none is left to fail.
import { readdirSync, readlinkSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isEngineError } from '../../../src/index.ts'
import { fileStorage, type Storage } from '../../../src/storage.ts'
import { bytesOf, streamOf } from '../../../src/testing/storage/bodies.ts'
import { assertSame, failureOf, keysOf, readWhole } from '../../../src/testing/storage/storage-case.ts'
import { fuzzSeed } from '../../property/seeded-random.ts'
import { oneIn } from '../../support/long-runs.ts'
import { fsWith, systemError } from '../failing-fs.ts'
import { folders } from '../folder.ts'

const folder = folders()

const old = bytesOf(100_000, 1)
const replacement = bytesOf(150_000, 2)

const codes = {
  EIO: 'INTERNAL_SERVER_ERROR',
  EACCES: 'INTERNAL_SERVER_ERROR',
  EROFS: 'INTERNAL_SERVER_ERROR',
  ENOSPC: 'SERVICE_UNAVAILABLE',
  EDQUOT: 'SERVICE_UNAVAILABLE',
  EMFILE: 'SERVICE_UNAVAILABLE',
  EFBIG: 'CONTENT_TOO_LARGE',
} as const

interface Verb {
  readonly verb: string
  readonly call: (storage: Storage) => Promise<unknown>
  /** What may be there afterwards, whether it has failed or not. */
  readonly leaves: Readonly<Record<string, readonly Uint8Array[]>>
  /** What is there once it has succeeded. */
  readonly does: Readonly<Record<string, readonly Uint8Array[]>>
  /** Calls whose failing is nobody's concern, since they only tidy up. */
  readonly tidying: readonly string[]
  /** No fewer calls have to fail than this. */
  readonly least: number
}

/** Instead of a file that is not there; none of the files is empty. */
const absent = new Uint8Array()

const halves = () => streamOf([replacement.subarray(0, 70_000), replacement.subarray(70_000)])
const kept = { 'a/old': [old] }

const verbs: readonly Verb[] = [
  {
    verb: 'write to a new key',
    call: (storage) => storage.write('b/c/new', halves()),
    leaves: { ...kept, 'b/c/new': [absent, replacement] },
    does: { ...kept, 'b/c/new': [replacement] },
    // The sweep of a storage that is new comes first.
    tidying: ['readdir'],
    least: 22,
  },
  {
    verb: 'write to a key that has a file',
    call: (storage) => storage.write('a/old', halves()),
    leaves: { 'a/old': [old, replacement] },
    does: { 'a/old': [replacement] },
    tidying: ['readdir'],
    least: 19,
  },
  {
    verb: 'read',
    call: (storage) => readWhole(storage, 'a/old'),
    leaves: kept,
    does: kept,
    // All that was asked for has been read by then.
    tidying: ['handle.close'],
    least: 6,
  },
  { verb: 'stat', call: (storage) => storage.stat('a/old'), leaves: kept, does: kept, tidying: [], least: 3 },
  {
    verb: 'delete',
    call: (storage) => storage.delete('a/old'),
    leaves: { 'a/old': [old, absent] },
    does: {},
    tidying: ['rmdir'],
    least: 7,
  },
  { verb: 'list', call: (storage) => keysOf(storage, ''), leaves: kept, does: kept, tidying: [], least: 5 },
]

describe.each(verbs)('$verb', ({ verb, call, leaves, does, tidying, least }) => {
  it.each(oneIn(2, Object.entries(codes), fuzzSeed + verbs.findIndex((one) => one.verb === verb)))(
    `fails whole at each call that fails by %s (QUERNEL_SEED=${fuzzSeed})`,
    async (systemCode, code) => {
      let failed = 0
      for (let k = 1; ; k += 1) {
        const { root, storage } = await filled()
        const calls: string[] = []
        let isOver = false
        const fs = fsWith((name) => {
          if (!isOver && calls.push(name) === k) throw systemError(systemCode)
        })
        const failing = fileStorage({ root, fs })
        const error = await failureOf(() => call(failing))
        isOver = true
        const isClean = calls.length < k
        const isTidying = tidying.includes(calls[k - 1] ?? '')
        if (isClean || isTidying) expect(error).toBeUndefined()
        else expectTold(error, code)
        await expectHeld(storage, error === undefined ? does : leaves)
        expect(await readdir(join(root, '.quernel'))).toEqual([])
        await expect.poll(() => openIn(root)).toEqual([])
        await call(failing)
        await expectHeld(storage, does)
        if (isClean) break
        failed += isTidying ? 0 : 1
      }
      expect(failed).toBeGreaterThanOrEqual(least)
    },
  )

  it('fails whole where nothing works any more from some call on', async () => {
    for (let k = 1; ; k += 1) {
      const { root, storage } = await filled()
      let count = 0
      const fs = fsWith(() => {
        count += 1
        if (count >= k) throw systemError('EIO')
      })
      const error = await failureOf(() => call(fileStorage({ root, fs })))
      await expect.poll(() => openIn(root)).toEqual([])
      await expectHeld(storage, error === undefined ? does : leaves)
      if (count < k) break
    }
  })
})

async function filled(): Promise<{ root: string; storage: Storage }> {
  const root = await folder()
  const storage = fileStorage({ root })
  await storage.write('a/old', old)
  return { root, storage }
}

/** The files below a folder that this process has open. Other tests of the process open and close files of their own meanwhile. */
const openIn = (root: string): readonly string[] =>
  readdirSync('/dev/fd')
    .flatMap((descriptor) => pathOf(descriptor) ?? [])
    .filter((path) => path.startsWith(root))

/** Undefined for a descriptor that was closed since it was listed. */
function pathOf(descriptor: string): string | undefined {
  try {
    return readlinkSync(`/dev/fd/${descriptor}`)
  } catch {
    return undefined
  }
}

function expectTold(error: unknown, code: string): void {
  if (!isEngineError(error)) throw error ?? new Error('It has not failed.')
  expect(error.code).toBe(code)
  expect(error.extensions.retryAfter).toBe(code === 'SERVICE_UNAVAILABLE' ? 1 : undefined)
  expect(error.cause).toMatchObject({ path: '/secret/place' })
  expect(JSON.stringify([error.message, error.path, error.hint, error.extensions])).not.toContain('secret')
}

/** Every file is one of those it may be, and no other is there. */
async function expectHeld(storage: Storage, files: Verb['leaves']): Promise<void> {
  const keys = await keysOf(storage, '')
  for (const key of new Set([...keys, ...Object.keys(files)])) {
    const bytes = keys.includes(key) ? await readWhole(storage, key) : absent
    const meant = (files[key] ?? [absent]).find(({ length }) => length === bytes.length)
    assertSame(bytes, meant ?? new Uint8Array(1), key)
  }
}
