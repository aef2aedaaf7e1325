import { onAbort } from '../errors/abort-signal.ts'
import { fault, quote } from '../errors/errors.ts'

/** A body while it is read: each chunk is read on demand, and none is empty. */
export interface BodySource extends AsyncIterable<Uint8Array> {
  /** The number of bytes read so far. */
  readonly size: number
  readonly failure: { readonly error: unknown } | undefined
  /** Releases the body. The unread rest is cancelled. */
  close(): void
}

/** Starts reading a body. Once the signal is aborted, its chunks end with the signal's reason. */
export function sourceOf(body: unknown, signal: AbortSignal | undefined): BodySource {
  const reader = streamOf(body).getReader()
  let size = 0
  let failure: BodySource['failure']
  // A cancelled stream ends at once, even during a pending read. An error of its source is irrelevant then.
  const cancel = (reason?: unknown) => void reader.cancel(reason).catch(() => undefined)
  const stopListening = onAbort(signal, () => cancel(signal?.reason))

  async function next(): Promise<Uint8Array | undefined> {
    const { done, value } = await reader.read().catch((error: unknown) => {
      failure = { error }
      throw error
    })
    if (done) return undefined
    if (!(value instanceof Uint8Array)) throw notBytes('A chunk of a body', value)
    // The method `slice` of a Buffer copies nothing, so a copy made by it would be none.
    return Buffer.isBuffer(value) ? new Uint8Array(value.buffer, value.byteOffset, value.length) : value
  }

  return {
    get size() {
      return size
    },
    get failure() {
      return failure
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        signal?.throwIfAborted()
        const chunk = await next()
        signal?.throwIfAborted()
        if (!chunk) return
        size += chunk.length
        if (chunk.length > 0) yield chunk
      }
    },
    close() {
      stopListening()
      cancel()
    },
  }
}

function streamOf(body: unknown): ReadableStream<unknown> {
  if (body instanceof Uint8Array) return streamOfBytes(body)
  if (body instanceof Blob) return body.stream()
  if (!isStream(body)) throw notBytes('A body', body)
  if (body.locked) throw fault('INVALID_PAYLOAD', 'The body is being read already.', { path: ['body'] })
  return body
}

function streamOfBytes(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes)
      controller.close()
    },
  })
}

// Checked by its shape: frameworks bring classes of their own.
const isStream = (body: unknown): body is ReadableStream<unknown> =>
  typeof body === 'object' && body !== null && 'getReader' in body && typeof body.getReader === 'function'

const notBytes = (what: string, input: unknown) =>
  fault('INVALID_PAYLOAD', `${what} is made of bytes, not of ${quote(input)}.`, { path: ['body'] })
