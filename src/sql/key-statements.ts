// Small statements that read rows before a write: by their keys, or by a field that refers to others.

import type { Dialect } from '../dialects/dialect.ts'
import type { RowUse } from '../dialects/phrase-types.ts'
import { sql } from '../dialects/sql.ts'
import type { Key } from '../plan/key.ts'
import {
  type Collection,
  type KeyField,
  keyOf,
  type OwnField,
  type StoredField,
  soleKeyOf,
} from '../schema/model.ts'
import type { Operand, Storable } from '../types/family-row.ts'
import { tableName } from './frame.ts'
import { type Statement, slotOf, writtenWith } from './statement.ts'
import { isAmong, keyCell, storedColumn, storedReading } from './stored-column.ts'
import { phrasesOf } from './tuple.ts'

/** Selects the existing ones of some keys. */
export function keysStatement(collection: Collection, keys: readonly Key[], dialect: Dialect): Statement {
  return writtenWith(
    sql`select ${keyCell(collection, dialect)} from ${tableName(collection, dialect)} where ${isAmong(keyOf(collection), keys, dialect)}`,
    dialect,
  )
}

/** Selects the existing ones of some keys, and locks their rows in the mode that their use needs. */
export function lockedKeysStatement(
  collection: Collection,
  keys: readonly Key[],
  use: RowUse,
  dialect: Dialect,
): Statement {
  const select = keysStatement(collection, keys, dialect)
  return dialect.lockRows ? { ...select, sql: dialect.lockRows(select.sql, use) } : select
}

/** Selects the existing ones of some keys with values of some fields, and locks their rows in the mode that their use needs. */
export function lockedValuesStatement(
  collection: Collection,
  keys: readonly Key[],
  { fields, use }: { readonly fields: readonly StoredField[]; readonly use: RowUse },
  dialect: Dialect,
): Statement {
  const cells = fields.map(
    (field, at) => sql`, ${storedReading(field, dialect).sql} as ${dialect.identifier(String(at + 1))}`,
  )
  const select = writtenWith(
    sql`select ${keyCell(collection, dialect)}${sql.join(cells, sql``)} from ${tableName(collection, dialect)} where ${isAmong(keyOf(collection), keys, dialect)}`,
    dialect,
  )
  return dialect.lockRows ? { ...select, sql: dialect.lockRows(select.sql, use) } : select
}

/** Selects the key that the last insert counted up; undefined if there is no way to know it. */
export function generatedKeyStatement(collection: Collection, dialect: Dialect): Statement | undefined {
  const select = dialect.generatedKey?.(collection, soleKeyOf(collection).column)
  return select && writtenWith(select, dialect)
}

/** The rows whose field has one of some values: their keys, that value, and the value of another field. */
export function holdersStatement(
  holder: OwnField | KeyField,
  values: readonly Storable[],
  other: OwnField | KeyField | undefined,
  dialect: Dialect,
): Statement {
  const { collection } = holder
  const cells = [keyOf(collection), holder, ...(other ? [other] : [])].map(
    (field, at) => sql`${storedReading(field, dialect).sql} as ${dialect.identifier(String(at))}`,
  )
  return writtenWith(
    sql`select ${sql.join(cells, sql`, `)} from ${tableName(collection, dialect)} where ${isAmong(holder, values, dialect)}`,
    dialect,
  )
}

/** The rows whose text column holds bytes: their keys, and those bytes. */
export function bytesStatement(
  field: StoredField,
  keys: readonly Key[],
  isOfBytes: NonNullable<Dialect['isOfBytes']>,
  dialect: Dialect,
): Statement {
  const { collection } = field
  const column = dialect.identifier(field.column)
  return writtenWith(
    sql`select ${keyCell(collection, dialect)}, ${column} as ${dialect.identifier('1')} from ${tableName(collection, dialect)} where ${isAmong(keyOf(collection), keys, dialect)} and ${isOfBytes(column)}`,
    dialect,
  )
}

/** The open value of the keys whose rows are selected. */
export const openKeys = { keys: 'the keys of rows' }

/** Selects keys that are bound later with values of some fields, and beside each value whether it is what the type of its field says. */
export function comparableValuesStatement(
  collection: Collection,
  fields: readonly StoredField[],
  dialect: Dialect,
): Statement {
  const cells = fields.flatMap((field, at) => {
    const column = storedColumn(field, dialect)
    const isOrdinary = dialect.isOrdinary?.(column) ?? sql`1 = 1`
    const isInOrder = dialect.sortsAsShown ? (dialect.sortsAsShown(column) ?? sql`1 = 1`) : sql`1 = 0`
    return [
      sql`, ${storedReading(field, dialect).sql} as ${dialect.identifier(String(2 * at + 1))}`,
      sql`, ${sql`case when ${isOrdinary} then case when ${isInOrder} then 2 else 1 end else 0 end`} as ${dialect.identifier(String(2 * at + 2))}`,
    ]
  })
  const key = storedColumn(keyOf(collection), dialect)
  const keys = slotOf<readonly Operand[], readonly Operand[]>(openKeys, [], (operands) => operands, [])
  return writtenWith(
    sql`select ${keyCell(collection, dialect)}${sql.join(cells, sql``)} from ${tableName(collection, dialect)} where ${phrasesOf(key, dialect).among(key, keys)}`,
    dialect,
  )
}
