import { streamOf } from './outgoing-bytes.ts'
import { rangeWithin } from './range.ts'
import type { ByteRange } from './storage.ts'

/** Bytes that are held, or a part of them, for somebody to read. */
export function readStreamOf(bytes: Uint8Array, range: ByteRange | undefined): ReadableStream<Uint8Array> {
  const { start, length } = rangeWithin(range, bytes.length)
  const end = start + length
  let position = start
  return streamOf({
    next: async (into) => {
      const length = Math.min(into?.length ?? chunkLength, end - position)
      const chunk = into?.subarray(0, length) ?? new Uint8Array(length)
      // A copy, because what is handed out may be changed by whoever gets it.
      chunk.set(bytes.subarray(position, position + length))
      position += length
      return { chunk: chunk.length > 0 ? chunk : undefined, isLast: position === end }
    },
    cancel: async () => undefined,
  })
}

const chunkLength = 64 * 1024
