// Creates several items that are one row each by statements that judge all of them, in one transaction. Where one is in doubt all are undone, and the
// general path finds out what is in the way.
import type { EngineInternals } from '../../engine/engine.ts'
import { isEngineError } from '../../errors/errors.ts'
import type { Options } from '../../execution/database.ts'
import type { Key } from '../../plan/key.ts'
import type { Row } from '../../rows/row.ts'
import { type Collection, keyFieldsOf } from '../../schema/model.ts'
import { announceItems, type WrittenItem } from '../../writes/announce.ts'
import { ofRows } from '../../writes/constraint-error.ts'
import type { Intent } from '../../writes/create-or-update.ts'
import { deleteVersionsOf } from '../../writes/delete/delete-versions.ts'
import { countOn } from '../../writes/insert/count-on.ts'
import { type InsertStatement, templateOfNew } from '../../writes/insert/insert-by-statement.ts'
import { insertCounted, withCountedKeys } from '../../writes/insert/sequential-keys.ts'
import { boundValuesOf } from '../../writes/program/judged-row.ts'
import { judging } from '../../writes/program/row-template.ts'
import {
  type RowsTogether,
  rowsTogether,
  runTogether,
  UnsureRows,
} from '../../writes/program/rows-together.ts'
import { refuseReplaced } from '../../writes/replaced-rows.ts'
import { canUndo, inOneUnit } from '../../writes/retry.ts'
import { readKeys } from '../../writes/rows-by-key.ts'
import { hasTriggers, knownTriggers } from '../../writes/update/side-effects.ts'
import { hasHooksBefore } from '../../writes/update/single-statement.ts'
import { newWriteContext, type WriteContext } from '../../writes/write-context.ts'
import type { ItemRow } from '../read/item-row.ts'
import { itemsWritten } from '../read/read-back.ts'
import { type RowsReported, resultsTogether, rowOfMany } from './results-together.ts'
import type { ShapedItems } from './write-and-read.ts'

/** Creates items, and returns their results; undefined if nothing is created, because statements alone cannot judge all of them. */
export async function createTogether(
  { collection, intents, shape }: ShapedItems,
  engine: EngineInternals,
  options: Options,
): Promise<readonly unknown[] | undefined> {
  if (!judging.isByStatement || !canUndo(engine)) return undefined
  if (hasHooksBefore(engine, 'items.create', collection) || !areKeyedAlike(collection, intents))
    return undefined
  const row = rowOfMany(shape, engine)
  const writing = newWriteContext(engine, options)
  const bound = row && boundItems(collection, intents, row, writing)
  if (!bound) return undefined
  // Rows of several statements are not inserted in the order in which they are given, which triggers would see.
  if (bound.length > 1 && (knownTriggers(collection, writing) ?? (await hasTriggers(collection, writing))))
    return undefined
  try {
    return await withCountedKeys(collection, engine.dialect, (isCounted) =>
      inOneUnit(engine, options, async (inside) => {
        const own = newWriteContext(inside, options)
        const keys = isCounted ? await createCounted(collection, intents, bound, own) : undefined
        if (keys) return itemsWritten(shape, keys, inside, options)
        const { rows, written } = await createAll(collection, intents, bound, own)
        await announceItems('create', collection, written, own)
        return resultsTogether(rows, readKeys(rows, collection, own), { shape, row }, own)
      }),
    )
  } catch (error) {
    const isOfRow = isEngineError(error) && ofRows.has(error.code)
    if (error instanceof UnsureRows || isOfRow) return undefined
    throw error
  }
}

/** True if all items have a key of their own, or none has: what the database counts up goes on behind a given one. */
export const areKeyedAlike = (collection: Collection, [first, ...others]: readonly Intent[]): boolean =>
  keyFieldsOf(collection).every(({ name }) => {
    const isGiven = first !== undefined && Object.hasOwn(first.payload, name)
    return others.every(({ payload }) => Object.hasOwn(payload, name) === isGiven)
  })

/** Creates items whose keys the database counts, where nothing but the database decides on them, and returns the keys. On such a database that takes
 *  less time than rows of a statement. */
async function createCounted(
  collection: Collection,
  intents: readonly Intent[],
  [together, ...others]: readonly RowsTogether<InsertStatement>[],
  inside: WriteContext,
): Promise<readonly Key[] | undefined> {
  if (!together || others.length > 0 || together.template.rules.isLimited) return undefined
  if (collection.key?.value.family !== 'integer' || givenKeyFields(collection, intents).length > 0)
    return undefined
  const { fields } = together.template.layout
  const keys = await insertCounted({ collection, fields }, together.rows, inside)
  await announceItems('create', collection, await followKeys(collection, intents, keys, inside), inside)
  return keys
}

const givenKeyFields = (collection: Collection, [first]: readonly Intent[]) =>
  keyFieldsOf(collection).filter(({ name }) => first && Object.hasOwn(first.payload, name))

/** Binds the items; undefined if statements alone cannot judge one of them. */
export function boundItems(
  collection: Collection,
  intents: readonly Intent[],
  owner: ItemRow,
  writing: WriteContext,
): readonly RowsTogether<InsertStatement>[] | undefined {
  const newRow = ({ payload, path }: Intent) =>
    ({ collection, path, payload, returned: owner.columns, isOfMany: true }) as const
  return rowsTogether(
    collection,
    intents,
    {
      templateFor: (intent) => templateOfNew(newRow(intent), owner, writing),
      bind: (intent, template, called) => {
        const one = boundValuesOf(template, newRow(intent), called, writing)
        return one && { one, cells: one.bound }
      },
    },
    writing,
  )
}

/** Runs the statements, and returns the rows in the order of the items. */
export async function createAll(
  collection: Collection,
  intents: readonly Intent[],
  bound: readonly RowsTogether<InsertStatement>[],
  inside: WriteContext,
): Promise<RowsReported> {
  const stored: Row[] = []
  for (const together of bound) {
    const rows = await runTogether(collection, together, together.template.rules.storedFields, inside)
    for (const [at, place] of together.places.entries()) stored[place] = rows[at] ?? {}
  }
  const keys = readKeys(stored, collection, inside)
  await countOn(collection, givenKeyFields(collection, intents), keys, inside)
  return { rows: stored, written: await followKeys(collection, intents, keys, inside) }
}

/** Does what hangs on the keys of new items, and returns what is to be reported of them. */
async function followKeys(
  collection: Collection,
  intents: readonly Intent[],
  keys: readonly Key[],
  inside: WriteContext,
): Promise<readonly WrittenItem[]> {
  await refuseReplaced(collection, keys, [], inside)
  await deleteVersionsOf(collection, keys, inside)
  return keys.map((key, at) => ({ key, payload: intents[at]?.payload ?? {} }))
}
