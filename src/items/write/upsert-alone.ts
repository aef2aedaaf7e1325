// Upserts by two statements that judge what they write: an update of the rows that have the same values, and an insert of the others, of which the first one
// has found nothing.
import type { EngineInternals } from '../../engine/engine.ts'
import type { Options } from '../../execution/database.ts'
import { isNameOfKey, keyIdentities } from '../../plan/key.ts'
import { incrementedNames } from '../../plan/write/increment.ts'
import { type Collection, keyOf } from '../../schema/model.ts'
import { canUndo, inOneUnit } from '../../writes/context/retry.ts'
import { judging } from '../../writes/context/row-template.ts'
import { takesTransaction } from '../../writes/context/single-statement.ts'
import { newWriteContext, type WriteContext } from '../../writes/context/write-context.ts'
import { alone } from '../../writes/program/judged-row.ts'
import { type RowsTogether, UnsureRows } from '../../writes/program/rows-together.ts'
import { announceItems, isHeard, type WrittenItem } from '../../writes/stored/announce.ts'
import { mayReplace } from '../../writes/stored/replaced-rows.ts'
import { readKeys } from '../../writes/stored/rows-by-key.ts'
import { forgetOrder, hasTriggers, knownTriggers } from '../../writes/stored/side-effects.ts'
import type { UpdateStatement } from '../../writes/update/update-by-statement.ts'
import { storedKeys, type Upsert } from '../../writes/upsert/find-items.ts'
import type { Upserted } from '../../writes/upsert/upsert-rows.ts'
import { refersToItself } from '../../writes/upsert/write-in-turns.ts'
import type { AnswerShape } from '../read/answer-shape.ts'
import { createUnlessThere } from './create-alone.ts'
import { boundItems, createAll } from './create-together.ts'
import { boundUpdates, updateFound } from './keyed-updates.ts'
import { areKeyedAlike, templatesOfNew } from './new-rows.ts'
import { resultsTogether, rowOfMany } from './results-together.ts'
import { updateByStatement } from './update-alone.ts'
import { leaveToOthers } from './upsert-together.ts'

type Answer = Upserted<readonly unknown[]>

/** Writes the only item of an upsert. Undefined if nothing is written: the general path writes it, or finds out what is in the way. */
export async function upsertAlone(
  upsert: Upsert & { readonly shape: AnswerShape },
  engine: EngineInternals,
  options: Options,
): Promise<Answer | undefined> {
  const { collection, on, items, shape } = upsert
  const [item, ...others] = items
  if (!item || isAttended(upsert, engine)) return undefined
  if (others.length > 0) return upsertEach(upsert, engine, options)
  const { payload, rest, path, on: key } = item
  const isFoundAsStored = on.fields.every(({ value }) => engine.dialect.isFoundAsStored?.(value))
  const writing = newWriteContext(engine, options)
  // Some triggers fire before a row is inserted, even if it is not, and an insert that takes another row away takes one that may not be updated.
  if (knownTriggers(collection, writing) ?? (await hasTriggers(collection, writing))) return undefined
  if (await mayReplace(collection, writing)) return undefined
  const write = async (inside: EngineInternals): Promise<Answer | undefined> => {
    const change = { payload: rest, path, action: 'update', key } as const
    const updated = await updateByStatement(
      { collection, intent: change, shape, by: on.together },
      inside,
      options,
    )
    if (updated) return { result: updated, created: 0, updated: 1 }
    // Values that are equal may have other forms, which no index takes for the same.
    if (!isFoundAsStored) return undefined
    const intent = { payload, path, action: 'create' } as const
    const created = await createUnlessThere({ collection, intent, shape }, on.fields, inside, options)
    return created && { result: created, created: 1, updated: 0 }
  }
  const takesUnit = engine.unit !== undefined || collection.isVersioned || !shape.row(engine)
  if (takesUnit && !canUndo(engine)) return undefined
  try {
    return await (takesUnit ? inOneUnit(engine, options, write) : write(engine))
  } catch (error) {
    return leaveToOthers(error, upsert, engine)
  }
}

