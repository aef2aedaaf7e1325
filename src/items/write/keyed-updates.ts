// Updates of items by their keys as rows of a statement, each with values of its own.
import type { EngineInternals } from '../../engine/engine.ts'
import { type Key, keyIdentities, keyIdentity, readKey, valuesOfKey } from '../../plan/key.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import type { Row } from '../../rows/row.ts'
import { type Collection, keyFieldsOf, keyOf, partsOf, soleKeyOf } from '../../schema/model.ts'
import { withoutNames } from '../../writes/authorize/writable-fields.ts'
import { slicesOf } from '../../writes/context/batches.ts'
import type { WriteContext } from '../../writes/context/write-context.ts'
import type { Intent } from '../../writes/create-or-update.ts'
import { type JudgedRow, runJudged } from '../../writes/program/judged-row.ts'
import {
  countOf,
  type RowsTogether,
  rowsAlike,
  rowsTogether,
  runTogether,
  templatesOfRows,
  UnsureRows,
} from '../../writes/program/rows-together.ts'
import { isDoubtful } from '../../writes/program/unchanged-bytes.ts'
import { isAltered } from '../../writes/stored/altered-values.ts'
import { namesOfColumns } from '../../writes/stored/announce.ts'
import { lockVisible } from '../../writes/stored/lock-rows.ts'
import { readKeys } from '../../writes/stored/rows-by-key.ts'
import { forgetOrder, knownOrder, stateForOrder } from '../../writes/stored/side-effects.ts'
import { type RowChange, templateFor, type UpdateStatement } from '../../writes/update/update-by-statement.ts'
import type { ItemRow } from '../read/item-row.ts'
import type { RowsReported } from './results-together.ts'

/** New values of an item, and the payload that they come from. */
export interface KeyedUpdate {
  readonly key: Key
  readonly values: ItemData
  readonly payload: ItemData
  /** The values by which an upsert finds it. Absent = it is found by its key. */
  readonly on?: Key
}

/** True if listeners want to know values as they were before. */
export const readsOld = (
  { hooks }: EngineInternals,
  { name }: Collection,
  event: 'items.update' | 'items.delete' = 'items.update',
): boolean => hooks.listeners.oldFields(event, name).length > 0

export function hasPlainKey({ key }: Collection): boolean {
  const { family } = key?.value ?? {}
  return family === 'integer' || family === 'uuid'
}

/** Returns the updates by distinct keys, each of which has one spelling; undefined if these are no such items. `rows`: without what is nested in them. */
export function keyedUpdates(
  collection: Collection,
  intents: readonly Intent[],
  rows: readonly ItemData[],
): readonly KeyedUpdate[] | undefined {
  if (!hasPlainKey(collection)) return undefined
  const ofKey = new Set(keyFieldsOf(collection).map(({ name }) => name))
  const updates: KeyedUpdate[] = []
  for (const [at, row] of rows.entries()) {
    const { key: known, payload = row } = intents[at] ?? {}
    const key = known ?? ownKey(collection, row)
    if (key === undefined) return undefined
    updates.push({ key, payload, values: known === undefined ? withoutNames(row, ofKey) : row })
  }
  return keyIdentities(updates.map(({ key }) => key)).size === updates.length ? updates : undefined
}

const ownKey = (collection: Collection, payload: ItemData): Key | undefined =>
  readKey(collection, payload[soleKeyOf(collection).name])

/** Binds the updates; undefined if statements alone cannot judge one of them. `by`: the field by which an upsert finds the rows. */
export function boundUpdates(
  { collection, by, around }: Pick<RowChange, 'collection' | 'by' | 'around'>,
  updates: readonly KeyedUpdate[],
  owner: ItemRow,
  writing: WriteContext,
): readonly RowsTogether<UpdateStatement>[] | undefined {
  const { columns: returned } = owner
  const { dialect } = writing.engine
  const parts = partsOf(by ?? keyOf(collection))
  const storings = parts.map(({ value }) => dialect.storing(value))
  const [only] = storings
  const cellsOf = ({ key, on = key }: KeyedUpdate) =>
    only && parts.length === 1
      ? [only.encode(on)]
      : valuesOfKey(parts, on).map(([, value], at) => (value === null ? null : storings[at]?.encode(value)))
  const fixed = { collection, by, isOfMany: true, around }
  const [first, ...others] = updates
  if (first && !by && others.length > 0 && others.every(({ values }) => values === first.values)) {
    const { values: payload } = first
    const template = templateFor({ ...fixed, payload, isAlike: true }, owner, writing)
    const keys = updates.map(({ key }) => key)
    const bound = template && rowsAlike(template, { collection, payload, returned }, keys, writing)
    return bound && !knownOrder(collection, bound.template, writing) ? [bound] : undefined
  }
  const payloads = updates.map(({ values }) => values)
  const templates = templatesOfRows(collection, payloads, (payload) =>
    templateFor({ ...fixed, payload }, owner, writing),
  )
  if (!templates) return undefined
  const bound = rowsTogether(
    {
      ...{ collection, payloads, returned, templates },
      cellsOf: (one, at) => {
        const update = updates[at]
        return update && !one.some(isDoubtful) ? [...cellsOf(update), ...one] : undefined
      },
    },
    writing,
  )
  return bound?.some(({ template }) => knownOrder(collection, template, writing)) ? undefined : bound
}

