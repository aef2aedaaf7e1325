// Statements that change the rows with some keys.
import type { Dialect } from '../dialects/dialect.ts'
import { type Sql, sql } from '../dialects/sql.ts'
import type { Key } from '../plan/key.ts'
import { type Collection, isToMany, type StoredField } from '../schema/model.ts'
import { tableName } from './frame.ts'
import type { WrittenValues } from './insert-statement.ts'
import { type Statement, writtenWith } from './statement.ts'
import { isAmong, keyCell } from './stored-column.ts'

/** The rows with some keys. */
export interface Keyed {
  readonly keys: readonly Key[]
  /** True if a row that shares its key with another must stay unchanged: no transaction is there to roll both back. */
  readonly isFinal?: boolean
}

/** An update of some rows with the same values. It returns their keys, or columns that begin with the key, if updates
 *  can. */
export function updateStatement(
  collection: Collection,
  values: WrittenValues,
  rows: Keyed,
  dialect: Dialect,
  columns: Sql = keyCell(collection, dialect),
): Statement {
  const settings = [...values].map(([field, value]) => {
    const { encode, around } = dialect.storing(field.value)
    const bound = sql.val(value === null ? null : encode(value))
    return sql`${dialect.identifier(field.column)} = ${around?.(bound) ?? bound}`
  })
  return writtenWith(
    sql`update ${tableName(collection, dialect)} set ${sql.join(settings, sql`, `)} where ${hasKey(collection, rows, dialect)}${dialect.returning.update?.(columns) ?? sql``}`,
    dialect,
  )
}

export function deleteStatement(collection: Collection, rows: Keyed, dialect: Dialect): Statement {
  return writtenWith(
    sql`delete from ${tableName(collection, dialect)} where ${hasKey(collection, rows, dialect)}${dialect.returning.delete?.(keyCell(collection, dialect)) ?? sql``}`,
    dialect,
  )
}

/** Writes rows unchanged: for other transactions, also those on an earlier snapshot, they have changed. */
export function touchStatement(collection: Collection, keys: readonly Key[], dialect: Dialect): Statement {
  const column = dialect.identifier(touchedField(collection).column)
  return writtenWith(
    sql`update ${tableName(collection, dialect)} set ${column} = ${column} where ${isAmong(collection.key, keys, dialect)}`,
    dialect,
  )
}

/** A column that may be written: a generated key may not. */
const touchedField = ({ fields, key }: Collection): StoredField =>
  [...fields.values()].find(
    (field): field is StoredField =>
      !isToMany(field) && !field.isKey && !(field.kind === 'scalar' && field.isGenerated),
  ) ?? key

function hasKey(collection: Collection, { keys, isFinal }: Keyed, dialect: Dialect): Sql {
  const has = isAmong(collection.key, keys, dialect)
  if (!isFinal) return has
  return sql`${has} and not exists (select 1 from ${tableName(collection, dialect)} where ${has} limit 1 offset 1)`
}
