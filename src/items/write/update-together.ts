// Updates several items, or one with children in it, by statements that judge all of them, in one transaction. Where one is in doubt all are undone, and the
// general path finds out what is in the way.

import type { EngineInternals } from '../../engine/engine.ts'
import { isEngineError } from '../../errors/errors.ts'
import type { Options } from '../../execution/database.ts'
import type { Collection, ToMany } from '../../schema/model.ts'
import { ofRows } from '../../writes/context/in-halves.ts'
import { canUndo, inOneUnit } from '../../writes/context/retry.ts'
import { judging } from '../../writes/context/row-template.ts'
import { hasHooksBefore } from '../../writes/context/single-statement.ts'
import { newWriteContext, type WriteContext } from '../../writes/context/write-context.ts'
import { withCountedKeys } from '../../writes/insert/sequential-keys.ts'
import type { JudgedRow } from '../../writes/program/judged-row.ts'
import { UnsureRows } from '../../writes/program/rows-together.ts'
import { announceItems } from '../../writes/stored/announce.ts'
import { touch } from '../../writes/stored/lock-rows.ts'
import { hasTriggers, isUpdateFollowed, knownOrder, noteOrder } from '../../writes/stored/side-effects.ts'
import { boundUpdate, type UpdateStatement } from '../../writes/update/update-by-statement.ts'
import { areChildrenJudged, type ChangedChildren, changedChildren, lockInOrder } from './changed-children.ts'
import { boundUpdates, keyedUpdates, readsOld, runLone, updateAll } from './keyed-updates.ts'
import { hasChildren, type ItemsWithin, partedItems } from './nested-items.ts'
import { resultsTogether, rowOfMany } from './results-together.ts'
import type { ShapedItems } from './write-and-read.ts'
import { writeChildren } from './write-children.ts'

/** Updates items with the children that they name, and returns their results; undefined if nothing is updated, because statements alone cannot judge all of
 *  them. */
export async function updateTogether(
  { collection, intents, shape }: ShapedItems,
  engine: EngineInternals,
  options: Options,
): Promise<readonly unknown[] | undefined> {
  if (!judging.isByStatement || !canUndo(engine)) return undefined
  if (hasHooksBefore(engine, 'items.update', collection) || readsOld(engine, collection)) return undefined
  const writing = newWriteContext(engine, options)
  const update = await judgedUpdate({ collection, intents, shape }, writing)
  if (!update) return undefined
  const { updates, lone, bound, children, row } = update
  try {
    return await withCountedKeys(async () =>
      inOneUnit(engine, options, async (inside) => {
        const own = newWriteContext(inside, options)
        const keys = updates.map(({ key }) => key)
        await lockInOrder(collection, keys, children, own)
        const { rows, written } = await (lone
          ? runLone(lone, updates, row, own)
          : updateAll(collection, updates, bound, own))
        const isSet = (at: number) => children.some(({ complete }) => complete.has(at))
        await touch(
          collection,
          keys.filter((_, at) => isSet(at) && written[at]?.fields?.length === 0),
          own,
        )
        await announceItems('update', collection, written, own)
        await writeChildren({ collection, keys, children }, own)
        return resultsTogether(rows, keys, { shape, row }, own)
      }),
    )
  } catch (error) {
    if (isEngineError(error) && ofRows.has(error.code)) return undefined
    if (!(error instanceof UnsureRows)) throw error
    // A trigger that was added meanwhile is known from now on.
    if (lone) await hasTriggers(collection, writing)
    await noteOrders(
      collection,
      bound.map(({ template }) => template),
      writing,
    )
    for (const { relation, templates } of children) await noteOrders(relation.target, templates, writing)
    return undefined
  }
}

const noItems: ReadonlyMap<ToMany, ItemsWithin> = new Map()

/** Binds updates, and finds what judges the children that they name; undefined if statements alone cannot judge all of them. */
async function judgedUpdate({ collection, intents, shape }: ShapedItems, writing: WriteContext) {
  const { caller } = writing
  const isNested = intents.some(({ payload }) => hasChildren(collection, payload))
  const parted = isNested
    ? partedItems(collection, intents)
    : { rows: intents.map(({ payload }) => payload), nested: noItems }
  const updates = parted && keyedUpdates(collection, intents, parted.rows)
  const whole = rowOfMany(shape, caller)
  // Anything but the key may change with the children.
  const row = isNested && !whole?.columns.isKeyAlone ? shape.keyRow(caller) : whole
  if (!updates || !row) return undefined
  // No rule fills in anything where nothing changes.
  const isUnchanged = updates.some(
    ({ values, payload }) => Object.keys(values).length === 0 && !hasChildren(collection, payload),
  )
  if (isUnchanged) return undefined
  const around = { nested: [...parted.nested.keys()].map(({ name }) => name), owner: undefined }
  const [first, ...others] = updates
  const change =
    first && others.length === 0 ? { ...first, payload: first.values, collection, around } : undefined
  const one = change && boundUpdate(change, row, writing)
  const lone = one && (await isWhole(one, writing)) ? one : undefined
  const bound = lone ? [] : boundUpdates({ collection, around }, updates, row, writing)
  if (!bound) return undefined
  const children: ChangedChildren[] = []
  for (const [relation, nested] of parted.nested) {
    const changed = changedChildren(relation, nested, writing)
    if (!changed) return undefined
    children.push(changed)
  }
  const rules = [...(lone ? [lone] : []), ...bound].map(({ template }) => template.rules)
  // Of several items and relations, the events are in another order.
  if (intents.length > 1 && children.length > 1) return undefined
  if (isNested && !(await areChildrenJudged(collection, rules, children, writing))) return undefined
  return { updates, lone, bound, children, row }
}

/** True if nothing follows the statement of a row, and it only sets new values. */
const isWhole = async (
  { row: { collection }, template: { columns, incremented } }: JudgedRow<UpdateStatement>,
  writing: WriteContext,
): Promise<boolean> =>
  columns.length > 0 && incremented.length === 0 && !(await isUpdateFollowed(collection, columns, writing))

/** Asks once whether the order of such updates can be seen, where not all rows were written. */
async function noteOrders(
  collection: Collection,
  templates: readonly Pick<UpdateStatement, 'columns' | 'isAlike'>[],
  writing: WriteContext,
): Promise<void> {
  for (const template of templates)
    if (template.columns.length > 0 && knownOrder(collection, template, writing) === undefined)
      await noteOrder(collection, template, writing)
}
