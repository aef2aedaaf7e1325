import type { BigIntStats, Dirent } from 'node:fs'
import { join } from 'node:path'
import { isKey } from '../key.ts'
import type { FileStat, StoredFile } from '../storage.ts'
import { fileIn, lookAt, lookBelow, type Root } from './resolve-path.ts'
import { type FileSystem, unlessMissing } from './system.ts'

/** Lists the files whose keys begin with `prefix`. Only folders that can have some are read. */
export async function* listFiles(fs: FileSystem, root: Root, prefix: string): AsyncGenerator<StoredFile> {
  const end = prefix.lastIndexOf('/')
  const home =
    end < 0 ? await unlessMissing(fs.realpath(root.path)) : await homeAround(fs, root, prefix.slice(0, end))
  if (home !== undefined) yield* filesIn(fs, home, prefix.slice(0, end + 1), prefix)
}

/** The real root, if there is such a folder below it. */
async function homeAround(fs: FileSystem, root: Root, folder: string): Promise<string | undefined> {
  const there = await lookBelow(fs, root, folder)
  return there?.found.kind === 'folder' ? there.home : undefined
}

async function* filesIn(
  fs: FileSystem,
  home: string,
  folder: string,
  prefix: string,
): AsyncGenerator<StoredFile> {
  const entries = await unlessMissing(fs.readdir(join(home, folder), { withFileTypes: true }))
  for (const entry of (entries ?? []).sort(byKey)) {
    const key = folder + entry.name
    // A name that is not a key was not written by this storage.
    if (!isKey(key) || !ending(entry, key).startsWith(prefix)) continue
    if (entry.isDirectory()) yield* filesIn(fs, home, `${key}/`, prefix)
    const stats = entry.isFile() && fileIn(await lookAt(fs, join(home, key)))
    if (stats) yield { key, ...statOf(stats) }
  }
}

/** The order of keys. The keys in a folder are longer than its name: `a/b` comes after `a.b`, although `a`
 *  comes before it. */
function byKey(one: Dirent, other: Dirent): number {
  return ending(one, one.name) < ending(other, other.name) ? -1 : 1
}

const ending = (entry: Dirent, name: string) => (entry.isDirectory() ? `${name}/` : name)

export const statOf = (stats: BigIntStats): FileStat => ({
  size: Number(stats.size),
  lastModified: stats.mtime,
  etag: [stats.ino, stats.size, stats.mtimeNs].map((number) => number.toString(36)).join('-'),
})
