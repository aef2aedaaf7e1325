// Values of rows before they are written, for listeners that need them: a listener that learns of a new row has to know where it was.

import type { OldRow } from '../../engine/listeners.ts'
import { type Key, keyIdentity } from '../../plan/key.ts'
import { shownValue } from '../../plan/read/shown-value.ts'
import { type Collection, isStored, type StoredField } from '../../schema/model.ts'
import { lockedValuesStatement } from '../../sql/key-statements.ts'
import type { Storable } from '../../types/family-row.ts'
import { batchesOf } from '../context/batches.ts'
import type { WriteContext } from '../context/write-context.ts'
import { readerOf, readKeys, run } from './rows-by-key.ts'

/** Maximum number of rows that a statement reads. */
const most = 500

/** Reads the old values of rows that are about to be updated or deleted, and holds the rows until the end of the transaction. */
export async function readOldValues(
  action: 'update' | 'delete',
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<void> {
  const { hooks } = writing.engine
  const names = hooks.listeners.oldFields(`items.${action}`, collection.name)
  if (names.length === 0) return
  const fields = storedFieldsNamed(collection, names)
  const known = writing.old.get(collection) ?? new Map<string, OldRow>()
  writing.old.set(collection, known)
  const use = action === 'delete' ? 'removal' : 'change'
  for (const [text, values] of await lockedValues(collection, keys, { fields, use }, writing)) {
    // Of several writes of a row in one call, the first has found it as it was.
    if (known.has(text)) continue
    const shown = fields.map((field, place) => [field.name, shownValue(field, values[place] ?? null)])
    known.set(text, Object.fromEntries(shown))
  }
}

/** Reads values of rows by the texts of their keys, and holds the rows until the end of the transaction. */
export async function lockedValues(
  collection: Collection,
  keys: readonly Key[],
  read: { readonly fields: readonly StoredField[]; readonly use: 'change' | 'removal' },
  writing: WriteContext,
): Promise<ReadonlyMap<string, readonly (Storable | null)[]>> {
  const readers = read.fields.map((field) => readerOf(field, writing))
  const found = new Map<string, readonly (Storable | null)[]>()
  for (const [from, until] of batchesOf(keys.length, most)) {
    const statement = lockedValuesStatement(collection, keys.slice(from, until), read, writing.engine.dialect)
    const rows = await run(writing, statement)
    for (const [at, key] of readKeys(rows, collection, writing).entries())
      found.set(
        keyIdentity(key),
        readers.map((one, place) => one(rows[at]?.[place + 1])),
      )
  }
  return found
}

/** Returns the old values of some rows, in their order; undefined if no listener wants any. */
export function oldValues(
  collection: Collection,
  keys: readonly Key[],
  { old }: WriteContext,
): readonly (OldRow | undefined)[] | undefined {
  const known = old.get(collection)
  return known && keys.map((key) => known.get(keyIdentity(key)))
}

const storedFieldsNamed = (collection: Collection, names: readonly string[]): readonly StoredField[] =>
  names.flatMap((name) => {
    const field = collection.fields.get(name)
    return field && isStored(field) ? [field] : []
  })
