// Updates several items that are one row each by statements that judge them, in one transaction. Where one is in doubt all are undone, and the
// general path finds out what is in the way.
import type { EngineInternals } from '../../engine/engine.ts'
import { isEngineError } from '../../errors/errors.ts'
import type { Options } from '../../execution/database.ts'
import { fieldSubject } from '../../plan/field-path.ts'
import { distinctKeys, isNameOfKey, type Key, keyIdentities, readKey, shownKeyOf } from '../../plan/key.ts'
import { isOneOf, wholeList } from '../../plan/read/by-key.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { updatedColumns } from '../../plan/write/defaults.ts'
import { incrementedNames } from '../../plan/write/increment.ts'
import type { Row } from '../../rows/row.ts'
import { type Collection, keyOf, soleKeyOf } from '../../schema/model.ts'
import { announceItems } from '../../writes/announce.ts'
import { withoutNames } from '../../writes/authorize/writable-fields.ts'
import { ofRows } from '../../writes/constraint-error.ts'
import type { Intent } from '../../writes/create-or-update.ts'
import { lockVisible } from '../../writes/locks/lock-rows.ts'
import { canUndo, inOneUnit } from '../../writes/retry.ts'
import { judging } from '../../writes/row-template.ts'
import { existingKeys } from '../../writes/rows-by-key.ts'
import { isUpdateFollowed, knownUpdate } from '../../writes/update/side-effects.ts'
import { hasHooksBefore, needsEach } from '../../writes/update/single-statement.ts'
import { boundUpdate, isStoredOtherwise } from '../../writes/update/update-by-statement.ts'
import { wholeUpdate } from '../../writes/update/update-whole.ts'
import { newWriteContext, type WriteContext } from '../../writes/write-context.ts'
import { rowsWithin } from '../read/answer-length.ts'
import type { AnswerShape } from '../read/answer-shape.ts'
import { itemsWritten } from '../read/read-back.ts'
import type { ItemsToWrite } from './write-and-read.ts'

/** New values of an item, and the payload that they come from. */
interface KeyedUpdate {
  readonly key: Key
  readonly values: ItemData
  readonly payload: ItemData
}

/** Updates items, and returns their results; undefined if nothing is updated, because statements alone cannot judge all of them. */
export async function updateTogether(
  { collection, intents, shape }: ItemsToWrite,
  engine: EngineInternals,
  options: Options,
): Promise<readonly unknown[] | undefined> {
  const updates = keyedUpdates(collection, intents)
  if (!updates || !shape || !judging.isByStatement) return undefined
  if (hasHooksBefore(engine, 'items.update', collection) || readsOld(engine, collection) || !canUndo(engine))
    return undefined
  const writing = newWriteContext(engine, options)
  const isOne = areAlike(intents) && !needsEach(engine, 'items.update', collection)
  const update =
    (isOne && updateAlike(collection, updates, shape, writing)) ||
    updateInTurn(collection, updates, shape, writing)
  if (!update) return undefined
  try {
    return await inOneUnit(engine, options, (inside) => update(newWriteContext(inside, options)))
  } catch (error) {
    const isOfRow = isEngineError(error) && ofRows.has(error.code)
    if (error instanceof UnsureUpdate || isOfRow) return undefined
    throw error
  }
}

/** True if listeners want to know values as they were before. */
const readsOld = ({ hooks }: EngineInternals, { name }: Collection): boolean =>
  hooks.listeners.oldFields('items.update', name).length > 0

/** Updates all items and returns their results. */
type UpdateAll = (inside: WriteContext) => Promise<readonly unknown[]>

/** Undoes updates of which the statements alone do not decide after all. */
class UnsureUpdate extends Error {}

/** Returns the updates by distinct keys, each of which has one spelling; undefined if there are none of several items. */
function keyedUpdates(
  collection: Collection,
  intents: readonly Intent[],
): readonly KeyedUpdate[] | undefined {
  const { family } = collection.key?.value ?? {}
  if (family !== 'integer' && family !== 'uuid') return undefined
  const updates: KeyedUpdate[] = []
  for (const { key: known, payload } of intents) {
    const key = known ?? ownKey(collection, payload)
    if (key === undefined) return undefined
    updates.push({ key, payload, values: known === undefined ? withoutKey(collection, payload) : payload })
  }
  const isSeveral =
    updates.length > 1 && distinctKeys(updates.map(({ key }) => key)).length === updates.length
  return isSeveral ? updates : undefined
}

