import type { EngineInternals } from '../../engine/engine.ts'
import type { OldRow } from '../../engine/listeners.ts'
import { isEngineError } from '../../errors/errors.ts'
import type { Options } from '../../execution/database.ts'
import { orElse, type Soon, soon } from '../../execution/soon.ts'
import { lacksTransactions } from '../../execution/transaction/transaction.ts'
import { isNameOfKey, type Key } from '../../plan/key.ts'
import { updatedColumns } from '../../plan/write/defaults.ts'
import type { Row } from '../../rows/row.ts'
import type { Collection, KeyField } from '../../schema/model.ts'
import { isSpelledFreely, isVisible } from '../../writes/authorize/visible-keys.ts'
import { missing } from '../../writes/context/named-key.ts'
import { inOneUnit } from '../../writes/context/retry.ts'
import { hasHooksBefore, takesTransaction } from '../../writes/context/single-statement.ts'
import { newWriteContext, type WriteContext } from '../../writes/context/write-context.ts'
import type { Intent } from '../../writes/create-or-update.ts'
import { type JudgedRow, runJudged } from '../../writes/program/judged-row.ts'
import { refuseUpdate } from '../../writes/refusals.ts'
import { isAltered, knownAltered } from '../../writes/stored/altered-values.ts'
import { announceItems, runAlone } from '../../writes/stored/announce.ts'
import { oldValues, readOldValues } from '../../writes/stored/old-values.ts'
import { existingKeys, keysIn } from '../../writes/stored/rows-by-key.ts'
import { hasTriggers, isUpdateFollowed, knownUpdate, noteUpdate } from '../../writes/stored/side-effects.ts'
import { boundUpdate, type UpdateStatement } from '../../writes/update/update-by-statement.ts'
import { write } from '../../writes/write.ts'
import type { AnswerShape } from '../read/answer-shape.ts'
import { writtenRow } from '../read/item-row.ts'
import { isReadAgain, itemsWritten } from '../read/read-back.ts'
import { answerOfRow, type ItemToWrite, type LoneWrite } from './answer-of-row.ts'
import { isWhole, runHooks } from './run-hooks.ts'
import { takesUnit } from './write-and-read.ts'

type Items = readonly unknown[]

interface LoneChange extends ItemToWrite<AnswerShape | undefined> {
  /** The field by which an upsert finds the item. */
  readonly by?: KeyField
  /** Values that listeners want, as they were before. */
  readonly old?: OldRow | undefined
}

/** Updates an item by the statement that judges it: without a promise if the database responds synchronously. Undefined if it was not updated. */
export function updateAlone(
  item: ItemToWrite,
  engine: EngineInternals,
  options: Options,
): Soon<Items | undefined> {
  const { collection, intent, shape } = item
  if (takesUnit('items.update', item, engine)) return updateInUnit(item, engine, options)
  const updated = updateByStatement(item, engine, options)
  if (updated !== undefined || !isReadAgain(shape, engine)) return updated
  // Changes of a trigger are read in the transaction of the update.
  const columns = updatedColumns(collection, intent.payload)
  const isFollowed = knownUpdate(collection, columns, newWriteContext(engine, options))
  return isFollowed ? updateInUnit(item, engine, options) : undefined
}

/** Updates an item that is one row, by one statement that judges it, if that is possible: without a promise if the database responds
 *  synchronously. Undefined if it is not. */
export function updateByStatement(
  { collection, intent, shape, old, by }: LoneChange,
  engine: EngineInternals,
  options: Options,
): Soon<Items | undefined> {
  const { key, payload } = intent
  const row = shape && writtenRow(shape, engine)
  if (!row || key === undefined) return undefined
  const writing = newWriteContext(engine, options)
  const change = { collection, by, key, payload }
  const judged = boundUpdate(change, row, writing)
  // A statement that fails within a transaction cannot be looked at again.
  if (!judged || (engine.unit && judged.template.incremented.length > 0)) return undefined
  const { columns, isJudged, rules } = judged.template
  const { storedFields } = rules
  const isFollowed = knownUpdate(collection, columns, writing)
  if (isFollowed === true) {
    // The row has other values in the end than the statement returns.
    const mayRead = !isJudged && (engine.unit || !isReadAgain(shape, engine))
    const keyRow = mayRead ? shape.keyRow(engine) : undefined
    const anew = keyRow && boundUpdate(change, keyRow, writing)
    return (
      anew && runUpdate({ action, collection, intent, shape, old, by, judged: anew, row: keyRow }, writing)
    )
  }
  const run = () => runUpdate({ action, collection, intent, shape, old, by, judged, row, columns }, writing)
  const isAsGiven = storedFields.length === 0 || knownAltered(collection, storedFields, writing) === false
  if (isFollowed === false && isAsGiven) return run()
  return isStoredOtherwise(judged, writing).then((is) => (is ? undefined : run()))
}

const action = 'update'

/** True if a row may be stored otherwise than it is given, or changes again. */
const isStoredOtherwise = async (
  { template: { columns, rules }, row: { collection } }: JudgedRow<UpdateStatement>,
  writing: WriteContext,
): Promise<boolean> =>
  (await isUpdateFollowed(collection, columns, writing)) ||
  (rules.storedFields.length > 0 && (await isAltered(collection, rules.storedFields, writing)))

/** Leaves it to the general path to find the field whose range a sum is beyond. */
function unlessBeyond(error: unknown): undefined {
  if (isEngineError(error) && error.code === 'VALUE_OUT_OF_RANGE') return undefined
  throw error
}

