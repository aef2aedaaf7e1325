// Inserts new items that are plain rows with the same fields: they need no plan of their own and have no hooks. All other items take the
// general path, which also reports their mistakes.

import type { Dialect } from '../../dialects/dialect.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import type { Options } from '../../execution/database.ts'
import { attemptOr } from '../../execution/report-errors.ts'
import type { Key } from '../../plan/key.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import {
  bindItems,
  type Insertion,
  isNamed,
  type RowLayout,
  rowLayoutOf,
} from '../../plan/write/row-layout.ts'
import { type Collection, soleKeyOf } from '../../schema/model.ts'
import { memoFor } from '../../values/memo.ts'
import { announceItems, isHeard, noteUnheard, runAlone } from '../announce.ts'
import { passesValidations } from '../authorize/passes-validations.ts'
import { deleteVersionsOf } from '../delete/delete-versions.ts'
import { areTooLong } from '../program/returned-length.ts'
import { refuseReplaced } from '../replaced-rows.ts'
import { inOneUnit } from '../retry.ts'
import { readKeys } from '../rows-by-key.ts'
import { hasTriggers, knownTriggers, noteTriggers } from '../update/side-effects.ts'
import { hasHooksBefore, takesTransaction } from '../update/single-statement.ts'
import { newWriteContext, type WriteContext } from '../write-context.ts'
import { batchesOf, batchSize } from './batches.ts'
import {
  type ItemToInsert,
  insertCounted,
  insertReturned,
  insertReturningKeys,
  insertTelling,
  type NewRows,
  partOf,
  type Returning,
  textOf,
} from './insert-rows.ts'
import { withCountedKeys } from './sequential-keys.ts'

/** The result that a call makes of the keys of new items. `isReadAgain`: for that it reads the items on the database where they were
 *  written. */
export interface UniformResult<Answer = readonly unknown[]> {
  readonly isReadAgain: boolean
  /** Returns the statement that inserts one item and returns its result; undefined if its row is not enough for that. */
  readonly returning: (insertion: Insertion) => Returning<Answer> | undefined
  readonly of: (keys: readonly Key[], inside: EngineInternals) => Answer | Promise<Answer>
  /** Creates the items by the general path. */
  readonly otherwise: () => Promise<Answer>
}

/** Items that are rows of one layout, with their bound values. */
export interface UniformItems {
  readonly rows: NewRows
  readonly writing: WriteContext
}

/** Reads items as rows of one layout. Undefined if they differ, if hooks have to run, or if rules limit the caller. */
export function readUniform(
  collection: Collection,
  items: readonly ItemToInsert[],
  engine: EngineInternals,
  options: Options,
): UniformItems | undefined {
  if (engine.scope?.permissions || !isOpen(collection, engine)) return undefined
  // Many rows whose keys the database returns are as fast as rows of a program.
  if (items.length > 1 && !engine.dialect.countsKeys) return undefined
  const writing = newWriteContext(engine, options)
  const [first] = items
  const layout = first && layoutFor(collection, first.payload, engine)
  if (!layout || !passesValidations(collection, items, writing)) return undefined
  const bound = bindItems(layout, items, writing.moment)
  return bound && { rows: { collection, layout, items, bound }, writing }
}

/** Inserts items of one layout, and returns the result for their keys. */
export function insertUniform<Answer>(
  { rows, writing }: UniformItems,
  answer: UniformResult<Answer>,
): Answer | Promise<Answer> {
  const { collection, items } = rows
  const { caller: engine } = writing
  // One row needs no transaction around it. Of several a trigger may skip some, and then all have to be undone.
  const isAlone = items.length === 1 && !collection.isVersioned && engine.dialect.returning.insert
  if (!isAlone || engine.unit || takesTransaction(engine, 'items.create', collection))
    return createTogether(rows, writing, answer)
  if (answer.isReadAgain) return insertAndRead(rows, writing, answer)
  const keys = runAlone('create', { collection }, writing, () => insertReturningKeys(rows, writing))
  const answerOf = (known: readonly Key[]) => {
    const announced = announceNew(known, rows, writing)
    if (announced === undefined) return answer.of(known, engine)
    return announced.then(() => answer.of(known, engine))
  }
  return keys instanceof Promise ? keys.then(answerOf) : answerOf(keys)
}

