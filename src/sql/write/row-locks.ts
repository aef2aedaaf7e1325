// Statements that look for a row by its key, or lock it before it is written. The key is bound for each call.

import type { Dialect } from '../../dialects/dialect.ts'
import type { RowUse } from '../../dialects/phrase-types.ts'
import { type Sql, sql } from '../../dialects/sql.ts'
import { isAlways, type Predicate } from '../../plan/filter/predicate.ts'
import { type Collection, keyOf, type LinkColumn } from '../../schema/model.ts'
import { memoFor } from '../../values/memo.ts'
import { filterSql } from '../filter.ts'
import { type Setting, tableName } from '../frame.ts'
import { type Statement, writtenWith } from '../statement.ts'
import { keyCell, storedColumn, storedReading } from '../stored-column.ts'
import { phrasesOf } from '../tuple.ts'
import { keyName } from './list-write-statements.ts'
import { isAmongBound } from './row-deletions.ts'
import { keysValue, newValue, ownersValue } from './row-values.ts'
import {
  type FoundRow,
  hasKey,
  type RowConditions,
  rowFrame,
  rowWhere,
  type TargetCondition,
} from './row-writes.ts'

/** Locks the row of such a write, if it meets a condition; undefined if the database does not lock rows. */
export function rowLock(
  row: FoundRow,
  conditions: RowConditions,
  use: RowUse,
  setting: Setting,
): Statement | undefined {
  const { dialect } = setting
  if (!dialect.lockRows) return undefined
  const select = keySelect(row, rowWhere(row, conditions, setting), dialect)
  return { ...select, sql: dialect.lockRows(select.sql, use) }
}

/** Selects the key of each row with a key, which several may share, that meets a condition. */
export const rowSelect = (row: FoundRow, condition: Predicate, setting: Setting): Statement =>
  keySelect(
    row,
    sql`${hasKey(row, setting)}${isAlways(condition) ? sql`` : sql` and ${filterSql(condition, rowFrame(row.collection, setting))}`}`,
    setting.dialect,
  )

/** Selects the keys of rows that refer to some items, or are named themselves, with what they refer to, if they meet a condition. `use`: they are locked for it,
 *  in the order of their keys. */
export function childrenSelect(
  foreign: LinkColumn,
  condition: Predicate,
  use: RowUse | undefined,
  setting: Setting,
): Statement {
  const { collection } = foreign
  const { dialect } = setting
  const isChild = sql`(${isAmongBound(foreign, ownersValue, dialect)} or ${isAmongBound(keyOf(collection), keysValue, dialect)})`
  const rules = isAlways(condition) ? sql`` : sql` and ${filterSql(condition, rowFrame(collection, setting))}`
  const order = use ? sql` order by ${keyName(collection, dialect)}` : sql``
  const select = writtenWith(
    sql`select ${keyCell(collection, dialect)}, ${storedReading(foreign, dialect).sql} as ${dialect.identifier('1')} from ${tableName(collection, dialect)} where ${isChild}${rules}${order}`,
    dialect,
  )
  return use && dialect.lockRows ? { ...select, sql: dialect.lockRows(select.sql, use) } : select
}

const keySelect = ({ collection }: FoundRow, where: Sql, dialect: Dialect): Statement =>
  writtenWith(
    sql`select ${keyCell(collection, dialect)} from ${tableName(collection, dialect)} where ${where}`,
    dialect,
  )

const keysAbove = new WeakMap<Dialect, WeakMap<Collection, Statement>>()

/** The number of rows with keys above that of the call, and the largest key of all. */
export const keysAboveStatement = (collection: Collection, dialect: Dialect): Statement =>
  memoFor(
    memoFor(keysAbove, dialect, () => new WeakMap<Collection, Statement>()),
    collection,
    () => {
      const column = storedColumn(keyOf(collection), dialect)
      const isAbove = hasKey({ collection, by: keyOf(collection) }, { dialect }, '>')
      const largest = dialect.reading({ ...column, sql: sql`max(${column.sql})` }).column.sql
      const [rows, max] = [dialect.identifier('0'), dialect.identifier('1')]
      return writtenWith(
        sql`select ${dialect.shownCount(sql`count(*)`)} as ${rows}, ${largest} as ${max} from ${tableName(collection, dialect)} where ${isAbove}`,
        dialect,
      )
    },
  )

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
