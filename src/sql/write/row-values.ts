// The values of statements that write rows, which each call binds.

import type { Dialect } from '../../dialects/dialect.ts'
import { DeferredValue, type Sql, sql } from '../../dialects/sql.ts'
import type { Key } from '../../plan/key.ts'
import type { StoredField } from '../../schema/model.ts'
import { exactly } from '../../types/family-row.ts'
import { memoFor } from '../../values/memo.ts'
import { sumOf } from './sums.ts'

/** The value of a statement that each call binds: its key, or the value of a field. */
class RowValue {
  readonly field: StoredField | undefined

  constructor(field?: StoredField) {
    this.field = field
  }
}

export const keyValue = new RowValue()
export const givenRowsValue = new RowValue()
export const keysValue = new RowValue()
/** The keys of the items to which they refer. */
export const ownersValue = new RowValue()
/** The state of the catalogue in which the order of writes was asked for. */
export const catalogState = new RowValue()
const fieldValues = new WeakMap<StoredField, RowValue>()
export const rowValueOf = (field: StoredField): RowValue =>
  memoFor(fieldValues, field, () => new RowValue(field))

/** True for what is no question of a rule. */
export const isRowValue = (openValue: object): boolean => openValue instanceof RowValue

export function rowValues(
  key: Key | undefined,
  fields: readonly StoredField[],
  bound: readonly unknown[],
  truths: readonly boolean[] = [],
): Map<object, unknown> {
  const values = new Map<object, unknown>()
  // A value that a field has read is a valid operand of its family.
  if (key !== undefined) values.set(keyValue, exactly(key as object))
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at]
    if (field) values.set(rowValueOf(field), { value: bound[at] })
  }
  // The only one has been checked.
  if (truths.length > 1)
    for (const [at, is] of truths.entries()) values.set(truthValue(at), { value: is ? 1 : 0 })
  return values
}

/** Values of a statement about the rows with some keys. */
export const valuesOfKeys = (keys: readonly Key[], owners?: readonly Key[]): ReadonlyMap<object, unknown> =>
  new Map([
    [keysValue, operandsOf(keys)],
    [ownersValue, operandsOf(owners ?? [])],
  ])

const operandsOf = (keys: readonly Key[]) => keys.map((key) => exactly(key as object))

export function newValue(field: StoredField, dialect: Dialect): Sql {
  const bound = givenValue(field)
  return dialect.storing(field.value).around?.(bound) ?? bound
}

export const truthOf = (at: number): Sql =>
  sql.val(new DeferredValue(truthValue(at), absent, (input) => Object(input).value))

const truths: RowValue[] = []
function truthValue(at: number): RowValue {
  const known = truths[at] ?? new RowValue()
  truths[at] = known
  return known
}

const givenValue = (field: StoredField): Sql =>
  sql.val(new DeferredValue(rowValueOf(field), absent, (input) => Object(input).value))

const absent = { value: undefined }

export interface ColumnChange {
  readonly fields: readonly StoredField[]
  /** Those to whose stored values the given ones are added, and the form in which they are. */
  readonly added: ReadonlyMap<StoredField, string | undefined>
}

/** New values of columns, as an update sets them. `table`: the name of the row, where the columns of another one stand beside its own. */
export const assignments = ({ fields, added }: ColumnChange, dialect: Dialect, table?: Sql): Sql =>
  sql.join(
    fields.map((field) => {
      const column = dialect.identifier(field.column)
      const stored = table ? sql`${table}.${column}` : column
      return sql`${column} = ${assigned(field, stored, added, dialect)}`
    }),
    sql`, `,
  )

function assigned(field: StoredField, stored: Sql, added: ColumnChange['added'], dialect: Dialect): Sql {
  const form = added.get(field)
  const sum = added.has(field) ? sumOf({ field, form }, stored, () => givenValue(field), dialect) : undefined
  if (sum) return sum
  const written = newValue(field, dialect)
  return dialect.storing(field.value).unlessShown?.(stored, written) ?? written
}
