// The results of items that statements have written together.

import type { EngineInternals } from '../../engine/engine.ts'
import type { Key } from '../../plan/key.ts'
import type { Row } from '../../rows/row.ts'
import type { WriteContext } from '../../writes/context/write-context.ts'
import { shownAt } from '../../writes/program/judged-row.ts'
import type { WrittenItem } from '../../writes/stored/announce.ts'
import { rowsWithin } from '../read/answer-length.ts'
import type { AnswerShape } from '../read/answer-shape.ts'
import type { ItemRow } from '../read/item-row.ts'
import { itemsWritten } from '../read/read-back.ts'

export interface RowsReported {
  readonly rows: readonly Row[]
  readonly written: readonly WrittenItem[]
}

/** Returns what statements return of each row: the key alone where more is read behind them, or many rows may be long together. */
export function rowOfMany(shape: AnswerShape, engine: EngineInternals): ItemRow | undefined {
  const row = shape.isSorted ? undefined : shape.row(engine)
  return row && row.columns.longValues === 0 && !row.columns.hasLists ? row : shape.keyRow(engine)
}

export function resultsTogether(
  rows: readonly Row[],
  keys: readonly Key[],
  { shape, row }: { readonly shape: AnswerShape; readonly row: ItemRow },
  { caller, options }: WriteContext,
): readonly unknown[] | Promise<readonly unknown[]> {
  if (!row.isWhole || rows.some(row.isFollowed)) return itemsWritten(shape, keys, caller, options)
  const at = shownAt(row.columns)
  return rowsWithin(rows, caller.limits).map((one) => (one[at] ? row.answer(one)[0] : null))
}