/** Updates an only item by a statement of its own, which nothing shows an order of, and returns its row. A trigger that was added meanwhile is in the way. */
export async function runLone(
  judged: JudgedRow<UpdateStatement>,
  updates: readonly KeyedUpdate[],
  { isFollowed }: ItemRow,
  inside: WriteContext,
): Promise<RowsReported> {
  const { row, template } = judged
  const { storedFields } = template.rules
  const isOther = storedFields.length > 0 && (await isAltered(row.collection, storedFields, inside))
  const stored = isOther ? undefined : await runJudged(judged, [], inside)
  if (!stored || isFollowed(stored)) throw new UnsureRows()
  const fields = namesOfColumns(row.collection, template.columns)
  return { rows: [stored], written: updates.map(({ key, payload }) => ({ key, payload, fields })) }
}

/** Runs the statement of rows in the state of the catalogue in which nothing shows their order. */
export async function runInState(
  collection: Collection,
  together: RowsTogether<UpdateStatement>,
  inside: WriteContext,
): Promise<readonly Row[]> {
  const { template } = together
  const state = await stateForOrder(collection, template, inside)
  try {
    return await runTogether(collection, { ...together, state }, template.rules.storedFields, inside)
  } catch (error) {
    if (error instanceof UnsureRows && state !== undefined) forgetOrder(collection, template, inside)
    throw error
  }
}

/** Runs the statements, and returns the rows in the order of the updates. */
export async function updateAll(
  collection: Collection,
  updates: readonly KeyedUpdate[],
  bound: readonly RowsTogether<UpdateStatement>[],
  inside: WriteContext,
): Promise<RowsReported> {
  const found = await updateFound(collection, updates, bound, inside)
  const isSilent = bound.some(({ template }) => template.isSilent)
  if (!isSilent && found.rows.includes(undefined)) throw new UnsureRows()
  return { ...found, rows: found.rows.map((row) => row ?? {}) }
}

/** Rows in the order of updates: undefined where a statement has returned none. */
interface RowsFound extends Pick<RowsReported, 'written'> {
  readonly rows: readonly (Row | undefined)[]
}

/** Runs the statements, of which those of upserts write what is there. */
export async function updateFound(
  collection: Collection,
  updates: readonly KeyedUpdate[],
  bound: readonly RowsTogether<UpdateStatement>[],
  inside: WriteContext,
): Promise<RowsFound> {
  const placed: (Row | undefined)[] = []
  const stored = new Map<string, Row>()
  const changed: (readonly string[])[] = []
  // Each statement locks its own rows in the order of their keys.
  if (bound.flatMap((together) => slicesOf(countOf(together))).length > 1)
    await lockVisible(collection, { keys: updates.map(({ key }) => key) }, inside)
  let count = 0
  for (const together of bound) {
    const { columns } = together.template
    const rows = await runInState(collection, together, inside)
    count += rows.length
    for (const [at, key] of readKeys(rows, collection, inside).entries()) {
      const place = together.places[at] ?? -1
      // Most rows come in the order in which they are given.
      if (updates[place]?.key === key) placed[place] = rows[at]
      else stored.set(keyIdentity(key), rows[at] ?? {})
    }
    const fields = namesOfColumns(collection, columns)
    for (const at of together.places) changed[at] = fields
  }
  const rows = updates.map(
    ({ key }, at) => placed[at] ?? (stored.size === 0 ? undefined : stored.get(keyIdentity(key))),
  )
  // A key that several rows share is the key of none, and a row may spell it otherwise.
  if (count > rows.filter((row) => row !== undefined).length) throw new UnsureRows()
  return {
    rows,
    written: updates.map(({ key, payload }, at) => ({ key, payload, fields: changed[at] ?? [] })),
  }
}
