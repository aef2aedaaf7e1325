// Statements that change rows, and the small ones that look at rows before.
import type { Column, Dialect } from '../dialects/dialect.ts'
import { mark } from '../dialects/mark.ts'
import { render, type Sql, sql } from '../dialects/sql.ts'
import type { ListPlan } from '../plan/read-plan.ts'
import type { Storable } from '../plan/stored-value.ts'
import type { Collection, StoredField } from '../schema/model.ts'
import { keyOf, type Setting, tableName } from './frame.ts'
import { chooseDirectly } from './page.ts'
import { rootFrame, type Statement } from './statement.ts'

/** Values of an item, by field. */
export type Values = ReadonlyMap<StoredField, Storable | null>

/** New rows, all with values of the same fields. They answer with their keys. */
export function insertStatement(
  collection: Collection,
  fields: readonly StoredField[],
  rows: readonly Values[],
  dialect: Dialect,
): Statement {
  const into = sql`insert into ${tableName(collection, dialect)}`
  const returning = sql` returning ${keyCell(collection, dialect)}`
  if (fields.length === 0) return finished(sql`${into} default values${returning}`, [], dialect)
  const storings = fields.map(({ value }) => dialect.storing(value))
  const marks = storings.map(({ around }) => around?.(open) ?? open)
  const names = fields.map(({ column }) => dialect.identifier(column))
  const places = sql.repeat(sql`(${sql.join(marks, sql`, `)})`, rows.length, ', ')
  const bound = rows.flatMap((row) => fields.map((field, at) => encoded(row.get(field), storings[at])))
  return finished(sql`${into} (${sql.join(names, sql`, `)}) values ${places}${returning}`, bound, dialect)
}

const open = sql.val(undefined)

const encoded = (value: Storable | null | undefined, storing: ReturnType<Dialect['storing']> | undefined) =>
  value === null || value === undefined ? null : storing?.encode(value)

/** The same values for some rows. They answer with their keys. */
export function updateStatement(
  collection: Collection,
  values: Values,
  keys: readonly Storable[],
  dialect: Dialect,
): Statement {
  const settings = [...values].map(([field, value]) => {
    const { encode, around } = dialect.storing(field.value)
    const bound = sql.val(value === null ? null : encode(value))
    return sql`${dialect.identifier(field.column)} = ${around?.(bound) ?? bound}`
  })
  return finished(
    sql`update ${tableName(collection, dialect)} set ${sql.join(settings, sql`, `)} where ${isAmong(collection.key, keys, dialect)} returning ${keyCell(collection, dialect)}`,
    undefined,
    dialect,
  )
}

export function deleteStatement(
  collection: Collection,
  keys: readonly Storable[],
  dialect: Dialect,
): Statement {
  return finished(
    sql`delete from ${tableName(collection, dialect)} where ${isAmong(collection.key, keys, dialect)} returning ${keyCell(collection, dialect)}`,
    undefined,
    dialect,
  )
}

/** All rows that a list would show, whatever their number. */
export function deleteListStatement(list: ListPlan, setting: Setting): Statement {
  const { collection } = list
  const { dialect } = setting
  return render(
    sql`delete from ${tableName(collection, dialect)} where ${dialect.identifier(collection.key.column)} in (${keysIn(list, setting)})`,
    dialect,
  )
}

/** How many rows a list would show. */
export function countListStatement(list: ListPlan, setting: Setting): Statement {
  const { dialect } = setting
  const counted = sql`select count(*) as ${dialect.identifier('0')} from (${keysIn(list, setting)}) as ${dialect.identifier('_q0')}`
  return finished(counted, undefined, dialect)
}

function keysIn(list: ListPlan, setting: Setting): Sql {
  const chosen = chooseDirectly(list, rootFrame(list, setting), { probe: 0, after: undefined })
  return sql`select ${keyOf(chosen.frame)} from ${chosen.from()}`
}

/** Which of some keys there are. */
export function keysStatement(
  collection: Collection,
  keys: readonly Storable[],
  dialect: Dialect,
): Statement {
  return finished(
    sql`select ${keyCell(collection, dialect)} from ${tableName(collection, dialect)} where ${isAmong(collection.key, keys, dialect)}`,
    undefined,
    dialect,
  )
}

/** The rows whose field holds one of some values: their keys, that value, and the value of another field. */
export function holdersStatement(
  holder: StoredField,
  values: readonly Storable[],
  other: StoredField | undefined,
  dialect: Dialect,
): Statement {
  const { collection } = holder
  const cells = [collection.key, holder, ...(other ? [other] : [])].map(
    (field, at) => sql`${readingOf(field, dialect).sql} as ${dialect.identifier(String(at))}`,
  )
  return finished(
    sql`select ${sql.join(cells, sql`, `)} from ${tableName(collection, dialect)} where ${isAmong(holder, values, dialect)}`,
    undefined,
    dialect,
  )
}

/** How a field's value leaves a row of its table. */
export const readingOf = (field: StoredField, dialect: Dialect) =>
  dialect.reading(columnOf(field, dialect)).column

const keyCell = ({ key }: Collection, dialect: Dialect): Sql =>
  sql`${readingOf(key, dialect).sql} as ${dialect.identifier('0')}`

const columnOf = ({ column, value }: StoredField, dialect: Dialect): Column => ({
  sql: dialect.identifier(column),
  type: value,
  byCodePoint: false,
  negationMatchesNull: false,
})

function isAmong(field: StoredField, values: readonly Storable[], dialect: Dialect): Sql {
  // What a field has read is an operand of its family, too.
  const operands = values.map((at) => ({ at: at as object, exact: true }))
  const column = columnOf(field, dialect)
  const [only] = operands
  return operands.length === 1 && only
    ? dialect.compare(column, '=', (encode) => sql.val(encode(only)))
    : dialect.among(column, (encode) => sql.val(encode(operands)))
}

function finished(text: Sql, bound: readonly unknown[] | undefined, dialect: Dialect): Statement {
  const { sql: written, parameters } = render(text, dialect)
  return { sql: `${mark}${written}`, parameters: bound ?? parameters }
}
