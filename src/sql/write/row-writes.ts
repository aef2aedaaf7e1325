// Statements that write one row by its key if that meets a condition. The key and the values are bound for each call.

import type { RowUse } from '../../dialects/phrase-types.ts'
import { DeferredValue, type Sql, sql } from '../../dialects/sql.ts'
import { fieldSubject } from '../../plan/field-path.ts'
import { always, isAlways, type Predicate } from '../../plan/filter/predicate.ts'
import { fieldsTested } from '../../plan/walk.ts'
import { type Collection, keyFieldsOf, keyOf, type LinkColumn, type StoredField } from '../../schema/model.ts'
import type { Operand } from '../../types/family-row.ts'
import { comparedColumn } from '../column.ts'
import { filterSql } from '../filter.ts'
import { Aliases, type Frame, innerFrame, type Setting, tableName, tableOf } from '../frame.ts'
import { type Statement, writeOf, writtenWith } from '../statement.ts'
import { keyCell, storedColumn } from '../stored-column.ts'
import { phrasesOf } from '../tuple.ts'
import type { InsertedFields } from './insert-statement.ts'
import { assignments, type ColumnChange, keyValue, newValue } from './row-values.ts'
import { typesOf } from './written-types.ts'

/** Conditions under which a row is written, and under which it is shown afterwards. */
export interface RowConditions {
  readonly written: Predicate
  readonly shown: Predicate
}

/** The columns that a statement returns of its row. */
export interface RowReturn {
  readonly columns: Sql
  /** Position of the flag that says whether the row is shown. */
  readonly shownAt: number
}

/** The columns of a row that an update sets. */
interface UpdatedColumns extends ColumnChange {
  readonly collection: Collection
}

/** Conditions of an update. */
interface UpdateConditions extends RowConditions {
  /** A condition about what the statement returns. */
  readonly isShort: Sql | undefined
}

/** An update of one row. It returns nothing if no row meets the condition. */
export function rowUpdate(
  { collection, ...change }: UpdatedColumns,
  { written, shown, isShort }: UpdateConditions,
  returned: RowReturn,
  setting: Setting,
): Statement | undefined {
  const { dialect } = setting
  const { update: clause } = dialect.returning
  if (!clause) return undefined
  const frame = rowFrame(collection, setting)
  const short = isShort ? sql` and ${isShort}` : sql``
  const text = sql`update ${tableName(collection, dialect)} set ${assignments(change, dialect)} where ${rowWhere(collection, written, frame)}${short}${clause(returning({ collection, fields: change.fields }, { written, shown }, returned, setting))}`
  return writeOf(text, dialect)
}

/** A condition that the item to which a new value refers has to meet. */
export interface TargetCondition {
  readonly field: LinkColumn
  readonly condition: Predicate
}

/** Conditions under which a row is inserted, and under which it is shown afterwards. */
export interface InsertConditions {
  readonly shown: Predicate
  readonly targets: readonly TargetCondition[]
  /** A condition under which nothing is inserted. */
  readonly unless: Sql | undefined
}

/** Locks the row of such a write, if it meets a condition; undefined if the database does not lock rows. */
export function rowLock(
  collection: Collection,
  condition: Predicate,
  use: RowUse,
  setting: Setting,
): Statement | undefined {
  const { dialect } = setting
  if (!dialect.lockRows) return undefined
  const where = rowWhere(collection, condition, rowFrame(collection, setting))
  const select = writtenWith(
    sql`select ${keyCell(collection, dialect)} from ${tableName(collection, dialect)} where ${where}`,
    dialect,
  )
  return { ...select, sql: dialect.lockRows(select.sql, use) }
}

/** Locks the item to which a new value refers, if it meets the condition; undefined if the database does not lock rows. */
export function targetLock({ field, condition }: TargetCondition, setting: Setting): Statement | undefined {
  const { dialect } = setting
  if (!dialect.lockRows) return undefined
  const { target } = field
  const key = storedColumn(keyOf(target), dialect)
  const has = phrasesOf(key, dialect).compare(key, '=', () => newValue(field, dialect))
  const rules = isAlways(condition) ? sql`` : sql` and ${filterSql(condition, rowFrame(target, setting))}`
  const select = writtenWith(
    sql`select ${keyCell(target, dialect)} from ${tableName(target, dialect)} where ${has}${rules}`,
    dialect,
  )
  return { ...select, sql: dialect.lockRows(select.sql, 'reference') }
}

