// Statements that write many rows, each with values of its own.

import type { Dialect } from '../../dialects/dialect.ts'
import { locking } from '../../dialects/own-tables.ts'
import type { RowUse } from '../../dialects/phrase-types.ts'
import { DeferredValue, type Sql, sql } from '../../dialects/sql.ts'
import { fieldSubject } from '../../plan/field-path.ts'
import { isAlways } from '../../plan/filter/predicate.ts'
import {
  type Collection,
  type KeyField,
  keyFieldsOf,
  keyOf,
  partsOf,
  type StoredField,
} from '../../schema/model.ts'
import { comparedColumn, filterSql } from '../filter.ts'
import { type Setting, tableName } from '../frame.ts'
import { type Statement, silentWrite, writeOf, writtenWith } from '../statement.ts'
import { phrasesOf } from '../tuple.ts'
import { givenName, givenRows } from './given-rows.ts'
import { type InsertedFields, insertInto } from './insert-statement.ts'
import { isAmongBound } from './row-deletions.ts'
import { assignments, type ColumnChange, givenRowsValue, keysValue, newValue } from './row-values.ts'
import {
  type FoundRow,
  type InsertConditions,
  type RowConditions,
  type RowReturn,
  returning,
  rowFrame,
  type TargetCondition,
  testsOf,
} from './row-writes.ts'
import { typesOf } from './written-types.ts'

/** Rows by their keys, and the columns that get new values. */
interface UpdatedRows extends FoundRow, Omit<ColumnChange, 'added'>, Partial<Pick<ColumnChange, 'added'>> {
  /** True if all get the same values. */
  readonly isAlike?: boolean
}

/** Conditions of the rows, and what is returned of them. Absent = they are written as they are, and their keys are returned. */
interface JudgedRows {
  readonly conditions: RowConditions
  readonly returned: RowReturn
  /** True to return nothing: the database reports how many rows are written. */
  readonly isSilent?: boolean
}

const nothing: ReadonlyMap<StoredField, undefined> = new Map()

/** How the rows of an update are found. */
interface RowsFound {
  /** A condition under which nothing is written. */
  readonly unless: Sql
  /** Locks the rows first, in the order of their keys, where the database does: all that are named, or those of them that meet the conditions. */
  readonly held?: 'all' | 'some' | undefined
}

/** An update of rows, each with values of its own, or all alike. Undefined if the database has none. */
export function rowsUpdate(
  rows: UpdatedRows,
  { unless, held: how }: RowsFound,
  judged: JudgedRows | undefined,
  setting: Setting,
): Statement | undefined {
  const { dialect } = setting
  const { collection, by, fields, added = nothing } = rows
  const { update: clause } = dialect.returning
  const table = clause && tableOfRows(rows, dialect)
  if (!table) return undefined
  const set = assignments({ fields, added }, dialect, dialect.identifier(collection.table))
  const tests = judged ? testsOf(judged.conditions, rowFrame(collection, setting)) : []
  const first = how && heldFirst(rows, table, tests, setting)
  const isWhole = first && how === 'all' ? [first.isWhole] : []
  const found = first ? [first.isSame] : [table.isSame, ...tests]
  const where = sql.join([...found, sql`not ${unless}`, ...isWhole], sql` and `)
  const named = [...fields, ...partsOf(by)]
  const cells = judged
    ? returning({ collection, fields: named }, judged.conditions, judged.returned, setting)
    : sql`${keyCell(collection, setting)}${typesOf([...fields, ...keyFieldsOf(collection)], dialect)}`
  const source = first ? dialect.identifier(givenName) : table.from
  const from = source ? sql` from ${source}` : sql``
  const text = sql`${first?.madeFirst ?? sql``}update ${tableName(collection, dialect)} set ${set}${from} where ${where}`
  return judged?.isSilent
    ? silentWrite(table.inPlaceOf(text), dialect)
    : writeOf(table.inPlaceOf(sql`${text}${clause(cells)}`), dialect)
}

/** The rows of a statement: given with their values, or named alone. */
const tableOfRows = ({ isAlike = false, ...rows }: UpdatedRows, dialect: Dialect) =>
  isAlike && rows.collection.table !== givenName
    ? namedRows(rows.by, dialect)
    : givenRows(rows, rows.fields, dialect)

/** Rows that are named alone, in the place of those with values. */
const namedRows = (by: KeyField, dialect: Dialect) => ({
  from: undefined,
  isSame: isAmongBound(by, keysValue, dialect),
  inPlaceOf: (piece: Sql) => piece,
})

/** The rows as a select that locks them in the order of their keys, before the statement that reads it. Undefined if the database does not lock rows. */
function heldFirst(
  { collection, by, isAlike = false }: UpdatedRows,
  { from, isSame }: Pick<NonNullable<ReturnType<typeof tableOfRows>>, 'from' | 'isSame'>,
  tests: readonly Sql[],
  setting: Setting,
) {
  const { dialect } = setting
  if (!dialect.lockRows || !dialect.madeFirst) return undefined
  const { identifier } = dialect
  const [alias, home] = [identifier(givenName), identifier(collection.table)]
  const parts = partsOf(by).map((part, at) => ({
    column: sql`${home}.${identifier(part.column)}`,
    name: identifier(`v${at}`),
  }))
  const cells = isAlike
    ? sql.join(
        parts.map(({ column, name }) => sql`${column} as ${name}`),
        sql`, `,
      )
    : sql`${alias}.*`
  const rest = sql`${from ? sql`, ${from}` : sql``} where ${sql.join([isSame, ...tests], sql` and `)}`
  const bound = isAlike ? keysValue : givenRowsValue
  const count = sql.val(new DeferredValue(bound, [], (rows) => Object(rows).length))
  return {
    madeFirst: dialect.madeFirst([[alias, lockingSelect(collection, { rest, cells }, 'change', dialect)]]),
    isSame: sql.join(
      parts.map(({ column, name }) => sql`${column} = ${alias}.${name}`),
      sql` and `,
    ),
    isWhole: sql`(select count(*) from ${alias}) = ${count}`,
  }
}

