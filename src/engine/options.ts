// Options of an engine, checked before anything else.

import { readersOf } from '../dialects/connections/readers.ts'
import { dialectOf } from '../dialects/detect.ts'
import type { Dialect } from '../dialects/dialect.ts'
import type { HostDatabase } from '../dialects/host.ts'
import type { Isolation } from '../dialects/transaction-phrases.ts'
import { checkOptions } from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
import { checkMilliseconds } from '../execution/database.ts'
import { jsonWriterFor } from '../execution/json-phrases.ts'
import { attempt, type ErrorListener, warn } from '../execution/report-errors.ts'
import { checkValidations } from '../plan/write/validations.ts'
import { limitsWith } from '../query/limits.ts'
import { checkDefaultFields } from '../schema/define-schema.ts'
import { type Collection, isRowNumber, type Schema, type StoredField } from '../schema/model.ts'
import { ownNames } from '../schema/own.ts'
import { ofRuns, ownCollections } from '../schema/own-collections.ts'
import { type OwnRuns, runCollections } from '../schema/own-runs.ts'
import { versionsCollection } from '../schema/own-versions.ts'
import { Cache } from '../values/cache.ts'
import { types } from '../values/from-node.ts'
import { once } from '../values/memo.ts'
import { readZone, utc, type Zone } from '../values/zone.ts'
import { isOfCaller, type Lookups, type VariableName, variables } from '../vocabulary/variables.ts'
import type { Parts } from './build-engine.ts'
import { type EngineSettings, engineOptions, type OfImages } from './engine-settings.ts'
import { keepingOf } from './file-options.ts'
import { Hooks } from './hooks.ts'

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
  const described = schemaWith(options)
  const runs = options.flows && runCollections(described, options.flows)
  const schema = runs ? withRuns(described, runs) : described
  const dialect = dialectOf(options.dialect, db)
  checkValidations(schema)
  checkRowNumbers(schema, dialect)
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
  // A host without versions may use the name for any collection, so the collection is checked only when it is needed.
  const versions = once(() => versionsCollection(schema, options.versions))
  const files = keepingOf(schema, options)
  const readonly = new Set(ofRuns(runs))
  return {
    place: {
      home,
      reads: options.reads && copyOf(options.reads, options, dialect),
      readers: options.reads ? undefined : readersOf(home),
      schema,
      unit: undefined,
      scope: undefined,
      hasOwn: false,
      cause: undefined,
    },
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
    onLoss: reportLoss(options.onError ?? warn),
    hooks: new Hooks(),
    versions,
    files,
    runs,
    own: once(() => ownCollections({ schema, versions, files, runs })),
    isReadonly: (collection) => readonly.has(collection),
    assets: { settings: options.assets },
    lookups: lookupsIn(options.variables, schema),
    templates: new Cache(templatesKept),
    jsonWriter: jsonWriterFor(dialect, options.reads !== undefined),
  }
}

function checkRowNumbers({ collections }: Schema, dialect: Dialect): void {
  if (dialect.hasRowNumbers) return
  const numbered = [...collections.values()].find(({ key }) => isRowNumber(key))
  if (!numbered) return
  const says = `The key of ${quote(numbered.name)} is the number of a row, and this database numbers no rows.`
  throw fault('INVALID_OPTIONS', says, { path: ['schema'], hint: 'Give the table a key of its own.' })
}

function schemaWith({
  schema,
  defaultFields,
}: Pick<EngineSettings<Schema>, 'schema' | 'defaultFields'>): Schema {
  if (defaultFields === undefined) return schema
  checkDefaultFields(defaultFields)
  return schema.defaultFields === defaultFields ? schema : Object.freeze({ ...schema, defaultFields })
}

/** The schema with the collections of flows, which are read like those of the host. */
function withRuns(schema: Schema, runs: OwnRuns): Schema {
  const own = ofRuns(runs).map((collection) => [collection.name, collection] as const)
  return Object.freeze({ ...schema, collections: new Map([...schema.collections, ...own]) })
}

/** Returns the collections in lock order: tables of the main file, then those of attached files. */
function inOrderOfLocks({ collections }: Schema): readonly Collection[] {
  const all = [...collections.values()]
  return [...all.filter(isAtHome), ...all.filter((collection) => !isAtHome(collection))]
}

const isAtHome = ({ dbSchema }: Collection) => dbSchema === undefined || dbSchema === 'main'

function isolationOf(input: unknown, { isolation }: Dialect): Isolation | undefined {
  if (input === undefined) return undefined
  const path = ['isolation']
  if (input !== 'serializable')
    throw fault('INVALID_OPTIONS', `"isolation" is "serializable" or left out, not ${quote(input)}.`, {
      path,
    })
  // A database with a single writer has no isolation levels.
  return isolation ? input : undefined
}

/** Checks at runtime what the types demand: callers may use JavaScript. */
function requireKysely(name: string, input: unknown): void {
  if (typeof Object(input).getExecutor === 'function') return
  throw fault('INVALID_OPTIONS', `"${name}" is an instance of Kysely, not ${quote(input)}.`, {
    path: [name],
    hint: 'Write createEngine({ db: new Kysely({ dialect }), schema }).',
  })
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
  used: Dialect,
): HostDatabase {
  const path = ['reads']
  if (reads === db) throw fault('INVALID_OPTIONS', 'The copy to read from is the database itself.', { path })
  if (dialect === undefined && dialectOf(undefined, reads) !== used)
    throw fault('INVALID_OPTIONS', 'The copy to read from is another kind of database.', {
      path,
      hint: 'Open both in the same way: both by a dialect of Kysely, or both by one of ours.',
    })
  return reads.withoutPlugins()
}

function lookupsIn(input: Lookups | undefined, { collections }: Schema): Lookups {
  for (const [name, collection] of Object.entries(input ?? {})) {
    const path = ['variables', name]
    if (!Object.hasOwn(variables, name) || !isOfCaller(name as VariableName))
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
  return input ?? {}
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

// Columns that hold what results cannot show: each is reported to the host once.
function reportLoss(onError: ErrorListener<never>): (field: StoredField) => void {
  const reported = new Set<string>()
  return ({ collection, column, name, value }) => {
    const place = JSON.stringify([collection.dbSchema, collection.table, column])
    if (reported.has(place)) return
    reported.add(place)
    const { holds, hint } = value.family === 'boolean' ? losses.boolean : losses.text
    const loss = fault(
      'INVALID_SCHEMA',
      `The column of the field "${name}" of "${collection.name}" holds ${holds}.`,
      { hint },
    )
    void attempt(() => Promise.reject(loss), undefined, onError)
  }
}

const losses = {
  text: {
    holds: 'bytes that spell no text; U+FFFD stands for what cannot be read',
    hint: 'A field of the type "binary" holds bytes as they are.',
  },
  boolean: {
    holds: 'numbers other than 0 and 1, which are true',
    hint: 'A field of the type "integer" holds numbers as they are.',
  },
} as const
