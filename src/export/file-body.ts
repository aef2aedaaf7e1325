import { onAbort } from '../errors/abort-signal.ts'
import { fault } from '../errors/errors.ts'
import type { FileWriter } from './writer.ts'

/** The text of a file in pieces, each made when it is asked for. */
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

/** Small enough to be held, large enough that little is done for each. */
const piece = 65_536

/** The bytes of a text. Its first piece is made at once, so what is wrong by then is thrown; all others are made when they are read. When
 *  the stream is cancelled, the signal aborted, or nobody reads on for so many milliseconds, `make`'s own signal is aborted, and the text
 *  is left. */
export async function bodyOf(
  make: (signal: AbortSignal) => AsyncGenerator<string, void, undefined>,
  signal: AbortSignal | undefined,
  idleMs: number,
): Promise<ReadableStream<Uint8Array>> {
  const ending = new AbortController()
  const texts = following(make(ending.signal), ending, signal)
  let ready: IteratorResult<string, void> | undefined = await texts.next()
  const encoder = new TextEncoder()
  const patience = new Patience(idleMs, () => ending.abort(unread(idleMs)))
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // Also while nobody reads: what is held must not wait for the next read.
        const stop = () => {
          patience.end()
          controller.error(ending.signal.reason)
          void leave(texts)
        }
        if (ending.signal.aborted) stop()
        else ending.signal.addEventListener('abort', stop)
        patience.begin()
      },
      async pull(controller) {
        patience.end()
        const { done, value } = ready ?? (await texts.next())
        ready = undefined
        if (done) return controller.close()
        patience.begin()
        controller.enqueue(encoder.encode(value))
      },
      async cancel(reason) {
        patience.end()
        ending.abort(reason)
        await leave(texts)
      },
    },
    // Nothing is made before it is asked for.
    { highWaterMark: 0 },
  )
}

const unread = (milliseconds: number) =>
  fault('OUT_OF_TIME', `Nobody has read on for ${milliseconds} milliseconds, so the rest is not made.`, {
    hint: 'Set streamIdleMs of createEngine if readers take longer.',
  })

/** Timers beyond it go off at once. */
const longestTimer = 2 ** 31 - 1

/** Waits for a reader, between one piece and the next. */
class Patience {
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

/** Ends what is being done, and gives back what is held. What that fails with interests nobody any more. */
async function leave(texts: AsyncGenerator<string, void, undefined>): Promise<void> {
  await texts.return().catch(() => undefined)
}

/** Ends with the signal of the caller. */
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
