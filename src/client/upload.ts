// The entry `quernel/client/upload`: forms whose files stand behind their fields.

import { failure } from '../errors/errors.ts'
import type { CheckedFileQuery, FileAnswer, Upload } from '../files/file-types.ts'
import type { NotVisible } from '../items/types/result.ts'
import type { Schema } from '../schema/model.ts'
import { type Requested, withQuery } from './addresses.ts'
import { type Client, connection } from './connect.ts'
import { filePath } from './files.ts'
import { jsonOf } from './json.ts'
import { ask, connectionOf } from './request.ts'
import type { RequestOptions } from './request-options.ts'
import { type UploadProgress, withProgress } from './upload-progress.ts'

export type { UploadProgress } from './upload-progress.ts'

/** Options of an upload. It may take any time, unless `timeoutMs` is set. */
export interface UploadRequest extends RequestOptions {
  /** Called with the number of bytes that were sent: again and again in browsers, elsewhere at the end. */
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined
}

/** Stores bytes as a new file, and returns it. Null if the caller may not read it.
 *  @example await uploadFile(api, new Blob(['Hello']), { filename: 'hello.txt' }, { fields: ['title', 'type'] })
 *  // → { title: 'Hello', type: 'text/plain' } */
export async function uploadFile<S extends Schema, const Q = Record<never, never>, Whose = unknown>(
  api: Client<S, Whose>,
  body: Blob,
  input: Upload<S>,
  query?: CheckedFileQuery<S, Q>,
  options?: UploadRequest,
): Promise<FileAnswer<S, Q> | NotVisible<Whose>> {
  const form = formOf([[body, input]])
  return send(api, { method: 'POST', path: withQuery('/files', query), body: form }, options)
}

/** Stores several files, all of them or none, and returns those that the caller may read.
 *  @example const files = [[new Blob(['One']), { filename: 'one.txt' }], [new Blob(['Two']), { filename: 'two.txt' }]] as const
 *  await uploadFiles(api, files, { fields: ['title'] }) // → [{ title: 'One' }, { title: 'Two' }] */
export async function uploadFiles<S extends Schema, const Q = Record<never, never>>(
  api: Client<S>,
  files: readonly (readonly [body: Blob, input: Upload<S>])[],
  query?: CheckedFileQuery<S, Q>,
  options?: UploadRequest,
): Promise<FileAnswer<S, Q>[]> {
  if (files.length === 0) return []
  const sent = { method: 'POST', path: withQuery('/files', query), body: formOf(files) }
  // The server answers a single file without a list.
  const stored = await send<FileAnswer<S, Q> | FileAnswer<S, Q>[] | null>(api, sent, options)
  return Array.isArray(stored) ? stored : stored ? [stored] : []
}

/** Replaces the bytes of a file, with some of its fields, and returns it. Null if the caller may not read it.
 *  @example await replaceFile(api, photo.id, new Blob(['Bye']), { filename: 'bye.txt' }, { fields: ['filesize'] }) // → { filesize: 3 } */
export async function replaceFile<S extends Schema, const Q = Record<never, never>, Whose = unknown>(
  api: Client<S, Whose>,
  id: string,
  body: Blob,
  input: Upload<S>,
  query?: CheckedFileQuery<S, Q>,
  options?: UploadRequest,
): Promise<FileAnswer<S, Q> | NotVisible<Whose>> {
  const path = withQuery(filePath(id), query)
  return send(api, { method: 'PATCH', path, body: formOf([[body, input]]) }, options)
}

/** Sends an upload, whose result has the type that its query says; null if the caller may not read it. */
async function send<Result>(
  api: Client,
  requested: Requested,
  { onProgress, ...options }: UploadRequest = {},
): Promise<Result> {
  const usual = connectionOf(api)
  const sender = onProgress ? { ...usual, fetch: withProgress(usual.fetch, onProgress) } : usual
  const limit = { timeoutMs: Number.POSITIVE_INFINITY, ...options }
  return (await ask<Result>({ ...api, [connection]: sender }, requested, limit)) ?? (null as Result)
}

function formOf(files: readonly (readonly [body: Blob, input: object])[]): FormData {
  const form = new FormData()
  for (const [body, input] of files) {
    const { filename, type, ...fields } = { filename: undefined, type: undefined, ...input }
    for (const [name, value] of Object.entries(fields))
      if (value !== undefined) form.append(name, formText(name, value))
    form.append('file', type ? new Blob([body], { type }) : body, String(filename))
  }
  return form
}

function formText(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : jsonOf(value, [name])
  if (value === null || text.trim() !== 'null') return text
  throw failure('INVALID_PAYLOAD', 'The text "null" means no value in a form; set it by updateFile.', {
    path: [name],
  })
}
