// An item that is its row alone, as the statement that writes the row returns it.

import type { EngineInternals } from '../../engine/engine.ts'
import { isAlways } from '../../plan/filter/predicate.ts'
import { isOwn } from '../../plan/read/cursor.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import { memberTouches, ownFields } from '../../plan/touches.ts'
import { belowOf, mayExceed } from '../../prepared/limits/nested-row-limit.ts'
import { compileMapper } from '../../rows/compile-mapper.ts'
import type { Row } from '../../rows/row.ts'
import { type Collection, isByValue, keyFieldsOf } from '../../schema/model.ts'
import { type ReturnedColumns, returnedColumns } from '../../sql/write/returning.ts'
import { isSameTable } from '../../writes/context/place.ts'
import { shownAt } from '../../writes/program/judged-row.ts'
import { mostBytes } from '../../writes/program/returned-length.ts'

/** The columns of a written row, and the result that they give. */
export interface ItemRow {
  readonly columns: ReturnedColumns
  /** False if the item has to be read. */
  readonly isWhole: boolean
  readonly answer: (row: Row) => readonly unknown[]
  /** True if the row may have been changed since by what follows the statement. */
  readonly isFollowed: (row: Row) => boolean
  /** True if the caller sees the row once it is written. */
  readonly isShown: (row: Row) => boolean
}

export interface WrittenRowForms {
  /** The columns of an item that is its row alone, and the result made of them. */
  readonly row: (engine: EngineInternals) => ItemRow | undefined
  /** The key of an item that is more than its row, or that has to be read again: nothing is made of it. */
  readonly keyRow: (engine: EngineInternals) => ItemRow | undefined
}

/** Returns the columns that a statement returns of its row: those of the result, or the key if more is read behind it, in the same transaction. */
export const writtenRow = (shape: WrittenRowForms, engine: EngineInternals): ItemRow | undefined =>
  shape.row(engine) ?? (engine.unit ? shape.keyRow(engine) : undefined)

/** True if a statement that writes a row may return a list of it: few short keys of another table, all of which the caller sees. */
function mayReturn(list: ListPlan, written: ListPlan, { limits, scope }: EngineInternals): boolean {
  const { collection, children, rows, condition, order, page } = list
  const foreign = children?.foreign
  if (rows.kind !== 'keys' || foreign?.kind !== 'm2o' || isByValue(foreign)) return false
  if (isSameTable(collection, written.collection) || foreign.collection !== collection) return false
  if (
    !isAlways(condition) ||
    page.limit === undefined ||
    page.offset > 0 ||
    page.place ||
    !order.every(isOwn)
  )
    return false
  const shown = scope?.permissions?.seen.shown
  const isHidden =
    shown &&
    (shown.get(written.collection)?.partly.size !== 0 ||
      shown.get(collection)?.partly.size !== 0 ||
      shown.get(collection)?.rules.every(({ filter }) => filter !== undefined))
  if (isHidden || !isShort(collection)) return false
  const below = belowOf(written, limits)
  const most = mostBytes(limits) ?? Number.POSITIVE_INFINITY
  return page.limit * keyBytes <= most && !(below && mayExceed(below, 1))
}

/** Maximum number of bytes of such a key, and what stands between two. */
const keyBytes = 40

const isShort = ({ key }: Collection): boolean =>
  key?.kind === 'scalar' && (key.value.family === 'integer' || key.value.family === 'uuid')

/** Returns undefined for an item that is more than its row, or of which a part is visible on some rows only. */
export function itemRowOf(list: ListPlan, engine: EngineInternals): ItemRow | undefined {
  const columns = returnedColumns(list, engine, (one) => mayReturn(one, list, engine))
  if (!columns || showsPartly(list, engine)) return undefined
  const mapper = compileMapper(columns.recipe)
  return {
    columns,
    isWhole: true,
    answer: (row) => [mapper(row, undefined)],
    isFollowed: (row) => Boolean(row[columns.followedAt]),
    isShown: (row) => Boolean(row[shownAt(columns)]),
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
