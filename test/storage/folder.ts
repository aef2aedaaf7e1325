// Folders for the tests of files, gone when the tests are over.
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** Makes folders, each new and empty. Their paths hold no links. */
export function folders(): () => Promise<string> {
  const made: string[] = []
  afterAll(() => Promise.all(made.map((path) => rm(path, { recursive: true, force: true }))))
  return async () => {
    const path = await realpath(await mkdtemp(join(tmpdir(), 'quernel-storage-')))
    made.push(path)
    return path
  }
}
