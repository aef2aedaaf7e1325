// Columns of a table without any rules: as writes read and compare them.
import type { Dialect } from '../dialects/dialect.ts'
import type { Column } from '../dialects/phrase-types.ts'
import { type Sql, sql } from '../dialects/sql.ts'
import type { Collection, StoredField } from '../schema/model.ts'
import type { Storable } from '../types/family-row.ts'

/** The reading of a field's value from a row of its table. */
export const storedReading = (field: StoredField, dialect: Dialect) =>
  dialect.reading(storedColumn(field, dialect)).column

/** The cell of a row's key. */
export const keyCell = ({ key }: Collection, dialect: Dialect): Sql =>
  sql`${storedReading(key, dialect).sql} as ${dialect.identifier('0')}`

export const storedColumn = ({ column, value }: StoredField, dialect: Dialect): Column => ({
  sql: dialect.identifier(column),
  type: value,
  byCodePoint: false,
  negationMatchesNull: false,
})

/** The condition that a field has one of some values. */
export function isAmong(field: StoredField, values: readonly Storable[], dialect: Dialect): Sql {
  // A value that a field has read is a valid operand of its family.
  const operands = values.map((at) => ({ at: at as object, exact: true }))
  const column = storedColumn(field, dialect)
  const [only] = operands
  return operands.length === 1 && only
    ? dialect.compare(column, '=', (encode) => sql.val(encode(only)))
    : dialect.among(column, (encode) => sql.val(encode(operands)))
}
