import type * as promises from 'node:fs/promises'
import { isCalled } from '../storage-errors.ts'

/** The functions used of `node:fs/promises`. Tests pass ones that fail. */
export type FileSystem = Pick<
  typeof promises,
  'lstat' | 'mkdir' | 'open' | 'readdir' | 'realpath' | 'rename' | 'rmdir' | 'unlink'
>

/** The result of a call, or undefined if nothing is at its path. */
export async function unlessMissing<Result>(call: Promise<Result>): Promise<Result | undefined> {
  try {
    return await call
  } catch (error) {
    if (isCalled(error, ...missing)) return undefined
    throw error
  }
}

// The second is the code of a path that continues below a file.
const missing = ['ENOENT', 'ENOTDIR']

/** Makes renames and deletions in a folder survive a loss of power. */
export async function syncFolder(fs: FileSystem, path: string): Promise<void> {
  try {
    const handle = await fs.open(path, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch (error) {
    // A folder that is gone needs nothing, and Windows neither opens folders nor needs to.
    if (!isCalled(error, ...missing, 'EISDIR', 'EPERM', 'EINVAL')) throw error
  }
}
