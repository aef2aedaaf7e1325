// The database of an engine as statements are run on it, and what each call may be told.

import type { Dialect } from '../dialects/dialect.ts'
import type { HostDatabase } from '../dialects/host.ts'
import type { Isolation } from '../dialects/transaction-phrases.ts'
import { abortSignal, anything, optionNames } from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
import type { Collection } from '../schema/model.ts'
import type { Hears } from './report-errors.ts'
import type { TransactionState } from './transaction-state.ts'

/** What a verb may be told besides its query. */
export interface Options {
  /** Gives up when it is aborted. A write that is on its way may be stored all the same. */
  readonly signal?: AbortSignal | undefined
  /** How long the database may take for a statement. */
  readonly timeoutMs?: number | undefined
}

/** Which values it is any of is found out where it is used. */
export const callKinds = { signal: abortSignal, timeoutMs: anything }

export const callOptions = optionNames<Options>(callKinds)

/** One statement that was run. */
export interface QueryReport {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly durationMs: number
  readonly rows: number
}

export interface Database {
  readonly db: HostDatabase
  /** The same outside of any transaction. */
  readonly home: HostDatabase
  readonly dialect: Dialect
  readonly timeoutMs: number | undefined
  readonly acquireTimeoutMs: number
  /** How many streams may hold a connection at a time; half of the pool unless told otherwise. */
  readonly maxStreams?: number | undefined
  readonly onQuery: ((report: QueryReport) => void) | undefined
  /** How transactions of ours are kept apart from others; undefined as the database has them. */
  readonly isolation?: Isolation | undefined
  /** The collections by whose tables a lock of the whole database may be taken. */
  readonly lockable?: (() => Iterable<Collection>) | undefined
  readonly onError: Hears<never>
  /** The transaction or savepoint that statements are a part of; undefined where each is stored by itself. */
  readonly unit?: { readonly course: TransactionState } | undefined
}

export function checkMilliseconds(name: string, given: number | undefined): void {
  if (given === undefined || (Number.isFinite(given) && given > 0)) return
  throw fault('INVALID_OPTIONS', `"${name}" is a number of milliseconds above 0, not ${quote(given)}.`, {
    path: [name],
  })
}