function runUpdate(lone: LoneUpdate, writing: WriteContext): Soon<Items | undefined> {
  const { collection, judged, intent, by } = lone
  const { columns, incremented } = judged.template
  const noteFollowed = () => noteUpdate(collection, columns, writing, true)
  const answer = (row: Row | undefined) =>
    row ? answerOfRow(row, lone, noteFollowed, writing) : refuse(lone, writing)
  const keys = by || intent.key === undefined ? undefined : [intent.key]
  const update = () =>
    soon(
      runAlone('update', { collection, keys }, writing, () => runJudged(judged, intent.path, writing)),
      answer,
    )
  return incremented.length > 0 ? orElse(update, unlessBeyond) : update()
}

/** Refuses an update that has written nothing. Looks for triggers again: one that was added meanwhile is in the way. */
async function refuse(
  { collection, judged, intent, by }: LoneUpdate,
  writing: WriteContext,
): Promise<undefined> {
  const { template, statement } = judged
  const { isJudged, columns, layout, rules } = template
  if (isJudged && (await hasTriggers(collection, writing))) noteUpdate(collection, columns, writing, true)
  else if (!by) {
    const { conditions } = rules
    await refuseUpdate({ collection, intent, conditions, layout, values: statement.values }, writing)
  }
}

interface LoneUpdate extends LoneWrite {
  readonly judged: JudgedRow<UpdateStatement>
  /** The field by which an upsert finds the item, which creates it if none is updated. */
  readonly by?: KeyField | undefined
}

/** Updates an item in a transaction, in which the hooks before it run and what is more than its row is read, by the statement that judges it, where
 *  that is enough. */
function updateInUnit(
  { collection, intent, shape }: ItemToWrite,
  engine: EngineInternals,
  options: Options,
): Soon<Items> {
  return inOneUnit(engine, options, (inside) => {
    const generally = async (item: Intent) => {
      const written = await write(collection, [item], newWriteContext(inside, options))
      return itemsWritten(shape, keysIn(written), inside, options)
    }
    const update = (item: Intent, old?: OldRow) =>
      soon(
        updateByStatement({ collection, intent: item, shape, old }, inside, options),
        (items) => items ?? generally(item),
      )
    if (!takesTransaction(inside, 'items.update', collection)) return update(intent)
    const writing = newWriteContext(inside, options)
    return soon(hookedUpdate(collection, intent, writing), (hooked) => {
      if (!hooked || !isWhole(hooked)) return generally(hooked ?? intent)
      return soon(oldRow(collection, hooked, writing), (old) => update(hooked, old))
    })
  })
}

function oldRow(
  collection: Collection,
  { key }: Intent,
  writing: WriteContext,
): Promise<OldRow | undefined> | undefined {
  const { listeners } = writing.engine.hooks
  if (key === undefined || listeners.oldFields('items.update', collection.name).length === 0) return undefined
  const read = readOldValues('update', collection, [key], writing)
  return read.then(() => oldValues(collection, [key], writing)?.[0])
}

/** Returns an update as the hooks want it; undefined if the general path has to run them. */
function hookedUpdate(
  collection: Collection,
  intent: Intent,
  writing: WriteContext,
): Soon<Intent | undefined> {
  const { key, payload } = intent
  const namesKey = Object.keys(payload).some((name) => isNameOfKey(collection, name))
  if (key === undefined || namesKey || isSpelledFreely(collection)) return undefined
  if (!hasHooksBefore(writing.engine, 'items.update', collection)) return intent
  // Hooks are not called for items that the caller may not see.
  return soon(isVisible(collection, key, writing), (isSeen) =>
    isSeen ? runHooks('update', collection, intent, writing) : undefined,
  )
}

/** Updates an item that is one row on the general path: without a transaction where nothing of the row is read again, or there are none. */
export async function updateLone(
  { collection, intent, shape }: ItemToWrite<AnswerShape | undefined>,
  engine: EngineInternals,
  options: Options,
): Promise<Items> {
  const alone = async () => {
    const named = intent.key === undefined ? undefined : [intent.key]
    const writing = newWriteContext(engine, options)
    const work = () => updateRow(collection, intent, newWriteContext(engine, options))
    const keys = await runAlone('update', { collection, keys: named }, writing, work)
    const written = keys.map((key) => ({ key, payload: intent.payload }))
    await announceItems('update', collection, written, writing)
    return itemsWritten(shape, keys, engine, options)
  }
  if (!isReadAgain(shape, engine)) return alone()
  try {
    return await inOneUnit(engine, options, async (inside) => {
      const keys = await updateRow(collection, intent, newWriteContext(inside, options))
      return itemsWritten(shape, keys, inside, options)
    })
  } catch (error) {
    if (!lacksTransactions(engine.home)) throw error
    return alone()
  }
}

/** Updates one row. Its own statement reports whether it exists, unless there is nothing to change. */
async function updateRow(
  collection: Collection,
  intent: Intent,
  writing: WriteContext,
): Promise<readonly Key[]> {
  const items = await write(collection, [{ ...intent, isCheckedByUpdate: intent.key !== undefined }], writing)
  const keys = keysIn(items)
  if (!items.some(({ values }) => values.size === 0)) return keys
  const stored = await existingKeys(collection, keys, writing)
  if (stored.length < keys.length) throw missing(intent.path)
  return stored
}
