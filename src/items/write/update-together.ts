// Updates several items that are one row each by statements that judge all of them, in one transaction. Where one is in doubt all are undone, and the
// general path finds out what is in the way.
import type { EngineInternals } from '../../engine/engine.ts'
import { isEngineError } from '../../errors/errors.ts'
import type { Options } from '../../execution/database.ts'
import { distinctKeys, type Key, keyIdentity, readKey, valuesOfKey } from '../../plan/key.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { incrementedNames } from '../../plan/write/increment.ts'
import type { Row } from '../../rows/row.ts'
import { type Collection, keyFieldsOf, keyOf, partsOf, soleKeyOf } from '../../schema/model.ts'
import { announceItems, namesOfColumns } from '../../writes/announce.ts'
import { withoutNames } from '../../writes/authorize/writable-fields.ts'
import { ofRows } from '../../writes/constraint-error.ts'
import type { Intent } from '../../writes/create-or-update.ts'
import { slicesOf } from '../../writes/insert/batches.ts'
import { lockVisible } from '../../writes/locks/lock-rows.ts'
import { boundValuesOf } from '../../writes/program/judged-row.ts'
import { judging } from '../../writes/program/row-template.ts'
import {
  type RowsTogether,
  rowsTogether,
  runTogether,
  UnsureRows,
} from '../../writes/program/rows-together.ts'
import { canUndo, inOneUnit } from '../../writes/retry.ts'
import { readKeys } from '../../writes/rows-by-key.ts'
import { knownOrder, noteOrder } from '../../writes/update/side-effects.ts'
import { hasHooksBefore } from '../../writes/update/single-statement.ts'
import { isDoubtful } from '../../writes/update/unchanged-bytes.ts'
import { type RowChange, templateFor, type UpdateStatement } from '../../writes/update/update-by-statement.ts'
import { newWriteContext, type WriteContext } from '../../writes/write-context.ts'
import type { ItemRow } from '../read/item-row.ts'
import { type RowsReported, resultsTogether, rowOfMany } from './results-together.ts'
import type { ShapedItems } from './write-and-read.ts'

/** New values of an item, and the payload that they come from. */
export interface KeyedUpdate {
  readonly key: Key
  readonly values: ItemData
  readonly payload: ItemData
  /** The values by which an upsert finds it. Absent = it is found by its key. */
  readonly on?: Key
}

/** Updates items, and returns their results; undefined if nothing is updated, because statements alone cannot judge all of them. */
export async function updateTogether(
  { collection, intents, shape }: ShapedItems,
  engine: EngineInternals,
  options: Options,
): Promise<readonly unknown[] | undefined> {
  const updates = keyedUpdates(collection, intents)
  if (!updates || !judging.isByStatement) return undefined
  if (hasHooksBefore(engine, 'items.update', collection) || readsOld(engine, collection) || !canUndo(engine))
    return undefined
  const row = rowOfMany(shape, engine)
  const bound = row && boundUpdates({ collection }, updates, row, newWriteContext(engine, options))
  if (!bound) return undefined
  try {
    return await inOneUnit(engine, options, async (inside) => {
      const writing = newWriteContext(inside, options)
      const { rows, written } = await updateAll(collection, updates, bound, writing)
      await announceItems('update', collection, written, writing)
      const keys = updates.map(({ key }) => key)
      return resultsTogether(rows, keys, { shape, row }, writing)
    })
  } catch (error) {
    const isUnsure = error instanceof UnsureRows
    if (!isUnsure && !(isEngineError(error) && ofRows.has(error.code))) throw error
    if (isUnsure) await noteOrders(collection, bound, newWriteContext(engine, options))
    return undefined
  }
}

/** Asks once whether the order of such updates can be seen, where not all rows were written. */
async function noteOrders(
  collection: Collection,
  bound: readonly RowsTogether<UpdateStatement>[],
  writing: WriteContext,
): Promise<void> {
  for (const { template } of bound)
    if (knownOrder(collection, template.columns, writing) === undefined)
      await noteOrder(collection, template.columns, writing)
}

