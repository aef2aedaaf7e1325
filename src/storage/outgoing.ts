// The bytes that leave a storage. Whatever goes wrong with them is told as one of our errors.
import { translated } from './faults.ts'

/** Chunks that are asked for one after another. */
export interface Chunks {
  readonly next: () => Promise<Portion>
  readonly cancel: (reason: unknown) => Promise<void>
}

export interface Portion {
  /** Missing where nothing was left. */
  readonly chunk: Uint8Array | undefined
  /** Known with the last chunk and not after it, where that can be: whoever knows the size asks for no more. */
  readonly isLast: boolean
}

/** Streams made here. There need not be another one around them, which takes as long as to read a small file. */
const made = new WeakSet<ReadableStream<Uint8Array>>()

/** A stream that asks for a chunk when it is asked for one, and not before. */
export function streamOf({ next, cancel }: Chunks): ReadableStream<Uint8Array> {
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { chunk, isLast } = await translated(next)
        if (chunk) controller.enqueue(chunk)
        if (isLast) controller.close()
      },
      cancel: (reason) => translated(() => cancel(reason)),
    },
    { highWaterMark: 0 },
  )
  made.add(stream)
  return stream
}

/** The stream of a storage, whose errors are ours. */
export function outgoing(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  if (made.has(stream)) return stream
  const reader = stream.getReader()
  return streamOf({
    next: async () => {
      const { done, value } = await reader.read()
      return { chunk: value, isLast: done }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
