// Statements that delete rows by their keys if they meet some conditions. The keys are bound for each call.

import type { Dialect } from '../../dialects/dialect.ts'
import type { Cell } from '../../dialects/phrase-types.ts'
import { DeferredValue, type Sql, sql } from '../../dialects/sql.ts'
import { type Collection, type KeyField, keyFieldsOf, keyOf } from '../../schema/model.ts'
import type { Operand } from '../../types/family-row.ts'
import { type Setting, tableName } from '../frame.ts'
import { type Statement, silentWrite, writeOf, writtenWith } from '../statement.ts'
import { keyCell, storedColumn } from '../stored-column.ts'
import { phrasesOf } from '../tuple.ts'
import { heldRows, keyName, keyNames } from './list-write-statements.ts'
import { keysValue } from './row-values.ts'
import { namedBy, type RowConditions, rowFrame, rowWhere, testsOf } from './row-writes.ts'
import { typesOf } from './written-types.ts'

export function rowDeletion(
  collection: Collection,
  conditions: RowConditions,
  setting: Setting,
): Statement | undefined {
  const where = rowWhere({ collection, by: keyOf(collection) }, conditions, setting)
  return deletion(collection, where, conditions, setting)
}

function deletion(
  collection: Collection,
  where: Sql,
  conditions: RowConditions,
  setting: Setting,
): Statement | undefined {
  const { dialect } = setting
  const { delete: clause } = dialect.returning
  const text = dialect.deleteFrom(tableName(collection, dialect), undefined, sql` where ${where}`)
  const types = typesOf(namedBy(keyFieldsOf(collection), conditions), dialect)
  return clause && writeOf(sql`${text}${clause(sql`${keyCell(collection, dialect)}${types}`)}`, dialect)
}

/** A deletion that reports its rows in one row: their number, and their keys as JSON text. */
interface ReportingDeletion {
  readonly statement: Statement
  readonly read: Cell['read']
}

/** A deletion of the rows with some keys, which returns a key of each, unless it is silent; undefined if the database cannot. */
export function rowsDeletion(
  collection: Collection,
  conditions: RowConditions,
  isSilent: boolean,
  setting: Setting,
): Statement | undefined {
  const { dialect } = setting
  const where = rowsWhere(collection, conditions, setting)
  if (!isSilent) return deletion(collection, where, conditions, setting)
  return silentWrite(
    dialect.deleteFrom(tableName(collection, dialect), undefined, sql` where ${where}`),
    dialect,
  )
}

/** The answer of such a deletion, and when it deletes nothing. */
interface DeletionReport {
  readonly hasKeys: boolean
  /** True if nothing is deleted where triggers might keep a row, or several rows may have one key. */
  readonly isGuarded: boolean
}

/** The same deletion, which reports its rows. It locks them in the order of their keys, as all statements do: undefined if the database does not
 *  lock rows, or if a statement cannot report what it has deleted. */
export function reportingDeletion(
  collection: Collection,
  conditions: RowConditions,
  { hasKeys, isGuarded }: DeletionReport,
  setting: Setting,
): ReportingDeletion | undefined {
  const { dialect } = setting
  const { deleteHeld, lockRows, writeTelling } = dialect
  if (!deleteHeld || !lockRows || !writeTelling) return undefined
  const guard = isGuarded ? guardOf(collection, dialect) : sql``
  if (!guard) return undefined
  const [column, ...others] = keyNames(collection, dialect)
  const deletion = deleteHeld({
    table: tableName(collection, dialect),
    held: heldRows(collection, foundRows(collection, conditions, setting), 'removal', dialect),
    condition: sql`count(*) = ${numberOfKeys} and count(*) = count(distinct ${keyName(collection, dialect)})${guard}`,
    key: others.length === 0 ? column : undefined,
    // Rows that are locked stay as they were checked.
    where: hasKey(collection, dialect),
  })
  const stored = storedColumn(keyOf(collection), dialect)
  const { sql: cell, read } = phrasesOf(stored, dialect).reading(stored).element
  const types = typesOf(namedBy(keyFieldsOf(collection), conditions), dialect)
  const max = hasKeys ? Number.MAX_SAFE_INTEGER : 0
  const text = writeTelling(deletion, cell, keyName(collection, dialect), max, types)
  return { statement: writeOf(text, dialect), read }
}

/** Undefined if the database never says that keys are unique. */
function guardOf(collection: Collection, dialect: Dialect): Sql | undefined {
  const columns = keyFieldsOf(collection).map(({ column }) => column)
  const unique = dialect.catalogue?.uniqueness?.(collection, columns)
  return unique && sql` and not ${dialect.isFollowed(collection)} and ${unique.areUnique}`
}

/** Locks the rows with some keys that meet the conditions, in the order of their keys; undefined if the database does not lock rows. */
export function rowsRemovalLock(
  collection: Collection,
  conditions: RowConditions,
  setting: Setting,
): Statement | undefined {
  const { dialect } = setting
  if (!dialect.lockRows) return undefined
  const held = heldRows(collection, foundRows(collection, conditions, setting), 'removal', dialect)
  return writtenWith(sql`select count(*) as ${dialect.identifier('0')} from ${held}`, dialect)
}

const foundRows = (collection: Collection, conditions: RowConditions, setting: Setting): Sql =>
  sql`${tableName(collection, setting.dialect)} where ${rowsWhere(collection, conditions, setting)}`

/** True of the rows with the keys of the call that meet the conditions. */
const rowsWhere = (collection: Collection, conditions: RowConditions, setting: Setting): Sql =>
  sql.join(
    [hasKey(collection, setting.dialect), ...testsOf(conditions, rowFrame(collection, setting))],
    sql` and `,
  )

const hasKey = (collection: Collection, dialect: Dialect): Sql =>
  isAmongBound(keyOf(collection), keysValue, dialect)

/** True of the rows whose field has one of the values that a call binds. */
export function isAmongBound(field: KeyField, bound: object, dialect: Dialect): Sql {
  const column = storedColumn(field, dialect)
  return phrasesOf(column, dialect).among(column, (encode) =>
    sql.val(new DeferredValue(bound, [], (keys) => encode(keys as readonly Operand[]))),
  )
}

const numberOfKeys = sql.val(new DeferredValue(keysValue, [], (keys) => (keys as readonly Operand[]).length))