/** Reports new items. Returns a promise if hooks have to be waited for. */
function announceNew(
  keys: readonly Key[],
  { collection, items }: NewRows,
  writing: WriteContext,
): Promise<void> | undefined {
  if (!isHeard('create', collection, writing)) {
    noteUnheard('create', collection, { count: keys.length, keys: () => keys }, writing)
    return undefined
  }
  const written = items.flatMap(({ payload }, at) => {
    const key = keys[at]
    return key === undefined ? [] : [{ key, payload }]
  })
  return announceItems('create', collection, written, writing)
}

/** Inserts one item whose result needs its row. */
async function insertAndRead<Answer>(
  rows: NewRows,
  writing: WriteContext,
  answer: UniformResult<Answer>,
): Promise<Answer> {
  const { collection } = rows
  const { caller: engine } = writing
  const returning = areTooLong(rows.bound, engine.limits)
    ? undefined
    : answer.returning(textOf(rows, writing))
  if (!returning || (knownTriggers(collection, writing) ?? (await hasTriggers(collection, writing))))
    return createTogether(rows, writing, answer)
  const row = await runAlone('create', { collection }, writing, () =>
    insertReturned(rows, returning, writing),
  )
  let returned = returning.answer(row)
  const keys = readKeys([row], collection, writing)
  if (returning.isFollowed(row)) {
    noteTriggers(collection, writing, true)
    // The item is stored, even if reading it again fails.
    returned = await attemptOr(async () => answer.of(keys, engine), returned, engine.onError)
  }
  await announceNew(keys, rows, writing)
  return returned
}

function createTogether<Answer>(
  rows: NewRows,
  writing: WriteContext,
  answer: UniformResult<Answer>,
): Promise<Answer> {
  const { collection, layout, items } = rows
  const { caller: engine, options } = writing
  const parts = batchesOf(items.length, batchSize(layout.fields.length)).map(([from, until]) =>
    partOf(rows, from, until),
  )
  return withCountedKeys(collection, engine.dialect, (isCounted) =>
    inOneUnit(engine, options, async (inside) => {
      const own = { ...writing, engine: inside.whole(), caller: inside }
      const keys = isCounted ? await insertCounted(parts, own) : await insertTelling(parts, own)
      await refuseReplaced(collection, keys, [], own)
      await deleteVersionsOf(collection, keys, own)
      await announceNew(keys, rows, own)
      return answer.of(keys, inside)
    }),
  )
}

/** True if no hooks run before rows are inserted, and the database numbers them. */
function isOpen(collection: Collection, engine: EngineInternals): boolean {
  const { key, isSingleton } = collection
  if (isSingleton || key?.kind !== 'scalar' || key.value.family !== 'integer') return false
  return !hasHooksBefore(engine, 'items.create', collection)
}

/** Row layouts of a collection by dialect. There are few, because few places in a program write to a collection. */
const layouts = new WeakMap<Dialect, WeakMap<Collection, RowLayout[]>>()
const layoutsKept = 20

/** Returns the layout for items with the fields of the first one. */
function layoutFor(
  collection: Collection,
  first: ItemData,
  { dialect }: EngineInternals,
): RowLayout | undefined {
  if (Object.hasOwn(first, soleKeyOf(collection).name)) return undefined
  const kept = layoutsOf(collection, dialect)
  const known = kept.find(({ names }) => isNamed(first, names))
  if (known) return known
  const made = rowLayoutOf(collection, Object.keys(first), dialect)
  if (!made) return undefined
  if (kept.length === layoutsKept) kept.shift()
  kept.push(made)
  return made
}

function layoutsOf(collection: Collection, dialect: Dialect): RowLayout[] {
  const known = memoFor(layouts, dialect, () => new WeakMap())
  return memoFor(known, collection, () => [])
}
