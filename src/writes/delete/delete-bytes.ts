// Deletes the bytes of files together with their rows, however the rows are deleted.

import type { Consequence } from '../../execution/transaction/unit-of-work.ts'
import { fieldSubject } from '../../plan/field-path.ts'
import { type Key, keyIdentity } from '../../plan/key.ts'
import { isOneOf, keyMember, keyName, wholeList } from '../../plan/read/by-key.ts'
import type { Collection } from '../../schema/model.ts'
import { isToMany } from '../../schema/model.ts'
import { deleteBelow } from '../../storage/delete-prefix.ts'
import { isKey } from '../../storage/key.ts'
import type { Storage } from '../../storage/storage.ts'
import { variantsOf } from '../../storage/variant-prefix.ts'
import type { WriteContext } from '../context/write-context.ts'
import { rowsOf } from '../stored/select-keys.ts'

/** Returns the work that follows the deletion of some rows. To be called while the rows still exist. */
export async function lossesOf(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<(gone: readonly Key[]) => readonly Consequence[]> {
  const { files } = writing.engine
  if (files?.collection !== collection) return () => []
  const { storage } = files
  const places = await placesOf(collection, keys, writing)
  return (gone) =>
    gone.map((key) => ({ done: () => deleteBytes(storage, keyIdentity(key), places.get(keyIdentity(key))) }))
}

/** Deletes the bytes of a file and of its variants. */
export async function deleteBytes(storage: Storage, id: string, place: string | undefined): Promise<void> {
  if (place !== undefined && isKey(place)) await storage.delete(place)
  await deleteBelow(storage, variantsOf(id))
}

/** Returns the storage keys of files, by the texts of the files' keys. */
async function placesOf(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<ReadonlyMap<string, string>> {
  const place = collection.fields.get('filename_disk')
  if (!place || isToMany(place)) return new Map()
  const list = wholeList(collection, isOneOf(collection, keys))
  const member = { kind: 'value', name: 'place', subject: fieldSubject(place), path: [] } as const
  const rows = await rowsOf(
    { ...list, rows: { kind: 'items', members: [keyMember(collection), member] } },
    writing,
  )
  return new Map(
    rows.map((row) => {
      const { [keyName]: key, place: text } = Object(row)
      return [String(key), String(text)] as const
    }),
  )
}
