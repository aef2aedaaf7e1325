// The wall around the root: what is at a path, told only of what is really there.
import type { BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { fault } from '../../errors.ts'
import { isCalled } from '../faults.ts'
import { type FileSystem, unlessMissing } from './system.ts'

export interface Found {
  /** A twin differs from what was asked for in case only, on a file system that does not care. */
  readonly kind: 'file' | 'folder' | 'twin' | 'other'
  readonly stats: BigIntStats
}

/** What is at a path below the real root, if anything. Refuses links, wherever they are on the way and wherever they lead: a path
 *  without any is its own real path. Nothing is remembered, because what was a folder may have become a link. */
export async function lookAt(fs: FileSystem, path: string): Promise<Found | undefined> {
  return judged(await seenAt(fs, path), path)
}

/** The same below a root that may be a link itself, for it is yours. Its real path is told as well, if there is one. */
export async function lookBelow(
  fs: FileSystem,
  root: string,
  key: string,
): Promise<{ readonly home: string | undefined; readonly found: Found | undefined }> {
  const [home, seen] = await Promise.all([unlessMissing(fs.realpath(root)), seenAt(fs, join(root, key))])
  return { home, found: home === undefined ? undefined : judged(seen, join(home, key)) }
}

interface Seen {
  readonly stats: BigIntStats | undefined
  readonly real: string | undefined
}

/** Both are asked at once: each call waits for its turn. */
async function seenAt(fs: FileSystem, path: string): Promise<Seen> {
  const [stats, real] = await Promise.all([
    unlessMissing(fs.lstat(path, { bigint: true })),
    realPath(fs, path),
  ])
  return { stats, real }
}

async function realPath(fs: FileSystem, path: string): Promise<string | undefined> {
  try {
    return await unlessMissing(fs.realpath(path))
  } catch (error) {
    // Links that lead to each other have no end.
    throw isCalled(error, 'ELOOP') ? linked() : error
  }
}

function judged({ stats, real }: Seen, path: string): Found | undefined {
  if (stats?.isSymbolicLink()) throw linked()
  if (!stats || real === undefined) return undefined
  return { kind: real === path ? kindOf(stats) : twinOf(real, path), stats }
}

/** The numbers of what was found, if it is a file. */
export const fileIn = (found: Found | undefined): BigIntStats | undefined =>
  found?.kind === 'file' ? found.stats : undefined

/** A path that is not its own differs in case only, or else leads through a link, which is refused. */
export function twinOf(real: string, path: string): 'twin' {
  if (real.toLowerCase() === path.toLowerCase()) return 'twin'
  throw linked()
}

const kindOf = (stats: BigIntStats) => (stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other')

export const linked = () =>
  fault('FORBIDDEN', 'The way to this file leads through a link, and links are not followed.', {
    path: ['key'],
  })
