// Phrases of the change log: triggers that log which rows of a table were written, by any client of the database, and statements that read the log.

import type { ValueType } from '../../types/field-types.ts'
import type { TableName } from '../phrase-types.ts'
import type { Sql } from '../sql.ts'

/** A table of which changes are logged. */
export interface LoggedTable extends TableName {
  /** Name of its collection, by which entries are logged. */
  readonly collection: string
  readonly key: readonly LoggedColumn[]
  /** Columns whose values before a change say who depended on a row. */
  readonly old: readonly LoggedColumn[]
}

/** A column whose values are logged. */
export interface LoggedColumn {
  readonly column: string
  readonly type: ValueType
}

/** A trigger as it has to be. */
export interface LogTrigger {
  readonly name: string
  /** The table that it stands on, in the form in which facts name it. */
  readonly on: string
  /** Marks its text, so that one of an older schema is recognised. */
  readonly mark: string
}

/** A trigger of the log that is there. */
export interface FoundTrigger extends LogTrigger {
  readonly isEnabled: boolean
}

/** Facts that a database knows of a table and of the triggers of the log on it. */
export interface LoggedFacts {
  /** The reason why its changes cannot be logged, behind the words "its table". Absent = they can. */
  readonly obstacle?: string | undefined
  /** The right to create triggers on it that the role lacks, in words. */
  readonly lackedRight?: string | undefined
  /** Changes that triggers cannot log, in sentences that begin after the name of the collection. */
  readonly remarks: readonly string[]
  readonly wanted: readonly LogTrigger[]
  readonly found: readonly FoundTrigger[]
  /** Names what rows it holds apart from written ones: partitions come and go. */
  readonly parts: string
  /** Creates its triggers, in the place of those that are there. */
  readonly install: () => readonly Sql[]
}

/** How long entries are kept: so many milliseconds, and at most so many of them. */
export interface LogKeep {
  readonly forMs: number
  readonly rows: number
}

/** The operation of an entry: a row was created, updated, deleted, or all rows may have changed. */
export type LoggedOperation = 'c' | 'u' | 'd' | 't'

/** An entry of the log. */
export interface LogEntry {
  readonly collection: string
  readonly operation: LoggedOperation
  /** Values of the key's columns, as triggers write them; null if it may be any row. */
  readonly key: string | null
  readonly old: string | null
}

/** The statement of a look: one of a few texts, and the values that stand in it. */
export interface LookStatement {
  readonly text: Sql
  readonly values: readonly unknown[]
}

/** Entries that are read at once. */
export const mostEntries = 5_000

/** A log that keeps less is overdue no sooner than if it kept this: readers prune in turns. */
export const leastDue = { forMs: 6_000, rows: 10_000 }

/** A look into the log. */
export interface LogLook {
  /** The place behind what was read. Undefined: the log has not begun, and has to. */
  readonly position: string | undefined
  readonly entries: readonly LogEntry[]
  /** True if entries may have been missed. */
  readonly isBroken: boolean
  /** True if there are more entries. */
  readonly isFull: boolean
}

/** The log of a database, in one of its schemas. */
export interface LogPhrases {
  /** The tables of the log, with the columns that each has. */
  readonly tables: readonly (TableName & { readonly columns: readonly string[] })[]
  /** Creates the tables, where nothing of them is there. */
  readonly create: readonly Sql[]
  /** Creates what is not there of functions and triggers of the log's own, and replaces older ones. Nothing if `mark` is that of those there. */
  readonly upkeep: (mark: string | null) => readonly Sql[]
  /** Selects as "0" the mark of the log's own function or trigger; null without it. */
  readonly upkeepMark: Sql
  readonly drop: readonly Sql[]
  /** Selects as "0" a sentence for each thing that readers of the log use and whose owner has no part in their role, nor in the owner of any of the tables;
   *  null where a table of the log is missing. Absent = the database has no owners. */
  strangersToReaders?(tables: readonly LoggedTable[]): Sql
  /** The same for all that runs in triggers of the log on tables, and for the role that is installing them. */
  strangersInLog?(tables: readonly LoggedTable[], isInstalling: boolean): Sql
  /** Selects as "0" the statements that take from others the rights by which they could use the log for code of theirs. Absent = the database grants none. */
  readonly rightsOfOthers?: Sql
  /** Runs these statements, and refuses what `strangersInLog` would report. */
  guard?(tables: readonly LoggedTable[]): Sql
  /** The right to create tables that the role lacks, selected as "0" in words; null if it has it. Absent = it cannot be known. */
  readonly lackedRight?: Sql
  /** Selects as "0" and "1" the milliseconds and rows that are kept. */
  readonly kept: Sql
  keep(keep: LogKeep): Sql
  /** Selects the facts of tables: as "0" the place of each in the list, as "1" a text. */
  facts(tables: readonly LoggedTable[]): Sql
  readFacts(table: LoggedTable, text: string): LoggedFacts
  /** Selects the triggers, or their functions, of all collections: as "0" the statement that drops one, as "1" its name. */
  readonly drops: Sql
  /** The names of those of a collection. */
  ownNames(collection: string): readonly string[]
  /** Removes the entries of a collection. */
  forget(collection: string): Sql
  /** Selects the entries behind a position, at most so many. Without a position, where the log stands. */
  look(after: string | undefined): LookStatement
  readLook(rows: readonly LogRow[], after: string | undefined): LogLook
  /** A cheaper statement, which is enough to know that there is nothing behind a position of the same log. Absent = a look costs little more. */
  readonly peek?: {
    readonly text: Sql
    isNews(row: LogRow | undefined, position: string): boolean
  }
  /** Creates what marks the beginning of the log; readers find it there. Absent = it is always there. */
  readonly begin?: Sql
  /** Removes a portion of old entries. Each statement commits by itself. The last one selects as "0" 1 if there may be more, else 0. */
  readonly prune: readonly Sql[]
  /** Selects as "0" 1 if nothing was pruned for ten times what is kept, as it is seen after a pruning; else 0. */
  readonly overdue: Sql
  /** Selects rows, bytes and the oldest entry as "0", "1" and "2". */
  readonly size: Sql
  /** Selects a number that moves whenever the schema of the database does. Absent = there is none. */
  readonly schemaVersion?: Sql
  /** Selects as "0" how commits are kept. Absent = readers never wait for writers. */
  readonly journal?: Sql
}

type LogRow = Readonly<Record<number, unknown>>

/** The change log of a database. */
export interface ChangeLogPhrases {
  /** Selects as "0" the schema in which the log stands, or would. Absent = the only one. */
  readonly home?: Sql
  /** The log in a schema. Where each statement is a request over HTTP, the database may allow no pragmas. */
  at(home: string, isRequestEach: boolean): LogPhrases
  /** Reads what was logged of some columns, each as a result shows it. None if it is of other columns. */
  read(columns: readonly LoggedColumn[], logged: string | null): readonly unknown[]
}
