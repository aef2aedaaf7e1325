// The phrases for connections and transactions, and what errors of drivers mean.

import type { ErrorCode } from '../errors/errors.ts'
import type { Column } from './phrase-types.ts'
import type { Sql } from './sql.ts'
import type { RawConnection } from './wire.ts'

export interface WriteLockPhrases {
  /** Takes the lock by a table that can be written to, and changes nothing. */
  take(table: Sql): Sql
  /** Tells in one cell how many milliseconds a statement waits for the lock, while nothing else happens in the process. */
  readonly patience: string
  setPatience(milliseconds: number): string
  /** Whether a statement failed because somebody else has the lock. */
  isTaken(error: unknown): boolean
  /** Whether a statement can never succeed here: there is no such table or setting, or it may not be written. */
  isRefused(error: unknown): boolean
}

/** How far a transaction is kept apart from others. */
export type Isolation = 'read committed' | 'serializable'
export interface IsolationPhrases {
  /** Selects how the present one is. */
  readonly ofThis: Sql
  /** What a transaction begins with that is to be otherwise. */
  become(level: Isolation): Sql
}
export interface TransactionPhrases {
  /** Tells by how it ends whether a transaction goes on, and can be committed. */
  readonly probe: string
  /** `failure`: what the probe has failed with; undefined when it has not. */
  isShownBy(failure: unknown): boolean
  /** Takes back what the probe has done where no transaction goes on. */
  readonly undo?: string
  /** Whether every statement tells, too: none is run in a transaction that has failed. Elsewhere it would be stored by itself. */
  readonly isToldByEach: boolean
  /** Whether a statement failed because the transaction that it was for is over. */
  isOver(error: unknown): boolean
}
export interface ServerPhrases {
  /** Selects what a server calls itself, and how its transactions begin. */
  readonly ask: Sql
  /** Why one of that name cannot be worked with. */
  refusal(name: string): string | undefined
  /** Whether it ends what takes too long. */
  endsStatements(name: string): boolean
}
export interface Interruption {
  /** Limits, within a transaction, the time of the statements that follow; answers as `timeout` the limit before. */
  begin(milliseconds: number): Sql
  end(timeout: string): Sql
  /** Answers as `process` who serves the connection. */
  readonly process: Sql
  /** Cancels a statement of that process, if that is still what it runs. */
  cancel(process: number, statement: string): Sql
  isInterrupted(error: unknown): boolean
  /** What is beneath a connection, where that is known. */
  lineOf(connection: object): RawConnection | undefined
  readonly rollback: Sql
  /** Whether a commit, or a statement that is a transaction of its own, may have happened all the same when it failed so. */
  isInDoubt(error: unknown): boolean
}

/** The database keeps the place in the rows, within a transaction. */
export interface CursorPhrases {
  readonly kind: 'cursor'
  readonly begin: Sql
  readonly end: Sql
  open(name: string, statement: string): string
  fetch(name: string, rows: number): string
  close(name: string): string
}

/** Each page begins behind the last row of the one before. */
export interface PagePhrases {
  readonly kind: 'pages'
  /** What a row's place is known by: selected, bound again, and compared with the column as it is ordered. */
  bookmark(column: Column): {
    readonly selected: Sql
    readonly ordered: Sql
    readonly bound: (value: Sql) => Sql
  }
}

/** What a driver's error is called, and what may be said of it. */
export interface DriverFault {
  readonly code: ErrorCode
  /** A sentence for the caller; absent = that of the code. */
  readonly says?: string
}

/** Tables and columns by the database's names. */
export interface Breach {
  readonly code: ErrorCode
  readonly table?: string | undefined
  readonly columns?: readonly string[] | undefined
}
