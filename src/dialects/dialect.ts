// A dialect is a phrase book: it returns phrases of SQL, and no code checks which database it is.

import type { Operand } from '../types/family-row.ts'
import type { ValueType } from '../types/field-types.ts'
import type { Zone } from '../values/zone.ts'
import type { CataloguePhrases } from './catalogue.ts'
import type { JsonPhrases } from './list-phrases.ts'
import type { TablePhrases } from './own-tables.ts'
import type {
  Bookmark,
  Column,
  ConflictPhrases,
  DatePart,
  GeoPhrases,
  JsonScalar,
  JudgedColumns,
  MatchPosition,
  Reach,
  Reading,
  ReturningClause,
  SetValue,
  Sign,
  Slot,
  TableName,
  ValueSets,
  ValueSetTable,
} from './phrase-types.ts'
import type { Sql } from './sql.ts'
import type { Storing } from './stored-values.ts'
import type {
  Breach,
  CursorPhrases,
  DriverFault,
  Interruption,
  IsolationPhrases,
  LockPhrases,
  PagePhrases,
  ServerPhrases,
  TransactionPhrases,
} from './transaction-phrases.ts'

/** Names and placeholders. */
export interface NamePhrases {
  readonly name: string
  /** A quoted name. */
  identifier(name: string): Sql
  /** The placeholder of a bound value; positions count from 1. */
  placeholder(position: number): string
  /** The placeholder in a prepared statement: its plan must not depend on the first value. */
  keptPlaceholder(position: number): string
  /** The name under which a column leaves a subselect. Absent = its own. */
  nameOutside?(column: string): string
}

/** Conditions on a column. */
export interface ConditionPhrases {
  /** True if a column may have values that read as null, such as infinities. */
  losesValues(type: ValueType): boolean
  reach(type: ValueType, operand: Operand): Reach
  compare(column: Column, sign: Sign, slot: Slot<Operand>, reach?: Reach): Sql
  /** Tests membership in a list, which is bound as one value whatever its length. */
  among(column: Column, list: Slot<readonly Operand[]>): Sql
  /** Tests membership of several columns in a list of their values, which is as few bound values as there are columns, whatever its
   *  length. Undefined, or absent, if no index could serve it: then the values are compared as texts. */
  amongTuples?(columns: readonly Column[], list: Slot<readonly (readonly Operand[])[]>): Sql | undefined
  match(column: Column, place: MatchPosition, ignoreCase: boolean, text: Slot<string>): Sql
  /** True if the texts of a column are equal exactly where their bytes are. Absent = it is known of none. */
  comparesBytes?(table: TableName, column: string): Sql
  /** True if a column, as results show it, compares in memory as it does in the database: it holds a value of its type, and no other. Undefined = all
   *  values do. Absent = none does. */
  isOrdinary?(column: Column): Sql | undefined
  /** True if an ordinary value of a column, which is no text, has its place in an order by what results show. Undefined = all have. Absent = none has. */
  sortsAsShown?(column: Column): Sql | undefined
  /** True if values of a type are found by an index, and items whose children have such a value faster by their keys, selected once, than by
   *  EXISTS. Absent = the database plans both alike. */
  startsAtIndex?(type: ValueType): boolean
  isNull(column: Column): Sql
  isPresent(column: Column): Sql
  isEmpty(column: Column): Sql
}

/** Values of columns: parts of them, their forms, and how they are read and stored. */
export interface ValuePhrases {
  datePart(part: DatePart, column: Column, zone: Zone): Sql
  /** The number of elements of a JSON array; 0 for any other value, null for null. */
  jsonLength(column: Column): Sql
  /** The scalar at the column's path, if it is of that kind; else null. */
  jsonScalar(column: Column, kind: JsonScalar): Sql
  /** A key stored as text, converted to the key of a collection; null if the text is not its canonical form.
   *  Undefined if a conversion cannot be tried: then keys are compared as texts. */
  keyFromText(text: Sql, key: ValueType): Sql | undefined
  keyAsText(key: Sql, type: ValueType): Sql
  /** A bound value, or null, as text: it may have no type of its own. */
  castText(value: Sql): Sql
  reading(column: Column): Reading
  storing(type: ValueType): Storing
  /** The type of a new column for such values. */
  columnType(type: ValueType): Sql
  /** The condition of a CHECK that keeps what is no value of a new column out of it. Undefined, or absent, if its type does. */
  columnCheck?(column: Sql, type: ValueType): Sql | undefined
  /** The column in a form in which values are equal exactly where their results are. */
  shown(column: Column): Column
  sum(column: Column, isDistinct: boolean): Column
  average(column: Column, isDistinct: boolean): Sql
  extreme(which: 'min' | 'max', column: Column): Column
  /** Tests whether a text column has bytes instead of text. Absent = it cannot. */
  isOfBytes?(column: Sql): Sql
  /** True for zones by name, with their daylight-saving rules. Absent = fixed offsets only. */
  readonly namedZones?: true
}

