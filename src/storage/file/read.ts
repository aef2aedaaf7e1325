import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { fault } from '../../errors.ts'
import { rangeWithin } from '../range.ts'
import type { ByteRange } from '../storage.ts'
import { lookAtFile } from './look.ts'
import { type FileSystem, unlessMissing } from './system.ts'

/** The bytes of a file. What is written to its key later does not change them: that is another file. */
export async function readFile(
  fs: FileSystem,
  path: string,
  range: ByteRange | undefined,
): Promise<ReadableStream<Uint8Array> | undefined> {
  if (!(await lookAtFile(fs, path))) return undefined
  const handle = await unlessMissing(fs.open(path, flags))
  if (!handle) return undefined
  try {
    // Again, for what is open now may have been reached through a link that was not there before.
    await lookAtFile(fs, path)
    const { size } = await handle.stat()
    const { start, length } = rangeWithin(range, size)
    if (length > 0) return streamOf(handle, start, start + length)
  } catch (error) {
    await handle.close().catch(() => undefined) // the first error is the one to tell
    throw error
  }
  await handle.close()
  return new Blob([]).stream()
}

// Not every system has these. A link is not followed, and a pipe does not make us wait for its other end.
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

const chunkLength = 64 * 1024

function streamOf(handle: FileHandle, start: number, end: number): ReadableStream<Uint8Array> {
  let position = start
  const next = async () => {
    const chunk = new Uint8Array(Math.min(chunkLength, end - position))
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position)
    // Somebody else cut it off; a short answer must not look like a whole one.
    if (bytesRead === 0) throw fault('INTERNAL_SERVER_ERROR', 'A file ended before its end.')
    position += bytesRead
    return chunk.subarray(0, bytesRead)
  }
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          controller.enqueue(await next())
        } catch (error) {
          await handle.close().catch(() => undefined)
          throw error
        }
        if (position < end) return
        // With the last byte and not after it: whoever knows the size asks for no more.
        await handle.close()
        controller.close()
      },
      cancel: () => handle.close(),
    },
    { highWaterMark: 0 },
  )
}
