// Files in JSON: the bytes of each are text, beside its fields.
import { fault, type Path, quote } from '../errors/errors.ts'
import { isRecord } from '../values/guards.ts'

/** A file in a JSON body. */
export interface JsonFile {
  readonly body: Uint8Array
  /** Its fields, and its name. */
  readonly payload: Readonly<Record<string, unknown>>
}

/** Reads one file, or a list of them. */
export function filesOfJson(body: unknown): readonly JsonFile[] {
  return Array.isArray(body) ? body.map((one, index) => fileOf(one, [index])) : [fileOf(body, [])]
}

function fileOf(one: unknown, path: Path): JsonFile {
  if (!isRecord(one)) throw fault('INVALID_PAYLOAD', `A file is an object, not ${quote(one)}.`, { path })
  const { base64, ...input } = one
  return { body: bytesOf(base64, [...path, 'base64']), payload: input }
}

function bytesOf(text: unknown, path: Path): Uint8Array {
  if (typeof text === 'string' && text.length % 4 === 0 && isBase64.test(text))
    return Buffer.from(text, 'base64')
  const mistake = typeof text === 'string' ? 'this text is none' : `not ${quote(text)}`
  throw fault('INVALID_PAYLOAD', `"base64" holds the bytes of a file, written as base64: ${mistake}.`, {
    path,
    hint: 'Send large files in a form, as they are: multipart/form-data.',
  })
}

const isBase64 = /^[A-Za-z\d+/]*={0,2}$/