/** The clauses of a SELECT. */
export interface SelectPhrases {
  /** An order key. Null comes last, and first when descending. */
  orderKey(column: Column, isDescending: boolean, isNullable: boolean): Sql
  /** An order key in the form in which an order compares it. Given where skipping entries of an index of keys
   *  is much faster than skipping the rows. */
  orderedKey?(column: Column): Sql
  /** LIMIT and OFFSET: ` limit 5 offset 10`. Without a limit it still ends an ordered subselect, whose order
   *  would not be kept otherwise. */
  page(limit: Sql | undefined, offset: Sql | undefined): Sql
  /** ORDER BY for rows that were ordered in a subselect and then joined to others. Absent = they keep their order. */
  orderAgain?(order: Sql): Sql
  /** A number of rows in a form that every driver returns alike. */
  shownCount(count: Sql): Sql
  /** The total number of rows, selected beside each of them. Absent = it costs more than a statement of its own. */
  readonly countBeside?: Sql
  /** A WITH clause before a SELECT, so that the named subselects are computed independently of their use; each
   *  may select from those before it. Absent = they are anyway. */
  madeFirst?(named: readonly (readonly [name: Sql, select: Sql])[]): Sql
  /** An outer join of at most one row, to few rows. Absent = it is written like the others. */
  joinEach?(table: Sql, alias: Sql, on: Sql): Sql
  /** The keyword that lets a subselect in FROM use the rows before it. Absent = there is none. */
  readonly lateral?: Sql
  /** Selects the bytes of the whole database, which holds its values as they are; null if its answers may have more. Absent = it packs them,
   *  or it cannot be known. */
  readonly storedBytes?: Sql
  /** The prefix of a statement that returns the plan of the rest. */
  readonly explain: Sql
  /** The way to read an unlimited number of rows. */
  readonly streaming: CursorPhrases | PagePhrases
  /** An order key as a part of a cursor. Absent = lists have no cursors. */
  bookmark?(column: Column): Bookmark
}

/** The statements that can return rows that they write. */
export type WriteKind = 'insert' | 'update' | 'delete'

/** Statements that write, and what follows them. */
export interface WritePhrases {
  /** The clause that returns columns of the written rows, by the kind of statement. Absent = such statements return none: keys are then
   *  read by statements of their own in the same transaction, and every such write has one. */
  readonly returning: Readonly<Partial<Record<WriteKind, ReturningClause>>>
  /** A cell without a value that has the type of a column, for a statement that writes to it; undefined if it need not show that. Absent = values
   *  have no types that a prepared statement keeps. */
  typeCell?(table: Sql, column: Sql, type: ValueType): Sql | undefined
  /** Selects the key that the last insert on this connection counted up. Needed where inserts return nothing. */
  generatedKey?(table: TableName, column: string): Sql
  /** Deletes rows of a table. `table` is written with its alias, if it has one; `where` is empty, or begins with a blank. */
  deleteFrom(table: Sql, alias: Sql | undefined, where: Sql): Sql
  /** Deletes rows of a table if a condition on all of them holds, which is checked once, before the first of them goes. Absent = no other caller writes
   *  meanwhile. */
  deleteHeld?(rows: HeldRows): Sql
  /** The rest of an insert of a row without any value, behind the name of the table. */
  readonly insertNothing: Sql
  /** Advances the generator of keys beyond a given one. Absent = it does so by itself. */
  countOn?(table: TableName, column: string, key: bigint): Sql
  /** True if writes to a table have side effects on it, such as triggers: then rows differ from what the
   *  statement returns. */
  isFollowed(table: TableName): Sql
  /** True if an insert may store other values than it gives to some columns, without a trigger: their types convert or round them, or a
   *  conflict replaces them. Undefined if it never does. */
  isAltered(table: TableName, columns: JudgedColumns): Sql | undefined
  /** True if an update of some columns may have side effects on its row: triggers, or a foreign key that cascades back to it. */
  isFollowedByUpdate(table: TableName, columns: readonly string[]): Sql
  /** True if the order in which an update writes rows can be seen: by triggers, or where values that move are unique. `isAlike`: all rows get the same
   *  values. Absent = it is not known. */
  isOrderSeen?(table: TableName, columns: readonly string[], isAlike?: boolean): Sql
  /** A text that is another one whenever a table, trigger or index was changed. Undefined if that of a table has none. */
  catalogState?(table: TableName): Sql | undefined
  /** True if a statement that writes several rows of a table, and fails, may keep those that it has written. Absent = it never does. */
  mayFailHalfway?(table: TableName): Sql
  /** True if a written row of a table may take away another one that stands in its way. Absent = it never does. */
  mayReplace?(table: TableName): Sql
  /** True if a name is that of a view, which has no rows of its own. Absent = it is not known of any. */
  isView?(table: TableName): Sql
  /** True if a foreign key of a table deletes or changes its rows when others are deleted or changed. Absent = it is not known of any. */
  isCascadedTo?(table: TableName): Sql
  /** True if new rows get ascending keys and drivers return the last one. Absent = each key has to be returned. */
  readonly countsKeys?: true
  /** Deletes or updates, and returns one row: the number of written rows and, as JSON text, a value of each in the order
   *  of its key; null instead if there were none, or more than `most`. Absent = no other caller writes between
   *  a transaction's read and its write. `types`: cells to put behind the result. */
  writeTelling?(write: Sql, returned: Sql, key: Sql, most: number, types: Sql): Sql
}

