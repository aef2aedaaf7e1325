// Statements that write one row by its key if that meets a condition. The key and the values are bound for each call.

import { DeferredValue, type Sql, sql } from '../../dialects/sql.ts'
import { fieldSubject } from '../../plan/field-path.ts'
import { isAlways, type Predicate } from '../../plan/filter/predicate.ts'
import { fieldsTested } from '../../plan/walk.ts'
import {
  type Collection,
  type KeyField,
  keyFieldsOf,
  keyOf,
  type LinkColumn,
  partsOf,
  type StoredField,
} from '../../schema/model.ts'
import type { Operand } from '../../types/family-row.ts'
import { comparedColumn, filterSql } from '../filter.ts'
import { Aliases, type Frame, innerFrame, type Setting, tableName, tableOf } from '../frame.ts'
import { type Statement, writeOf } from '../statement.ts'
import { storedColumn } from '../stored-column.ts'
import { phrasesOf } from '../tuple.ts'
import { type InsertedFields, insertInto } from './insert-statement.ts'
import { assignments, type ColumnChange, keyValue, newValue, truthOf } from './row-values.ts'
import { typesOf } from './written-types.ts'

/** Conditions under which a row is written, and under which it is shown afterwards. */
export interface RowConditions {
  /** The row is visible before. */
  readonly seen: Predicate
  /** At least one of them holds, if there are any. */
  readonly alternatives: readonly RowAlternative[]
  /** The items to which new values refer meet these. */
  readonly targets: readonly TargetCondition[]
  readonly shown: Predicate
}

/** A way in which a row may be written. */
interface RowAlternative {
  /** A condition on new values, whose truth is bound. */
  readonly values: Predicate
  readonly row: Predicate
  readonly targets: readonly TargetCondition[]
}

export interface RowReturn {
  readonly columns: Sql
  /** Position of the flag that says whether the row is shown. */
  readonly shownAt: number
}

/** A row, and the field by which it is found: its key, or others that are unique together. */
export interface FoundRow {
  readonly collection: Collection
  readonly by: KeyField
}

interface UpdatedColumns extends ColumnChange, FoundRow {}

interface UpdateConditions extends RowConditions {
  /** A condition about what the statement returns. */
  readonly isShort: Sql | undefined
  /** A condition under which nothing is written. */
  readonly unless: Sql | undefined
}

/** An update of one row. It returns nothing if no row meets the condition. */
export function rowUpdate(
  { collection, by, ...change }: UpdatedColumns,
  conditions: UpdateConditions,
  returned: RowReturn,
  setting: Setting,
): Statement | undefined {
  const { dialect } = setting
  const { update: clause } = dialect.returning
  if (!clause) return undefined
  const { isShort, unless } = conditions
  const short = sql`${isShort ? sql` and ${isShort}` : sql``}${unless ? sql` and not ${unless}` : sql``}`
  const text = sql`update ${tableName(collection, dialect)} set ${assignments(change, dialect)} where ${rowWhere({ collection, by }, conditions, setting)}${short}${clause(returning({ collection, fields: [...change.fields, ...partsOf(by)] }, conditions, returned, setting))}`
  return writeOf(text, dialect)
}

/** A condition that the item to which a new value refers has to meet. */
export interface TargetCondition {
  readonly field: LinkColumn
  readonly condition: Predicate
}

/** Conditions under which a row is inserted, and under which it is shown afterwards. */
export interface InsertConditions extends RowConditions {
  /** A condition under which nothing is inserted. */
  readonly unless: Sql | undefined
  /** Fields whose values identify an existing row: no row is inserted if there is one. */
  readonly unlessSame: readonly StoredField[] | undefined
}

