// Columns of a table without any rules: as writes read and compare them.

import type { Dialect } from '../dialects/dialect.ts'
import type { Cell, Column } from '../dialects/phrase-types.ts'
import { type Sql, sql } from '../dialects/sql.ts'
import { type Collection, isTuple, type KeyField, keyOf, type OwnField } from '../schema/model.ts'
import type { Storable } from '../types/family-row.ts'
import { exactly } from '../types/family-row.ts'
import { homeOf } from './frame.ts'
import { phrasesOf, tupleColumn } from './tuple.ts'

/** The reading of a field's value from a row of its table. */
export function storedReading(field: OwnField | KeyField, dialect: Dialect): Cell {
  const column = storedColumn(field, dialect)
  return phrasesOf(column, dialect).reading(column).column
}

export const keyCell = (collection: Collection, dialect: Dialect): Sql =>
  sql`${storedReading(keyOf(collection), dialect).sql} as ${dialect.identifier('0')}`

/** The column of a field; where several hold its value, they are one column. */
export function storedColumn(field: OwnField | KeyField, dialect: Dialect): Column {
  if (isTuple(field))
    return tupleColumn(
      field.parts.map((part) => storedColumn(part, dialect)),
      field.value,
      dialect,
    )
  return {
    sql: dialect.identifier(field.column),
    type: field.value,
    byCodePoint: false,
    negationMatchesNull: false,
    home: homeOf(field, dialect),
  }
}

export function isAmong(field: OwnField | KeyField, values: readonly Storable[], dialect: Dialect): Sql {
  // A value that a field has read is a valid operand of its family.
  const operands = values.map((value) => exactly(value as object))
  const column = storedColumn(field, dialect)
  const phrases = phrasesOf(column, dialect)
  const [only] = operands
  return operands.length === 1 && only
    ? phrases.compare(column, '=', (encode) => sql.val(encode(only)))
    : phrases.among(column, (encode) => sql.val(encode(operands)))
}
