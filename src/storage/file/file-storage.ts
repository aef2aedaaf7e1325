import * as promises from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { anything, checkOptions, optionNames } from '../../errors/check-options.ts'
import { fault, quote } from '../../errors/errors.ts'
import { defineStorage } from '../define-storage.ts'
import { type Opener, withOpener } from '../opened-file.ts'
import { streamOf } from '../outgoing-bytes.ts'
import type { Storage } from '../storage.ts'
import { makeFolders, removeEmptyFolders } from './folders.ts'
import { listFiles, statOf } from './list-folder.ts'
import { openFile, readFile } from './read-range.ts'
import { fileIn, lookAt, lookBelow, type Root } from './resolve-path.ts'
import { type FileSystem, syncFolder, unlessMissing } from './system.ts'
import { nursery, writeFile } from './write-whole.ts'

/** Options of the folder storage. */
export interface FileStorageOptions {
  /** The folder. It is made when the first file is written. */
  readonly root: string
  /** A replacement of `node:fs/promises`, such as one that fails in a test. */
  readonly fs?: FileSystem | undefined
}

const fileStorageOptions = optionNames<FileStorageOptions>({ root: anything, fs: anything })

/** Stores files in a folder, and never outside of it.
 *  @example const storage = fileStorage({ root: './files' }) */
export function fileStorage(options: FileStorageOptions): Storage {
  checkOptions(options, fileStorageOptions)
  const { root, fs = promises } = options
  checkRoot(root)
  const folder: Root = { path: resolve(root), real: undefined }
  const made = async () => {
    await fs.mkdir(folder.path, { recursive: true })
    return fs.realpath(folder.path)
  }
  const tidy = fromTimeToTime((home, now) => sweep(fs, home, now))

  const read: Opener['read'] = (key, range) => readFile(fs, folder, key, range)
  const storage = defineStorage({
    async read(key, range) {
      const chunks = await read(key, range)
      return chunks && streamOf(chunks)
    },

    async stat(key) {
      const there = await lookBelow(fs, folder, key)
      const stats = fileIn(there?.found)
      return stats && statOf(stats)
    },

    async write(key, chunks, options) {
      const there = await lookBelow(fs, folder, nursery)
      const home = there?.home ?? (await made())
      await tidy(home)
      if (there?.found.kind !== 'folder') await makeFolders(fs, home, [nursery])
      await writeFile({ fs, home, filling: join(home, nursery) }, key, chunks, options)
    },

    async delete(key) {
      const there = await lookBelow(fs, folder, key)
      if (!there || !fileIn(there.found)) return
      const path = join(there.home, key)
      await unlessMissing(fs.unlink(path))
      await syncFolder(fs, dirname(path))
      await removeEmptyFolders(fs, there.home, key.split('/').slice(0, -1))
    },

    list: (prefix) => listFiles(fs, folder, prefix),
  })
  return withOpener(storage, { open: (key) => openFile(fs, folder, key), read })
}

function checkRoot(root: unknown): void {
  if (typeof root === 'string' && root !== '' && !root.includes('\0')) return
  throw fault('INVALID_OPTIONS', `"root" is the path of a folder, not ${quote(root)}.`, { path: ['root'] })
}

/** Runs the work unless it ran recently. Its failure is ignored, because the caller came for something else. */
function fromTimeToTime(work: (home: string, now: number) => Promise<void>): (home: string) => Promise<void> {
  let done = Number.NEGATIVE_INFINITY
  return async (home) => {
    const now = Date.now()
    if (now - done < sweepEvery) return
    await work(home, now).then(
      () => {
        done = now
      },
      () => {},
    )
  }
}

const minute = 60 * 1000

/** The age of an abandoned file: no writer pauses that long between two bytes. */
const staleAfter = 24 * 60 * minute

/** The age where half-written files take much room: a process that crashes repeatedly leaves one each time. */
const staleSoonerAfter = 10 * minute
const muchRoom = 1024 ** 3

/** The interval between two sweeps. */
const sweepEvery = 10 * minute

/** Removes half-written files of processes that died, the oldest first. */
async function sweep(fs: FileSystem, home: string, now: number): Promise<void> {
  const halves: { readonly path: string; readonly size: number; readonly age: number }[] = []
  for (const name of (await unlessMissing(fs.readdir(join(home, nursery)))) ?? []) {
    const path = join(home, nursery, name)
    const stats = fileIn(await lookAt(fs, path))
    if (stats) halves.push({ path, size: Number(stats.size), age: now - Number(stats.mtimeMs) })
  }
  let room = halves.reduce((sum, { size }) => sum + size, 0)
  for (const { path, size, age } of halves.sort((one, other) => other.age - one.age)) {
    if (age <= (room > muchRoom ? staleSoonerAfter : staleAfter)) return
    await unlessMissing(fs.unlink(path))
    room -= size
  }
}
