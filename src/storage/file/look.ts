// The wall around the root: what is at a path, told only of what is really there.
import type { BigIntStats } from 'node:fs'
import { fault } from '../../errors.ts'
import { type FileSystem, unlessMissing } from './system.ts'

export interface Found {
  /** A twin differs from what was asked for in case only, on a file system that does not care. */
  readonly kind: 'file' | 'folder' | 'twin' | 'other'
  readonly stats: BigIntStats
}

/** What is at a path below the real root, if anything. Refuses links, wherever they are on the way and wherever they lead: a path
 *  without any is its own real path. Nothing is remembered, because what was a folder may have become a link. */
export async function lookAt(fs: FileSystem, path: string): Promise<Found | undefined> {
  const stats = await unlessMissing(fs.lstat(path, { bigint: true }))
  if (!stats) return undefined
  if (stats.isSymbolicLink()) throw linked()
  const real = await unlessMissing(fs.realpath(path))
  if (real === undefined) return undefined
  if (real !== path) return { kind: twinOf(real, path), stats }
  return { kind: kindOf(stats), stats }
}

/** The numbers of a file, if a file is at the path. */
export async function lookAtFile(fs: FileSystem, path: string): Promise<BigIntStats | undefined> {
  const found = await lookAt(fs, path)
  return found?.kind === 'file' ? found.stats : undefined
}

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
