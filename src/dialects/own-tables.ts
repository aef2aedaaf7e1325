// Phrases for the tables that the engine makes for itself, and for their indexes.
import type { RowUse, TableName } from './phrase-types.ts'
import { type Sql, sql } from './sql.ts'
import type { LockPhrases } from './transaction-phrases.ts'

/** The engine's own tables. */
export interface TablePhrases {
  /** Locks the creation of the engine's tables until the transaction ends. */
  readonly installAlone?: Sql
  /** Selects as "0" a sentence for each thing under the names of the engine's tables and indexes whose owner has no part in the role of the connection,
   *  nor in the owners of all of the host's tables: what that owner wrote there would run as the engine. Absent = the database has no owners. */
  strangers?(
    names: readonly TableName[],
    besides: { readonly tables: readonly TableName[]; readonly owning: 'all' },
  ): Sql
  /** Selects as "0" the statements that take from others the rights to the tables of some names by which code of theirs could run as the engine. Absent = the
   *  database grants none. */
  rightsOfOthers?(names: readonly TableName[]): Sql
  /** The type of a key of numbers that the database gives, each greater than those before it. */
  readonly numberedKey: Sql
  /** The type of a column that keeps JSON as it is written. Absent = each does. */
  readonly keptJson?: Sql
  /** The name of a new index, and the table that it is of. Absent = it stands where its table does. */
  indexOn?(name: string, table: TableName): Sql
  /** A text that differs where one of some columns does. Absent = it cannot be known. */
  mark?(columns: readonly Sql[]): Sql
  /** Reads a table by an index of a name, behind the table and its alias. Absent = the database knows best. */
  byIndex?(name: string): Sql
}

/** Locks the rows that a subselect finds. */
export const locking = (select: Sql, use: RowUse, { lockRows }: Pick<LockPhrases, 'lockRows'>): Sql =>
  lockRows ? sql`${select}${sql.raw(lockRows('', use))}` : select

/** Locks the rows that a subselect finds for a worker, and leaves out those that others have. */
export const claimed = (select: Sql, dialect: Pick<LockPhrases, 'lockRows'>): Sql =>
  locking(select, 'claim', dialect)

/** A condition on a column, by which an index holds some of the rows only. */
export type ColumnCondition = { readonly isOneOf: readonly string[] } | { readonly isNull: boolean }

/** The condition in the form in which a database finds again that an index serves a query: each of the values by itself. */
export function conditionOn(column: Sql, condition: ColumnCondition): Sql {
  if ('isNull' in condition) return condition.isNull ? sql`${column} is null` : sql`${column} is not null`
  const tests = condition.isOneOf.map((value) => sql`${column} = ${sql.lit(value)}`)
  return sql`(${sql.join(tests, sql` or `)})`
}

export const defaultOf = (value: string | number | boolean): Sql =>
  sql` default ${typeof value === 'boolean' ? sql.raw(String(value)) : sql.lit(value)}`
