import { onAbort } from '../errors/abort-signal.ts'
import { fault } from '../errors/errors.ts'
import type { FileWriter } from './writer.ts'

/** Yields the text of a file in pieces, each generated on demand. */
export async function* textOf(
  chunks: AsyncIterable<readonly unknown[]>,
  writer: FileWriter,
): AsyncGenerator<string, void, undefined> {
  let text = writer.begin
  let count = 0
  for await (const chunk of chunks) {
    for (const item of chunk) {
      text += writer.item(item, count++)
      if (text.length < piece) continue
      yield text
      text = ''
    }
  }
  text += writer.end(count)
  if (text !== '') yield text
}

/** Minimum size of a piece: small enough for memory, large enough to keep the overhead low. */
const piece = 65_536

/** Returns the bytes of a text. Its first piece is generated at once, so that early errors are thrown; all others are generated when they
 *  are read. When the stream is cancelled, the signal aborted, or the reader idle for so many milliseconds, `make`'s own signal is aborted,
 *  and the generation ends. */
export async function bodyOf(
  make: (signal: AbortSignal) => AsyncGenerator<string, void, undefined>,
  signal: AbortSignal | undefined,
  idleMs: number,
): Promise<ReadableStream<Uint8Array>> {
  const ending = new AbortController()
  const texts = following(make(ending.signal), ending, signal)
  let ready: IteratorResult<string, void> | undefined = await texts.next()
  const encoder = new TextEncoder()
  const idle = new IdleTimeout(idleMs, () => ending.abort(unread(idleMs)))
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // An abort releases the connection at once, even if the stream is not being read.
        const stop = () => {
          idle.end()
          controller.error(ending.signal.reason)
          void leave(texts)
        }
        if (ending.signal.aborted) stop()
        else ending.signal.addEventListener('abort', stop)
        idle.begin()
      },
      async pull(controller) {
        idle.end()
        const { done, value } = ready ?? (await texts.next())
        ready = undefined
        if (done) return controller.close()
        idle.begin()
        controller.enqueue(encoder.encode(value))
      },
      async cancel(reason) {
        idle.end()
        ending.abort(reason)
        await leave(texts)
      },
    },
    // Nothing is generated before it is requested.
    { highWaterMark: 0 },
  )
}

const unread = (milliseconds: number) =>
  fault('OUT_OF_TIME', `The reader has stopped for ${milliseconds} milliseconds, so the export was ended.`, {
    hint: 'Set streamIdleMs of createEngine if readers take longer.',
  })

/** Maximum delay of a timer. Longer ones fire at once. */
const longestTimer = 2 ** 31 - 1

/** Idle timeout of a reader, between one piece and the next. */
class IdleTimeout {
  readonly #milliseconds: number
  readonly #giveUp: () => void
  #clock: NodeJS.Timeout | undefined

  constructor(milliseconds: number, giveUp: () => void) {
    this.#milliseconds = milliseconds
    this.#giveUp = giveUp
  }

  begin(): void {
    if (this.#milliseconds > longestTimer) return
    this.#clock = setTimeout(this.#giveUp, this.#milliseconds).unref()
  }

  end(): void {
    clearTimeout(this.#clock)
  }
}

/** Ends the generation, and releases what it holds. Its errors no longer matter. */
async function leave(texts: AsyncGenerator<string, void, undefined>): Promise<void> {
  await texts.return().catch(() => undefined)
}

/** Passes texts on, until the caller's signal is aborted. */
async function* following(
  texts: AsyncGenerator<string, void, undefined>,
  ending: AbortController,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  signal?.throwIfAborted()
  const stopListening = onAbort(signal, () => ending.abort(signal?.reason))
  try {
    yield* texts
  } finally {
    stopListening()
  }
}
