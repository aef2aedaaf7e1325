import { type OutgoingChunks, streamOf } from './outgoing-bytes.ts'
import { rangeWithin } from './range.ts'
import type { ByteRange } from './storage.ts'

export const readStreamOf = (bytes: Uint8Array, range: ByteRange | undefined): ReadableStream<Uint8Array> =>
  streamOf(chunksOfBytes(bytes, range))

export function chunksOfBytes(bytes: Uint8Array, range: ByteRange | undefined): OutgoingChunks {
  const { start, length } = rangeWithin(range, bytes.length)
  const end = start + length
  let position = start
  return {
    next: async (into) => {
      const length = Math.min(into?.length ?? chunkLength, end - position)
      const chunk = into?.subarray(0, length) ?? new Uint8Array(length)
      // A copy, because the consumer may change the bytes it gets.
      chunk.set(bytes.subarray(position, position + length))
      position += length
      return { chunk: chunk.length > 0 ? chunk : undefined, isLast: position === end }
    },
    cancel: async () => undefined,
  }
}

const chunkLength = 64 * 1024
