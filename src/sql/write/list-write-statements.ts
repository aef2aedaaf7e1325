import type { Dialect } from '../../dialects/dialect.ts'
import { locking } from '../../dialects/own-tables.ts'
import type { Cell, RowUse } from '../../dialects/phrase-types.ts'
import { render, type Sql, sql } from '../../dialects/sql.ts'
import { fieldSubject } from '../../plan/field-path.ts'
import type { Predicate } from '../../plan/filter/predicate.ts'
import type { Key } from '../../plan/key.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import { type Collection, keyOf, partsOf } from '../../schema/model.ts'
import { comparedColumn, filterSql } from '../filter.ts'
import { keyColumns, type Setting, tableName, tableOf } from '../frame.ts'
import { rootFrame } from '../page/chosen-root.ts'
import { choose, chooseDirectly, rowsWhere } from '../page/pagination.ts'
import { type Statement, writeOf, writtenWith } from '../statement.ts'
import { isAmong, keyCell, storedColumn } from '../stored-column.ts'
import { phrasesOf } from '../tuple.ts'
import { assignments, type ColumnChange } from './row-values.ts'
import { type RowConditions, rowFrame, testsOf } from './row-writes.ts'
import { typesOf } from './written-types.ts'

export interface ListChange {
  /** The columns that are updated; undefined if the rows are deleted. */
  readonly columns: ColumnChange | undefined
  /** Limits of rules. The list has all rows that meet its condition then. */
  readonly limits?: RowLimits | undefined
  /** A condition under which nothing is written. */
  readonly unless?: Sql | undefined
  /** The same of triggers, which could change what is judged. Each row is looked at then. */
  readonly followed?: Sql | undefined
}

export interface RowLimits {
  /** Conditions of the rows that are visible and may be written. */
  readonly conditions: RowConditions
  /** True if other rows of the list may be visible. */
  readonly mayRefuse: boolean
  /** The setting in which rules are checked, which has no limits of a caller. */
  readonly setting: Setting
}

/** A delete of all rows of a list, whatever their number, or an update of some fields. */
export function writeListStatement(list: ListPlan, setting: Setting, change: ListChange): Statement {
  return { ...render(listWriteOf(list, setting, change), setting.dialect), kind: 'write' }
}

/** The same write, which also returns the keys of the rows; undefined if the database cannot do both in one statement. */
export function writeTellingStatement(
  list: ListPlan,
  setting: Setting,
  max: number,
  change: ListChange,
): { readonly statement: Statement; readonly read: Cell['read'] } | undefined {
  const { dialect } = setting
  const column = storedColumn(keyOf(list.collection), dialect)
  const { sql: returned, read } = phrasesOf(column, dialect).reading(column).element
  const { columns, limits } = change
  const types = columns ? typesOf(columns.fields, dialect) : sql``
  const visible = limits?.mayRefuse
    ? sql`, (${countOf({ ...list, order: [] }, setting)}) as ${dialect.identifier('2')}`
    : sql``
  const text = dialect.writeTelling?.(
    listWriteOf(list, setting, change),
    returned,
    keyName(list.collection, dialect),
    max,
    sql`${visible}${types}`,
  )
  return text && { statement: writeOf(text, dialect), read }
}

function listWriteOf(list: ListPlan, setting: Setting, change: ListChange): Sql {
  const { columns, limits } = change
  const { dialect } = setting
  const forbidding = [change.unless, change.followed].map((one) => one && sql`not ${one}`)
  const { table, alias, rows } = listedRows(list, setting, limits, ...forbidding)
  return columns
    ? sql`update ${table} set ${assignments(columns, dialect)}${rows}`
    : dialect.deleteFrom(table, alias, rows)
}

interface ListedRows {
  /** The table, with its alias if it has one. */
  readonly table: Sql
  readonly alias?: Sql
  /** Their condition, which begins with a blank, or nothing. */
  readonly rows: Sql
}

function listedRows(
  list: ListPlan,
  setting: Setting,
  limits: RowLimits | undefined,
  ...others: readonly (Sql | undefined)[]
): ListedRows {
  const { collection, page } = list
  const { dialect } = setting
  // Without limit and offset the order of the list does not matter, and its condition is enough.
  const isUnpaged = page.limit === undefined && page.offset === 0
  const table = isUnpaged ? rootFrame(list, setting) : undefined
  if (limits) {
    const frame = { ...rootFrame(list, setting), joins: undefined }
    const tests = testsOf(limits.conditions, { ...frame, setting: limits.setting })
    const rows = rowsWhere(list, frame, ...tests, ...others)
    return { table: sql`${tableName(collection, dialect)} as ${frame.alias}`, alias: frame.alias, rows }
  }
  if (table) {
    const rows = rowsWhere(list, { ...table, joins: undefined }, ...others)
    return { table: tableOf(table), alias: table.alias, rows }
  }
  const selected = sql` where ${keyName(collection, dialect)} in (${keysIn(list, setting)})`
  return { table: tableName(collection, dialect), rows: selected }
}

