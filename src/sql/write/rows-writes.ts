// Statements that write many rows, each with values of its own.

import type { Dialect } from '../../dialects/dialect.ts'
import { type Sql, sql } from '../../dialects/sql.ts'
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
import { givenRows } from './given-rows.ts'
import { type InsertedFields, insertInto } from './insert-statement.ts'
import { isAmongBound } from './row-deletions.ts'
import { assignments, keysValue, newValue } from './row-values.ts'
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
interface UpdatedRows extends FoundRow {
  readonly fields: readonly StoredField[]
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

/** An update of rows, each with values of its own, or all alike. Undefined if the database has none. `unless`: a condition under which nothing is written. */
export function rowsUpdate(
  { collection, by, fields, isAlike = false }: UpdatedRows,
  unless: Sql,
  judged: JudgedRows | undefined,
  setting: Setting,
): Statement | undefined {
  const { dialect } = setting
  const { update: clause } = dialect.returning
  const table = clause && (isAlike ? namedRows(by, dialect) : givenRows({ collection, by }, fields, dialect))
  if (!table) return undefined
  const set = assignments({ fields, added: nothing }, dialect, dialect.identifier(collection.table))
  const tests = judged ? testsOf(judged.conditions, rowFrame(collection, setting)) : []
  const where = sql.join([table.isSame, sql`not ${unless}`, ...tests], sql` and `)
  const named = [...fields, ...partsOf(by)]
  const cells = judged
    ? returning({ collection, fields: named }, judged.conditions, judged.returned, setting)
    : sql`${keyCell(collection, setting)}${typesOf([...fields, ...keyFieldsOf(collection)], dialect)}`
  const from = table.from ? sql` from ${table.from}` : sql``
  const text = sql`update ${tableName(collection, dialect)} set ${set}${from} where ${where}`
  return judged?.isSilent
    ? silentWrite(table.inPlaceOf(text), dialect)
    : writeOf(table.inPlaceOf(sql`${text}${clause(cells)}`), dialect)
}

/** Rows that are named alone, in the place of those with values. */
const namedRows = (by: KeyField, dialect: Dialect) => ({
  from: undefined,
  isSame: isAmongBound(by, keysValue, dialect),
  inPlaceOf: (piece: Sql) => piece,
})

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
  const rest = table.inPlaceOf(sql`${table.from} where ${where}`)
  return locking(collection, { rest, cells }, 'change', setting)
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
  { collection, by, fields }: UpdatedRows,
  conditions: RowConditions,
  setting: Setting,
): Statement | undefined {
  const { dialect } = setting
  const table = dialect.lockRows && givenRows({ collection, by }, fields, dialect)
  if (!table) return undefined
  const tests = testsOf(conditions, rowFrame(collection, setting))
  const where = sql.join([table.isSame, ...tests], sql` and `)
  return locking(collection, { rest: table.inPlaceOf(sql`${table.from} where ${where}`) }, 'change', setting)
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
  const rest = table.inPlaceOf(sql`${table.from} where ${has}${rules}`)
  return locking(field.target, { rest }, 'reference', setting)
}

function locking(
  collection: Collection,
  { rest, cells }: { readonly rest: Sql; readonly cells?: Sql },
  use: 'change' | 'reference',
  setting: Setting,
): Statement {
  const { dialect } = setting
  const order = keyFieldsOf(collection).map(
    ({ column }) => sql`${dialect.identifier(collection.table)}.${dialect.identifier(column)}`,
  )
  const select = writtenWith(
    sql`select ${cells ?? keyCell(collection, setting)} from ${tableName(collection, dialect)}, ${rest} order by ${sql.join(order, sql`, `)}`,
    dialect,
  )
  return { ...select, sql: dialect.lockRows?.(select.sql, use) ?? select.sql }
}

/** The key by the name of its table: rows of values may have columns of the same names. */
function keyCell(collection: Collection, setting: Setting): Sql {
  const { dialect } = setting
  const key = comparedColumn(fieldSubject(keyOf(collection)), rowFrame(collection, setting), [])
  return sql`${phrasesOf(key, dialect).reading(key).column.sql} as ${dialect.identifier('0')}`
}
