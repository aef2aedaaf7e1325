// Bodies for tests: bytes that differ everywhere, and streams under control.

/** Returns pseudo-random bytes without equal neighbouring pieces, and different ones for each seed. */
export function bytesOf(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length)
  let state = (seed * 2_654_435_761) >>> 0
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[index] = state >>> 24
  }
  return bytes
}

export const text = (words: string): Uint8Array => new TextEncoder().encode(words)

/** Returns a stream that yields one chunk per pull. */
export function streamOf(chunks: Iterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.iterator]()
  return new ReadableStream(
    {
      pull(controller) {
        const { done, value } = iterator.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
}

/** A stream that is controlled from outside. */
interface Faucet {
  readonly stream: ReadableStream<Uint8Array>
  /** Enqueues a chunk on the next pull, and waits for the one after it. */
  give(chunk: Uint8Array): Promise<void>
  end(): void
  fail(error: unknown): void
  /** Resolves when the stream is cancelled. */
  readonly cancelled: Promise<unknown>
}

export function faucet(): Faucet {
  let control: ReadableStreamDefaultController<Uint8Array> | undefined
  let reportCancelled: (reason: unknown) => void = () => undefined
  let reportRequest: () => void = () => undefined
  let requested = new Promise<void>((resolve) => {
    reportRequest = resolve
  })
  const cancelled = new Promise<unknown>((resolve) => {
    reportCancelled = resolve
  })
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        control = controller
      },
      pull() {
        reportRequest()
        // There is no further pull before this one has ended.
        return undefined
      },
      cancel: (reason) => reportCancelled(reason),
    },
    { highWaterMark: 0 },
  )
  return {
    stream,
    cancelled,
    async give(chunk) {
      await requested
      requested = new Promise((resolve) => {
        reportRequest = resolve
      })
      control?.enqueue(chunk)
      await requested
    },
    end: () => control?.close(),
    fail: (error) => control?.error(error),
  }
}
