// Creates items, and the new ones in them, by statements that judge all of them, in one transaction. Where one is in doubt all are undone, and the
// general path finds out what is in the way.

import type { EngineInternals } from '../../engine/engine.ts'
import { isEngineError } from '../../errors/errors.ts'
import type { Options } from '../../execution/database.ts'
import { type Key, shownKeyOf } from '../../plan/key.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import type { Row } from '../../rows/row.ts'
import { type Collection, keyFieldsOf } from '../../schema/model.ts'
import { ofRows } from '../../writes/context/in-halves.ts'
import { canUndo, inOneUnit } from '../../writes/context/retry.ts'
import { judging } from '../../writes/context/row-template.ts'
import { hasHooksBefore } from '../../writes/context/single-statement.ts'
import { newWriteContext, type WriteContext } from '../../writes/context/write-context.ts'
import { deleteVersionsOf } from '../../writes/delete/delete-versions.ts'
import { countOn } from '../../writes/insert/count-on.ts'
import type { InsertStatement } from '../../writes/insert/insert-by-statement.ts'
import { countsKeys, insertCounted, withCountedKeys } from '../../writes/insert/sequential-keys.ts'
import { asksSomething } from '../../writes/obligations/row-obligations.ts'
import {
  type RowsTogether,
  rowsTogether,
  runTogether,
  UnsureRows,
} from '../../writes/program/rows-together.ts'
import { announceItems, isHeard, noteUnheard } from '../../writes/stored/announce.ts'
import { refuseReplaced } from '../../writes/stored/replaced-rows.ts'
import { readKeys } from '../../writes/stored/rows-by-key.ts'
import { hasTriggers, knownTriggers } from '../../writes/stored/side-effects.ts'
import type { ItemRow } from '../read/item-row.ts'
import { itemsWritten } from '../read/read-back.ts'
import {
  areJudgedAlone,
  type ChildRows,
  type NewRows,
  newRows,
  templatesOfNew,
  withParents,
  writtenLevels,
} from './new-rows.ts'
import { type RowsReported, resultsTogether, rowOfMany } from './results-together.ts'
import type { ShapedItems } from './write-and-read.ts'

/** Creates items with the new ones in them, and returns their results; undefined if nothing is created, because statements alone cannot judge all of
 *  them. */
export async function createTogether(
  { collection, intents, shape }: ShapedItems,
  engine: EngineInternals,
  options: Options,
): Promise<readonly unknown[] | undefined> {
  if (!judging.isByStatement || !canUndo(engine)) return undefined
  if (hasHooksBefore(engine, 'items.create', collection)) return undefined
  const writing = newWriteContext(engine, options)
  const all = newRows(collection, intents, writing)
  const isNested = all !== undefined && all.below.length > 0
  const whole = rowOfMany(shape, engine)
  // Anything but the key may change with the rows below.
  const row = isNested && !whole?.columns.isKeyAlone ? shape.keyRow(engine) : whole
  const templates = all && row && templatesOfNew(all, row, writing)
  if (!templates || (isNested && !(await areJudgedAlone(writtenLevels({ ...all, templates }), writing))))
    return undefined
  const bound = boundItems({ ...all, templates }, row, writing)
  if (!bound) return undefined
  // Rows of several statements are not inserted in the order in which they are given, which triggers would see.
  if (bound.length > 1 && (knownTriggers(collection, writing) ?? (await hasTriggers(collection, writing))))
    return undefined
  try {
    return await withCountedKeys(async () =>
      inOneUnit(engine, options, async (inside) => {
        const own = newWriteContext(inside, options)
        const { keys, rows } = await createRows(all, bound, own)
        await createBelow(all, keys, own)
        if (!rows) return itemsWritten(shape, keys, inside, options)
        return resultsTogether(rows, keys, { shape, row }, own)
      }),
    )
  } catch (error) {
    const isOfRow = isEngineError(error) && ofRows.has(error.code)
    if (error instanceof UnsureRows || isOfRow) return undefined
    throw error
  }
}

type Bound = readonly RowsTogether<InsertStatement>[]

