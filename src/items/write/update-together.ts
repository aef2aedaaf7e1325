// Updates several items that are one row each by statements that judge them, in one transaction. Where one is in doubt all are undone, and the
// general path finds out what is in the way.
import type { EngineInternals } from '../../engine/engine.ts'
import { isEngineError } from '../../errors/errors.ts'
import type { Options } from '../../execution/database.ts'
import { fieldSubject } from '../../plan/field-path.ts'
import { distinctKeys, isNameOfKey, type Key, readKey } from '../../plan/key.ts'
import { isOneOf, wholeList } from '../../plan/read/by-key.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { updatedColumns } from '../../plan/write/defaults.ts'
import { type Collection, keyOf, soleKeyOf } from '../../schema/model.ts'
import { announceItems, isHeard } from '../../writes/announce.ts'
import { withoutNames } from '../../writes/authorize/writable-fields.ts'
import type { Intent } from '../../writes/create-or-update.ts'
import { inOneUnit } from '../../writes/retry.ts'
import { judging } from '../../writes/row-template.ts'
import { isUpdateFollowed } from '../../writes/update/side-effects.ts'
import { hasHooksBefore } from '../../writes/update/single-statement.ts'
import { boundUpdate } from '../../writes/update/update-by-statement.ts'
import { wholeUpdate } from '../../writes/update/update-whole.ts'
import { newWriteContext, type WriteContext } from '../../writes/write-context.ts'
import type { AnswerShape } from '../read/answer-shape.ts'
import { itemsWritten } from '../read/read-back.ts'
import { ofRows } from './bulk.ts'

/** New values of an item, and the payload that they come from. */
interface KeyedUpdate {
  readonly key: Key
  readonly values: ItemData
  readonly given: ItemData
}

/** Updates items, and returns their results; undefined if nothing is updated, because statements alone cannot judge all of them. */
export async function updateTogether(
  collection: Collection,
  intents: readonly Intent[],
  shape: AnswerShape | undefined,
  engine: EngineInternals,
  options: Options,
): Promise<readonly unknown[] | undefined> {
  const updates = keyedUpdates(collection, intents)
  if (!updates || !shape || !judging.isByStatement) return undefined
  if (hasHooksBefore(engine, 'items.update', collection)) return undefined
  const writing = newWriteContext(engine, options)
  const isOne = areAlike(intents) && !isHeard('update', collection, writing)
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
  for (const { key: known, given } of intents) {
    const key = known ?? ownKey(collection, given)
    if (key === undefined) return undefined
    updates.push({ key, given, values: known === undefined ? withoutKey(collection, given) : given })
  }
  const isSeveral =
    updates.length > 1 && distinctKeys(updates.map(({ key }) => key)).length === updates.length
  return isSeveral ? updates : undefined
}

/** Returns the key that an item names. */
const ownKey = (collection: Collection, given: ItemData): Key | undefined =>
  readKey(collection, given[soleKeyOf(collection).name])

const withoutKey = (collection: Collection, given: ItemData): ItemData =>
  withoutNames(given, new Set(Object.keys(given).filter((name) => isNameOfKey(collection, name))))

/** True if all items get the same values. */
const areAlike = ([first, ...others]: readonly Intent[]): boolean =>
  others.every(({ given, key }) => key !== undefined && given === first?.given)

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
  const update = wholeUpdate(collection, listOfKeys(visible, keys), values, writing, { keys: false })
  return (
    update &&
    (async (inside) => {
      if (await isUpdateFollowed(collection, updatedColumns(collection, values), inside))
        throw new UnsureUpdate()
      const { count } = await update(inside)
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

/** Returns the updates of the items, each by a statement of its own; undefined if the first is not possible. */
function updateInTurn(
  collection: Collection,
  updates: readonly KeyedUpdate[],
  shape: AnswerShape,
  writing: WriteContext,
): UpdateAll | undefined {
  const row = shape.row(writing.caller)
  const boundTo = ({ key, values }: KeyedUpdate, one: WriteContext) =>
    row && boundUpdate({ collection, key, given: values, returned: row.columns }, shape, one)
  const [first] = updates
  if (!row || !first || !boundTo(first, writing)) return undefined
  return async (inside) => {
    const items = new Map<KeyedUpdate, unknown>()
    for (const update of inLockOrder(updates, inside)) {
      const bound = boundTo(update, inside)
      if (!bound || (await isUpdateFollowed(collection, bound.columns, inside))) throw new UnsureUpdate()
      const stored = await bound.run()
      // A row that may change once its statement is over has to be read behind all of them.
      if (!stored || row.isFollowed(stored)) throw new UnsureUpdate()
      items.set(update, bound.isShown(stored) ? row.answer(stored)[0] : null)
    }
    if (isHeard('update', collection, inside)) await announceItems('update', collection, updates, inside)
    return updates.map((update) => items.get(update))
  }
}

/** Returns updates in one order for all callers, who would wait for each other in a circle otherwise. */
function inLockOrder(updates: readonly KeyedUpdate[], { engine }: WriteContext): readonly KeyedUpdate[] {
  if (engine.dialect.writeLock) return updates
  return [...updates].sort(({ key: one }, { key: other }) => (one < other ? -1 : 1))
}
