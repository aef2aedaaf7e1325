import * as promises from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fault, quote } from '../../errors.ts'
import { defineStorage } from '../define.ts'
import type { Storage } from '../storage.ts'
import { removeEmptyFolders } from './folders.ts'
import { listFiles, statOf } from './list.ts'
import { lookAtFile } from './look.ts'
import { readFile } from './read.ts'
import { sweep } from './sweep.ts'
import { type FileSystem, syncFolder, unlessMissing } from './system.ts'
import { writeFile } from './write.ts'

/** Which folder files are kept in. */
export interface FileStorageOptions {
  /** The folder, made when the first file is written. */
  readonly root: string
  /** Used instead of `node:fs/promises`, such as one that fails in a test. */
  readonly fs?: FileSystem | undefined
}

/** Keeps files in a folder, and never outside of it.
 *  @example const storage = fileStorage({ root: './files' }) */
export function fileStorage({ root, fs = promises }: FileStorageOptions): Storage {
  checkRoot(root)
  const folder = resolve(root)
  // The root itself may be a link, for it is yours.
  const realRoot = () => unlessMissing(fs.realpath(folder))
  const made = async () => {
    await fs.mkdir(folder, { recursive: true })
    return fs.realpath(folder)
  }
  const tidy = onceDone((home: string) => sweep(fs, home, Date.now()))

  return defineStorage({
    read: (key, range) => readFile(fs, folder, key, range),

    async stat(key) {
      const home = await realRoot()
      const stats = home === undefined ? undefined : await lookAtFile(fs, join(home, key))
      return stats && statOf(stats)
    },

    async write(key, chunks, options) {
      const home = (await realRoot()) ?? (await made())
      await tidy(home)
      await writeFile(fs, home, key, chunks, options)
    },

    async delete(key) {
      const home = await realRoot()
      if (home === undefined || !(await lookAtFile(fs, join(home, key)))) return
      await unlessMissing(fs.unlink(join(home, key)))
      await syncFolder(fs, dirname(join(home, key)))
      await removeEmptyFolders(fs, home, key.split('/').slice(0, -1))
    },

    async *list(prefix) {
      const home = await realRoot()
      if (home !== undefined) yield* listFiles(fs, home, prefix)
    },
  })
}

function checkRoot(root: unknown): void {
  if (typeof root === 'string' && root !== '' && !root.includes('\0')) return
  throw fault('INVALID_OPTIONS', `"root" is the path of a folder, not ${quote(root)}.`, { path: ['root'] })
}

/** Does something until it has succeeded. That it failed is nobody's concern who came for something else. */
function onceDone(work: (home: string) => Promise<void>): (home: string) => Promise<void> {
  let isDone = false
  return async (home) => {
    if (isDone) return
    isDone = await work(home).then(
      () => true,
      () => false,
    )
  }
}