/** True if listeners want to know values as they were before. */
const readsOld = ({ hooks }: EngineInternals, { name }: Collection): boolean =>
  hooks.listeners.oldFields('items.update', name).length > 0

/** Returns the updates by distinct keys, each of which has one spelling; undefined if these are not several items. */
function keyedUpdates(
  collection: Collection,
  intents: readonly Intent[],
): readonly KeyedUpdate[] | undefined {
  const { family } = collection.key?.value ?? {}
  if (family !== 'integer' && family !== 'uuid') return undefined
  const ofKey = new Set(keyFieldsOf(collection).map(({ name }) => name))
  const updates: KeyedUpdate[] = []
  for (const { key: known, payload } of intents) {
    const key = known ?? ownKey(collection, payload)
    if (key === undefined) return undefined
    updates.push({ key, payload, values: known === undefined ? withoutNames(payload, ofKey) : payload })
  }
  const isSeveral =
    updates.length > 1 && distinctKeys(updates.map(({ key }) => key)).length === updates.length
  return isSeveral ? updates : undefined
}

/** Returns the key that an item names. */
const ownKey = (collection: Collection, payload: ItemData): Key | undefined =>
  readKey(collection, payload[soleKeyOf(collection).name])

/** Binds the updates; undefined if statements alone cannot judge one of them. `by`: the field by which an upsert finds the rows. */
export function boundUpdates(
  { collection, by }: Pick<RowChange, 'collection' | 'by'>,
  updates: readonly KeyedUpdate[],
  owner: ItemRow,
  writing: WriteContext,
): readonly RowsTogether<UpdateStatement>[] | undefined {
  const { columns: returned } = owner
  const { dialect } = writing.engine
  const parts = partsOf(by ?? keyOf(collection))
  const storings = parts.map(({ value }) => dialect.storing(value))
  const cellsOf = ({ key, on = key }: KeyedUpdate) =>
    valuesOfKey(parts, on).map(([, value], at) => (value === null ? null : storings[at]?.encode(value)))
  const changes = updates.map((update) => {
    const { key, values: payload } = update
    return {
      ...{ collection, by, key, path: [], payload, incremented: none, returned, isOfMany: true },
      update,
    } as const
  })
  if (changes.some(({ payload }) => incrementedNames(collection, payload).length > 0)) return undefined
  const bound = rowsTogether(
    collection,
    changes,
    {
      templateFor: (change) => templateFor(change, owner, writing),
      bind: (change, template, called) => {
        const one = boundValuesOf(template, change, called, writing)
        const isFit = one && !one.bound.some(isDoubtful)
        return isFit ? { one, cells: [...cellsOf(change.update), ...one.bound] } : undefined
      },
    },
    writing,
  )
  return bound?.some(({ template }) => knownOrder(collection, template.columns, writing)) ? undefined : bound
}

const none: readonly string[] = []

/** Runs the statements, and returns the rows in the order of the updates. */
export async function updateAll(
  collection: Collection,
  updates: readonly KeyedUpdate[],
  bound: readonly RowsTogether<UpdateStatement>[],
  inside: WriteContext,
): Promise<RowsReported> {
  const stored = new Map<string, Row>()
  const changed: (readonly string[])[] = []
  // Each statement locks its own rows in the order of their keys.
  if (bound.flatMap(({ rows }) => slicesOf(rows.length)).length > 1)
    await lockVisible(collection, { keys: updates.map(({ key }) => key) }, inside)
  for (const together of bound) {
    const { rules, columns } = together.template
    const rows = await runTogether(collection, together, rules.storedFields, inside)
    for (const [at, key] of readKeys(rows, collection, inside).entries())
      stored.set(keyIdentity(key), rows[at] ?? {})
    const fields = namesOfColumns(collection, columns)
    for (const at of together.places) changed[at] = fields
  }
  // A key that several rows share is the key of none.
  if (stored.size < updates.length) throw new UnsureRows()
  const written = updates.map(({ key, payload }, at) => ({ key, payload, fields: changed[at] ?? [] }))
  return { rows: updates.map(({ key }) => stored.get(keyIdentity(key)) ?? {}), written }
}
