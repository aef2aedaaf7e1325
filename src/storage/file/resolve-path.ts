// The wall around the root: what is at a path, told only of what is really there.
import type { BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { fault } from '../../errors/errors.ts'
import { isCalled } from '../storage-errors.ts'
import { type FileSystem, unlessMissing } from './system.ts'

export interface ResolvedPath {
  /** A twin differs from what was asked for in case only, on a file system that does not care. */
  readonly kind: 'file' | 'folder' | 'twin' | 'other'
  readonly stats: BigIntStats
}

/** What is at a path below the real root, if anything. Refuses links, wherever they are on the way and wherever they lead: a path
 *  without any is its own real path. Nothing is remembered, because what was a folder may have become a link. */
export async function lookAt(fs: FileSystem, path: string): Promise<ResolvedPath | undefined> {
  const seen = await seenAt(fs, path)
  return seen && foundAt(seen, path)
}

/** The folder that files are kept in. It may be a link itself, for it is yours. */
export interface Root {
  readonly path: string
  /** Where it really was when that was asked last. */
  real: string | undefined
}

/** The same below a root. Its real path is told as well where something was found. */
export async function lookBelow(
  fs: FileSystem,
  root: Root,
  key: string,
): Promise<{ readonly home: string; readonly found: ResolvedPath } | undefined> {
  const seen = await seenAt(fs, join(root.path, key))
  const home = seen && (await homeOf(fs, root, key, seen.real))
  return seen && home !== undefined ? { home, found: foundAt(seen, join(home, key)) } : undefined
}

/** The real path of a root below which something was found. What is where it has to be below the root as it was is below it still; the root
 *  is asked again where it is not. */
export async function homeOf(
  fs: FileSystem,
  root: Root,
  key: string,
  real: string,
): Promise<string | undefined> {
  if (root.real === undefined || real !== join(root.real, key))
    root.real = await unlessMissing(fs.realpath(root.path))
  return root.real
}

interface ResolvedEntry {
  readonly stats: BigIntStats
  readonly real: string
}

/** Both are asked at once: each call waits for its turn. */
async function seenAt(fs: FileSystem, path: string): Promise<ResolvedEntry | undefined> {
  const [stats, real] = await Promise.all([
    unlessMissing(fs.lstat(path, { bigint: true })),
    realPath(fs, path),
  ])
  if (stats?.isSymbolicLink()) throw linked()
  return stats && real !== undefined ? { stats, real } : undefined
}

async function realPath(fs: FileSystem, path: string): Promise<string | undefined> {
  try {
    return await unlessMissing(fs.realpath(path))
  } catch (error) {
    // Links that lead to each other have no end.
    throw isCalled(error, 'ELOOP') ? linked() : error
  }
}

const foundAt = ({ stats, real }: ResolvedEntry, path: string): ResolvedPath => ({
  kind: real === path ? kindOf(stats) : twinOf(real, path),
  stats,
})

/** The numbers of what was found, if it is a file. */
export const fileIn = (found: ResolvedPath | undefined): BigIntStats | undefined =>
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
