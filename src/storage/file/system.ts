import type * as promises from 'node:fs/promises'
import { isCalled } from '../storage-errors.ts'

/** What is used of `node:fs/promises`. Tests hand in one that fails. */
export type FileSystem = Pick<
  typeof promises,
  'lstat' | 'mkdir' | 'open' | 'readdir' | 'realpath' | 'rename' | 'rmdir' | 'unlink'
>

/** What a call answers, or undefined where there is nothing at its path. */
export async function unlessMissing<Result>(call: Promise<Result>): Promise<Result | undefined> {
  try {
    return await call
  } catch (error) {
    if (isCalled(error, ...missing)) return undefined
    throw error
  }
}

// The second is said of a path that goes on behind a file.
const missing = ['ENOENT', 'ENOTDIR']

/** Makes what was renamed or removed in a folder outlast a loss of power. */
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