/** Creates items, and reports them. The rows are undefined where only their keys are known. */
async function createRows(
  { collection, payloads, rows, around }: NewRows,
  bound: Bound,
  inside: WriteContext,
): Promise<{ readonly keys: readonly Key[]; readonly rows: readonly Row[] | undefined }> {
  const counted = await createCounted({ collection, rows, around }, bound, inside)
  if (around.isCounted) {
    // A listener that was added meanwhile wants the keys.
    if (isHeard('create', collection, inside)) throw new UnsureRows()
    for (const one of counted ? [] : bound)
      await runTogether(collection, one, one.template.rules.storedFields, inside)
    noteUnheard('create', collection, { count: rows.length }, inside)
    return { keys: [], rows: undefined }
  }
  const made = counted ? undefined : await createAll(collection, rows, bound, inside)
  const keys = counted ?? readKeys(made?.rows ?? [], collection, inside)
  const written = keys.map((key, at) => ({ key, payload: payloads[at] ?? {} }))
  await announceItems('create', collection, written, inside)
  return { keys, rows: made?.rows }
}

/** Creates the items in others, once the keys of these are known. */
export async function createBelow(
  { collection, below }: Pick<NewRows, 'collection' | 'below'>,
  keys: readonly Key[],
  inside: WriteContext,
): Promise<void> {
  for (const children of below)
    await createBelow(children, await createChildren(children, collection, keys, inside), inside)
}

export async function createChildren(
  children: ChildRows,
  parent: Collection,
  parents: readonly Key[],
  inside: WriteContext,
): Promise<readonly Key[]> {
  const rows = withParents(
    children,
    parents.map((key) => shownKeyOf(parent, key)),
  )
  const bound = boundItems({ ...children, rows }, children.row, inside)
  if (!bound) throw new UnsureRows()
  return (await createRows({ ...children, rows }, bound, inside)).keys
}

/** Creates items whose keys the database counts, where nothing but the database decides on them, and returns the keys. On such a database that takes
 *  less time than rows of a statement. */
async function createCounted(
  { collection, rows, around }: Pick<NewRows, 'collection' | 'rows' | 'around'>,
  [together, ...others]: readonly RowsTogether<InsertStatement>[],
  inside: WriteContext,
): Promise<readonly Key[] | undefined> {
  if (!together || others.length > 0) return undefined
  const { rules } = together.template
  if (rules.isLimited && (around.owner === undefined || asksSomething(rules))) return undefined
  if (!countsKeys(collection, inside.engine.dialect)) return undefined
  if (collection.key?.value.family !== 'integer' || givenKeyFields(collection, rows).length > 0)
    return undefined
  // No row of such an insert looks for triggers that were added since another call has asked.
  if (rules.isLimited && (await hasTriggers(collection, inside))) throw new UnsureRows()
  const { fields } = together.template.layout
  const keys = await insertCounted({ collection, fields, isSilent: around.isCounted }, together.rows, inside)
  await followKeys(collection, keys, inside)
  return keys
}

const givenKeyFields = (collection: Collection, [first]: readonly ItemData[]) =>
  keyFieldsOf(collection).filter(({ name }) => first && Object.hasOwn(first, name))

/** Binds the items; undefined if statements alone cannot judge one of them. */
export const boundItems = (
  { collection, rows, templates }: Pick<ChildRows, 'collection' | 'rows' | 'templates'>,
  { columns: returned }: ItemRow,
  writing: WriteContext,
): Bound | undefined =>
  rowsTogether({ collection, payloads: rows, returned, templates, cellsOf: (bound) => bound }, writing)

/** Runs the statements, and returns the rows in the order of the items. */
export async function createAll(
  collection: Collection,
  payloads: readonly ItemData[],
  bound: Bound,
  inside: WriteContext,
): Promise<RowsReported> {
  const stored: Row[] = []
  for (const together of bound) {
    const rows = await runTogether(collection, together, together.template.rules.storedFields, inside)
    for (const [at, place] of together.places.entries()) stored[place] = rows[at] ?? {}
  }
  const keys = readKeys(stored, collection, inside)
  await countOn(collection, givenKeyFields(collection, payloads), keys, inside)
  await followKeys(collection, keys, inside)
  return { rows: stored, written: keys.map((key, at) => ({ key, payload: payloads[at] ?? {} })) }
}

/** Does what hangs on the keys of new items. */
async function followKeys(collection: Collection, keys: readonly Key[], inside: WriteContext): Promise<void> {
  await refuseReplaced(collection, keys, [], inside)
  await deleteVersionsOf(collection, keys, inside)
}
