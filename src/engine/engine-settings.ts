// Options of an engine, as hosts give them.

import type { Dialect } from '../dialects/dialect.ts'
import type { HostDatabase } from '../dialects/host.ts'
import type { DialectName } from '../dialects/named.ts'
import { anything, callback, flag, optionNames, text } from '../errors/check-options.ts'
import type { QueryReport } from '../execution/database.ts'
import type { Limits } from '../query/limits.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { DefaultFields, Schema } from '../schema/model.ts'
import type { OwnNames } from '../schema/own.ts'
import type { RunNames } from '../schema/own-runs.ts'
import type { Storage } from '../storage/storage.ts'
import type { VariableName } from '../vocabulary/variables.ts'
import type { FileOptions } from './file-options.ts'
import type { OnError } from './hooks.ts'

/** Options of an engine, without those of its images. */
export interface EngineSettings<S extends Schema> {
  /** Kysely instance of the host, whatever its tables are called there. A transaction is treated as by `using`. */
  readonly db: HostDatabase
  /** Schema of the database, by `defineSchema` or `introspectSchema`. */
  readonly schema: S
  /** Fields that a query without `fields`, and each `*` in it, stands for: `all`, or only those with a `column`. By default as the schema
   *  says. */
  readonly defaultFields?: DefaultFields
  /** Database for reads outside of transactions: a replica, which may lag a little. */
  readonly reads?: HostDatabase
  /** Dialect. By default detected from `db`. */
  readonly dialect?: DialectName | Dialect
  /** Limits of queries and results. Those that are left out have their defaults. */
  readonly limits?: Partial<Limits>
  /** Time zone of `year()` and similar functions of timestamps: UTC, an offset such as +02:00, or a name where the database knows names. */
  readonly timezone?: string
  /** Current time, as `$NOW` and audit fields have it. By default that of the process. */
  readonly clock?: () => Date
  /** Comparison and order of text by code points instead of by the database's collation. */
  readonly collation?: 'codepoint'
  /** True if negated operators match rows without a value. */
  readonly negationMatchesNull?: boolean
  /** Timeout of a statement in milliseconds, where the database supports one. */
  readonly timeoutMs?: number
  /** Timeout for acquiring a connection. By default 5,000 milliseconds. */
  readonly acquireTimeoutMs?: number
  /** Maximum number of streams and exports that hold a connection of PostgreSQL at a time, each until it is read. By default half of a pool
   *  of `quernel/postgres`, and 5 where the size of the pool is not known. Others wait as for a connection. */
  readonly maxStreams?: number
  /** Timeout for the reader of an export that holds a connection, between two reads. By default 30,000 milliseconds; `Infinity` for
   *  none. */
  readonly streamIdleMs?: number
  /** Name of the collection that holds versions. By default `versions`. */
  readonly versions?: OwnNames
  /** Storage for the bytes of files. Without one there are no files. */
  readonly storage?: Storage
  /** Options for files: the name of their collection, by default `files`, and their greatest size. */
  readonly files?: FileOptions
  /** Collections of flows whose runs are stored, which nothing but flows writes, and their names. Without it there are none. */
  readonly flows?: RunNames
  /** Collections in which fields of variables are looked up: `{ $CURRENT_USER: 'users' }` for `$CURRENT_USER.department`. */
  readonly variables?: Partial<Record<VariableName, CollectionName<S>>>
  /** Callback after each statement. An error that it throws does not affect the statement and is reported to `onError`. */
  readonly onQuery?: (report: QueryReport) => void
  /** Isolation of the engine's own transactions. By default READ COMMITTED, unless the database's role makes them SERIALIZABLE. */
  readonly isolation?: 'serializable'
  /** Callback for errors that an "after" hook or `onQuery` throws. By default the process emits a warning. */
  readonly onError?: OnError
}

/** Settings of images, which are read where images are opened. */
export interface OfImages {
  readonly assets?: unknown
}

export const engineOptions = optionNames<EngineSettings<Schema> & OfImages>({
  db: anything,
  schema: anything,
  defaultFields: anything,
  reads: anything,
  dialect: anything,
  limits: anything,
  timezone: text,
  clock: callback,
  collation: anything,
  negationMatchesNull: flag,
  timeoutMs: anything,
  acquireTimeoutMs: anything,
  maxStreams: anything,
  streamIdleMs: anything,
  versions: anything,
  storage: anything,
  files: anything,
  flows: anything,
  assets: anything,
  variables: anything,
  onQuery: callback,
  isolation: anything,
  onError: callback,
})