/** Locks the rows of a list that are visible, in the order of their keys, and selects the number of those that have none, and the keys as the database
 *  finds them again. Undefined if it does not lock rows. */
export function listLock(
  list: ListPlan,
  { limits }: Pick<ListChange, 'limits'>,
  use: RowUse,
  setting: Setting,
): Statement | undefined {
  const { dialect } = setting
  const { heldKeys, identifier } = dialect
  if (!heldKeys) return undefined
  const seen = limits && { ...limits.conditions, alternatives: [], targets: [] }
  const { table, rows } = listedRows(list, setting, limits && seen && { ...limits, conditions: seen })
  const names = keyNames(list.collection, dialect)
  const counts = names.map((name) => sql`count(${name})`)
  const texts = names.map((name, at) => sql`, ${heldKeys.text(name)} as ${identifier(String(at + 1))}`)
  return writtenWith(
    sql`select count(*) - least(${sql.join(counts, sql`, `)}) as ${identifier('0')}${sql.join(texts, sql``)} from ${heldRows(list.collection, sql`${table}${rows}`, use, dialect)}`,
    dialect,
  )
}

/** The keys of rows as a table, in their order if the database locks them. */
export function heldRows(collection: Collection, rows: Sql, use: RowUse, dialect: Dialect): Sql {
  const names = sql.join(keyNames(collection, dialect), sql`, `)
  const order = dialect.lockRows ? sql` order by ${names}` : sql``
  return sql`(${locking(sql`select ${names} from ${rows}${order}`, use, dialect)}) as ${dialect.identifier('_q0')}`
}

/** The key by name: a row value of several parts. */
export function keyName(collection: Collection, dialect: Dialect): Sql {
  const names = keyNames(collection, dialect)
  return names.length === 1 ? sql.join(names, sql``) : sql`(${sql.join(names, sql`, `)})`
}

export const keyNames = (collection: Collection, { identifier }: Dialect): readonly Sql[] =>
  partsOf(keyOf(collection)).map(({ column }) => identifier(column))

export interface KeysStatement extends Statement {
  readonly collection: Collection
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
  const column = comparedColumn(fieldSubject(keyOf(list.collection)), chosen.frame, [])
  const { element } = phrasesOf(column, dialect).reading(column)
  const json = dialect.jsonList({ element: element.sql, from: chosen.from(), order: chosen.order() })
  const text = sql`select ${dialect.jsonText(json)} as ${dialect.identifier('0')}`
  return { ...writtenWith(text, dialect), collection: list.collection, read: element.read }
}

export function countListStatement(list: ListPlan, setting: Setting): Statement {
  return writtenWith(countOf(list, setting), setting.dialect)
}

function countOf(list: ListPlan, setting: Setting): Sql {
  const { identifier, shownCount } = setting.dialect
  return sql`select ${shownCount(sql`count(*)`)} as ${identifier('0')} from (${keysIn(list, setting)}) as ${identifier('_q0')}`
}

function keysIn(list: ListPlan, setting: Setting): Sql {
  const chosen = chooseDirectly(list, rootFrame(list, setting), { probe: 0, after: undefined })
  return sql`select ${sql.join(keyColumns(chosen.frame), sql`, `)} from ${chosen.from()}`
}

/** Rows with some keys, in the order of their keys, in which all callers lock them. `seen` restricts them to those that meet a condition, or to
 *  the rows of a list, as they are when the statement begins. */
export function heldKeysStatement(
  collection: Collection,
  keys: readonly Key[],
  seen: ListPlan | Predicate | undefined,
  setting: Setting,
): Statement {
  const { dialect } = setting
  const isSeen =
    seen === undefined
      ? sql``
      : 'kind' in seen
        ? sql` and ${filterSql(seen, rowFrame(collection, setting))}`
        : sql` and ${keyName(collection, dialect)} in (${keysIn(seen, setting)})`
  const order = sql.join(keyNames(collection, dialect), sql`, `)
  return writtenWith(
    sql`select ${keyCell(collection, dialect)} from ${tableName(collection, dialect)} where ${isAmong(keyOf(collection), keys, dialect)}${isSeen} order by ${order}`,
    dialect,
  )
}
