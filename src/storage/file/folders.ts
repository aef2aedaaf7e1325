import { dirname, join } from 'node:path'
import { fault } from '../../errors/errors.ts'
import { isCalled } from '../storage-errors.ts'
import { lookAt, realPath } from './resolve-path.ts'
import { type FileSystem, syncFolder, unlessMissing } from './system.ts'

/** Makes the folders that lead to a file, one by one: made all at once, they could be made behind a link. Returns true if the last one is new, and
 *  has nothing in it. */
export async function makeFolders(fs: FileSystem, home: string, parts: readonly string[]): Promise<boolean> {
  const last = join(home, ...parts)
  const above = dirname(last)
  // The folder of an upload is new, below one that exists and to which no link leads.
  const isBelow = parts.length > 1 && (await realPath(fs, above)) === above
  if (isBelow && (await unlessMissing(makeFolder(fs, last)))) return true
  // Mostly all of them exist.
  if ((await lookAt(fs, last))?.kind === 'folder') return false
  let path = home
  let isNew = false
  for (const part of parts) {
    path = join(path, part)
    isNew = await makeFolder(fs, path)
    if (!isNew) await expectFolder(fs, path)
  }
  return isNew
}

async function makeFolder(fs: FileSystem, path: string): Promise<boolean> {
  try {
    await fs.mkdir(path)
  } catch (error) {
    if (isCalled(error, 'EEXIST')) return false
    throw error
  }
  return true
}

async function expectFolder(fs: FileSystem, path: string): Promise<void> {
  const found = await lookAt(fs, path)
  // If it has just been removed, the next write misses it and makes it again.
  if (found && found.kind !== 'folder') throw taken(found.kind)
}

/** Makes renames and new files in a folder survive a loss of power, and the folder itself with its parents. */
export async function syncFolders(fs: FileSystem, home: string, parts: readonly string[]): Promise<void> {
  // All at once, so that the disk makes one journey for them: the file is reported as stored only after the last.
  const paths = [...parts.keys(), parts.length].map((count) => join(home, ...parts.slice(0, count)))
  await Promise.all(paths.map((path) => syncFolder(fs, path)))
}

/** An error for a path where something else is in the way of a file or a folder. */
export function taken(kind: keyof typeof obstacles): Error {
  return fault('INVALID_PAYLOAD', `There can be no file with this key, because ${obstacles[kind]}.`, {
    path: ['key'],
  })
}

const obstacles = {
  file: 'a part of it is a file already',
  folder: 'other keys go on behind it',
  twin: 'it differs from another one in case only, and the file system does not distinguish them',
  other: 'something else than a file is in its place',
}

/** Removes folders that have become empty, from the inside out. */
export async function removeEmptyFolders(
  fs: FileSystem,
  home: string,
  parts: readonly string[],
): Promise<void> {
  for (let count = parts.length; count > 0; count -= 1) {
    try {
      await fs.rmdir(join(home, ...parts.slice(0, count)))
    } catch {
      // Most are not empty. And an empty one that stays does no harm.
      return
    }
  }
}
