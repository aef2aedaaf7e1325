// Bodies to be written: bytes that differ everywhere, and streams that do as they are told.

/** Bytes of which no two neighbouring pieces are alike, and which another seed makes different throughout. */
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

/** A stream that gives one chunk each time it is asked. */
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

/** A stream that is moved from outside, and tells what became of it. */
export interface Faucet {
  readonly stream: ReadableStream<Uint8Array>
  /** Gives a chunk, once it is asked for, and waits until the next one is. */
  give(chunk: Uint8Array): Promise<void>
  end(): void
  fail(error: unknown): void
  /** When nobody wants more of it. */
  readonly cancelled: Promise<unknown>
}

export function faucet(): Faucet {
  let control: ReadableStreamDefaultController<Uint8Array> | undefined
  let tellCancelled: (reason: unknown) => void = () => undefined
  let tellAsked: () => void = () => undefined
  let asked = new Promise<void>((resolve) => {
    tellAsked = resolve
  })
  const cancelled = new Promise<unknown>((resolve) => {
    tellCancelled = resolve
  })
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        control = controller
      },
      pull() {
        tellAsked()
        // It is asked again only once this one is answered.
        return undefined
      },
      cancel: (reason) => tellCancelled(reason),
    },
    { highWaterMark: 0 },
  )
  return {
    stream,
    cancelled,
    async give(chunk) {
      await asked
      asked = new Promise((resolve) => {
        tellAsked = resolve
      })
      control?.enqueue(chunk)
      await asked
    },
    end: () => control?.close(),
    fail: (error) => control?.error(error),
  }
}
