import { type Engine, internalsOf } from '../engine/engine.ts'
import type { Options } from '../execution/database.ts'
import { deleteItem } from '../items/delete.ts'
import type { Schema } from '../schema/model.ts'
import { filesOf } from './file-row.ts'

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
