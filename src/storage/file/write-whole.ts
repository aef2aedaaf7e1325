// Atomic writes: a file is filled under a temporary name, and then renamed to its own.
import { randomUUID } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { WriteOptions } from '../storage.ts'
import { isCalled } from '../storage-errors.ts'
import { makeFolders, syncFolders, taken } from './folders.ts'
import { lookAt, refuseLinks } from './resolve-path.ts'
import type { FileSystem } from './system.ts'

/** The folder of temporary files. It begins with a dot, as no key does, and is on the same disk as their final places. */
export const nursery = '.quernel'

export interface Folders {
  readonly fs: FileSystem
  /** The real root. */
  readonly home: string
  /** The folder of temporary files, which exists. */
  readonly filling: string
}

export async function writeFile(
  { fs, home, filling }: Folders,
  key: string,
  chunks: AsyncIterable<Uint8Array>,
  { signal, isLasting = true }: WriteOptions,
): Promise<void> {
  const temporary = join(filling, randomUUID())
  try {
    await fill(fs, temporary, chunks, isLasting)
    signal?.throwIfAborted()
    const parts = key.split('/')
    await publish(fs, home, parts, temporary)
    if (isLasting) await syncFolders(fs, home, parts.slice(0, -1))
  } catch (error) {
    await fs.unlink(temporary).catch(() => undefined) // the first error is the one to report
    throw error
  }
}

async function fill(
  fs: FileSystem,
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  isLasting: boolean,
): Promise<void> {
  const handle = await fs.open(path, 'wx')
  try {
    // Before the first byte: the folder may have become a link since it was checked.
    await refuseLinks(fs, path)
    for await (const chunk of chunks) await writeWhole(handle, chunk)
    const time = now()
    await handle.utimes(time, time)
    if (isLasting) await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Writes a whole chunk. A disk that is nearly full takes a part of it, and refuses the next one. */
async function writeWhole(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let done = 0; done < chunk.length; ) {
    const { bytesWritten } = await handle.write(chunk, done, chunk.length - done)
    done += bytesWritten
  }
}

/** The current time in seconds, to the microsecond. The clock of a file system may stand still for
 *  milliseconds, in which two files would look like one. */
const now = () => (Date.now() + (performance.now() % 1)) / 1000

/** Renames a temporary file to its own name. */
async function publish(
  fs: FileSystem,
  home: string,
  parts: readonly string[],
  temporary: string,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (!(await makeFolders(fs, home, parts.slice(0, -1)))) await refuseTaken(fs, join(home, ...parts))
      await fs.rename(temporary, join(home, ...parts))
      return
    } catch (error) {
      // A concurrent deletion removed the folder, which was empty until now.
      if (!isCalled(error, 'ENOENT') || attempt === maxAttempts) throw error
    }
  }
}

const maxAttempts = 100

async function refuseTaken(fs: FileSystem, path: string): Promise<void> {
  const found = await lookAt(fs, path)
  if (found && found.kind !== 'file') throw taken(found.kind)
}
