import type { EngineInternals } from '../../engine/engine.ts'
import type { Options } from '../../execution/database.ts'
import { attemptOr } from '../../execution/report-errors.ts'
import { type Soon, soon } from '../../execution/soon.ts'
import type { Key } from '../../plan/key.ts'
import type { Row } from '../../rows/row.ts'
import type { StoredField } from '../../schema/model.ts'
import { inOneUnit } from '../../writes/context/retry.ts'
import { hasHooksBefore } from '../../writes/context/single-statement.ts'
import { newWriteContext, type WriteContext } from '../../writes/context/write-context.ts'
import type { Intent } from '../../writes/create-or-update.ts'
import { deleteVersionsOf } from '../../writes/delete/delete-versions.ts'
import { countOn } from '../../writes/insert/count-on.ts'
import { boundInsert, type InsertStatement } from '../../writes/insert/insert-by-statement.ts'
import { type JudgedRow, runJudged } from '../../writes/program/judged-row.ts'
import { isAltered, knownAltered } from '../../writes/stored/altered-values.ts'
import { runAlone } from '../../writes/stored/announce.ts'
import { keysIn, readKeys, refuseLost } from '../../writes/stored/rows-by-key.ts'
import { hasTriggers, knownTriggers, noteTriggers } from '../../writes/stored/side-effects.ts'
import { write } from '../../writes/write.ts'
import { writtenRow } from '../read/item-row.ts'
import { isReadAgain, itemsWritten } from '../read/read-back.ts'
import { answerOfRow, type ItemToWrite, type LoneWrite } from './answer-of-row.ts'
import { isWhole, runHooks } from './run-hooks.ts'
import { takesUnit } from './write-and-read.ts'

type Items = readonly unknown[]
type Created = Soon<Items | undefined>

/** Creates an item by the statement that judges it: without a promise if the database responds synchronously. Undefined if it was not created. */
export function createAlone(item: ItemToWrite, engine: EngineInternals, options: Options): Created {
  const { collection, shape } = item
  const inUnit = () => createInUnit(item, engine, options)
  if (takesUnit('items.create', item, engine)) return inUnit()
  const writing = newWriteContext(engine, options)
  const byStatement = () => {
    const lone = loneInsert(item, writing)
    return lone && insertAlone(lone, writing)
  }
  if (engine.scope?.permissions || !isReadAgain(shape, engine)) return byStatement()
  // Changes of a trigger are read in the transaction of the insert.
  const isFollowed = knownTriggers(collection, writing)
  if (isFollowed !== undefined) return isFollowed ? inUnit() : byStatement()
  return hasTriggers(collection, writing).then((is) => (is ? inUnit() : byStatement()))
}

/** Creates an item by the statement that judges it, unless another one has the same values of some fields. The promise is of undefined if it was not
 *  created. */
export async function createUnlessThere(
  item: ItemToWrite,
  unlessSame: readonly StoredField[],
  engine: EngineInternals,
  options: Options,
): Promise<Items | undefined> {
  const writing = newWriteContext(engine, options)
  const lone = loneInsert(item, writing, unlessSame)
  return lone && insertAlone(lone, writing)
}

/** Creates an item in a transaction, in which the hooks before it run and what is more than its row is read, by the statement that judges it, where
 *  that is enough. */
function createInUnit(
  { collection, intent, shape }: ItemToWrite,
  engine: EngineInternals,
  options: Options,
): Soon<Items> {
  return inOneUnit(engine, options, (inside) => {
    const generally = async (item: Intent) => {
      const written = await write(collection, [item], newWriteContext(inside, options))
      return itemsWritten(shape, keysIn(written), inside, options)
    }
    const create = (item: Intent | undefined) => {
      if (!item || !isWhole(item)) return generally(item ?? intent)
      const writing = newWriteContext(inside, options)
      const lone = loneInsert({ collection, intent: item, shape }, writing)
      return soon(lone && insertAlone(lone, writing), (items) => items ?? generally(item))
    }
    if (!hasHooksBefore(inside, 'items.create', collection)) return create(intent)
    return soon(runHooks('create', collection, intent, newWriteContext(inside, options)), create)
  })
}

interface LoneInsert extends LoneWrite {
  readonly judged: JudgedRow<InsertStatement>
}

function loneInsert(
  { collection, intent, shape }: ItemToWrite,
  writing: WriteContext,
  unlessSame?: readonly StoredField[],
): LoneInsert | undefined {
  const { payload } = intent
  const { caller } = writing
  const isFollowed = caller.unit && knownTriggers(collection, writing)
  const row = isFollowed ? shape.keyRow(caller) : writtenRow(shape, caller)
  const judged = row && boundInsert({ collection, payload, unlessSame }, row, writing)
  return judged && { action: 'create', collection, intent, judged, shape, row }
}

function insertAlone(lone: LoneInsert, writing: WriteContext): Created {
  const { collection, judged } = lone
  const { isJudged, rules } = judged.template
  const { storedFields } = rules
  const isAsGiven = storedFields.length === 0 || knownAltered(collection, storedFields, writing) === false
  if (isAsGiven && (!isJudged || knownTriggers(collection, writing) === false))
    return runInsert(lone, writing)
  return isStoredAsGiven(lone, writing).then((is) => (is ? runInsert(lone, writing) : undefined))
}

async function isStoredAsGiven({ collection, judged }: LoneInsert, writing: WriteContext): Promise<boolean> {
  const { isJudged, rules } = judged.template
  const { storedFields } = rules
  if (isJudged && (knownTriggers(collection, writing) ?? (await hasTriggers(collection, writing))))
    return false
  return storedFields.length === 0 || !(await isAltered(collection, storedFields, writing))
}

function runInsert(lone: LoneInsert, writing: WriteContext): Created {
  const { collection, judged } = lone
  const answer = (row: Row | undefined) => (row ? answerOf(row, lone, writing) : explain(lone, writing))
  const inserted = runAlone('create', { collection }, writing, () =>
    runJudged(judged, lone.intent.path, writing),
  )
  return soon(inserted, answer)
}

/** Finds out what is in the way of an insert that has stored nothing: a trigger that skips rows, if nothing else decides on it. */
async function explain(
  { collection, judged: { template }, intent }: LoneInsert,
  writing: WriteContext,
): Promise<undefined> {
  if (!template.isConditional) refuseLost(collection, [intent])
  // One that was added meanwhile.
  if (template.isJudged) await hasTriggers(collection, writing)
}

function answerOf(row: Row, lone: LoneInsert, writing: WriteContext): Soon<Items> {
  const { collection, judged } = lone
  // A row without a key is refused by its reader.
  if (row[0] === null) readKeys([row], collection, writing)
  const answer = () => answerOfRow(row, lone, () => noteTriggers(collection, writing, true), writing)
  if (!collection.isVersioned && judged.template.keyFields.length === 0) return answer()
  return soon(followKey(lone, readKeys([row], collection, writing), writing), answer)
}

/** Does what hangs on the key of a new item. Outside of a transaction it is stored, even if that fails. */
function followKey(
  { collection, judged }: LoneInsert,
  keys: readonly Key[],
  writing: WriteContext,
): Soon<void> {
  const { keyFields } = judged.template
  const { caller: engine } = writing
  const count = () => countOn(collection, keyFields, keys, writing)
  if (!engine.unit) return attemptOr(count, undefined, engine.onError)
  return soon(keyFields.length > 0 ? count() : undefined, () => deleteVersionsOf(collection, keys, writing))
}
