import type { Dialect } from '../../dialects/dialect.ts'
import { type Sql, sql } from '../../dialects/sql.ts'
import { unreachable } from '../../errors/errors.ts'
import type { Key } from '../../plan/key.ts'
import { type Collection, isStored, keyFieldsOf, keyOf, type StoredField } from '../../schema/model.ts'
import type { Storable } from '../../types/family-row.ts'
import { tableName } from '../frame.ts'
import { type Statement, writeOf } from '../statement.ts'
import { isAmong, keyCell } from '../stored-column.ts'
import type { WrittenValues } from './insert-statement.ts'
import { sumOf } from './sums.ts'
import { typesOf } from './written-types.ts'

export interface Keyed {
  readonly keys: readonly Key[]
  /** True if a row that shares its key with another must stay unchanged: no transaction is there to roll both back. */
  readonly isFinal?: boolean
}

/** New values of columns, of which the database adds some to the stored ones. */
interface ValueChange {
  readonly values: WrittenValues
  readonly added: ReadonlyMap<StoredField, Storable>
}

/** An update of some rows with the same values. It returns their keys, if updates can. */
export function updateStatement(
  collection: Collection,
  { values, added }: ValueChange,
  rows: Keyed,
  dialect: Dialect,
): Statement {
  const columns = keyCell(collection, dialect)
  const settings = [...values].map(([field, value]) => {
    const { encode, around, unlessShown, formOf } = dialect.storing(field.value)
    const column = dialect.identifier(field.column)
    const by = added.get(field)
    const of = by !== undefined && { field, form: formOf?.(by) }
    const sum = of && sumOf(of, column, (encode) => sql.val(encode(by)), dialect)
    if (sum) return sql`${column} = ${sum}`
    const bound = sql.val(value === null ? null : encode(value))
    const written = around?.(bound) ?? bound
    return sql`${column} = ${(value !== null && unlessShown?.(column, written)) || written}`
  })
  const types = typesOf([...values.keys(), ...keyFieldsOf(collection)], dialect)
  return writeOf(
    sql`update ${tableName(collection, dialect)} set ${sql.join(settings, sql`, `)} where ${hasKey(collection, rows, dialect)}${dialect.returning.update?.(sql`${columns}${types}`) ?? sql``}`,
    dialect,
  )
}

export function deleteStatement(collection: Collection, rows: Keyed, dialect: Dialect): Statement {
  const columns = sql`${keyCell(collection, dialect)}${typesOf(keyFieldsOf(collection), dialect)}`
  const where = sql` where ${hasKey(collection, rows, dialect)}`
  const deletion = dialect.deleteFrom(tableName(collection, dialect), undefined, where)
  return writeOf(sql`${deletion}${dialect.returning.delete?.(columns) ?? sql``}`, dialect)
}

/** Writes rows unchanged: for other transactions, also those on an earlier snapshot, they have changed. */
export function touchStatement(collection: Collection, keys: readonly Key[], dialect: Dialect): Statement {
  const column = dialect.identifier(touchedField(collection).column)
  return writeOf(
    sql`update ${tableName(collection, dialect)} set ${column} = ${column} where ${isAmong(keyOf(collection), keys, dialect)}`,
    dialect,
  )
}

/** A column that may be written: a generated key may not. */
function touchedField(collection: Collection): StoredField {
  const isFree = (field: StoredField) => !field.isKey && !(field.kind === 'scalar' && field.isGenerated)
  const [first] = [...collection.fields.values()].filter(isStored).filter(isFree)
  const [key] = keyFieldsOf(collection)
  const field = first ?? key
  if (!field) throw unreachable('a row without columns')
  return field
}

function hasKey(collection: Collection, { keys, isFinal }: Keyed, dialect: Dialect): Sql {
  const has = isAmong(keyOf(collection), keys, dialect)
  if (!isFinal) return has
  return sql`${has} and not exists (select 1 from ${tableName(collection, dialect)} where ${has} limit 1 offset 1)`
}
