import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, inject, it } from 'vitest'

const script = fileURLToPath(new URL('./stream-memory.ts', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))

/** What a process that streams a million rows saw and held. Its heap is small, since in a large one V8 lets garbage lie for as long as it
 *  likes, and how much of that there is says nothing about the stream. */
async function streamed(url: string, sort: string): Promise<unknown> {
  const options = ['--max-old-space-size=64', '--expose-gc', '--import', 'tsx', script, url, sort]
  const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: root })
  return JSON.parse(stdout)
}

const little = { seen: 1_000_000, bytes: expect.toSatisfy((bytes: number) => bytes <= 64 * 1_024 * 1_024) }

describe('a stream of a million rows holds 64 MB more than none, at most', () => {
  it.each(['id', '-number', '-text'])('on SQLite, sorted by %s', async (sort) => {
    const home = await mkdtemp(join(tmpdir(), 'quernel-items-'))
    try {
      expect(await streamed(join(home, 'test.db'), sort)).toEqual(little)
    } finally {
      await rm(home, { recursive: true, force: true })
    }
  })

  it.each(['id', '-number', '-text'])('on PostgreSQL, sorted by %s', async (sort) => {
    expect(await streamed(inject('postgres').c, sort)).toEqual(little)
  })
})
