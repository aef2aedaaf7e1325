// The wall around the root: resolves what is at a path, without following links.
import type { BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { fault } from '../../errors/errors.ts'
import { isCalled } from '../storage-errors.ts'
import { type FileSystem, unlessMissing } from './system.ts'

interface ResolvedPath {
  /** A twin differs from the requested path in case only, on a file system that ignores case. */
  readonly kind: 'file' | 'folder' | 'twin' | 'other'
  readonly stats: BigIntStats
}

/** Returns what is at a path below the real root, if anything. Refuses links, wherever they are on the way and
 *  wherever they lead: a path without links is its own real path. Nothing is cached, because a folder may have
 *  become a link. */
export async function lookAt(fs: FileSystem, path: string): Promise<ResolvedPath | undefined> {
  const seen = await seenAt(fs, path)
  return seen && foundAt(seen, path)
}

/** Rejects a path that leads through a link. A caller who has created the file at its end knows that it does not. */
export async function refuseLinks(fs: FileSystem, path: string): Promise<void> {
  const real = await realPath(fs, path)
  if (real !== undefined && real !== path) twinOf(real, path)
}

/** The folder of the files. It may be a link itself, because the host chose it. */
export interface Root {
  readonly path: string
  /** Its real path when it was resolved last. */
  real: string | undefined
}

/** Returns what is at a key below a root, and the root's real path where something was found. */
export async function lookBelow(
  fs: FileSystem,
  root: Root,
  key: string,
): Promise<{ readonly home: string; readonly found: ResolvedPath } | undefined> {
  const seen = await seenAt(fs, join(root.path, key))
  const home = seen && (await homeOf(fs, root, key, seen.real))
  return seen && home !== undefined ? { home, found: foundAt(seen, join(home, key)) } : undefined
}

/** The real path of a root below which something was found. If the file is where the known real path says, the
 *  root has not moved; otherwise it is resolved again. */
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

/** Reads both at once: each call waits for its turn. */
async function seenAt(fs: FileSystem, path: string): Promise<ResolvedEntry | undefined> {
  const [stats, real] = await Promise.all([
    unlessMissing(fs.lstat(path, { bigint: true })),
    realPath(fs, path),
  ])
  if (stats?.isSymbolicLink()) throw linked()
  return stats && real !== undefined ? { stats, real } : undefined
}

/** The path without links; undefined if nothing is there. */
export async function realPath(fs: FileSystem, path: string): Promise<string | undefined> {
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

/** The stats of what was found, if it is a file. */
export const fileIn = (found: ResolvedPath | undefined): BigIntStats | undefined =>
  found?.kind === 'file' ? found.stats : undefined

/** A real path that differs from the path differs in case only, or leads through a link, which is refused. */
export function twinOf(real: string, path: string): 'twin' {
  if (real.toLowerCase() === path.toLowerCase()) return 'twin'
  throw linked()
}

const kindOf = (stats: BigIntStats) => (stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other')

export const linked = () =>
  fault('FORBIDDEN', 'The way to this file leads through a link, and links are not followed.', {
    path: ['key'],
  })