/** Rows of a table that are deleted together. */
interface HeldRows {
  readonly table: Sql
  /** A select of their keys as a table, which locks them. */
  readonly held: Sql
  /** The condition on all of them. */
  readonly condition: Sql
  /** The column of their key; undefined if it has several. */
  readonly key: Sql | undefined
  /** True of rows with their keys. */
  readonly where: Sql
}

/** Connections and transactions. */
export interface TransactionFacts {
  /** False if transactions have no savepoints: work inside a transaction is a part of it then, and what fails ends all of it. */
  readonly savepoints?: false
  /** True if all calls share one connection, so that each waits for the others. */
  readonly hasOneConnection?: true
  /** Settings of a connection on which the phrases rely, made before its first statement. Absent = none. */
  readonly settings?: readonly Sql[]
  /** The isolation levels of transactions. Absent = a transaction always uses the snapshot that it began with,
   *  and no other one writes meanwhile. */
  readonly isolation?: IsolationPhrases
  /** The check whether a transaction is still open. */
  readonly transactionStatus: TransactionPhrases
  /** Queries about the server. Absent = all servers of the kind are alike. */
  readonly server?: ServerPhrases
  /** Timeouts and cancelling of statements. Absent = a statement that has begun runs to its end. */
  readonly interruption?: Interruption
}

/** The meanings of driver errors. */
export interface ErrorPhrases {
  /** The meaning of a driver's error for a caller; undefined for an internal error. */
  faultOf(error: unknown): DriverFault | undefined
  /** The constraint violation in a driver's error, with its table and columns where known. */
  breachOf(error: unknown): Breach | undefined
  /** True if a statement that stores no values has failed since a text in it is none of the type of its field, as only the database knows. Absent = it
   *  reads no such texts. */
  refusesOperand?(error: unknown, statement: string): boolean
  /** True if a statement that stores no values has failed since it looks into a stored JSON value that the database cannot read. */
  cannotReadJson?(error: unknown, statement: string): boolean
  /** True if an error comes from concurrent transactions, such as a deadlock, so that a retry may succeed. */
  isTransient(error: unknown): boolean
  /** True if a statement failed, or may have, because a table has changed since it was prepared: it is prepared anew. Absent = that never fails. */
  isOutdated?(error: unknown): boolean
  /** True if a statement failed because a table does not exist. */
  lacksTable(error: unknown): boolean
  /** True if a statement failed because its JSON cannot represent the value of a column. Absent = there is no such value. */
  isBeyondJson?(error: unknown): boolean
}

/** The phrases of a database: a few small books. Code requests phrases from it, and never its name. */
export interface Dialect
  extends NamePhrases,
    ConditionPhrases,
    ValuePhrases,
    SelectPhrases,
    JsonPhrases,
    WritePhrases,
    ConflictPhrases,
    LockPhrases,
    TablePhrases,
    TransactionFacts,
    ErrorPhrases {
  /** True if tables number their rows, so that a number can be the key of a table without one. */
  readonly hasRowNumbers?: true
  /** Introspection of tables; absent = they are defined by hand. */
  readonly catalogue?: CataloguePhrases
  /** Makes a table of value sets, so that one statement serves many callers. Undefined if one of the values cannot come out of a table; absent = none
   *  can. */
  valueSets?(values: readonly SetValue[], alias: Sql, sets: Slot<ValueSets>): ValueSetTable | undefined
  /** Geometry functions; absent = the database has none. */
  readonly geo?: GeoPhrases
}
