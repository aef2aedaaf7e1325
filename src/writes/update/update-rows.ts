// Updates rows: those with the same new values in one statement.
import { fault } from '../../errors/errors.ts'
import { keyIdentity } from '../../plan/key.ts'
import type { ItemWrite } from '../../plan/write/write-plan.ts'
import type { Collection } from '../../schema/model.ts'
import { updateStatement } from '../../sql/write/write-statements.ts'
import { withConstraintErrors } from '../authorize/constraint-error.ts'
import { groupBy, valuesText } from '../context/group-by.ts'
import { inHalves } from '../context/in-halves.ts'
import type { WriteContext } from '../context/write-context.ts'
import { runByKeys } from '../insert/keys-by-statement.ts'
import { dropUnchangedBytes } from '../program/unchanged-bytes.ts'
import { missingTargetField } from '../stored/missing-target.ts'
import { readOldValues } from '../stored/old-values.ts'
import { keyOfItem, pathOf, readKeys, whyNone } from '../stored/rows-by-key.ts'
import { keyed, refuseShared } from '../stored/unique-keys.ts'
import { addedByDatabase, addTexts } from './increments.ts'
import { updateDistinct } from './update-distinct.ts'

/** Updates the rows of existing items. */
export async function updateRows(
  collection: Collection,
  items: readonly ItemWrite[],
  writing: WriteContext,
): Promise<void> {
  await dropUnchangedBytes(items, writing)
  const changed = items.filter(({ values }) => values.size > 0)
  if (changed.length > 0) await readOldValues('update', collection, changed.map(keyOfItem), writing)
  for (const part of withoutRepetition(changed)) {
    await addTexts(part, writing)
    const apart = async (some: readonly ItemWrite[]) => {
      const write = (group: readonly ItemWrite[], inside: WriteContext) =>
        updateAlike(collection, group, inside)
      for (const group of alike(some, writing))
        await (hasPlaces(group) ? inHalves(group, write, writing) : write(group, writing))
    }
    const [first, ...others] = part
    const text = first && changeText(first, writing)
    const areAlike = others.every((item) => changeText(item, writing) === text)
    await (areAlike ? apart(part) : updateDistinct(collection, part, apart, writing))
  }
}

/** True if items have places of their own in the request: those that a payload changes by their keys have none. */
const hasPlaces = (items: readonly ItemWrite[]): boolean => items.some(({ path }) => path.length > 0)

/** Returns items that get the same values together: all of them, or those that follow each other. */
function alike(items: readonly ItemWrite[], writing: WriteContext): Iterable<readonly ItemWrite[]> {
  if (!writing.isInOrder) return groupBy(items, (item) => changeText(item, writing)).values()
  let [last, number] = ['', 0]
  return groupBy(items, (item) => {
    const text = changeText(item, writing)
    if (text !== last) number++
    last = text
    return number
  }).values()
}

/** Returns the same text for items whose statement is the same but for the key. */
function changeText(item: ItemWrite, { engine: { dialect } }: WriteContext): string {
  const added = addedByDatabase(item, dialect)
  if (added.size === 0) return valuesText(item.values)
  const others = new Map([...item.values].filter(([field]) => !added.has(field)))
  return `${valuesText(others)}\n\n${valuesText(added)}`
}

/** Number of times that a list comes back to items that it has changed, each of which takes a statement of its own. */
export const maxRounds = 1_000

/** Splits items into parts in which each key occurs once: later changes of an item have to be made later. What a part has written already is not written again. */
function withoutRepetition(items: readonly ItemWrite[]): readonly (readonly ItemWrite[])[] {
  const parts: ItemWrite[][] = [[]]
  const written = new Map<string, ItemWrite>()
  for (const item of items) {
    const key = keyIdentity(keyOfItem(item))
    const before = written.get(key)
    if (before && isWrittenBy(before, item)) continue
    if (before) {
      if (parts.length > maxRounds) throw tooManyRounds(item)
      parts.push([])
      written.clear()
    }
    parts.at(-1)?.push(item)
    written.set(key, item)
  }
  return parts
}

/** True if an update leaves nothing to write for another one of the same item. */
const isWrittenBy = (before: ItemWrite, item: ItemWrite): boolean =>
  before.increments.size + item.increments.size === 0 && valuesText(before.values) === valuesText(item.values)

const tooManyRounds = ({ path }: ItemWrite) =>
  fault(
    'INVALID_PAYLOAD',
    `A list comes back ${maxRounds.toLocaleString('en')} times at most to items that it has changed.`,
    {
      path,
      hint: 'Name each item once, or send several lists.',
    },
  )

/** Updates items that get the same values. */
async function updateAlike(
  collection: Collection,
  group: readonly ItemWrite[],
  writing: WriteContext,
): Promise<void> {
  const [first] = group
  if (!first) return
  const keys = group.map(keyOfItem)
  const { dialect } = writing.engine
  const change = { values: first.values, added: addedByDatabase(first, dialect) }
  const statement = updateStatement(collection, change, keyed(keys, writing), dialect)
  const rows = await withConstraintErrors(
    {
      collection,
      path: pathOf(group),
      dangling: () => missingTargetField(collection, [first.values], writing),
    },
    writing,
    () => runByKeys('update', statement, { collection, keys }, writing),
  )
  const found = readKeys(rows, collection, writing)
  refuseShared(found, keys, collection)
  // Another transaction may have deleted it since it was looked up.
  if (found.length < keys.length) throw await whyNone(collection, keyOfItem(first), writing, first.path)
  // The database may spell the key differently, if it treats two texts as equal.
  if (group.length === 1) first.key = found[0]
}
