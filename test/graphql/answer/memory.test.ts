import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, inject, it } from 'vitest'

const script = fileURLToPath(new URL('../answer-memory.ts', import.meta.url))
const root = fileURLToPath(new URL('../../..', import.meta.url))

/** What a process with a heap of a gibibyte answers, and held. */
async function asked(url: string, way: string): Promise<unknown> {
  const options = ['--max-old-space-size=1024', '--expose-gc', '--import', 'tsx', script, url, way]
  const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: root })
  return JSON.parse(stdout)
}

/** The bound of an answer, twice. */
const twice = 2 * 256 * 1_024 * 1_024
const refused = {
  told: 'INVALID_QUERY',
  again: 1,
  bytes: expect.toSatisfy((bytes: number) => bytes <= twice),
}

const ways = ['names', 'roots', 'references', 'children', 'json', 'rows', 'page', 'http', 'item']

describe('an answer that is too long is refused, and takes twice its bound at most', () => {
  it('on SQLite', async () => {
    const home = await mkdtemp(join(tmpdir(), 'quernel-answers-'))
    try {
      await expectRefusals(join(home, 'test.db'))
    } finally {
      await rm(home, { recursive: true, force: true })
    }
  })

  it('on PostgreSQL', async () => {
    const url = new URL(inject('postgres').c)
    url.searchParams.set('options', '-c search_path=answers_in_memory')
    try {
      await expectRefusals(url.href)
      // What no text can hold ends the call and its connection, and not the process.
      expect(await asked(url.href, 'value')).toMatchObject({ told: 'INVALID_QUERY', again: 1 })
    } finally {
      await asked(url.href, 'clear')
    }
  })

  async function expectRefusals(url: string): Promise<void> {
    await asked(url, 'fill')
    const found: unknown[] = []
    for (const way of ways) found.push([way, await asked(url, way)])
    expect(found).toEqual(ways.map((way) => [way, refused]))
  }
})
