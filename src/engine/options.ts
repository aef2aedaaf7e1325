// Options of an engine, checked before anything else.

import { types } from 'node:util'
import { type DialectName, dialectOf } from '../dialects/detect.ts'
import type { Dialect } from '../dialects/dialect.ts'
import type { HostDatabase } from '../dialects/host.ts'
import type { Isolation } from '../dialects/transaction-phrases.ts'
import { anything, callback, checkOptions, flag, optionNames, text } from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
import { checkMilliseconds, type QueryReport } from '../execution/database.ts'
import { jsonWriterFor } from '../execution/json-phrases.ts'
import { lossesTold } from '../execution/lost-bytes.ts'
import { warn } from '../execution/report-errors.ts'
import { checkValidations } from '../plan/validations.ts'
import { type Limits, limitsWith } from '../query/limits.ts'
import { checkDefaultFields } from '../schema/define-schema.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Collection, DefaultFields, Schema } from '../schema/model.ts'
import { type OwnNames, ownNames } from '../schema/own.ts'
import { versionsCollection } from '../schema/own-versions.ts'
import type { Storage } from '../storage/storage.ts'
import { Cache } from '../values/cache.ts'
import { once } from '../values/memo.ts'
import { readZone, utc, type Zone } from '../values/zone.ts'
import { type Lookups, type VariableName, variables } from '../vocabulary/variables.ts'
import type { Parts } from './build-engine.ts'
import { type FileOptions, keepingOf } from './file-options.ts'
import { Hooks, type OnError } from './hooks.ts'

