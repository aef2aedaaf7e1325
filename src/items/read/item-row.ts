// An item that is its row alone, as the statement that writes the row returns it.

import type { EngineInternals } from '../../engine/engine.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import { memberTouches, ownFields } from '../../plan/touches.ts'
import { compileMapper } from '../../rows/compile-mapper.ts'
import type { Row } from '../../rows/row.ts'
import { keyFieldsOf } from '../../schema/model.ts'
import { type ReturnedColumns, returnedColumns } from '../../sql/write/returning.ts'

/** The columns of a written row, and the result that they give. */
export interface ItemRow {
  readonly columns: ReturnedColumns
  /** False if the item has to be read. */
  readonly isWhole: boolean
  readonly answer: (row: Row) => readonly unknown[]
  /** True if the row may have been changed since by what follows the statement. */
  readonly isFollowed: (row: Row) => boolean
}

/** The columns that a written row may return, by the form of the result. */
export interface WrittenRowForms {
  /** The columns of an item that is its row alone, and the result made of them. */
  readonly row: (engine: EngineInternals) => ItemRow | undefined
  /** The key of an item that is more than its row, or that has to be read again: nothing is made of it. */
  readonly keyRow: (engine: EngineInternals) => ItemRow | undefined
}

/** Returns the columns that a statement returns of its row: those of the result, or the key if more is read behind it, in the same transaction. */
export const writtenRow = (shape: WrittenRowForms, engine: EngineInternals): ItemRow | undefined =>
  shape.row(engine) ?? (engine.unit ? shape.keyRow(engine) : undefined)

/** Returns undefined for an item that is more than its row, or of which a part is visible on some rows only. */
export function itemRowOf(list: ListPlan, engine: EngineInternals): ItemRow | undefined {
  const columns = returnedColumns(list, engine)
  if (!columns || showsPartly(list, engine)) return undefined
  const mapper = compileMapper(columns.recipe)
  return {
    columns,
    isWhole: true,
    answer: (row) => [mapper(row, undefined)],
    isFollowed: (row) => Boolean(row[columns.followedAt]),
  }
}

/** True if the key or a value is visible on some rows only, which the table itself does not know. */
function showsPartly({ collection, rows }: ListPlan, { scope }: EngineInternals): boolean {
  const partly = scope?.permissions?.seen.shown.get(collection)?.partly
  if (!partly || partly.size === 0) return false
  const shown = rows.kind === 'items' ? rows.members.flatMap(memberTouches) : []
  const fields = [...keyFieldsOf(collection), ...shown.flatMap(ownFields)]
  return fields.some(({ column }) => partly.has(column))
}

/** Returns the key alone; undefined if that is visible on some rows only. */
export function keyRowOf(list: ListPlan, engine: EngineInternals): ItemRow | undefined {
  const made = itemRowOf({ ...list, rows: { kind: 'items', members: [] } }, engine)
  return made && { ...made, isWhole: false }
}
