// Statements that change rows, and the small ones that read rows before.

import type { Dialect } from '../dialects/dialect.ts'
import type { Cell, Column } from '../dialects/phrase-types.ts'
import { render, type Sql, sql } from '../dialects/sql.ts'
import type { Key } from '../plan/key.ts'
import type { ListPlan } from '../plan/read-plan.ts'
import type { Insertion } from '../plan/row-layout.ts'
import type { Storable } from '../plan/stored-value.ts'
import { type Collection, isToMany, type StoredField } from '../schema/model.ts'
import { keyOf, type Setting, tableName, tableOf } from './frame.ts'
import { choose, chooseDirectly, rowsWhere } from './pagination.ts'
import { rootFrame, type Statement, writtenWith } from './statements.ts'

/** Values of an item, by field. */
export type WrittenValues = ReadonlyMap<StoredField, Storable | null>

/** An insert of rows that all have values of the same fields. It returns their keys. */
export function insertStatement(
  collection: Collection,
  fields: readonly StoredField[],
  rows: readonly WrittenValues[],
  dialect: Dialect,
): Statement {
  const { sql: text, storings } = insertText(collection, fields, rows.length, dialect)
  const parameters: unknown[] = []
  for (const row of rows)
    for (const [at, field] of fields.entries()) {
      const value = row.get(field)
      parameters.push(value === null || value === undefined ? null : storings[at]?.encode(value))
    }
  return { sql: text, parameters }
}

/** An insert of a number of rows, without their values. */
export interface InsertText extends Insertion {
  /** The encoding of each field's values. */
  readonly storings: readonly ReturnType<Dialect['storing']>[]
}

/** Cached texts of a collection's inserts. There are few: items are written by few forms, and rows come in
 *  powers of two. */
const insertTexts = new WeakMap<Collection, Map<string, InsertText>>()
const mostTexts = 200

export function insertText(
  collection: Collection,
  fields: readonly StoredField[],
  rows: number,
  dialect: Dialect,
): InsertText {
  const texts = insertTexts.get(collection) ?? new Map<string, InsertText>()
  insertTexts.set(collection, texts)
  const name = `${dialect.name} ${rows} ${fields.map((field) => field.name).join('\n')}`
  const known = texts.get(name)
  if (known) return known
  if (texts.size >= mostTexts) texts.clear()
  const made = newInsertText(collection, fields, rows, dialect)
  texts.set(name, made)
  return made
}

function newInsertText(
  collection: Collection,
  fields: readonly StoredField[],
  rows: number,
  dialect: Dialect,
): InsertText {
  const into = sql`insert into ${tableName(collection, dialect)}`
  const returning = sql` returning ${keyCell(collection, dialect)}`
  const storings = fields.map(({ value }) => dialect.storing(value))
  const marks = storings.map(({ around }) => around?.(open) ?? open)
  const names = fields.map(({ column }) => dialect.identifier(column))
  const places = sql.repeat(sql`(${sql.join(marks, sql`, `)})`, rows, ', ')
  const text =
    fields.length === 0
      ? sql`${into} default values`
      : sql`${into} (${sql.join(names, sql`, `)}) values ${places}`
  return {
    sql: writtenWith(sql`${text}${returning}`, dialect).sql,
    silent: render(text, dialect).sql,
    storings,
  }
}

const open = sql.val(undefined)

/** The rows with some keys. */
export interface Keyed {
  readonly keys: readonly Key[]
  /** True if a row that shares its key with another must stay unchanged: no transaction is there to roll both back. */
  readonly isFinal?: boolean
}

/** An update of some rows with the same values. It returns their keys, or columns that begin with the key. */
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
    sql`update ${tableName(collection, dialect)} set ${sql.join(settings, sql`, `)} where ${hasKey(collection, rows, dialect)} returning ${columns}`,
    dialect,
  )
}

export function deleteStatement(collection: Collection, rows: Keyed, dialect: Dialect): Statement {
  return writtenWith(
    sql`delete from ${tableName(collection, dialect)} where ${hasKey(collection, rows, dialect)} returning ${keyCell(collection, dialect)}`,
    dialect,
  )
}

/** A delete of all rows of a list, whatever their number. */
export function deleteListStatement(list: ListPlan, setting: Setting): Statement {
  return render(deletionOf(list, setting), setting.dialect)
}

/** A delete of all rows of a list that also returns their keys; undefined if the database cannot do both in one statement. */
export function deleteTellingStatement(
  list: ListPlan,
  setting: Setting,
  most: number,
): { readonly statement: Statement; readonly read: Cell['read'] } | undefined {
  const { dialect } = setting
  const { key } = list.collection
  const { sql: told, read } = dialect.reading(columnOf(key, dialect)).element
  const text = dialect.deleteTelling?.(deletionOf(list, setting), told, dialect.identifier(key.column), most)
  return text && { statement: writtenWith(text, dialect), read }
}

function deletionOf(list: ListPlan, setting: Setting): Sql {
  const { collection, page } = list
  const { dialect } = setting
  // Without limit and offset the order of the list does not matter, and its condition is enough.
  const isWhole = page.limit === undefined && page.offset === 0
  const table = isWhole ? rootFrame(list, setting) : undefined
  if (table) return sql`delete from ${tableOf(table)}${rowsWhere(list, { ...table, joins: undefined })}`
  const key = dialect.identifier(collection.key.column)
  return sql`delete from ${tableName(collection, dialect)} where ${key} in (${keysIn(list, setting)})`
}

export interface KeysStatement extends Statement {
  /** The reader of a key. */
  readonly read: Cell['read']
}