/** Selects the rows of such an update that changes no column, and locks them in the order of their keys. Undefined if the database has no such statement. */
export function rowsSelect(
  { collection, by }: FoundRow,
  { conditions, returned }: JudgedRows,
  setting: Setting,
): Statement | undefined {
  const { dialect } = setting
  const table = givenRows({ collection, by }, [], dialect)
  if (!table) return undefined
  const where = sql.join([table.isSame, ...testsOf(conditions, rowFrame(collection, setting))], sql` and `)
  const cells = returning({ collection, fields: partsOf(by) }, conditions, returned, setting)
  const rest = sql`, ${table.from} where ${where}`
  return writtenWith(table.inPlaceOf(lockingSelect(collection, { rest, cells }, 'change', dialect)), dialect)
}

/** An insert of rows in the order in which they are table. Undefined if the database has none. `returned`: absent = the database reports how many rows are
 *  inserted. */
export function rowsInsert(
  { collection, fields }: InsertedFields,
  { unless, ...conditions }: InsertConditions,
  returned: RowReturn | undefined,
  setting: Setting,
): Statement | undefined {
  const { dialect } = setting
  const { insert: clause } = dialect.returning
  const table = clause && fields.length > 0 ? givenRows({ collection }, fields, dialect) : undefined
  if (!table || !clause) return undefined
  const values = fields.map((field) => newValue(field, dialect))
  const tests = [
    ...(unless ? [sql`not ${unless}`] : []),
    ...testsOf(conditions, rowFrame(collection, setting)),
  ]
  const where = tests.length === 0 ? sql`` : sql` where ${sql.join(tests, sql` and `)}`
  const text = sql`${insertInto({ collection, fields }, dialect)} select ${sql.join(values, sql`, `)} from ${table.from}${where} order by ${table.place}`
  if (!returned) return silentWrite(table.inPlaceOf(text), dialect)
  const cells = returning({ collection, fields }, conditions, returned, setting)
  return writeOf(table.inPlaceOf(sql`${text}${clause(cells)}`), dialect)
}

/** Locks the rows of such an update that meet the conditions, in the order of their keys; undefined if the database does not lock rows. */
export function rowsLock(
  rows: UpdatedRows,
  conditions: RowConditions,
  setting: Setting,
): Statement | undefined {
  const { dialect } = setting
  const table = dialect.lockRows && tableOfRows(rows, dialect)
  if (!table) return undefined
  const { collection } = rows
  const tests = testsOf(conditions, rowFrame(collection, setting))
  const where = sql.join([table.isSame, ...tests], sql` and `)
  const rest = sql`${table.from ? sql`, ${table.from}` : sql``} where ${where}`
  return held(collection, table.inPlaceOf(rest), 'change', dialect)
}

/** Locks the items to which new values of such rows refer, if they meet a condition, in the order of their keys; undefined if the database does not lock
 *  rows. */
export function targetsLock(
  { field, condition }: TargetCondition,
  { collection, by, fields }: InsertedFields & Partial<FoundRow>,
  setting: Setting,
): Statement | undefined {
  const { dialect } = setting
  const table = dialect.lockRows && givenRows({ collection, ...(by && { by }) }, fields, dialect)
  if (!table) return undefined
  const frame = rowFrame(field.target, setting)
  const key = comparedColumn(fieldSubject(keyOf(field.target)), frame, [])
  const has = phrasesOf(key, dialect).compare(key, '=', () => newValue(field, dialect))
  const rules = isAlways(condition) ? sql`` : sql` and ${filterSql(condition, frame)}`
  const rest = table.inPlaceOf(sql`, ${table.from} where ${has}${rules}`)
  return held(field.target, rest, 'reference', dialect)
}

/** Locks rows, and returns their number alone. */
const held = (collection: Collection, rest: Sql, use: RowUse, dialect: Dialect): Statement =>
  writtenWith(
    sql`select count(*) as ${dialect.identifier('0')} from (${lockingSelect(collection, { rest, cells: sql`1` }, use, dialect)}) as ${dialect.identifier('_q0')}`,
    dialect,
  )

/** Selects from rows, and locks them in the order of their keys if the database locks rows. */
function lockingSelect(
  collection: Collection,
  { rest, cells }: { readonly rest: Sql; readonly cells: Sql },
  use: RowUse,
  dialect: Dialect,
): Sql {
  const order = keyFieldsOf(collection).map(
    ({ column }) => sql`${dialect.identifier(collection.table)}.${dialect.identifier(column)}`,
  )
  const select = sql`select ${cells} from ${tableName(collection, dialect)}${rest} order by ${sql.join(order, sql`, `)}`
  return locking(select, use, dialect)
}

/** The key by the name of its table: rows of values may have columns of the same names. */
function keyCell(collection: Collection, setting: Setting): Sql {
  const { dialect } = setting
  const key = comparedColumn(fieldSubject(keyOf(collection)), rowFrame(collection, setting), [])
  return sql`${phrasesOf(key, dialect).reading(key).column.sql} as ${dialect.identifier('0')}`
}
