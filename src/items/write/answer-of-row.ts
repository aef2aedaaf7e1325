// The result of an item that one statement has written, and what has to be done once it is stored.
import type { OldRow } from '../../engine/listeners.ts'
import { attemptOr } from '../../execution/report-errors.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import type { Row } from '../../rows/row.ts'
import type { Collection } from '../../schema/model.ts'
import { announceItems, isHeard, namesOfColumns, noteUnheard } from '../../writes/announce.ts'
import type { Intent } from '../../writes/create-or-update.ts'
import type { JudgedRow } from '../../writes/judged-row.ts'
import { readKeys } from '../../writes/rows-by-key.ts'
import type { WriteContext } from '../../writes/write-context.ts'
import type { AnswerShape, ItemRow } from '../read/answer-shape.ts'
import { itemsWritten } from '../read/read-back.ts'

/** An item to write to a collection, and the form of its result. */
export interface ItemToWrite<Shape = AnswerShape> {
  readonly collection: Collection
  readonly intent: Intent
  readonly shape: Shape
}

/** An item that is written by one statement, and the form of its result. */
export interface LoneWrite {
  readonly action: 'create' | 'update'
  readonly collection: Collection
  readonly payload: ItemData
  readonly judged: JudgedRow
  readonly shape: AnswerShape
  readonly row: ItemRow
  /** Names of the columns that an update writes. */
  readonly columns?: readonly string[]
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
  const { action, collection, judged, row } = lone
  const items = judged.isShown(stored) ? row.answer(stored) : [null]
  const isFollowed = row.isFollowed(stored)
  if (!isFollowed && !isHeard(action, collection, writing)) {
    const keys = () => readKeys([stored], collection, writing)
    noteUnheard(action, collection, { count: 1, keys }, writing)
    return items
  }
  return answerLater(stored, { items, noteFollowed: isFollowed ? noteFollowed : undefined }, lone, writing)
}

/** What the statement has returned. */
interface ReturnedItems {
  readonly items: readonly unknown[]
  /** Absent = the row does not change after the statement. */
  readonly noteFollowed: (() => void) | undefined
}

async function answerLater(
  stored: Row,
  { items: returned, noteFollowed }: ReturnedItems,
  { action, collection, payload, shape, columns, old }: LoneWrite,
  writing: WriteContext,
): Promise<readonly unknown[]> {
  const { caller: engine, options } = writing
  const keys = readKeys([stored], collection, writing)
  let items = returned
  if (noteFollowed) {
    noteFollowed()
    const readAgain = async () => itemsWritten(shape, keys, engine, options)
    // Outside of a transaction the item is stored, even if reading it again fails.
    items = engine.unit ? await readAgain() : await attemptOr(readAgain, items, engine.onError)
  }
  const fields = columns && !noteFollowed ? namesOfColumns(collection, columns) : undefined
  const written = keys.map((key) => ({ key, payload, fields, before: old && [old] }))
  await announceItems(action, collection, written, writing)
  return items
}
