// Creates an item that is one row, by one statement.
import type { EngineInternals } from '../../engine/engine.ts'
import type { Options } from '../../execution/database.ts'
import { attemptOr } from '../../execution/report-errors.ts'
import type { Key } from '../../plan/key.ts'
import type { StoredField } from '../../schema/model.ts'
import { runAlone } from '../../writes/announce.ts'
import { deleteVersionsOf } from '../../writes/delete/delete-versions.ts'
import { isAltered, knownAltered } from '../../writes/insert/altered-values.ts'
import { countOn } from '../../writes/insert/count-on.ts'
import { type BoundInsert, boundInsert } from '../../writes/insert/insert-by-statement.ts'
import { inOneUnit } from '../../writes/retry.ts'
import { keysIn, readKeys } from '../../writes/rows-by-key.ts'
import { hasTriggers, knownTriggers, noteTriggers } from '../../writes/update/side-effects.ts'
import { hasHooksBefore, takesTransaction } from '../../writes/update/single-statement.ts'
import { write } from '../../writes/write.ts'
import { newWriteContext, type WriteContext } from '../../writes/write-context.ts'
import { writtenRow } from '../read/item-row.ts'
import { itemsWritten } from '../read/read-back.ts'
import { answerOfRow, type ItemToWrite, type LoneWrite } from './answer-of-row.ts'
import { isWhole, runHooks } from './run-hooks.ts'
import type { ItemsToWrite } from './write-and-read.ts'

/** Creates an item by the statement that judges it. The promise is of undefined if it was not created; undefined is returned if that is known at
 *  once, or if no rules limit the caller. */
export function createByStatement(
  { collection, intents: [intent, ...others], shape }: ItemsToWrite,
  engine: EngineInternals,
  options: Options,
): Promise<readonly unknown[] | undefined> | undefined {
  if (!intent || others.length > 0 || !shape || !engine.scope?.permissions || engine.unit) return undefined
  if (collection.isVersioned || takesTransaction(engine, 'items.create', collection)) return undefined
  const writing = newWriteContext(engine, options)
  const lone = loneInsert({ collection, intent, shape }, writing)
  return lone && insertAlone(lone, writing)
}

/** Creates an item by the statement that judges it, unless another one has the same values of some fields. The promise is of undefined if it was not
 *  created. */
export async function createUnlessThere(
  item: ItemToWrite,
  unlessSame: readonly StoredField[],
  engine: EngineInternals,
  options: Options,
): Promise<readonly unknown[] | undefined> {
  const writing = newWriteContext(engine, options)
  const lone = loneInsert(item, writing, unlessSame)
  return lone && insertAlone(lone, writing)
}

/** Creates an item in a transaction, in which the hooks before it run and what is more than its row is read, by the statement that judges it, where
 *  that is enough. */
export function createInUnit(
  { collection, intent, shape }: ItemToWrite,
  engine: EngineInternals,
  options: Options,
): Promise<readonly unknown[]> {
  return inOneUnit(engine, options, async (inside) => {
    const hooked = hasHooksBefore(inside, 'items.create', collection)
      ? await runHooks('create', collection, intent, newWriteContext(inside, options))
      : intent
    const writing = newWriteContext(inside, options)
    const lone =
      hooked && isWhole(hooked) ? loneInsert({ collection, intent: hooked, shape }, writing) : undefined
    const items = lone && (await insertAlone(lone, writing))
    if (items) return items
    const written = await write(collection, [hooked ?? intent], newWriteContext(inside, options))
    return itemsWritten(shape, keysIn(written), inside, options)
  })
}

interface LoneInsert extends LoneWrite {
  readonly judged: BoundInsert
}

function loneInsert(
  { collection, intent: { payload, path }, shape }: ItemToWrite,
  writing: WriteContext,
  unlessSame?: readonly StoredField[],
): LoneInsert | undefined {
  const row = writtenRow(shape, writing.caller)
  const judged =
    row && boundInsert({ collection, path, payload, returned: row.columns, unlessSame }, shape, writing)
  return judged && { action: 'create', collection, payload, judged, shape, row }
}

async function insertAlone(lone: LoneInsert, writing: WriteContext): Promise<readonly unknown[] | undefined> {
  const { collection, judged } = lone
  const { storedFields, isJudged } = judged
  if (isJudged && (knownTriggers(collection, writing) ?? (await hasTriggers(collection, writing))))
    return undefined
  const isAsGiven = storedFields.length === 0 || knownAltered(collection, storedFields, writing) === false
  if (!isAsGiven && (await isAltered(collection, storedFields, writing))) return undefined
  const inserted = await runAlone('create', { collection }, writing, judged.run)
  if (inserted && (collection.isVersioned || judged.keyFields.length > 0))
    await followKey(lone, readKeys([inserted], collection, writing), writing)
  // One that somebody has added meanwhile is in the way.
  if (!inserted && isJudged) await hasTriggers(collection, writing)
  return inserted && answerOfRow(inserted, lone, () => noteTriggers(collection, writing, true), writing)
}

/** Does what hangs on the key of a new item. Outside of a transaction it is stored, even if that fails. */
async function followKey(
  { collection, judged }: LoneInsert,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<void> {
  const { caller: engine } = writing
  const count = () => countOn(collection, judged.keyFields, keys, writing)
  if (!engine.unit) return attemptOr(count, undefined, engine.onError)
  await count()
  await deleteVersionsOf(collection, keys, writing)
}
