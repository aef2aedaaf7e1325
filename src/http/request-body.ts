// Body of a request: JSON of a limited size, or the bytes of a form.
import { fault, isEngineError, quote } from '../errors/errors.ts'
import { once } from '../values/memo.ts'
import type { RequestHead, TransportRequest } from './messages.ts'

export const oneMebibyte = 1_048_576

/** Reads the body as JSON, up to a size; undefined if there is none. */
export async function jsonOf(received: TransportRequest, head: RequestHead, max: number): Promise<unknown> {
  const { parsed } = received
  const refuseWrongType = () => refuseType(head.header('content-type') ?? undefined)
  // A form parser yields an object, too. A parser has decoded any charset.
  if (parsed?.body !== undefined) refuseType(head.header('content-type')?.split(';')[0])
  if (parsed) return parsed.body
  return parseJson(await wholeOf(head, received, max, refuseWrongType))
}

/** A body that is read once, and may be asked for again. */
interface KeptBody {
  readonly body: () => Promise<unknown>
  readonly bytes: () => Promise<Uint8Array>
}

/** Returns the body as JSON and as the bytes that it is made of, up to a size. */
export function keptBody(received: TransportRequest, head: RequestHead, max: number): KeptBody {
  const { parsed } = received
  let reading: Promise<Uint8Array> | undefined
  const read = (begin: () => void): Promise<Uint8Array> => {
    reading ??= wholeOf(head, received, max, begin)
    return reading
  }
  const refuseWrongType = () => refuseType(head.header('content-type') ?? undefined)
  const readJson = async (): Promise<unknown> => {
    const bytes = await read(refuseWrongType)
    // They may have been read as bytes before, which have any type.
    if (bytes.length > 0) refuseWrongType()
    return parseJson(bytes)
  }
  return {
    body: once(() => (parsed ? jsonOf(received, head, max) : readJson())),
    bytes: async () => (parsed ? parsedBytes(parsed) : read(() => undefined)),
  }
}

/** Returns what a parser has left of the bytes: those of an empty body, or all where it took bytes for the body. */
function parsedBytes({ body }: NonNullable<TransportRequest['parsed']>): Uint8Array {
  if (body === undefined) return new Uint8Array()
  if (body instanceof Uint8Array) return body
  throw bodyConsumed()
}

async function wholeOf(
  { header }: RequestHead,
  { bytes, request, whole }: TransportRequest,
  max: number,
  begin: () => void,
): Promise<Uint8Array> {
  const chunks = bytes ?? request().body
  if (!chunks) return new Uint8Array()
  refuseEncoded(header('content-encoding'))
  const found = whole?.()
  if (!found) return readWhole(chunks, max, begin)
  begin()
  if (found.byteLength > max) throw tooLarge(max)
  return found
}

/** Returns the bytes of the body, up to a limit. */
export function bytesOf(
  { request, parsed, bytes }: TransportRequest,
  { header }: RequestHead,
  max: number,
): AsyncIterable<Uint8Array> {
  // A form parser does not keep the bytes.
  if (parsed?.body !== undefined) throw bodyConsumed()
  refuseEncoded(header('content-encoding'))
  if (Number(header('content-length') ?? 0) > max) throw tooLarge(max)
  return limited(bytes ?? request().body ?? [], max)
}

/** Refuses bodies that are not JSON. Without a type and bytes there is no body. */
function refuseType(type: string | undefined): void {
  if (isJsonType(type)) return
  const says =
    type === undefined ? 'A body needs a content type' : `A body of type ${quote(type)} is not supported`
  throw fault('UNSUPPORTED_MEDIA_TYPE', `${says}; send application/json.`)
}

export const isJsonType = (type: string | undefined): boolean =>
  type !== undefined && jsonTypes.test(type) && !otherCharset.test(type)

const jsonTypes = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i
const otherCharset = /;\s*charset\s*=(?!\s*"?(?:utf-?8|us-ascii)"?\s*(?:;|$))/i

export const tooLarge = (max: number) => fault('CONTENT_TOO_LARGE', `A body has at most ${max} bytes.`)

/** Refuses compressed bodies with an error of their own, instead of one about invalid text. A middleware may decompress them before. */
function refuseEncoded(coding: string | null): void {
  if (coding === null || /^(identity)?$/i.test(coding.trim())) return
  throw fault(
    'UNSUPPORTED_MEDIA_TYPE',
    `A body with the content encoding ${quote(coding)} is not supported.`,
    {
      hint: 'Send it uncompressed, without the header Content-Encoding.',
    },
  )
}

export function parseJson(bytes: Uint8Array): unknown {
  const text = textOfUtf8(bytes)
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw fault('INVALID_PAYLOAD', 'The body is not valid JSON.', { cause })
  }
}

/** Yields bytes, up to a limit. */
async function* limited(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  max: number,
): AsyncGenerator<Uint8Array, undefined> {
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.byteLength
    if (size > max) throw tooLarge(max)
    yield chunk
  }
}

/** Error for a consumed body. Treated as empty, it would mean something else. */
export const bodyConsumed = () =>
  fault(
    'INVALID_OPTIONS',
    'The body of the request was already read by a middleware, which did not keep it.',
    {
      hint: 'Let it set "body" of Node requests, or leave the body unread.',
    },
  )

/** Reads bytes, up to a limit. `begin` is called before the first of them: bytes of another type need not be text. */
async function readWhole(
  chunks: AsyncIterable<Uint8Array>,
  max: number,
  begin: () => void,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of chunks) {
      if (size === 0 && chunk.byteLength > 0) begin()
      size += chunk.byteLength
      if (size > max) throw tooLarge(max)
      parts.push(chunk)
    }
  } catch (cause) {
    if (isEngineError(cause)) throw cause
    throw fault('INVALID_PAYLOAD', 'The body is incomplete.', { cause })
  }
  return Buffer.concat(parts)
}

export function textOfUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw fault('INVALID_PAYLOAD', 'The body is not valid UTF-8.', { cause })
  }
}
