// The bytes that leave a storage. All errors while reading them become engine errors.
import { translated } from './storage-errors.ts'

/** Chunks that are read on demand, one after another. */
export interface OutgoingChunks {
  /** Reads the next chunk. A caller that knows the destination of the bytes may pass it to save a copy: a chunk
   *  is then a part of it, or made elsewhere. */
  readonly next: (into?: Uint8Array) => Promise<Portion>
  readonly cancel: (reason: unknown) => Promise<void>
  /** Rejects when they are broken off, also while no chunk is being read. */
  readonly whole?: Promise<unknown> | undefined
}

export interface Portion {
  /** Undefined if nothing was left. */
  readonly chunk: Uint8Array | undefined
  /** Set with the last chunk rather than after it, where possible: a caller that knows the size reads no further. */
  readonly isLast: boolean
}

/** Streams made here, with their chunks. Another stream around them would take as long as reading a small file. */
const made = new WeakMap<ReadableStream<Uint8Array>, OutgoingChunks>()

/** Calls back when chunks are broken off because they are no longer read. Any other failure is reported to the reader. */
export const onBrokenOff = (
  { whole }: Pick<OutgoingChunks, 'whole'>,
  callback: (error: unknown) => void,
): void =>
  void whole?.catch((error: unknown) => {
    if (error instanceof Error && error.name === 'AbortError') callback(error)
  })

/** A stream that reads a chunk only when its consumer reads one. */
export function streamOf({ next, cancel }: OutgoingChunks): ReadableStream<Uint8Array> {
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { chunk, isLast } = await translated(() => next())
        if (chunk) controller.enqueue(chunk)
        if (isLast) controller.close()
      },
      cancel: (reason) => translated(() => cancel(reason)),
    },
    { highWaterMark: 0 },
  )
  made.set(stream, { next, cancel })
  return stream
}

export function outgoing(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  return made.has(stream) ? stream : streamOf(chunksRead(stream))
}

/** The chunks of a stream, for a caller that reads all of it and is its only reader. */
export const chunksIn = (stream: ReadableStream<Uint8Array>): OutgoingChunks =>
  translatedChunks(made.get(stream) ?? chunksRead(stream))

export const translatedChunks = ({ next, cancel }: OutgoingChunks): OutgoingChunks => ({
  next: (into) => translated(() => next(into)),
  cancel: (reason) => translated(() => cancel(reason)),
})

export function chunksRead(stream: ReadableStream<Uint8Array>): OutgoingChunks {
  const reader = stream.getReader()
  return {
    next: async () => {
      const { done, value } = await reader.read()
      return { chunk: value, isLast: done }
    },
    cancel: (reason) => reader.cancel(reason),
    whole: reader.closed,
  }
}
