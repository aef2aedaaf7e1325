import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { fault } from '../../errors/errors.ts'
import { type OutgoingChunks, streamOf } from '../outgoing-bytes.ts'
import { rangeWithin } from '../range.ts'
import { readStreamOf } from '../read-stream.ts'
import type { ByteRange } from '../storage.ts'
import { isCalled } from '../storage-errors.ts'
import { homeOf, linked, type Root, twinOf } from './resolve-path.ts'
import { type FileSystem, unlessMissing } from './system.ts'

/** The bytes of a file. What is written to its key later does not change them: that is another file. */
export async function readFile(
  fs: FileSystem,
  root: Root,
  key: string,
  range: ByteRange | undefined,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const path = join(root.path, key)
  const handle = await openFile(fs, path)
  if (!handle) return undefined
  try {
    // Its beginning, which mostly is all of it, is read while it is looked at.
    const ahead = readAhead(handle, range)
    ahead.catch(() => undefined) // awaited below, unless it is no file
    // Looked at while it is open: before, it could still have become something else.
    const [size, real] = await Promise.all([sizeFor(handle, range, ahead), unlessMissing(fs.realpath(path))])
    const home = real === undefined ? undefined : await homeOf(fs, root, key, real)
    if (size === undefined || home === undefined || real === undefined || isTwin(real, join(home, key))) {
      await handle.close()
      return undefined
    }
    const { start, length } = rangeWithin(range, size)
    if (length > 0) return streamOf(chunksOf(handle, { start, end: start + length }, await ahead))
  } catch (error) {
    await handle.close().catch(() => undefined) // the first error is the one to tell
    throw error
  }
  await handle.close()
  return readStreamOf(new Uint8Array(), undefined)
}

/** Whether it is another file, of the same name in another case. Refuses links. */
const isTwin = (real: string, path: string): boolean => real !== path && twinOf(real, path) === 'twin'

async function openFile(fs: FileSystem, path: string): Promise<FileHandle | undefined> {
  try {
    return await unlessMissing(fs.open(path, flags))
  } catch (error) {
    // What is a link is not opened, and a socket cannot be.
    if (isCalled(error, 'ELOOP')) throw linked()
    if (isCalled(error, 'ENXIO')) return undefined
    throw error
  }
}

// Not every system has these. A link is not followed, and a pipe does not make us wait for its other end.
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** How many bytes a file has, as far as a range has to know it; undefined for what is no file. Who has got all bytes of a range has no more
 *  to ask: each call that is made beside others wakes one more thread, which costs as much as the call. */
async function sizeFor(
  handle: FileHandle,
  range: ByteRange | undefined,
  ahead: Promise<Uint8Array>,
): Promise<number | undefined> {
  if (range?.end !== undefined && lengthAhead(range) < leastLength) {
    const read = await ahead.catch(() => undefined) // told below, where it is a file
    if (read?.length === lengthAhead(range)) return range.end + 1
  }
  const stats = await handle.stat()
  return stats.isFile() ? stats.size : undefined
}

const lengthAhead = ({ start, end = Number.POSITIVE_INFINITY }: ByteRange): number =>
  Math.min(leastLength, end - start + 1)

async function readAhead(handle: FileHandle, range: ByteRange | undefined): Promise<Uint8Array> {
  const asked = range ?? { start: 0 }
  const sheet = sheets.pop() ?? new Uint8Array(leastLength)
  try {
    const { bytesRead } = await handle.read(sheet, 0, lengthAhead(asked), asked.start)
    return sheet.slice(0, bytesRead)
  } finally {
    if (sheets.length < sheetsKept) sheets.push(sheet)
  }
}

/** Where beginnings are read before their length is known. New ones, of which most files fill a part, cost more than the reading. */
const sheets: Uint8Array[] = []
const sheetsKept = 4

/** Who asks for more soon gets more at a time, because each call to the system waits for its turn; and who reads slowly, as many at once
 *  may, holds a small chunk in memory. */
const leastLength = 64 * 1024
const mostLength = 1024 * 1024
/** In milliseconds. */
const soon = 20

interface RangeChunk {
  readonly start: number
  /** Behind its last byte. */
  readonly end: number
}

function chunksOf(handle: FileHandle, { start, end }: RangeChunk, ahead: Uint8Array): OutgoingChunks {
  let position = start
  let here = ahead.subarray(0, end - start)
  let length = leastLength
  let given = Number.NEGATIVE_INFINITY
  const read = async (into: Uint8Array | undefined) => {
    if (here.length > 0) return taken(into)
    length = performance.now() - given < soon ? Math.min(length * 4, mostLength) : leastLength
    const chunk = into ?? new Uint8Array(Math.min(length, end - position))
    const { bytesRead } = await handle.read(chunk, 0, Math.min(chunk.length, end - position), position)
    // Somebody else cut it off; a short answer must not look like a whole one.
    if (bytesRead === 0) throw fault('INTERNAL_SERVER_ERROR', 'A file ended before its end.')
    position += bytesRead
    given = performance.now()
    return { chunk: chunk.subarray(0, bytesRead), isLast: position === end }
  }
  const taken = (into: Uint8Array | undefined) => {
    const chunk = here.subarray(0, into?.length)
    here = here.subarray(chunk.length)
    position += chunk.length
    return { chunk, isLast: position === end }
  }
  // Nothing was written, so nothing is lost when it cannot be closed.
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
    cancel: close,
  }
}