/** Options of an engine, without those of its images. */
export interface EngineSettings<S extends Schema> {
  /** Kysely instance of the host, whatever its tables are called there. A transaction is treated as by `using`. */
  readonly db: HostDatabase
  readonly schema: S
  /** Fields that a query without `fields`, and each `*` in it, stands for: `all`, or only those with a `column`. By default as the schema
   *  says. */
  readonly defaultFields?: DefaultFields
  /** Database for reads outside of transactions: a replica, which may lag a little. */
  readonly reads?: HostDatabase
  /** Dialect. By default detected from `db`. */
  readonly dialect?: DialectName | Dialect
  readonly limits?: Partial<Limits>
  /** Time zone of `year()` and similar functions of timestamps: UTC, an offset such as +02:00, or a name where the database knows names. */
  readonly timezone?: string
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
interface OfImages {
  readonly assets?: unknown
}

const engineOptions = optionNames<EngineSettings<Schema> & OfImages>({
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
  assets: anything,
  variables: anything,
  onQuery: callback,
  isolation: anything,
  onError: callback,
})

/** Checks the options and returns the parts of an engine. */
export function partsOf<S extends Schema>(options: EngineSettings<S> & OfImages): Parts {
  checkOptions(options, engineOptions)
  const { db, timezone, collation } = options
  requireKysely('db', db)
  if (options.reads !== undefined) requireKysely('reads', options.reads)
  if (!types.isMap(Object(options.schema).collections)) {
    throw fault('INVALID_OPTIONS', 'The schema is what defineSchema returns, not what it is given.', {
      path: ['schema'],
    })
  }
  const schema = schemaWith(options)
  const dialect = dialectOf(options.dialect, db)
  checkValidations(schema)
  if (collation !== undefined && collation !== 'codepoint') {
    throw fault('INVALID_OPTIONS', `The collation is "codepoint" or left out, not ${quote(collation)}.`, {
      path: ['collation'],
    })
  }
  for (const name of ['timeoutMs', 'acquireTimeoutMs'] as const) checkMilliseconds(name, options[name])
  checkStreams(options)
  checkOptions(options.versions ?? {}, ownNames, ['versions'])
  // The host's plugins rewrite names and results, on which the engine's statements must not depend.
  const home = db.withoutPlugins()
  return {
    home,
    reads: options.reads && copyOf(options.reads, options, dialect),
    schema,
    dialect,
    limits: limitsWith(options.limits),
    zone: timezone === undefined ? utc : zoneFor(timezone, dialect),
    clock: options.clock ?? (() => new Date()),
    byCodePoint: collation === 'codepoint',
    negationMatchesNull: options.negationMatchesNull ?? false,
    timeoutMs: options.timeoutMs,
    acquireTimeoutMs: options.acquireTimeoutMs ?? defaultAcquireTimeoutMs,
    maxStreams: options.maxStreams,
    streamIdleMs: options.streamIdleMs ?? defaultStreamIdleMs,
    onQuery: options.onQuery,
    isolation: isolationOf(options.isolation, dialect),
    lockable: () => inOrderOfLocks(schema),
    onError: options.onError ?? warn,
    onLoss: lossesTold(options.onError ?? warn),
    hooks: new Hooks(),
    // A host without versions may use the name for any collection, so the collection is checked only when it is needed.
    versions: once(() => versionsCollection(schema, options.versions)),
    files: keepingOf(schema, options),
    assets: { settings: options.assets },
    unit: undefined,
    narrowing: undefined,
    hasOwn: false,
    lookups: lookupsIn(options.variables, schema),
    templates: new Cache(templatesKept),
    jsonWriter: jsonWriterFor(dialect, options.reads !== undefined),
  }
}

function schemaWith({
  schema,
  defaultFields,
}: Pick<EngineSettings<Schema>, 'schema' | 'defaultFields'>): Schema {
  if (defaultFields === undefined) return schema
  checkDefaultFields(defaultFields)
  return schema.defaultFields === defaultFields ? schema : Object.freeze({ ...schema, defaultFields })
}

/** Returns the collections in lock order: tables of the main file, then those of attached files. */
function inOrderOfLocks({ collections }: Schema): readonly Collection[] {
  const all = [...collections.values()]
  return [...all.filter(isAtHome), ...all.filter((collection) => !isAtHome(collection))]
}

const isAtHome = ({ dbSchema }: Collection) => dbSchema === undefined || dbSchema === 'main'

function isolationOf(given: unknown, { isolation }: Dialect): Isolation | undefined {
  if (given === undefined) return undefined
  const path = ['isolation']
  if (given !== 'serializable')
    throw fault('INVALID_OPTIONS', `"isolation" is "serializable" or left out, not ${quote(given)}.`, {
      path,
    })
  // A database with a single writer has no isolation levels.
  return isolation ? given : undefined
}

/** Checks at runtime what the types demand: callers may use JavaScript. */
function requireKysely(name: string, given: unknown): void {
  if (typeof Object(given).getExecutor === 'function') return
  throw fault('INVALID_OPTIONS', `"${name}" is an instance of Kysely, not ${quote(given)}.`, { path: [name] })
}

export const defaultAcquireTimeoutMs = 5_000
export const defaultStreamIdleMs = 30_000

function checkStreams({
  maxStreams,
  streamIdleMs,
}: Pick<EngineSettings<Schema>, 'maxStreams' | 'streamIdleMs'>) {
  if (maxStreams !== undefined && !(Number.isSafeInteger(maxStreams) && maxStreams > 0))
    throw fault('INVALID_OPTIONS', '"maxStreams" is a whole number of 1 or more.', { path: ['maxStreams'] })
  if (streamIdleMs !== Number.POSITIVE_INFINITY) checkMilliseconds('streamIdleMs', streamIdleMs)
}

/** Maximum number of templates. A template takes some 10 to 100 KiB. */
const templatesKept = 500

/** Checks the replica: it has to support what the database supports. */
function copyOf(
  reads: HostDatabase,
  { db, dialect }: Pick<EngineSettings<Schema>, 'db' | 'dialect'>,
  meant: Dialect,
): HostDatabase {
  const path = ['reads']
  if (reads === db) throw fault('INVALID_OPTIONS', 'The copy to read from is the database itself.', { path })
  if (dialect === undefined && dialectOf(undefined, reads) !== meant)
    throw fault('INVALID_OPTIONS', 'The copy to read from is another kind of database.', {
      path,
      hint: 'Open both in the same way: both by a dialect of Kysely, or both by one of ours.',
    })
  return reads.withoutPlugins()
}

function lookupsIn(given: Lookups | undefined, { collections }: Schema): Lookups {
  for (const [name, collection] of Object.entries(given ?? {})) {
    const path = ['variables', name]
    if (!Object.hasOwn(variables, name) || name === '$NOW')
      throw fault('INVALID_OPTIONS', `${quote(name)} is not a variable of a caller.`, { path })
    if (!collections.has(collection))
      throw fault('INVALID_OPTIONS', `There is no collection ${quote(collection)}.`, { path })
    const { key } = collections.get(collection) ?? {}
    if (!key || key.kind === 'key')
      throw fault(
        'INVALID_OPTIONS',
        `${quote(collection)} is looked up by its key, which has to be one field.`,
        {
          path,
        },
      )
  }
  return given ?? {}
}

function zoneFor(text: string, dialect: Dialect): Zone {
  const zone = readZone(text)
  if (!zone) {
    const hint = 'Write UTC, an offset such as +02:00, or a name such as Europe/Oslo.'
    throw fault('INVALID_OPTIONS', `There is no time zone ${quote(text)}.`, { path: ['timezone'], hint })
  }
  if (zone.kind === 'named' && !dialect.namedZones) {
    const hint = 'Give an offset such as +02:00, or open the database with quernel/sqlite.'
    throw fault(
      'INVALID_OPTIONS',
      `This database knows no time zones by name, so it cannot use ${quote(text)}.`,
      { path: ['timezone'], hint },
    )
  }
  return zone
}
