import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { fault } from '../../errors/errors.ts'
import type { OpenedFile } from '../opened-file.ts'
import type { OutgoingChunks } from '../outgoing-bytes.ts'
import { rangeWithin } from '../range.ts'
import { chunksOfBytes } from '../read-stream.ts'
import type { ByteRange } from '../storage.ts'
import { isCalled } from '../storage-errors.ts'
import { statOf } from './list-folder.ts'
import { homeOf, linked, type Root, twinOf } from './resolve-path.ts'
import { type FileSystem, unlessMissing } from './system.ts'

/** Reads the bytes of a file. A later write to its key does not change them: that makes another file. */
export async function readFile(
  fs: FileSystem,
  root: Root,
  key: string,
  range: ByteRange | undefined,
): Promise<OutgoingChunks | undefined> {
  const path = join(root.path, key)
  const handle = await handleOf(fs, path)
  if (!handle) return undefined
  try {
    // The beginning, which mostly is the whole file, is read while the path is checked.
    const ahead = readAhead(handle, range)
    ahead.catch(() => undefined) // awaited below, if it is a file
    // The path is checked while the file is open: before, it could still have become something else.
    const [size, real] = await Promise.all([sizeFor(handle, range, ahead), unlessMissing(fs.realpath(path))])
    const home = real === undefined ? undefined : await homeOf(fs, root, key, real)
    if (size === undefined || home === undefined || real === undefined || isTwin(real, join(home, key))) {
      await handle.close()
      return undefined
    }
    const { start, length } = rangeWithin(range, size)
    if (length > 0) return chunksOf(handle, { start, end: start + length }, await ahead)
  } catch (error) {
    await handle.close().catch(() => undefined) // the first error is the one to report
    throw error
  }
  await handle.close()
  return chunksOfBytes(nothing, undefined)
}

const nothing = new Uint8Array()

/** Opens a file once, for what is known of it and for its bytes: what is said of one file is never sent with another, which took its place. */
export async function openFile(fs: FileSystem, root: Root, key: string): Promise<OpenedFile | undefined> {
  const path = join(root.path, key)
  const handle = await handleOf(fs, path)
  if (!handle) return undefined
  const close = () => handle.close().catch(() => undefined) // nothing was written, so nothing is lost
  try {
    const [stats, real] = await Promise.all([handle.stat({ bigint: true }), unlessMissing(fs.realpath(path))])
    const home = real === undefined ? undefined : await homeOf(fs, root, key, real)
    if (stats.isFile() && home !== undefined && real !== undefined && !isTwin(real, join(home, key))) {
      const stat = statOf(stats)
      return { stat, chunks: (range) => chunksFrom(handle, stat.size, range), close: () => void close() }
    }
  } catch (error) {
    await close()
    throw error
  }
  await close()
  return undefined
}

async function chunksFrom(
  handle: FileHandle,
  size: number,
  range: ByteRange | undefined,
): Promise<OutgoingChunks> {
  try {
    const { start, length } = rangeWithin(range, size)
    if (length > 0) return chunksOf(handle, { start, end: start + length }, nothing)
  } catch (error) {
    await handle.close().catch(() => undefined) // the first error is the one to report
    throw error
  }
  await handle.close()
  return chunksOfBytes(nothing, undefined)
}

/** True for another file of the same name in another case. Refuses links. */
const isTwin = (real: string, path: string): boolean => real !== path && twinOf(real, path) === 'twin'

async function handleOf(fs: FileSystem, path: string): Promise<FileHandle | undefined> {
  try {
    return await unlessMissing(fs.open(path, flags))
  } catch (error) {
    // A link is not opened, and a socket cannot be.
    if (isCalled(error, 'ELOOP')) throw linked()
    if (isCalled(error, 'ENXIO')) return undefined
    throw error
  }
}

// Some systems lack these flags. A link is not followed, and opening a pipe does not wait for its other end.
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** The number of bytes of a file, where a range needs it; undefined if it is not a file. A range whose bytes
 *  have all been read needs no further call: each call made beside others wakes one more thread, which costs
 *  as much as the call. */
async function sizeFor(
  handle: FileHandle,
  range: ByteRange | undefined,
  ahead: Promise<Uint8Array>,
): Promise<number | undefined> {
  if (range?.end !== undefined && lengthAhead(range) < minLength) {
    const read = await ahead.catch(() => undefined) // reported below, if it is a file
    if (read?.length === lengthAhead(range)) return range.end + 1
  }
  const stats = await handle.stat()
  return stats.isFile() ? stats.size : undefined
}

const lengthAhead = ({ start, end = Number.POSITIVE_INFINITY }: ByteRange): number =>
  Math.min(minLength, end - start + 1)

async function readAhead(handle: FileHandle, range: ByteRange | undefined): Promise<Uint8Array> {
  const requested = range ?? { start: 0 }
  const sheet = sheets.pop() ?? new Uint8Array(minLength)
  try {
    const { bytesRead } = await handle.read(sheet, 0, lengthAhead(requested), requested.start)
    return sheet.slice(0, bytesRead)
  } finally {
    if (sheets.length < sheetsKept) sheets.push(sheet)
  }
}

/** Buffers for beginnings of files, whose length is not known yet. New ones, of which most files fill a part,
 *  cost more than the reading. */
const sheets: Uint8Array[] = []
const sheetsKept = 4

/** Chunk sizes. A fast reader gets larger chunks, because each system call waits for its turn; a slow one, of
 *  which there may be many at once, keeps a small chunk in memory. */
const minLength = 64 * 1024
const maxLength = 1024 * 1024
/** The time in milliseconds within which a reader counts as fast. */
const soon = 20

interface RangeChunk {
  readonly start: number
  /** The position after its last byte. */
  readonly end: number
}

function chunksOf(handle: FileHandle, { start, end }: RangeChunk, ahead: Uint8Array): OutgoingChunks {
  let position = start
  let here = ahead.subarray(0, end - start)
  let length = minLength
  let input = Number.NEGATIVE_INFINITY
  const read = async (into: Uint8Array | undefined) => {
    if (here.length > 0) return taken(into)
    length = performance.now() - input < soon ? Math.min(length * 4, maxLength) : minLength
    const chunk = into ?? new Uint8Array(Math.min(length, end - position))
    const { bytesRead } = await handle.read(chunk, 0, Math.min(chunk.length, end - position), position)
    // Another process truncated it; a short response must not look like a whole one.
    if (bytesRead === 0) throw fault('INTERNAL_SERVER_ERROR', 'A file ended before its end.')
    position += bytesRead
    input = performance.now()
    return { chunk: chunk.subarray(0, bytesRead), isLast: position === end }
  }
  const taken = (into: Uint8Array | undefined) => {
    const chunk = here.subarray(0, into?.length)
    here = here.subarray(chunk.length)
    position += chunk.length
    return { chunk, isLast: position === end }
  }
  // Nothing was written, so a failed close loses nothing.
  const close = () => handle.close().catch(() => undefined)
  return {
    next: async (into) => {
      let isOver = true
      try {
        const portion = await read(into)
        isOver = portion.isLast
        return portion
      } finally {
        if (isOver) void close()
      }
    },
    cancel: () => handle.close(),
  }
}