/** Writes the items of an upsert in a transaction, each kind by one statement. Undefined if nothing is written. */
async function upsertEach(
  upsert: Upsert & { readonly shape: AnswerShape },
  engine: EngineInternals,
  options: Options,
): Promise<Answer | undefined> {
  const { collection, on, items, shape } = upsert
  const row = rowOfMany(shape, engine)
  // An item may refer to one that another of the call changes.
  if (!row || !judging.isByStatement || !canUndo(engine) || refersToItself(collection)) return undefined
  const before = newWriteContext(engine, options)
  if (knownTriggers(collection, before) ?? (await hasTriggers(collection, before))) return undefined
  if (await mayReplace(collection, before)) return undefined
  const tried: RowsTogether<UpdateStatement>[] = []
  const write = async (inside: EngineInternals): Promise<Answer> => {
    const writing = newWriteContext(inside, options)
    const isByKey = on.together === keyOf(collection)
    const known = isByKey ? items.map(({ on: key }) => key) : await storedKeys(upsert, writing)
    const updates = items.flatMap(({ rest, on: values }, at) => {
      const key = known[at]
      return key === undefined ? [] : [{ key, on: values, values: rest, payload: rest }]
    })
    const changes = boundUpdates({ collection, by: on.together }, updates, row, writing)
    // Two items may be one for the database.
    if (!changes || keyIdentities(updates.map(({ key }) => key)).size < updates.length) throw new UnsureRows()
    tried.push(...changes)
    const found = await updateFound(collection, updates, changes, writing)
    // A row that is stored, and is not found as it is seen, may not be written.
    if (!isByKey && found.rows.includes(undefined)) throw new UnsureRows()
    const places = found.rows.values()
    const isNew = known.map((key) => key === undefined || places.next().value === undefined)
    const created = items.flatMap(({ payload }, at) => (isNew[at] ? [payload] : []))
    const templates = templatesOfNew({ collection, rows: created, around: alone }, row, writing)
    const inserts = templates && boundItems({ collection, rows: created, templates }, row, writing)
    if (!inserts || !areKeyedAlike(collection, created)) throw new UnsureRows()
    const made = await createAll(collection, created, inserts, writing)
    const updated = found.written.filter((_, at) => found.rows[at] !== undefined)
    await announceInOrder(collection, { isNew, updated, made: made.written }, writing)
    const rows = inOrder(
      isNew,
      made.rows,
      found.rows.filter((one) => one !== undefined),
    )
    const keys = readKeys(rows, collection, writing)
    const result = await resultsTogether(rows, keys, { shape, row }, writing)
    return { result, created: created.length, updated: updated.length }
  }
  try {
    return await inOneUnit(engine, options, write)
  } catch (error) {
    // The statement may have written nothing because the catalogue is in another state.
    for (const { template } of tried) forgetOrder(collection, template, before)
    if (error instanceof UnsureRows) return undefined
    return leaveToOthers(error, { collection, on }, engine)
  }
}

/** Reports the items of a list in its order. */
async function announceInOrder(
  collection: Collection,
  { isNew, updated, made }: Written,
  writing: WriteContext,
): Promise<void> {
  if (isHeard('create', collection, writing) && isHeard('update', collection, writing))
    for (const [at, item] of inOrder(isNew, made, updated).entries())
      await announceItems(isNew[at] ? 'create' : 'update', collection, [item], writing)
  else {
    await announceItems('create', collection, made, writing)
    await announceItems('update', collection, updated, writing)
  }
}

interface Written {
  readonly isNew: readonly boolean[]
  readonly updated: readonly WrittenItem[]
  readonly made: readonly WrittenItem[]
}

/** Returns what belongs to new items and to others, in the order of the list. */
function inOrder<One>(
  isNew: readonly boolean[],
  made: readonly One[],
  others: readonly One[],
): readonly One[] {
  const [news, olds] = [made.values(), others.values()]
  return isNew.flatMap((is) => {
    const { value, done } = (is ? news : olds).next()
    return done ? [] : [value]
  })
}

/** True if what one statement finds out is not enough: which of the two it is has to be known before the write, as where an update has nothing to
 *  write, or more than the row. */
const isAttended = ({ collection, items }: Upsert, engine: EngineInternals): boolean =>
  (['items.create', 'items.update'] as const).some((event) => takesTransaction(engine, event, collection)) ||
  items.some(
    ({ rest }) =>
      Object.keys(rest).length === 0 ||
      incrementedNames(collection, rest).length > 0 ||
      Object.keys(rest).some((name) => isNameOfKey(collection, name)),
  )
