// Parses a form with files (RFC 7578) as a stream: one part after the other, with no more than a chunk in memory.
import { fault } from '../../errors/errors.ts'
import { type Cursor, cursorOn } from './byte-cursor.ts'
import { type PartHead, readHead } from './head.ts'

export interface FormPart extends PartHead {
  /** Bytes, to be read before the next part is requested; the rest of them is skipped then. */
  readonly bytes: AsyncIterator<Uint8Array, undefined>
}

/** Maximum number of parts: more than any real form has, and a limit on the cost. */
const maxParts = 200
const maxHeadBytes = 16_384
const maxPreamble = 8_192

export async function* partsOf(
  chunks: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<FormPart, undefined> {
  // Each boundary is at the beginning of a line; before the first one there need not be a line break.
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const cursor = cursorOn(chunks, Buffer.from('\r\n'))
  try {
    await cursor.upTo(delimiter, maxPreamble)
    for (let count = 0; !(await isEnd(cursor)); count++) {
      if (count === maxParts)
        throw fault('CONTENT_TOO_LARGE', `A form has at most ${maxParts} parts.`, { path: ['body'] })
      const head = readHead(await cursor.upTo(blankLine, maxHeadBytes))
      const bytes = bytesUntil(cursor, delimiter)
      yield { ...head, bytes }
      while (!(await bytes.next()).done);
    }
  } finally {
    await cursor.close()
  }
}

const blankLine = Buffer.from('\r\n\r\n')
const newLine = Buffer.from('\r\n')

/** Returns true at the end of the form: behind a boundary there is a line break, or two dashes at the end. */
async function isEnd(cursor: Cursor): Promise<boolean> {
  const next = await cursor.take(2)
  if (next.equals(Buffer.from('--'))) return true
  cursor.putBack(next)
  const padding = await cursor.upTo(newLine, 64)
  if (/[^ \t]/.test(padding.toString('latin1')))
    throw broken('A boundary of the form is not followed by a line break.')
  // The line break belongs to the headers, which may be empty.
  cursor.putBack(newLine)
  return false
}

export const broken = (message: string) => fault('INVALID_PAYLOAD', message, { path: ['body'] })

async function* bytesUntil(cursor: Cursor, delimiter: Buffer): AsyncGenerator<Uint8Array, undefined> {
  for (;;) {
    const { bytes, isLast } = await cursor.before(delimiter)
    if (bytes.length > 0) yield bytes
    if (isLast) return undefined
  }
}
