// The result of an item that one statement has written, and what has to be done once it is stored.
import type { OldRow } from '../../engine/listeners.ts'
import { attemptOr } from '../../execution/report-errors.ts'
import type { Key } from '../../plan/key.ts'
import type { Row } from '../../rows/row.ts'
import type { Collection } from '../../schema/model.ts'
import type { WriteContext } from '../../writes/context/write-context.ts'
import type { Intent } from '../../writes/create-or-update.ts'
import { announceItems, isHeard, namesOfColumns, noteUnheard } from '../../writes/stored/announce.ts'
import { readKeys } from '../../writes/stored/rows-by-key.ts'
import type { AnswerShape } from '../read/answer-shape.ts'
import type { ItemRow } from '../read/item-row.ts'
import { itemsWritten } from '../read/read-back.ts'

export interface ItemToWrite<Shape = AnswerShape> {
  readonly collection: Collection
  readonly intent: Intent
  readonly shape: Shape
}

/** An item that is written by one statement, and the form of its result. */
export interface LoneWrite extends ItemToWrite {
  readonly action: 'create' | 'update'
  readonly row: ItemRow
  /** Names of the columns that an update writes. Absent = others may change with them. */
  readonly columns?: readonly string[] | undefined
  /** Values that listeners want, as they were before. */
  readonly old?: OldRow | undefined
}

/** Returns the result of an item that is stored, and reports it: without a promise if nothing follows. `noteFollowed`: notes that the row may
 *  change after such a statement. */
export function answerOfRow(
  stored: Row,
  lone: LoneWrite,
  noteFollowed: () => void,
  writing: WriteContext,
): readonly unknown[] | Promise<readonly unknown[]> {
  const { action, collection, row } = lone
  const isFollowed = row.isFollowed(stored)
  if (isFollowed) noteFollowed()
  if (!isFollowed && row.isWhole && !isHeard(action, collection, writing)) {
    const keys = () => readKeys([stored], collection, writing)
    noteUnheard(action, collection, { count: 1, keys }, writing)
    return itemsOf(stored, lone)
  }
  const items = itemsOf(stored, lone)
  if (isFollowed || !row.isWhole) return answerLater(stored, items, { lone, writing, isFollowed })
  const announced = announceRow(readKeys([stored], collection, writing), lone, lone.columns, writing)
  return announced === undefined ? items : announced.then(() => items)
}

const itemsOf = (stored: Row, { row }: LoneWrite): readonly unknown[] =>
  row.isShown(stored) ? row.answer(stored) : [null]

interface LaterAnswer {
  readonly lone: LoneWrite
  readonly writing: WriteContext
  readonly isFollowed: boolean
}

/** Returns the result of a row that what follows the statement may have changed, or that has to be read. */
async function answerLater(
  stored: Row,
  returned: readonly unknown[],
  { lone, writing, isFollowed }: LaterAnswer,
): Promise<readonly unknown[]> {
  const { collection, shape } = lone
  const { caller: engine, options } = writing
  const keys = readKeys([stored], collection, writing)
  const readAgain = async () => itemsWritten(shape, keys, engine, options)
  // Outside of a transaction the item is stored, even if reading it again fails.
  const items = engine.unit ? await readAgain() : await attemptOr(readAgain, returned, engine.onError)
  await announceRow(keys, lone, isFollowed ? undefined : lone.columns, writing)
  return items
}

/** Reports the row. `columns`: names of those that an update has written; undefined where others may have been. */
function announceRow(
  keys: readonly Key[],
  { action, collection, intent: { payload }, old }: LoneWrite,
  columns: readonly string[] | undefined,
  writing: WriteContext,
): Promise<void> | undefined {
  const fields = columns && namesOfColumns(collection, columns)
  const written = keys.map((key) => ({ key, payload, fields, before: old && [old] }))
  return announceItems(action, collection, written, writing)
}
