// Cursor over bytes that arrive in chunks of any size.
import { fault, isEngineError } from '../../errors/errors.ts'

export interface Cursor {
  /** Returns exactly so many bytes. */
  take(length: number): Promise<Buffer>
  /** Returns the few bytes before a delimiter, and skips it. */
  upTo(sign: Buffer, max: number): Promise<Buffer>
  /** Returns some of the bytes before a delimiter, and skips it behind the last of them. */
  before(sign: Buffer): Promise<{ readonly bytes: Buffer; readonly isLast: boolean }>
  putBack(bytes: Buffer): void
  close(): Promise<void>
}

/** Creates a cursor. `start`: bytes that precede the first chunk. */
export function cursorOn(chunks: AsyncIterable<Uint8Array>, start: Buffer): Cursor {
  const iterator = chunks[Symbol.asyncIterator]()
  let held = start

  async function more(): Promise<void> {
    const chunk = await nextOf(iterator)
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
  }
  function cut(length: number): Buffer {
    const bytes = held.subarray(0, length)
    held = held.subarray(length)
    return bytes
  }

  return {
    async take(length) {
      while (held.length < length) await more()
      return cut(length)
    },
    async upTo(sign, max) {
      for (;;) {
        const at = held.indexOf(sign)
        if (at > max || (at < 0 && held.length > max + sign.length))
          throw fault('CONTENT_TOO_LARGE', `The headers of a part of a form have at most ${max} bytes.`, {
            path: ['body'],
          })
        if (at >= 0) {
          const bytes = cut(at)
          cut(sign.length)
          return bytes
        }
        await more()
      }
    },
    async before(sign) {
      for (;;) {
        const at = held.indexOf(sign)
        if (at >= 0) {
          const bytes = cut(at)
          cut(sign.length)
          return { bytes, isLast: true }
        }
        // The end of a chunk may be the beginning of the delimiter.
        const certain = held.length - sign.length + 1
        if (certain > 0) return { bytes: cut(certain), isLast: false }
        await more()
      }
    },
    putBack(bytes) {
      held = Buffer.concat([bytes, held])
    },
    async close() {
      await iterator.return?.()
    },
  }
}

async function nextOf(iterator: AsyncIterator<Uint8Array>): Promise<Buffer> {
  try {
    const { done, value } = await iterator.next()
    if (!done) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  } catch (cause) {
    if (isEngineError(cause)) throw cause
    throw fault('INVALID_PAYLOAD', 'The body is incomplete.', { cause, path: ['body'] })
  }
  throw fault('INVALID_PAYLOAD', 'The body is incomplete.', { path: ['body'] })
}
