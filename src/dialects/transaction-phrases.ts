// The phrases for connections and transactions, and the meanings of driver errors.

import type { ErrorCode } from '../errors/errors.ts'
import type { RawConnection } from './connections/wire.ts'
import type { Column, RowUse, TableName } from './phrase-types.ts'
import type { Sql } from './sql.ts'

export interface WriteLockPhrases {
  /** Begins a transaction that has the lock from its beginning. */
  readonly begin: string
  /** Takes the lock by a table that can be written to, and changes nothing. */
  take(table: Sql): Sql
  /** Returns the busy timeout in one cell: how many milliseconds a statement waits for the lock, blocking the process. */
  readonly busyTimeout: string
  setBusyTimeout(milliseconds: number): string
  /** True if a statement failed because another connection has the lock. */
  isTaken(error: unknown): boolean
  /** True if a statement can never succeed here: the table or setting does not exist, or may not be written. */
  isRefused(error: unknown): boolean
}

export interface HeldKeysPhrases {
  /** The values of a column as one text, in the order of the rows. */
  text(column: Sql): Sql
  /** True of the rows whose columns have values side by side in such texts. */
  among(
    columns: readonly (Pick<Column, 'sql'> & Required<Pick<Column, 'home'>>)[],
    texts: readonly Sql[],
  ): Sql
}

/** Locks, and the time that those share who wait for each other. */
export interface LockPhrases {
  /** Locks a table against other writers until the transaction ends. Absent = a writer is alone anyway. */
  lockTable?(table: TableName): Sql
  /** Locks the rows that a statement selects, in the mode that their use needs. */
  lockRows?(select: string, use: RowUse): string
  /** Keys of rows that one statement locks and a later one writes. Absent = rows are not locked. */
  readonly heldKeys?: HeldKeysPhrases
  /** True if a statement failed because rows of its table cannot be locked, or not by this user, who may still be able to delete them. */
  refusesLock?(error: unknown): boolean
  /** The write lock of a database with one writer at a time. Absent = others write concurrently. */
  readonly writeLock?: WriteLockPhrases
  /** The database's time: whole milliseconds since 1970, which go on inside a transaction. */
  now(): Sql
  /** Selects as "0" a number that is another one after each write of this connection, and of any other one. Absent = there is none. */
  readonly writesSeen?: string
  /** Sends a text to listeners on a channel, behind the number of a table. Absent = there are no listeners. */
  notify?(channel: string, table: TableName, text: Sql): Sql
}

/** The isolation level of a transaction. */
export type Isolation = 'read committed' | 'serializable'
export interface IsolationPhrases {
  /** Selects the present level. */
  readonly ofThis: Sql
  /** The statement that changes the level at the beginning of a transaction. */
  become(level: Isolation): Sql
}
export interface TransactionPhrases {
  /** A statement whose outcome shows whether a transaction is still open, and can be committed. */
  readonly probe: string
  /** True if the outcome shows an open transaction; `failure` is the probe's error, undefined if it succeeded. */
  isShownBy(failure: unknown): boolean
  /** Undoes the probe if no transaction is open. */
  readonly undo?: string
  /** True if every statement shows it, too: none runs in a failed transaction. Elsewhere it would commit by itself. */
  readonly isReportedByEach: boolean
  /** True if a statement failed because its transaction is over. */
  isOver(error: unknown): boolean
  /** True if a statement failed so that its transaction can only be rolled back, to a savepoint at least. Absent = a transaction goes on. */
  isEndedBy?(error: unknown): boolean
}
export interface ServerPhrases {
  /** Selects the server's name and version, and its default isolation level. */
  readonly ask: Sql
  /** The reason why a server of that name is not supported. */
  refusal(name: string): string | undefined
  /** True if it enforces timeouts. */
  endsStatements(name: string): boolean
}
export interface Interruption {
  /** Sets the timeout of the following statements within a transaction; returns the previous one as `timeout`. */
  begin(milliseconds: number): Sql
  end(timeout: string): Sql
  /** Selects as `process` the server process of the connection. */
  readonly process: Sql
  /** Cancels a statement of that process, if it is still running. */
  cancel(process: number, statement: string): Sql
  isInterrupted(error: unknown): boolean
  /** The raw connection beneath a connection, if it is known. */
  lineOf(connection: object): RawConnection | undefined
  readonly rollback: Sql
  /** True if a commit, or a statement that commits by itself, may have succeeded in spite of this error. */
  isInDoubt(error: unknown): boolean
  /** True if the driver has given up a statement that the server still runs. */
  leavesRunning(error: unknown): boolean
}

/** A cursor: the database keeps the position in the rows, within a transaction. */
export interface CursorPhrases {
  readonly kind: 'cursor'
  readonly begin: Sql
  readonly end: Sql
  open(name: string, statement: string): string
  fetch(name: string, rows: number): string
  close(name: string): string
}

/** Keyset pages: each page begins after the last row of the one before. */
export interface PagePhrases {
  readonly kind: 'pages'
  /** The identification of a row's position: selected, bound again, and compared with the column as it is ordered. */
  bookmark(column: Column): {
    readonly selected: Sql
    readonly ordered: Sql
    readonly bound: (value: Sql) => Sql
  }
  /** True for a step of a query plan that sorts rows. Absent = it cannot be known, and each page is read as the one before. */
  readonly sorts?: (step: string) => boolean
}

/** The meaning of a driver's error. */
export interface DriverFault {
  readonly code: ErrorCode
  /** A sentence for the caller; absent = that of the code. */
  readonly says?: string
  /** A next step for the host. Callers are shown none of an INTERNAL_SERVER_ERROR. */
  readonly hint?: string
  /** True if the driver has no transactions. */
  readonly lacksTransactions?: true
  /** Present if it is of no use to try again in this process. */
  readonly reason?: 'closed'
}

/** A constraint violation, with table and columns by the database's names. */
export interface Breach {
  readonly code: ErrorCode
  readonly table?: string | undefined
  readonly columns?: readonly string[] | undefined
  /** The name of the check that a row does not pass, empty for one without a name. */
  readonly check?: string | undefined
  /** True if a text is none of the type of its column, which the error does not name. */
  readonly isOfText?: boolean
}
