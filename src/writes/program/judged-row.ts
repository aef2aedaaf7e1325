// A row that is written by the statement that judges it, and what that returns.

import type { Path } from '../../errors/errors.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { readPayload } from '../../plan/write/payload.ts'
import { bindItem, type RowLayout } from '../../plan/write/row-layout.ts'
import { isValidated } from '../../plan/write/validate-item.ts'
import type { BoundValues } from '../../prepared/templates/template.ts'
import type { Row } from '../../rows/row.ts'
import type { Collection } from '../../schema/model.ts'
import type { ReturnedColumns } from '../../sql/write/returning.ts'
import { passesValidations } from '../authorize/passes-validations.ts'
import { constraintErrorOf } from '../constraint-error.ts'
import { missingTargetField } from '../missing-target.ts'
import type { RowObligations } from '../obligations/row-obligations.ts'
import { circumstancesOf, type WriteContext } from '../write-context.ts'
import { areTooLong } from './returned-length.ts'
import {
  type BoundRow,
  bindOpenValues,
  boundBy,
  type RowTemplate,
  runRow,
  type WritingStatement,
} from './row-template.ts'

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

export const besideOf = ({ nested, owner, isCounted }: WrittenAround): string =>
  nested.length === 0 ? `${owner} ${isCounted}` : [owner, ...nested].join('\n')

export interface JudgedRow {
  /** Runs the statement. Undefined if no row was written. */
  readonly run: () => Row | undefined | Promise<Row | undefined>
  /** True if a row is visible to the caller once it is written. */
  readonly isShown: (row: Row) => boolean
}

interface WrittenRow {
  readonly collection: Collection
  /** Path of the item in the request. */
  readonly path: Path
  readonly payload: ItemData
  readonly returned: ReturnedColumns
  /** True if the row exists before. */
  readonly isKeyed: boolean
}

export function judgedRow(statement: BoundRow, written: WrittenRow, writing: WriteContext): JudgedRow {
  const at = shownAt(written.returned)
  return {
    run: () => runRow(statement, (error) => failOf(error, written, writing), writing),
    isShown: (row) => Boolean(row[at]),
  }
}

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
  { collection, payload, returned }: Pick<WrittenRow, 'collection' | 'payload' | 'returned'>,
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
  { collection, path, payload, isKeyed }: WrittenRow,
  writing: WriteContext,
): Promise<never> {
  const { problems } = writing
  const values = () =>
    readPayload(payload, { collection, path, problems, isKeyed, mayIncrement: isKeyed }).values
  throw await constraintErrorOf(
    error,
    { collection, path, dangling: () => missingTargetField(collection, [values()], writing) },
    writing,
  )
}
