// A file system that keeps the case of names and does not care for it, as those of other systems are.
import { readdirSync } from 'node:fs'
import * as promises from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { FileSystem } from './failing-fs.ts'

export function carelessFs(root: string): FileSystem {
  /** The path as it is on the disk, as far as it is there. */
  const real = (path: unknown): string =>
    relative(root, String(path))
      .split(sep)
      .reduce((folder, name) => join(folder, entryOf(folder, name)), root)
  const bent = <Call extends (path: never, ...more: never[]) => unknown>(call: Call): Call =>
    ((path: string, ...more: never[]) =>
      Reflect.apply(call, promises, [real(path), ...more])) as unknown as Call // the same call, of a path bent
  return {
    ...promises,
    lstat: bent(promises.lstat),
    mkdir: bent(promises.mkdir),
    open: bent(promises.open),
    readdir: bent(promises.readdir),
    realpath: bent(promises.realpath),
    rmdir: bent(promises.rmdir),
    unlink: bent(promises.unlink),
    rename: (from, to) => promises.rename(real(from), real(to)),
  }
}

function entryOf(folder: string, name: string): string {
  try {
    return readdirSync(folder).find((entry) => entry.toLowerCase() === name.toLowerCase()) ?? name
  } catch {
    return name
  }
}
