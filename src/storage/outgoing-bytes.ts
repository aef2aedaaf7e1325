// The bytes that leave a storage. Whatever goes wrong with them is told as one of our errors.
import { translated } from './storage-errors.ts'

/** Chunks that are asked for one after another. */
export interface OutgoingChunks {
  /** Whoever knows where the bytes are to go may say so, and spares a copy. A chunk is then a part of that, or made elsewhere. */
  readonly next: (into?: Uint8Array) => Promise<Portion>
  readonly cancel: (reason: unknown) => Promise<void>
}

export interface Portion {
  /** Missing where nothing was left. */
  readonly chunk: Uint8Array | undefined
  /** Known with the last chunk and not after it, where that can be: whoever knows the size asks for no more. */
  readonly isLast: boolean
}

/** Streams made here, and of what. There need not be another one around them, which takes as long as to read a small file. */
const made = new WeakMap<ReadableStream<Uint8Array>, OutgoingChunks>()

/** A stream that asks for a chunk when it is asked for one, and not before. */
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

/** The stream of a storage, whose errors are ours. */
export function outgoing(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  return made.has(stream) ? stream : streamOf(chunksRead(stream))
}

/** The chunks of a stream, for whoever reads all of it: nobody else may read it then. */
export function chunksIn(stream: ReadableStream<Uint8Array>): OutgoingChunks {
  const { next, cancel } = made.get(stream) ?? chunksRead(stream)
  return {
    next: (into) => translated(() => next(into)),
    cancel: (reason) => translated(() => cancel(reason)),
  }
}

function chunksRead(stream: ReadableStream<Uint8Array>): OutgoingChunks {
  const reader = stream.getReader()
  return {
    next: async () => {
      const { done, value } = await reader.read()
      return { chunk: value, isLast: done }
    },
    cancel: (reason) => reader.cancel(reason),
  }
}
