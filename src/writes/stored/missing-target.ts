// Finds the foreign key that was refused, where the database does not report it.
import { heldIn, keyIdentities } from '../../plan/key.ts'
import type { Collection, ManyToOne } from '../../schema/model.ts'
import type { WrittenValues } from '../../sql/write/insert-statement.ts'
import type { WriteContext } from '../context/write-context.ts'
import { referencedKeys } from './held-values.ts'

/** Returns the first field of some rows with the key of an item that does not exist. */
export async function missingTargetField(
  collection: Collection,
  rows: readonly WrittenValues[],
  writing: WriteContext,
): Promise<ManyToOne | undefined> {
  for (const field of collection.fields.values()) {
    if (field.kind !== 'm2o') continue
    const keys = rows
      .map((values) => heldIn(values, field))
      .filter((key) => key !== undefined && key !== null)
    const found = await referencedKeys(field, keys, writing)
    if (found.size < keyIdentities(keys).size) return field
  }
  return undefined
}
