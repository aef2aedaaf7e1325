import * as promises from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fault, quote } from '../../errors.ts'
import { defineStorage } from '../define.ts'
import type { Storage } from '../storage.ts'
import { makeFolders, removeEmptyFolders } from './folders.ts'
import { listFiles, statOf } from './list.ts'
import { fileIn, lookBelow } from './look.ts'
import { readFile } from './read.ts'
import { sweep } from './sweep.ts'
import { type FileSystem, syncFolder, unlessMissing } from './system.ts'
import { nursery, writeFile } from './write.ts'

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
  const made = async () => {
    await fs.mkdir(folder, { recursive: true })
    return fs.realpath(folder)
  }
  const tidy = onceDone((home: string) => sweep(fs, home, Date.now()))

  return defineStorage({
    read: (key, range) => readFile(fs, folder, key, range),

    async stat(key) {
      const { found } = await lookBelow(fs, folder, key)
      const stats = fileIn(found)
      return stats && statOf(stats)
    },

    async write(key, chunks, options) {
      const { home = await made(), found } = await lookBelow(fs, folder, nursery)
      await tidy(home)
      const filling = found?.kind === 'folder' ? join(home, nursery) : await makeFolders(fs, home, [nursery])
      await writeFile(fs, { home, filling }, key, chunks, options)
    },

    async delete(key) {
      const { home, found } = await lookBelow(fs, folder, key)
      if (home === undefined || !fileIn(found)) return
      await unlessMissing(fs.unlink(join(home, key)))
      await syncFolder(fs, dirname(join(home, key)))
      await removeEmptyFolders(fs, home, key.split('/').slice(0, -1))
    },

    list: (prefix) => listFiles(fs, folder, prefix),
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
