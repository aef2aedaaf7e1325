// Parses a form with files (RFC 7578) as a stream: one part after the other, with no more than a chunk in memory.
import { fault, isEngineError } from '../../errors/errors.ts'

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

/** Cursor over bytes that arrive in chunks of any size. */
interface Cursor {
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
function cursorOn(chunks: AsyncIterable<Uint8Array>, start: Buffer): Cursor {
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

/** Headers of a part: its name, its file name and its type. */
interface PartHead {
  readonly name: string
  /** Undefined for a field; empty if no file was chosen. */
  readonly filename: string | undefined
  readonly type: string | undefined
}

const longestName = 200

function readHead(bytes: Buffer): PartHead {
  const headers = headersIn(bytes.toString('utf8'))
  const encoding = headers.get('content-transfer-encoding')
  if (encoding !== undefined && !/^(binary|[78]bit)$/i.test(encoding))
    throw broken('A part of the form cannot have an encoding: its bytes are sent as they are.')
  const { kind, parameters } = dispositionOf(headers.get('content-disposition') ?? '')
  const name = parameters.get('name')
  if (kind !== 'form-data' || name === undefined || name === '' || name.length > longestName)
    throw broken('Each part of a form has a name: Content-Disposition: form-data; name="…".')
  return { name, filename: parameters.get('filename'), type: headers.get('content-type') }
}

function headersIn(text: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  for (const line of text.split('\r\n')) {
    if (line === '') continue
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n]*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) throw broken('A part of the form has an invalid header.')
    if (headers.has(name.toLowerCase())) throw broken('A part of the form has two headers of the same name.')
    headers.set(name.toLowerCase(), value.trim())
  }
  return headers
}

interface Disposition {
  readonly kind: string
  readonly parameters: ReadonlyMap<string, string>
}

const parameter = /;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"((?:\\"|[^"])*)"|([^\s;"]*))[ \t]*/y

function dispositionOf(text: string): Disposition {
  const [start = ''] = text.split(';', 1)
  const parameters = new Map<string, string>()
  parameter.lastIndex = start.length
  for (let end = start.length; end < text.length; end = parameter.lastIndex) {
    const [, name = '', quoted, plain = ''] = parameter.exec(text) ?? []
    if (name === '' || parameters.has(name.toLowerCase()))
      throw broken('A part of the form has a Content-Disposition that cannot be read.')
    parameters.set(name.toLowerCase(), quoted === undefined ? plain : unescaped(quoted))
  }
  return { kind: start.trim().toLowerCase(), parameters }
}

/** Unescapes a name. Browsers percent-encode quotes and line breaks, and other clients put a backslash before a quote. Any other backslash
 *  is literal. */
const unescaped = (text: string): string =>
  text
    .replaceAll('\\"', '"')
    .replace(/%(22|0A|0D)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
