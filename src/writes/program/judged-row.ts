// A row that is written by the statement that judges it, and what that returns.

import type { Path } from '../../errors/errors.ts'
import type { Soon } from '../../execution/soon.ts'
import type { Key } from '../../plan/key.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { readPayload } from '../../plan/write/payload.ts'
import { bindItem, type RowLayout } from '../../plan/write/row-layout.ts'
import { isValidated } from '../../plan/write/validate-item.ts'
import type { BoundValues } from '../../prepared/templates/template.ts'
import type { Row } from '../../rows/row.ts'
import type { Collection } from '../../schema/model.ts'
import type { ReturnedColumns } from '../../sql/write/returning.ts'
import { rowValues } from '../../sql/write/row-values.ts'
import { constraintErrorOf } from '../authorize/constraint-error.ts'
import { passesValidations } from '../authorize/passes-validations.ts'
import {
  type BoundRow,
  bindOpenValues,
  boundBy,
  boundRow,
  type RowTemplate,
  runRow,
  type WritingStatement,
} from '../context/row-template.ts'
import { circumstancesOf, type WriteContext } from '../context/write-context.ts'
import type { RowObligations } from '../obligations/row-obligations.ts'
import { missingTargetField } from '../stored/missing-target.ts'
import { areTooLong } from './returned-length.ts'

/** Items that a call writes with a row. */
export interface WrittenAround {
  /** Names of relations to those below it. */
  readonly nested: readonly string[]
  /** Name of the field that refers to the item in which it is nested. */
  readonly owner: string | undefined
  /** True if new rows are only counted, because nothing hangs on their keys. */
  readonly isCounted?: boolean
}

/** Nothing besides the row. */
export const alone: WrittenAround = { nested: [], owner: undefined }

export const besideOf = ({ nested, owner, isCounted }: WrittenAround): string => {
  if (nested.length > 0) return [owner, ...nested].join('\n')
  return owner === undefined && !isCounted ? '' : `${owner} ${isCounted}`
}

/** The form of a result, which owns the statements that return it. */
export interface RowForm {
  readonly columns: ReturnedColumns
}

interface WrittenRow {
  readonly collection: Collection
  readonly payload: ItemData
  /** Absent = it is new. */
  readonly key?: Key | undefined
}

/** A row that is bound to the statement that judges it. */
export interface JudgedRow<Made extends RowsStatement = RowsStatement> {
  readonly template: RowTemplate<Made>
  readonly row: WrittenRow
  /** Its values, with those that rules fill in. */
  readonly item: ItemData
  readonly bound: readonly unknown[]
  readonly statement: BoundRow
}

/** Binds a row to its statement; undefined if its values do not fit, or no rule allows them. */
export function judgedRow<Made extends RowsStatement>(
  template: RowTemplate<Made>,
  row: WrittenRow,
  { columns: returned }: RowForm,
  writing: WriteContext,
): JudgedRow<Made> | undefined {
  const { collection, payload, key } = row
  const called = boundTemplate(template, collection, writing)
  const own = called && boundValuesOf(template, { collection, payload, returned }, called, writing)
  if (!own) return undefined
  const { item, bound, truths } = own
  const values = rowValues(key, template.layout.fields, bound, truths)
  return { template, row, item, bound, statement: boundRow(template, values, called.requested) }
}

/** Runs the statement. Undefined if no row was written. `path`: that of the item in the request. */
export const runJudged = (judged: JudgedRow, path: Path, writing: WriteContext): Soon<Row | undefined> =>
  runRow(judged.statement, (error) => failOf(error, judged, path, writing), writing)

/** New values of a row, as they are given and as they are bound, and which of the rules they meet. */
export interface BoundValuesOfRow {
  readonly item: ItemData
  readonly bound: readonly unknown[]
  readonly truths: readonly boolean[]
}

/** A statement of rows, how their values are bound, and what must hold for them. */
export interface RowsStatement extends WritingStatement {
  readonly layout: RowLayout
  readonly rules: RowObligations
}

/** The values that a call binds to all rows of a template. */
export interface BoundTemplate {
  /** Values of the caller for the rules. */
  readonly requested: BoundValues
  readonly presets: ItemData
  readonly meets: ReturnType<RowObligations['meeting']>
}

/** Binds the caller; undefined if that takes a statement of another form. */
export function boundTemplate(
  template: RowTemplate<RowsStatement>,
  collection: Collection,
  writing: WriteContext,
): BoundTemplate | undefined {
  const requested = bindOpenValues(template, collection, writing)
  const presets = requested && template.rules.presets(circumstancesOf(writing))
  return presets && { requested, presets, meets: template.rules.meeting(boundBy(requested)) }
}

/** Binds the values of a row to its statement; undefined if they do not fit, or no rule allows them. */
export function boundValuesOf(
  { layout, rules }: RowsStatement,
  { collection, payload, returned }: WrittenRow & { readonly returned: ReturnedColumns },
  { presets, meets }: BoundTemplate,
  writing: WriteContext,
): BoundValuesOfRow | undefined {
  if (isValidated(collection) && !passesValidations(collection, [{ payload }], writing)) return undefined
  const item = rules.presetNames.length === 0 ? payload : { ...payload, ...presets }
  const bound = bindItem(layout, item, writing.moment)
  if (!bound || areTooLong(bound, writing.caller.limits, returned)) return undefined
  const truths = meets(item)
  return truths && { item, bound, truths }
}

/** Position of the flag behind all that is returned otherwise. */
export const shownAt = ({ followedAt }: ReturnedColumns): number => followedAt + 1

async function failOf(
  error: unknown,
  { row: { collection, key }, item }: JudgedRow,
  path: Path,
  writing: WriteContext,
): Promise<never> {
  const { problems } = writing
  const isKeyed = key !== undefined
  const values = () =>
    readPayload(item, { collection, path, problems, isKeyed, mayIncrement: isKeyed }).values
  throw await constraintErrorOf(
    error,
    { collection, path, dangling: () => missingTargetField(collection, [values()], writing) },
    writing,
  )
}
