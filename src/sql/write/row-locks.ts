// Statements that look for a row by its key, or lock it before it is written. The key is bound for each call.

import type { Dialect } from '../../dialects/dialect.ts'
import type { RowUse } from '../../dialects/phrase-types.ts'
import { type Sql, sql } from '../../dialects/sql.ts'
import { isAlways, type Predicate } from '../../plan/filter/predicate.ts'
import { keyOf } from '../../schema/model.ts'
import { filterSql } from '../filter.ts'
import { type Setting, tableName } from '../frame.ts'
import { type Statement, writtenWith } from '../statement.ts'
import { keyCell, storedColumn } from '../stored-column.ts'
import { phrasesOf } from '../tuple.ts'
import { newValue } from './row-values.ts'
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

const keySelect = ({ collection }: FoundRow, where: Sql, dialect: Dialect): Statement =>
  writtenWith(
    sql`select ${keyCell(collection, dialect)} from ${tableName(collection, dialect)} where ${where}`,
    dialect,
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
