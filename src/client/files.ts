import { failure } from '../errors/errors.ts'
import type { CheckedFileQuery, FileAnswer, FileInput, FileListAnswer } from '../files/file-types.ts'
import type { AssetParameters } from '../images/image-parameters.ts'
import type { NotVisible } from '../items/types/result.ts'
import type { Schema } from '../schema/model.ts'
import { listRequest, withQuery } from './addresses.ts'
import type { Client } from './connect.ts'
import { ask, send } from './request.ts'
import type { RequestOptions } from './request-options.ts'
import { write } from './write.ts'

/** Returns the path of a file. An id that is no step of a path would mean another one. */
export const filePath = (id: string, under = '/files'): string => {
  if (typeof id === 'string' && !/^\.{0,2}$/.test(id)) return `${under}/${encodeURIComponent(id)}`
  throw failure('INVALID_PAYLOAD', 'An id of a file is a text other than "", "." and "..".')
}

/** Returns a file. An unknown id throws NOT_FOUND.
 *  @example await getFile(api, photo.id, { fields: ['title', 'type', 'width'] })
 *  // → { title: 'Sea', type: 'image/png', width: 400 } */
export async function getFile<S extends Schema, const Q = Record<never, never>>(
  api: Client<S>,
  id: string,
  query?: CheckedFileQuery<S, Q>,
  options?: RequestOptions,
): Promise<FileAnswer<S, Q>> {
  return ask(api, { path: withQuery(filePath(id), query) }, options)
}

/** Lists files, like `listItems` for any collection.
 *  @example await listFiles(api, { fields: ['title'], filter: { type: { _starts_with: 'image/' } } })
 *  // → { data: [{ title: 'Sea' }] } */
export async function listFiles<S extends Schema, const Q = Record<never, never>>(
  api: Client<S>,
  query?: CheckedFileQuery<S, Q>,
  options?: RequestOptions,
): Promise<FileListAnswer<S, Q>> {
  return send(api, listRequest('/files', query), options)
}

/** Updates the fields of a file. Null if the updated file is not visible to the caller. Its bytes are replaced by `replaceFile`.
 *  @example await updateFile(api, photo.id, { title: 'Farewell' }, { fields: ['title'] }) // → { title: 'Farewell' } */
export async function updateFile<S extends Schema, const Q = Record<never, never>, Whose = unknown>(
  api: Client<S, Whose>,
  id: string,
  data: FileInput<S>,
  query?: CheckedFileQuery<S, Q>,
  options?: RequestOptions,
): Promise<FileAnswer<S, Q> | NotVisible<Whose>> {
  return write(api, { method: 'PATCH', path: filePath(id), data, query }, options)
}

/** Deletes a file. An unknown id throws NOT_FOUND.
 *  @example await deleteFile(api, photo.id) */
export async function deleteFile<S extends Schema>(
  api: Client<S>,
  id: string,
  options?: RequestOptions,
): Promise<void> {
  await ask(api, { method: 'DELETE', path: filePath(id) }, options)
}

/** Returns the address of a file's bytes, or of a picture that is made of it. The token is not in it: browsers send none for it.
 *  @example assetUrl(api, photo.id, { width: 200, format: 'webp' }).slice(-22) // → '?width=200&format=webp' */
export const assetUrl = (
  api: Client,
  id: string,
  parameters: AssetParameters & {
    /** True for an address whose bytes a browser saves. */
    readonly download?: true | undefined
  } = {},
): string => api.url + withQuery(filePath(id, '/assets'), parameters)
