// Bytes in a text column are shown with U+FFFD where they are not valid. A caller who writes back the shown text means no change, so the
// bytes stay.

import type { Dialect } from '../../dialects/dialect.ts'
import { bytesFrom } from '../../dialects/read-values.ts'
import { keyIdentity } from '../../plan/key.ts'
import type { ItemWrite } from '../../plan/write/write-plan.ts'
import type { StoredField } from '../../schema/model.ts'
import { bytesStatement } from '../../sql/key-statements.ts'
import { textOf } from '../../values/bytes.ts'
import type { WriteContext } from '../context/write-context.ts'
import { keyOfItem, readKeys, run } from '../stored/rows-by-key.ts'

/** True for a bound value that may be the text of bytes, which it would damage. */
export const isDoubtful = (value: unknown): boolean => typeof value === 'string' && value.includes('\uFFFD')

/** Removes from items the values that are stored as bytes, and that the write would damage. */
export async function dropUnchangedBytes(items: readonly ItemWrite[], writing: WriteContext): Promise<void> {
  const { isOfBytes } = writing.engine.dialect
  if (!isOfBytes) return
  const fields = new Set(
    items.flatMap(({ values }) => [...values].filter(isDoubtfulText).map(([field]) => field)),
  )
  for (const field of fields) await dropEchoesOf(field, items, isOfBytes, writing)
}

function textOfAny(value: unknown): string | undefined {
  const bytes = bytesFrom(value)
  return bytes && textOf(bytes)
}

const isDoubtfulText = ([field, value]: readonly [StoredField, unknown]): boolean =>
  field.value.family === 'text' && isDoubtful(value)

async function dropEchoesOf(
  field: StoredField,
  items: readonly ItemWrite[],
  isOfBytes: NonNullable<Dialect['isOfBytes']>,
  writing: WriteContext,
): Promise<void> {
  const doubted = items.filter(({ values }) => isDoubtfulText([field, values.get(field)]))
  const keys = doubted.map(keyOfItem)
  const rows = await run(writing, bytesStatement(field, keys, isOfBytes, writing.engine.dialect))
  const identities = readKeys(rows, field.collection, writing).map(keyIdentity)
  const shown = new Map(rows.map((row, at) => [identities[at], textOfAny(row[1])]))
  for (const item of doubted)
    if (shown.get(keyIdentity(keyOfItem(item))) === item.values.get(field)) item.values.delete(field)
}
