// The result of an item that one statement has written, and what has to be done once it is stored.
import { attemptOr } from '../../execution/report-errors.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import type { Row } from '../../rows/row.ts'
import type { Collection } from '../../schema/model.ts'
import { announceItems, isHeard } from '../../writes/announce.ts'
import type { JudgedRow } from '../../writes/judged-row.ts'
import { readKeys } from '../../writes/rows-by-key.ts'
import type { WriteContext } from '../../writes/write-context.ts'
import type { AnswerShape, ItemRow } from '../read/answer-shape.ts'
import { itemsWritten } from '../read/read-back.ts'

/** An item that is written by one statement, and the form of its result. */
export interface LoneWrite {
  readonly action: 'create' | 'update'
  readonly collection: Collection
  readonly payload: ItemData
  readonly judged: JudgedRow
  readonly shape: AnswerShape
  readonly row: ItemRow
}

/** Returns the result of an item that is stored, and reports it. `noteFollowed`: notes that the row may change after such a statement. */
export async function answerOfRow(
  stored: Row,
  { action, collection, payload, judged, shape, row }: LoneWrite,
  noteFollowed: () => void,
  writing: WriteContext,
): Promise<readonly unknown[]> {
  const { caller: engine, options } = writing
  let items = judged.isShown(stored) ? row.answer(stored) : [null]
  const isFollowed = row.isFollowed(stored)
  const isReported = isHeard(action, collection, writing)
  if (!isFollowed && !isReported) return items
  const keys = readKeys([stored], collection, writing)
  if (isFollowed) {
    noteFollowed()
    const readAgain = async () => itemsWritten(shape, keys, engine, options)
    // Outside of a transaction the item is stored, even if reading it again fails.
    items = engine.unit ? await readAgain() : await attemptOr(readAgain, items, engine.onError)
  }
  const written = keys.map((key) => ({ key, payload }))
  if (isReported) await announceItems(action, collection, written, writing)
  return items
}
