import { type Engine, internalsOf } from '../engine/engine.ts'
import { keyToText } from '../plan/key.ts'
import type { Schema } from '../schema/model.ts'
import { deleteBelow } from '../storage/delete-prefix.ts'
import { variantsOf } from '../storage/variant-prefix.ts'
import { namedKey } from '../writes/named-key.ts'
import { filesOf } from './file-row.ts'
import { imagesOf } from './open-images.ts'

/** Deletes the variants of a file. They are made again on request.
 *  @example await purgeVariants(engine, photo.id) */
export async function purgeVariants<S extends Schema>(engine: Engine<S>, id: string): Promise<void> {
  const core = internalsOf(engine)
  const { storage, collection } = filesOf(core)
  const file = keyToText(collection, namedKey(collection, id, undefined))
  imagesOf(core).forget(file)
  await deleteBelow(storage, variantsOf(file))
}
