import { rangeWithin } from './range.ts'
import type { ByteRange } from './storage.ts'

/** Bytes that are held, or a part of them, for somebody to read. */
export function handOut(bytes: Uint8Array, range: ByteRange | undefined): ReadableStream<Uint8Array> {
  const { start, length } = rangeWithin(range, bytes.length)
  return streamOf(bytes.subarray(start, start + length))
}

const chunkLength = 64 * 1024

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let position = 0
  return new ReadableStream(
    {
      pull(controller) {
        if (position >= bytes.length) return controller.close()
        // A copy, because what is handed out may be changed by whoever gets it.
        controller.enqueue(new Uint8Array(bytes.subarray(position, position + chunkLength)))
        position += chunkLength
      },
    },
    { highWaterMark: 0 },
  )
}
