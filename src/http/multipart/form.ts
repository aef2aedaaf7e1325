// Multipart form of a request: its fields, and its files one after the other.
import { fault } from '../../errors/errors.ts'
import type { Incoming } from '../messages.ts'
import { tooLarge } from '../request-body.ts'
import { type FormPart, partsOf } from './parts.ts'

export interface FormFile {
  readonly fields: ReadonlyMap<string, string>
  readonly filename: string
  readonly type: string | undefined
  /** Bytes, to be read before the next file is requested. */
  readonly body: ReadableStream<Uint8Array>
}

/** True if the body of a request is a form. */
export const isForm = ({ header }: Incoming): boolean => boundaryIn(header('content-type')) !== undefined

/** Yields the files of a form. Fields belong to the file behind them. */
export async function* filesIn(incoming: Incoming): AsyncGenerator<FormFile, undefined> {
  const boundary = boundaryIn(incoming.header('content-type'))
  if (boundary === undefined)
    throw fault('UNSUPPORTED_MEDIA_TYPE', 'Files come in a form; send multipart/form-data.')
  const bytes = incoming.bytes()
  let fields = new Map<string, string>()
  let size = 0
  for await (const part of partsOf(bytes, boundary)) {
    if (part.filename === '') await passNothing(part)
    else if (part.filename === undefined) {
      const text = await textOf(part, maxFieldBytes - size)
      size += Buffer.byteLength(text)
      if (fields.has(part.name))
        throw fault('INVALID_PAYLOAD', 'A field is given twice for one file.', { path: [part.name] })
      fields.set(part.name, text)
    } else {
      yield { fields, filename: part.filename, type: part.type, body: streamOf(part) }
      fields = new Map()
    }
  }
  const [late] = fields.keys()
  if (late !== undefined)
    throw fault('INVALID_PAYLOAD', 'The fields of a file have to come before it.', { path: [late] })
}

/** Skips an empty file field: no file was chosen, and it has no bytes. Any bytes would be lost. */
async function passNothing({ bytes, name }: FormPart): Promise<void> {
  const { done } = await bytes.next()
  if (!done)
    throw fault('INVALID_PAYLOAD', 'A file in the form has content, but no filename.', { path: [name] })
}

/** Maximum size of all fields of a form together. */
const maxFieldBytes = 1_048_576

async function textOf({ bytes }: FormPart, max: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await bytes.next()
    if (done) break
    size += value.length
    if (size > max) throw tooLarge(maxFieldBytes)
    chunks.push(value)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (cause) {
    throw fault('INVALID_PAYLOAD', 'A field of the form is not valid UTF-8.', { cause })
  }
}

/** Returns a stream that reads each chunk on demand. */
function streamOf({ bytes }: FormPart): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await bytes.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Returns the boundary between the parts of a form, from its content type; undefined for any other type. */
export function boundaryIn(type: string | undefined): string | undefined {
  if (type === undefined || !formType.test(type)) return undefined
  const [, quoted, plain] = parameter.exec(type) ?? []
  const boundary = quoted ?? plain
  if (boundary !== undefined && legal.test(boundary)) return boundary
  throw fault(
    'INVALID_PAYLOAD',
    'The content type of a form needs a boundary: multipart/form-data; boundary=….',
  )
}

const formType = /^multipart\/form-data[ \t]*(;|$)/i
const parameter = /;[ \t]*boundary=(?:"([^"\\]*)"|([^\s;"]*))/i

// RFC 2046, section 5.1.1.
const legal = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/
