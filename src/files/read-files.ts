// Reads files, which are ordinary items, without requiring the schema to describe them.

import { type Engine, internalsOf } from '../engine/engine.ts'
import type { Options } from '../execution/database.ts'
import { deleteItem } from '../items/delete.ts'
import { getItem } from '../items/get.ts'
import { listItems } from '../items/list.ts'
import { keyToText } from '../plan/key.ts'
import type { Schema } from '../schema/model.ts'
import { deleteBelow } from '../storage/delete-prefix.ts'
import { variantsOf } from '../storage/variant-prefix.ts'
import { namedKey } from '../writes/context/named-key.ts'
import { filesOf } from './file-row.ts'
import type { CheckedFileQuery, FileAnswer, FileListAnswer } from './file-types.ts'
import { imagesOf } from './open-images.ts'

/** Returns a file. An unknown id throws NOT_FOUND.
 *  @example await getFile(engine, photo.id, { fields: ['title', 'type', 'width'] })
 *  // → { title: 'Sea', type: 'image/png', width: 400 } */
export function getFile<S extends Schema>(engine: Engine<S>, id: string): Promise<FileAnswer<S>>
export function getFile<S extends Schema, const Q>(
  engine: Engine<S>,
  id: string,
  query: CheckedFileQuery<S, Q>,
  options?: Options,
): Promise<FileAnswer<S, Q>>
export async function getFile(
  engine: Engine,
  id: string,
  query: object = {},
  options: Options = {},
): Promise<unknown> {
  const core = internalsOf(engine)
  return getItem(core.withOwn().asEngine(), filesOf(core).collection.name, id, query, options)
}

/** Lists files, like `listItems` for any collection.
 *  @example await listFiles(engine, { fields: ['title'], filter: { type: { _starts_with: 'image/' } } })
 *  // → { data: [{ title: 'Sea' }] } */
export function listFiles<S extends Schema>(
  engine: Engine<S>,
): Promise<FileListAnswer<S, Record<never, never>>>
export function listFiles<S extends Schema, const Q>(
  engine: Engine<S>,
  query: CheckedFileQuery<S, Q>,
  options?: Options,
): Promise<FileListAnswer<S, Q>>
export async function listFiles(engine: Engine, query: object = {}, options: Options = {}): Promise<unknown> {
  const core = internalsOf(engine)
  return listItems(core.withOwn().asEngine(), filesOf(core).collection.name, query, options)
}

/** Deletes a file: its row and, after the commit, its bytes and variants. An unknown key throws NOT_FOUND.
 *  @example await deleteFile(engine, photo.id) */
export async function deleteFile<S extends Schema>(
  engine: Engine<S>,
  id: string,
  options: Options = {},
): Promise<void> {
  const core = internalsOf(engine)
  await deleteItem(core.withOwn().asEngine(), filesOf(core).collection.name, id, options)
}

/** Deletes the variants of a file. They are made again on request.
 *  @example await purgeVariants(engine, photo.id) */
export async function purgeVariants<S extends Schema>(engine: Engine<S>, id: string): Promise<void> {
  const core = internalsOf(engine)
  const { storage, collection } = filesOf(core)
  const file = keyToText(collection, namedKey(collection, id, undefined))
  imagesOf(core).forget(file)
  await deleteBelow(storage, variantsOf(file))
}
