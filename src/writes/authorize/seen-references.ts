// Which references lead to items that are visible to the caller. These items are held until the transaction ends.

import { keyIdentity } from '../../plan/key.ts'
import { type Collection, isByValue, type ManyToOne } from '../../schema/model.ts'
import { judgingOf } from '../context/place.ts'
import { circumstancesOf, permissionsOf, type WriteContext } from '../context/write-context.ts'
import { referencedKeys } from '../stored/held-values.ts'
import { lockVisible } from '../stored/lock-rows.ts'
import { seenRows } from '../stored/seen-rows.ts'
import type { Reference } from './references.ts'
import { visibleKeys } from './visible-keys.ts'
import { conditionOn, keysWithin } from './within.ts'

/** Returns what of some references of one place leads to visible items, as texts. */
export async function seenAmong(
  target: Collection,
  group: readonly Reference[],
  writing: WriteContext,
): Promise<ReadonlySet<string>> {
  const [first] = group
  if (first?.field.kind === 'm2o' && isByValue(first.field)) return valuesSeen(first.field, group, writing)
  const keys = group.flatMap(({ key }) => (key === undefined ? [] : [key]))
  // The database itself locks the target of a foreign key, but not those of other references, nor the related rows that make it visible.
  const isHeld = isSeenAlone(target, writing)
  const loose = group.flatMap(({ key, field }) =>
    key === undefined || (isHeld && field.kind === 'm2o') ? [] : [key],
  )
  await lockVisible(target, { keys: loose, use: 'reference' }, writing)
  const within = first && conditionOn(first.field, target)
  return keysWithin({ target, within }, keys, writing)
}

/** Returns the values of a relation by which visible items are referred to, as texts. */
async function valuesSeen(
  field: ManyToOne,
  group: readonly Reference[],
  writing: WriteContext,
): Promise<ReadonlySet<string>> {
  const { target } = field
  const values = group.flatMap(({ key }) => (key === undefined ? [] : [key]))
  const isHeld = isSeenAlone(target, writing)
  if (!isHeld) {
    const wanted = [...(await referencedKeys(field, values, writing)).values()]
    await lockVisible(target, { keys: wanted, use: 'reference' }, writing)
  }
  const keys = await referencedKeys(field, values, writing)
  const seen = await visibleKeys(target, [...keys.values()], writing)
  return new Set([...keys].flatMap(([text, key]) => (seen.has(keyIdentity(key)) ? [text] : [])))
}

/** True if the columns of an item alone decide whether it is visible to the caller. */
function isSeenAlone(target: Collection, writing: WriteContext): boolean {
  const permissions = permissionsOf(writing)
  const rows = permissions && seenRows(target, permissions, circumstancesOf(writing))
  return rows !== undefined && judgingOf(rows, target, writing.engine.dialect) === 'alone'
}
