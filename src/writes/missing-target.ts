// Finds the foreign key that was refused, where the database does not report it.
import { keyIdentities, targetKeyIn } from '../plan/key.ts'
import type { StoredField } from '../schema/model.ts'
import type { WrittenValues } from '../sql/insert-statement.ts'
import { existing } from './rows-by-key.ts'
import type { WriteContext } from './write-context.ts'

/** Returns the first field of some rows with the key of an item that does not exist. */
export async function missingTargetField(
  rows: readonly WrittenValues[],
  writing: WriteContext,
): Promise<StoredField | undefined> {
  const fields = new Set(rows.flatMap((values) => [...values.keys()]))
  for (const field of fields) {
    if (field.kind !== 'm2o') continue
    const keys = rows
      .map((values) => targetKeyIn(values, field))
      .filter((key) => key !== undefined && key !== null)
    const found = await existing(field.target, keys, writing)
    if (found.size < keyIdentities(keys).size) return field
  }
  return undefined
}
