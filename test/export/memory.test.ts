import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, inject, it } from 'vitest'
import { type ExportFormat, formats } from '../../src/export/formats.ts'

const script = fileURLToPath(new URL('./export-memory.ts', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))

/** What a process that makes files of a million rows made and held. Its heap is small, since in a large one V8 lets garbage lie for as
 *  long as it likes, and how much of that there is says nothing about the files. */
async function exported(url: string, words: readonly ExportFormat[]): Promise<unknown> {
  const options = ['--max-old-space-size=64', '--expose-gc', '--import', 'tsx', script, url, ...words]
  const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: root })
  return JSON.parse(stdout)
}

const little = (words: readonly ExportFormat[]) => ({
  made: Object.fromEntries(words.map((format) => [format, 1_000_000])),
  bytes: expect.toSatisfy((bytes: number) => bytes <= 64 * 1_024 * 1_024),
})

const all = Object.keys(formats) as ExportFormat[]

describe('files of a million rows take 64 MB more than none, at most', () => {
  it('out of SQLite', async () => {
    const home = await mkdtemp(join(tmpdir(), 'quernel-export-'))
    try {
      expect(await exported(join(home, 'test.db'), all)).toEqual(little(all))
    } finally {
      await rm(home, { recursive: true, force: true })
    }
  })

  it('out of PostgreSQL', async () => {
    // How rows come differs between the databases, how they are written does not.
    expect(await exported(inject('postgres').c, ['csv'])).toEqual(little(['csv']))
  })
})