/** The keys of a list's rows, in its order, as one JSON list: a driver takes longer for as many rows of one small cell. */
export function listKeysStatement(list: ListPlan, setting: Setting): KeysStatement {
  const { dialect } = setting
  const table = rootFrame(list, setting)
  const how = { probe: 0, after: undefined } as const
  // LIMIT and OFFSET apply before the rows become a list.
  const chosen =
    list.order.length === 0 ? chooseDirectly(list, table, how) : choose(list, table, undefined, how)
  const { element } = dialect.reading({
    ...columnOf(list.collection.key, dialect),
    sql: keyOf(chosen.frame),
  })
  const json = dialect.jsonList({ element: element.sql, from: chosen.from(), order: chosen.order() })
  const text = sql`select ${dialect.jsonText(json)} as ${dialect.identifier('0')}`
  return { ...writtenWith(text, dialect), read: element.read }
}

/** The number of rows of a list. */
export function countListStatement(list: ListPlan, setting: Setting): Statement {
  const { dialect } = setting
  const counted = sql`select count(*) as ${dialect.identifier('0')} from (${keysIn(list, setting)}) as ${dialect.identifier('_q0')}`
  return writtenWith(counted, dialect)
}

function keysIn(list: ListPlan, setting: Setting): Sql {
  const chosen = chooseDirectly(list, rootFrame(list, setting), { probe: 0, after: undefined })
  return sql`select ${keyOf(chosen.frame)} from ${chosen.from()}`
}

/** Selects the existing ones of some keys. */
export function keysStatement(collection: Collection, keys: readonly Key[], dialect: Dialect): Statement {
  return writtenWith(
    sql`select ${keyCell(collection, dialect)} from ${tableName(collection, dialect)} where ${isAmong(collection.key, keys, dialect)}`,
    dialect,
  )
}

/** Rows with some keys, in the order of their keys, in which all callers lock them. `seen` restricts them to
 *  the rows of a list. */
export function heldKeysStatement(
  collection: Collection,
  keys: readonly Key[],
  seen: ListPlan | undefined,
  setting: Setting,
): Statement {
  const { dialect } = setting
  const key = dialect.identifier(collection.key.column)
  const isSeen = seen ? sql` and ${key} in (${keysIn(seen, setting)})` : sql``
  return writtenWith(
    sql`select ${keyCell(collection, dialect)} from ${tableName(collection, dialect)} where ${isAmong(collection.key, keys, dialect)}${isSeen} order by ${key}`,
    dialect,
  )
}

/** Writes rows unchanged: for other transactions, also those on an earlier snapshot, they have changed. */
export function touchStatement(collection: Collection, keys: readonly Key[], dialect: Dialect): Statement {
  const column = dialect.identifier(touchedField(collection).column)
  return writtenWith(
    sql`update ${tableName(collection, dialect)} set ${column} = ${column} where ${isAmong(collection.key, keys, dialect)} returning ${keyCell(collection, dialect)}`,
    dialect,
  )
}

/** A column that may be written: a generated key may not. */
const touchedField = ({ fields, key }: Collection): StoredField =>
  [...fields.values()].find(
    (field): field is StoredField =>
      !isToMany(field) && !field.isKey && !(field.kind === 'scalar' && field.isGenerated),
  ) ?? key

/** The number of rows with keys above one, and the largest key of all. */
export function keysAboveStatement(collection: Collection, above: Key, dialect: Dialect): Statement {
  const column = columnOf(collection.key, dialect)
  const operand = { at: above as object, exact: true }
  const isAbove = dialect.compare(column, '>', (encode) => sql.val(encode(operand)))
  const largest = dialect.reading({ ...column, sql: sql`max(${column.sql})` }).column.sql
  const [rows, most] = [dialect.identifier('0'), dialect.identifier('1')]
  return writtenWith(
    sql`select count(*) as ${rows}, ${largest} as ${most} from ${tableName(collection, dialect)} where ${isAbove}`,
    dialect,
  )
}

/** The rows whose field has one of some values: their keys, that value, and the value of another field. */
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
  return writtenWith(
    sql`select ${sql.join(cells, sql`, `)} from ${tableName(collection, dialect)} where ${isAmong(holder, values, dialect)}`,
    dialect,
  )
}

/** The rows whose text column holds bytes: their keys, and those bytes. */
export function bytesStatement(field: StoredField, keys: readonly Key[], dialect: Dialect): Statement {
  const { collection } = field
  const column = dialect.identifier(field.column)
  const isOfBytes = dialect.isOfBytes?.(column) ?? sql`false`
  return writtenWith(
    sql`select ${keyCell(collection, dialect)}, ${column} as ${dialect.identifier('1')} from ${tableName(collection, dialect)} where ${isAmong(collection.key, keys, dialect)} and ${isOfBytes}`,
    dialect,
  )
}

/** The reading of a field's value from a row of its table. */
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

function hasKey(collection: Collection, { keys, isFinal }: Keyed, dialect: Dialect): Sql {
  const has = isAmong(collection.key, keys, dialect)
  if (!isFinal) return has
  return sql`${has} and not exists (select 1 from ${tableName(collection, dialect)} where ${has} limit 1 offset 1)`
}

function isAmong(field: StoredField, values: readonly Storable[], dialect: Dialect): Sql {
  // A value that a field has read is a valid operand of its family.
  const operands = values.map((at) => ({ at: at as object, exact: true }))
  const column = columnOf(field, dialect)
  const [only] = operands
  return operands.length === 1 && only
    ? dialect.compare(column, '=', (encode) => sql.val(encode(only)))
    : dialect.among(column, (encode) => sql.val(encode(operands)))
}
