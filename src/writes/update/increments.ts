// Increments of items whose rows are locked: sums are computed here to judge them, and once more by the statement that writes, which adds.

import { viewIn } from '../../access/caller-scope.ts'
import type { Dialect } from '../../dialects/dialect.ts'
import { keyIdentity } from '../../plan/key.ts'
import { noField } from '../../plan/resolve-name.ts'
import { addedTo, incrementType, isAddedBy, sumMistake } from '../../plan/write/increment.ts'
import { readStored } from '../../plan/write/stored-value.ts'
import type { ItemWrite } from '../../plan/write/write-plan.ts'
import type { Collection, ScalarField, StoredField } from '../../schema/model.ts'
import { accepted, type Storable, type StoredRead } from '../../types/family-row.ts'
import { disclosableFields } from '../authorize/error-disclosure.ts'
import { groupBy } from '../context/group-by.ts'
import { missing } from '../context/named-key.ts'
import { circumstancesOf, permissionsOf, type WriteContext } from '../context/write-context.ts'
import { keyOfItem, keysIn } from '../stored/rows-by-key.ts'
import { matchingKeys, storedItems } from '../stored/select-keys.ts'

/** Gives items the sums of their increments, as values to be checked. Reports those beyond the range of a field, and fields that the caller
 *  does not read: the range would reveal what is stored. */
export async function addIncrements(items: readonly ItemWrite[], writing: WriteContext): Promise<void> {
  if (!items.some(isIncremented)) return
  for (const [collection, group] of groupBy(items, (item) => item.collection)) {
    const incremented = group.filter(isIncremented)
    if (incremented.length === 0) continue
    await refuseUnread(collection, incremented, writing)
    if (writing.problems.isEmpty) await sumUp(collection, group, writing)
  }
}

const isIncremented = ({ increments }: ItemWrite): boolean => increments.size > 0

/** Gives items, just before they are written, the sums that the database cannot make: it has the values as texts. */
export async function addTexts(items: readonly ItemWrite[], writing: WriteContext): Promise<void> {
  const { dialect } = writing.engine
  const isText = (field: ScalarField) => !isAddedBy(dialect, field)
  const texts = items.filter(({ increments }) => [...increments.keys()].some(isText))
  for (const [collection, group] of groupBy(texts, (item) => item.collection))
    await sumUp(collection, group, writing)
  writing.problems.throwIfAny()
}

/** Returns what the statement that writes an item adds. */
export function addedByDatabase(
  { increments }: ItemWrite,
  dialect: Dialect,
): ReadonlyMap<StoredField, Storable> {
  if (increments.size === 0) return increments
  return new Map([...increments].filter(([field]) => isAddedBy(dialect, field)))
}

/** Adds in the order of the items: a row that is named several times is changed as often. */
async function sumUp(
  collection: Collection,
  items: readonly ItemWrite[],
  writing: WriteContext,
): Promise<void> {
  const fields = [...new Set(items.flatMap(({ increments }) => [...increments.keys()]))]
  const stored = await storedItems(collection, keysIn(items), fields, writing)
  const current = new Map<string, StoredRead | undefined>()
  for (const item of items) {
    if (item.key === undefined) continue
    const identity = keyIdentity(item.key)
    const row = stored.get(identity)
    for (const field of fields) {
      const name = `${identity}\n${field.name}`
      const by = item.increments.get(field)
      if (by === undefined) {
        const value = item.values.get(field)
        if (value !== undefined) current.set(name, value === null ? undefined : accepted(value))
      } else if (row) {
        const before = current.has(name) ? current.get(name) : storedIn(field, row)
        const sum = before?.kind === 'mistake' ? before : addedTo(field, before?.value ?? null, by)
        setSum(item, field, sum, writing)
        current.set(name, sum)
      } else writing.problems.report(missing(item.path))
    }
  }
}

/** Returns a stored value; undefined for null. */
function storedIn(field: ScalarField, row: Readonly<Record<string, unknown>>): StoredRead | undefined {
  const { [field.name]: shown } = row
  if (shown === null || shown === undefined) return undefined
  if (field.value.family === 'json') return accepted(shown)
  // A column may store values that may not be written.
  return readStored({ ...field, value: incrementType(field.value) }, shown)
}

/** Gives a sum to the item. Null stays null. */
function setSum(
  item: ItemWrite,
  field: ScalarField,
  sum: StoredRead | undefined,
  writing: WriteContext,
): void {
  // Nothing is written: that a column has null where none is meant is not the caller's to mend.
  if (!sum) item.increments.delete(field)
  else if (sum.kind === 'value') item.values.set(field, sum.value)
  else writing.problems.report(disclosableFields(sumMistake(field, item.path, sum), item, writing))
}

/** Refuses fields that the caller has named and does not read on that row, as if there were none. */
async function refuseUnread(
  collection: Collection,
  items: readonly ItemWrite[],
  writing: WriteContext,
): Promise<void> {
  const permissions = permissionsOf(writing)
  if (!permissions || collection.isSeen) return
  const seen = permissions.seen.of.get(collection)
  const view = seen && viewIn(seen, permissions, circumstancesOf(writing))
  const byField = groupBy(
    items.flatMap((item) =>
      [...item.increments.keys()]
        .filter(({ name }) => item.named.includes(name))
        .map((field) => ({ field, item })),
    ),
    ({ field }) => field,
  )
  for (const [field, group] of byField) {
    const part = view?.partly.find(({ column }) => column === field.column)
    const keys = group.map(({ item }) => keyOfItem(item))
    const isRead = seen?.fields.has(field.name)
    const shown = isRead && part ? await matchingKeys(collection, keys, part.where, writing) : undefined
    for (const { item } of group) {
      if (isRead && (!part || shown?.has(keyIdentity(keyOfItem(item))))) continue
      const at = [...item.path, field.name]
      writing.problems.reportMade(() => noField(seen ?? collection, field.name, at), at)
    }
  }
}
