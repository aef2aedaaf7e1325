// The database of an engine as statements run on it, and the options of each call.

import type { FindReaders } from '../dialects/connections/readers.ts'
import type { Dialect } from '../dialects/dialect.ts'
import type { HostDatabase } from '../dialects/host.ts'
import type { Isolation } from '../dialects/transaction-phrases.ts'
import { abortSignal, anything, type OptionKind, optionNames } from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
import type { Collection } from '../schema/model.ts'
import type { ErrorListener } from './report-errors.ts'
import type { TransactionState } from './transaction/transaction-state.ts'

/** Options of every call. */
export interface Options {
  /** Aborts the call. A write that is on its way may be stored all the same. */
  readonly signal?: AbortSignal | undefined
  /** The timeout of each statement in the database. */
  readonly timeoutMs?: number | undefined
}

/** Numbers are checked where they are used. */
export const callKinds = { signal: abortSignal, timeoutMs: anything }

export const callOptions = optionNames<Options>(callKinds)

/** A statement that was run. */
export interface QueryReport {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly durationMs: number
  readonly rows: number
}

/** Gate of a request: it refuses reads that take long where many requests are at work. */
export interface ReadGate {
  /** Called before such a read. Throws if there is no room for it. */
  readonly beforeHeavy: () => void
  /** Called before a write, behind which nothing is refused: what is stored could not be requested again. */
  readonly beforeWrite: () => void
}

export interface Database {
  readonly db: HostDatabase
  /** The database outside of any transaction. */
  readonly home: HostDatabase
  readonly dialect: Dialect
  /** Readers that run some of the reads; undefined where there are none, and in a transaction. */
  readonly readers?: FindReaders | undefined
  /** Absent outside of requests. */
  readonly gate?: ReadGate | undefined
  readonly timeoutMs: number | undefined
  readonly acquireTimeoutMs: number
  /** The maximum number of streams that may use a connection at a time; half of the pool by default. */
  readonly maxStreams?: number | undefined
  readonly onQuery: ((report: QueryReport) => void) | undefined
  /** The isolation level of the engine's transactions; undefined for the database's own. */
  readonly isolation?: Isolation | undefined
  /** The collections by whose tables a lock of the whole database may be taken. */
  readonly lockable?: (() => Iterable<Collection>) | undefined
  readonly onError: ErrorListener<never>
  /** The transaction or savepoint that statements are a part of; undefined where each commits by itself. */
  readonly unit?: { readonly state: TransactionState } | undefined
}

/** An option that is a number of milliseconds, which may be 0. */
export const milliseconds: OptionKind = {
  says: 'is a number of milliseconds',
  holds: (input) => typeof input === 'number' && input >= 0,
}

export function checkMilliseconds(name: string, input: number | undefined): void {
  if (input === undefined || (Number.isFinite(input) && input > 0)) return
  throw fault('INVALID_OPTIONS', `"${name}" is a number of milliseconds above 0, not ${quote(input)}.`, {
    path: [name],
  })
}