/** An insert of one row. It returns nothing if a condition is not met. */
export function rowInsert(
  { collection, fields }: InsertedFields,
  { shown, targets, unless }: InsertConditions,
  returned: RowReturn,
  setting: Setting,
): Statement | undefined {
  const { dialect } = setting
  const { insert: clause } = dialect.returning
  if (!clause || fields.length === 0) return undefined
  const names = fields.map(({ column }) => dialect.identifier(column))
  const values = sql.join(
    fields.map((field) => newValue(field, dialect)),
    sql`, `,
  )
  const frame = rowFrame(collection, setting)
  const tests = [
    ...(unless ? [sql`not ${unless}`] : []),
    ...targets.map((target) => targetSql(target, frame)),
  ]
  const row =
    tests.length === 0 ? sql`values (${values})` : sql`select ${values} where ${sql.join(tests, sql` and `)}`
  const text = sql`insert into ${tableName(collection, dialect)} (${sql.join(names, sql`, `)}) ${row}${clause(returning({ collection, fields }, { written: always, shown }, returned, setting))}`
  return writeOf(text, dialect)
}

/** True if the item to which a new value refers meets a condition. */
function targetSql({ field, condition }: TargetCondition, frame: Frame): Sql {
  const { dialect } = frame.setting
  const target = innerFrame(frame, field.target)
  const key = comparedColumn(fieldSubject(keyOf(field.target)), target, [])
  const tie = phrasesOf(key, dialect).compare(key, '=', () => newValue(field, dialect))
  const matches = isAlways(condition) ? sql`` : sql` and ${filterSql(condition, target)}`
  return sql`exists (select 1 from ${tableOf(target)}${target.joins.text} where ${tie}${matches})`
}

/** A deletion of one row, which returns its key. */
export function rowDeletion(
  collection: Collection,
  condition: Predicate,
  setting: Setting,
): Statement | undefined {
  const { dialect } = setting
  const { delete: clause } = dialect.returning
  if (!clause) return undefined
  const where = rowWhere(collection, condition, rowFrame(collection, setting))
  const types = typesOf(namedBy(keyFieldsOf(collection), [condition]), dialect)
  const deletion = dialect.deleteFrom(tableName(collection, dialect), undefined, sql` where ${where}`)
  return writeOf(sql`${deletion}${clause(sql`${keyCell(collection, dialect)}${types}`)}`, dialect)
}

/** The columns of a written row, whether it is shown, and the types that the statement relies on. */
function returning(
  { collection, fields }: InsertedFields,
  { written, shown }: RowConditions,
  { columns, shownAt }: RowReturn,
  setting: Setting,
): Sql {
  const { dialect } = setting
  const isShown = isAlways(shown)
    ? sql`1`
    : sql`case when ${filterSql(shown, rowFrame(collection, setting))} then 1 end`
  const types = typesOf(namedBy([...fields, ...keyFieldsOf(collection)], [written, shown]), dialect)
  return sql`${columns}, ${isShown} as ${dialect.identifier(String(shownAt))}${types}`
}

function rowWhere(collection: Collection, condition: Predicate, frame: Frame): Sql {
  const { dialect } = frame.setting
  const column = storedColumn(keyOf(collection), dialect)
  const has = phrasesOf(column, dialect).compare(column, '=', (encode) =>
    sql.val(new DeferredValue(keyValue, undefined, (input) => encode(input as Operand))),
  )
  // A key that several rows share, although it should be unique, is the key of none.
  const isOne = sql`not exists (select 1 from ${tableName(collection, dialect)} where ${has} limit 1 offset 1)`
  const rules = isAlways(condition) ? sql`` : sql` and ${filterSql(condition, frame)}`
  return sql`${has} and ${isOne}${rules}`
}

/** Returns fields with those that conditions name, each once. */
const namedBy = (
  fields: readonly StoredField[],
  conditions: readonly Predicate[],
): ReadonlySet<StoredField> => new Set([...fields, ...conditions.flatMap(fieldsTested)])

/** The row by the name of its table, as clauses of such statements know it. */
function rowFrame(collection: Collection, setting: Setting): Frame {
  return {
    collection,
    alias: setting.dialect.identifier(collection.table),
    columns: new Map(),
    setting,
    aliases: new Aliases(setting.dialect, collection.table),
    joins: undefined,
    isDerived: false,
    isOptional: false,
  }
}