/** An insert of one row. It returns nothing if a condition is not met. */
export function rowInsert(
  { collection, fields }: InsertedFields,
  conditions: InsertConditions,
  returned: RowReturn,
  setting: Setting,
): Statement | undefined {
  const { dialect } = setting
  const { insert: clause } = dialect.returning
  if (!clause || fields.length === 0) return undefined
  const values = sql.join(
    fields.map((field) => newValue(field, dialect)),
    sql`, `,
  )
  const { unless, unlessSame } = conditions
  const tests = [
    ...(unless ? [sql`not ${unless}`] : []),
    ...testsOf(conditions, rowFrame(collection, setting)),
  ]
  const same = unlessSame && dialect.unlessThere?.(unlessSame.map(({ column }) => dialect.identifier(column)))
  const row =
    tests.length === 0 ? sql`values (${values})` : sql`select ${values} where ${sql.join(tests, sql` and `)}`
  const text = sql`${insertInto({ collection, fields }, dialect)} ${row}${same ?? sql``}${clause(returning({ collection, fields }, conditions, returned, setting))}`
  return writeOf(text, dialect)
}

export function testsOf({ seen, alternatives, targets }: RowConditions, frame: Frame): readonly Sql[] {
  const isLone = alternatives.length === 1
  const ways = alternatives.map(({ values, row, targets: goals }, at) => [
    // Memory has checked the only one before.
    ...(isLone || isAlways(values) ? [] : [sql`${truthOf(at)} = 1`]),
    ...(isAlways(row) ? [] : [filterSql(row, frame)]),
    ...goals.map((goal) => targetSql(goal, frame)),
  ])
  const isFree = ways.some((way) => way.length === 0)
  const ofWays = ways.map((way) => sql`(${sql.join(way, sql` and `)})`)
  return [
    ...(isAlways(seen) ? [] : [filterSql(seen, frame)]),
    ...targets.map((target) => targetSql(target, frame)),
    ...(isFree || ways.length === 0 ? [] : [sql`(${sql.join(ofWays, sql` or `)})`]),
  ]
}

/** True if the item to which a new value refers meets a condition. */
export function targetSql({ field, condition }: TargetCondition, frame: Frame): Sql {
  const { dialect } = frame.setting
  const target = innerFrame(frame, field.target)
  const key = comparedColumn(fieldSubject(keyOf(field.target)), target, [])
  const tie = phrasesOf(key, dialect).compare(key, '=', () => newValue(field, dialect))
  const matches = isAlways(condition) ? sql`` : sql` and ${filterSql(condition, target)}`
  return sql`exists (select 1 from ${tableOf(target)}${target.joins.text} where ${tie}${matches})`
}

/** The columns of a written row, whether it is shown, and the types that the statement relies on. */
export function returning(
  { collection, fields }: InsertedFields,
  conditions: RowConditions,
  { columns, shownAt }: RowReturn,
  setting: Setting,
): Sql {
  const { dialect } = setting
  const { shown } = conditions
  const isShown = isAlways(shown)
    ? sql`1`
    : sql`case when ${filterSql(shown, rowFrame(collection, setting))} then 1 end`
  const types = typesOf(namedBy([...fields, ...keyFieldsOf(collection)], conditions), dialect)
  return sql`${columns}, ${isShown} as ${dialect.identifier(String(shownAt))}${types}`
}

/** True of the rows with the key of the call. */
export function hasKey({ by }: FoundRow, { dialect }: Pick<Setting, 'dialect'>, sign: '=' | '>' = '='): Sql {
  const column = storedColumn(by, dialect)
  return phrasesOf(column, dialect).compare(column, sign, (encode) =>
    sql.val(new DeferredValue(keyValue, undefined, (input) => encode(input as Operand))),
  )
}

/** True of the row with the key of the call, if it meets the conditions. */
export function rowWhere(row: FoundRow, conditions: RowConditions, setting: Setting): Sql {
  const { collection } = row
  const { dialect } = setting
  const has = hasKey(row, setting)
  // A key that several rows share, although it should be unique, is the key of none.
  const isOne = sql`not exists (select 1 from ${tableName(collection, dialect)} where ${has} limit 1 offset 1)`
  return sql.join([has, isOne, ...testsOf(conditions, rowFrame(collection, setting))], sql` and `)
}

export const namedBy = (
  fields: readonly StoredField[],
  { seen, shown, alternatives }: RowConditions,
): ReadonlySet<StoredField> =>
  new Set([...fields, ...[seen, shown, ...alternatives.map(({ row }) => row)].flatMap(fieldsTested)])

/** The row by the name of its table, as clauses of such statements know it. */
export function rowFrame(collection: Collection, setting: Setting): Frame {
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