/** Returns the key that an item names. */
const ownKey = (collection: Collection, payload: ItemData): Key | undefined =>
  readKey(collection, payload[soleKeyOf(collection).name])

const withoutKey = (collection: Collection, payload: ItemData): ItemData =>
  withoutNames(payload, new Set(Object.keys(payload).filter((name) => isNameOfKey(collection, name))))

/** True if all items get the same values. */
const areAlike = ([first, ...others]: readonly Intent[]): boolean =>
  others.every(({ payload, key }) => key !== undefined && payload === first?.payload)

/** Returns the update of all items by one statement; undefined if that is not possible. */
function updateAlike(
  collection: Collection,
  updates: readonly KeyedUpdate[],
  shape: AnswerShape,
  writing: WriteContext,
): UpdateAll | undefined {
  const { scope } = writing.caller
  const visible = scope?.permissions ? scope.permissions.seen.of.get(collection) : collection
  if (!visible) return undefined
  const keys = updates.map(({ key }) => key)
  const values = updates[0]?.values ?? {}
  const columns = updatedColumns(collection, values)
  if (knownUpdate(collection, columns, writing)) return undefined
  const update = wholeUpdate({ collection, list: listOfKeys(visible, keys), payload: values }, writing, {
    keys: false,
    named: keys.map((key) => shownKeyOf(collection, key)),
  })
  return (
    update &&
    (async (inside) => {
      if (await isUpdateFollowed(collection, columns, inside)) throw new UnsureUpdate()
      // Rows are locked in the order of their keys, as everybody locks them. A key that several rows share is the key of none.
      const held =
        (await lockVisible(collection, { keys }, inside)) ??
        keyIdentities(await existingKeys(collection, keys, inside))
      if (held.size !== keys.length) throw new UnsureUpdate()
      const { count } = await update.within(inside)
      if (count !== keys.length) throw new UnsureUpdate()
      return itemsWritten(shape, keys, inside.caller, inside.options)
    })
  )
}

const listOfKeys = (collection: Collection, keys: readonly Key[]): ListPlan => {
  const value = { subject: fieldSubject(keyOf(collection)), route: [], path: [] }
  return {
    ...wholeList(collection, isOneOf(collection, keys)),
    order: [{ kind: 'value', value, isDescending: false }],
  }
}

/** Returns the updates of the items, each by a statement of its own, where nobody else writes meanwhile and a statement takes no way to a
 *  server; undefined if the first is not possible, or if items that get the same values are better written together. */
function updateInTurn(
  collection: Collection,
  updates: readonly KeyedUpdate[],
  shape: AnswerShape,
  writing: WriteContext,
): UpdateAll | undefined {
  if (!writing.engine.dialect.writeLock || shape.isSorted || !areVaried(updates)) return undefined
  const row = shape.row(writing.caller)
  const boundTo = ({ key, values }: KeyedUpdate, one: WriteContext) =>
    row &&
    boundUpdate(
      {
        collection,
        key,
        path: [],
        payload: values,
        incremented: incrementedNames(collection, values),
        returned: row.columns,
      },
      shape,
      one,
    )
  const [first] = updates
  const tried = first && boundTo(first, writing)
  if (!row || !tried || knownUpdate(collection, tried.columns, writing)) return undefined
  return async (inside) => {
    const items: unknown[] = []
    const rows: Row[] = []
    for (const update of updates) {
      const bound = boundTo(update, inside)
      if (!bound || (await isStoredOtherwise(bound, collection, inside))) throw new UnsureUpdate()
      const stored = await bound.run()
      // A row that may change once its statement is over has to be read behind all of them.
      if (!stored || row.isFollowed(stored)) throw new UnsureUpdate()
      rows.push(stored)
      items.push(bound.isShown(stored) ? row.answer(stored)[0] : null)
    }
    rowsWithin(rows, inside.caller.limits)
    await announceItems('update', collection, updates, inside)
    return items
  }
}

/** True if most items get values of their own. */
function areVaried(updates: readonly KeyedUpdate[]): boolean {
  const texts = updates.map(({ values }) => Object.values(values).map(textOf).join('\n'))
  return new Set(texts).size * 2 > updates.length
}

const textOf = (value: unknown): string => (typeof value === 'object' ? 'an object' : String(value))
