import type { Access } from './access/access.ts'
import { type Narrowing, narrowing as narrow, rowsSeen } from './access/narrow.ts'
import { type DialectName, dialectOf } from './dialects/detect.ts'
import type { Dialect } from './dialects/dialect.ts'
import type { HostDatabase, HostTransaction } from './dialects/host.ts'
import { fault, quote, unreachable } from './errors.ts'
import {
  type Change,
  type EventName,
  type Handler,
  type HookOptions,
  Hooks,
  type OnError,
  warn,
} from './hooks.ts'
import { checkValidations } from './plan/validations.ts'
import { type Limits, limitsWith } from './query/limits.ts'
import { Cache } from './run/cache.ts'
import { checkMilliseconds, type Database, execute, type QueryReport } from './run/execute.ts'
import type { Reader } from './run/prepare.ts'
import { inSavepoint } from './run/savepoint.ts'
import { inTransaction } from './run/transaction.ts'
import { Unit } from './run/unit.ts'
import type { CollectionName } from './schema/infer.ts'
import type { Collection, Schema } from './schema/model.ts'
import { type OwnNames, versionIdentity, versionsCollection } from './schema/own.ts'
import type { Setting } from './sql/frame.ts'
import { installStatements } from './sql/install.ts'
import { readZone, utc, type Zone } from './values/zone.ts'
import {
  type Caller,
  type Circumstances,
  type Lookups,
  type VariableName,
  variables,
} from './vocabulary/variables.ts'

export interface EngineOptions<S extends Schema> {
  /** The host's own Kysely instance, whatever its tables are called there. */
  readonly db: HostDatabase
  readonly schema: S
  /** Left out, it is found by looking at `db`. */
  readonly dialect?: DialectName | Dialect
  readonly limits?: Partial<Limits>
  /** The zone of `year()` and the like for timestamps: UTC, an offset such as +02:00, or a name where the database knows names. */
  readonly timezone?: string
  readonly clock?: () => Date
  /** Compare and sort text by code points instead of by the database's collation. */
  readonly collation?: 'codepoint'
  /** Let negated operators match rows without a value. */
  readonly negationMatchesNull?: boolean
  /** How long the database may take for a statement, where it can be told. */
  readonly timeoutMs?: number
  /** How long a call waits for a connection: 5,000 milliseconds unless told otherwise. */
  readonly acquireTimeoutMs?: number
  /** What the collection that holds versions is called, where it is not `versions`. */
  readonly versions?: OwnNames
  /** The collections in which fields of variables are looked up: `{ $CURRENT_USER: 'users' }` for `$CURRENT_USER.department`. */
  readonly variables?: Partial<Record<VariableName, CollectionName<S>>>
  /** Told of every statement after it was run. */
  readonly onQuery?: (report: QueryReport) => void
  /** Told of what a handler threw after everything was done. Left out, it becomes a warning of the process. */
  readonly onError?: OnError
}

/** What every verb works on: a database, its description, and how words are meant there. */
export interface Engine<S extends Schema = Schema> extends Database, Reader {
  readonly schema: S
  readonly clock: () => Date
  /** The engine as one caller sees it: what their rules do not allow is not there. It has to be said who that is; `{}` sees nothing.
   *  @example const mine = engine.as({ user: 7, rules: { articles: { read: { filter: { author: '$CURRENT_USER' } } } } }) */
  as<Own extends Schema>(this: Engine<Own>, access: Access<Own>): NarrowedEngine<Own>
  /** The same engine inside a transaction of the host's. */
  using(transaction: HostTransaction): Engine<S>
  /** Does something in a transaction, or in a savepoint of the one around it: all of it happens, or nothing. */
  transaction<Result>(
    work: (inside: Engine<S>) => Promise<Result>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Result>
  /** Asks a handler before something is done, or tells it afterwards. Answers how to stop.
   *  @example engine.on('items.create', 'articles', ({ payload }) => ({ ...payload, slug: slugOf(payload) }), { when: 'before' }) */
  on(event: EventName, handler: Handler<Engine<S>>, options: HookOptions): () => void
  on(
    event: EventName,
    collection: CollectionName<S>,
    handler: Handler<Engine<S>>,
    options: HookOptions,
  ): () => void
  /** Tells handlers what was done in the host's transaction, once the host has committed it. */
  committed(): Promise<void>
  /** Creates the tables of the engine's own that are not there yet.
   *  @example await engine.install() */
  install(): Promise<void>
  readonly hooks: Hooks<Engine>
  readonly onError: OnError
  /** The collection that holds the versions of items. */
  readonly versions: () => Collection
  /** The transaction or savepoint that the engine works in. */
  readonly unit: Unit<Change> | undefined
  /** Whose engine it is; undefined where it is the host's own, which may do everything. */
  readonly narrowing: Narrowing | undefined
  /** Where the fields of variables are looked up. */
  readonly lookups: Lookups
  /** The same engine, with more variables of its caller: for queries, and for rules. */
  knowing(ofQueries: Caller['variables'], ofRules: Caller['variables']): Engine<S>
  /** The same engine, with its own collections among those of the schema. */
  withOwn(): Engine
  /** Whether they are. */
  readonly hasOwn: boolean
  /** The same engine for what it does by itself, whoever asks. */
  readonly whole: () => Engine
}

/** An engine that is one caller's. */
export interface NarrowedEngine<S extends Schema = Schema> extends Engine<S> {
  readonly narrowing: Narrowing
}

/** Ties a schema to a database.
 *  @example const engine = createEngine({ db, schema }) */
export function createEngine<S extends Schema>(options: EngineOptions<S>): Engine<S> {
  const { db, schema, timezone, collation } = options
  if (!(schema.collections instanceof Map)) {
    throw fault('INVALID_OPTIONS', 'The schema is what defineSchema returns, not what it is given.', {
      path: ['schema'],
    })
  }
  const dialect = dialectOf(options.dialect, db)
  checkValidations(schema)
  if (collation !== undefined && collation !== 'codepoint') {
    throw fault('INVALID_OPTIONS', `The collation is "codepoint" or left out, not ${quote(collation)}.`, {
      path: ['collation'],
    })
  }
  for (const name of ['timeoutMs', 'acquireTimeoutMs'] as const) checkMilliseconds(name, options[name])
  // The host's plugins rewrite names and results; what the engine asks and answers must not depend on them.
  const home = db.withoutPlugins()
  return engineOn(home, {
    home,
    schema,
    dialect,
    limits: limitsWith(options.limits),
    zone: timezone === undefined ? utc : zoneFor(timezone, dialect),
    clock: options.clock ?? (() => new Date()),
    byCodePoint: collation === 'codepoint',
    negationMatchesNull: options.negationMatchesNull ?? false,
    timeoutMs: options.timeoutMs,
    acquireTimeoutMs: options.acquireTimeoutMs ?? 5_000,
    onQuery: options.onQuery,
    onError: options.onError ?? warn,
    hooks: new Hooks(),
    versions: once(() => versionsCollection(schema, options.versions)),
    unit: undefined,
    narrowing: undefined,
    hasOwn: false,
    lookups: lookupsIn(options.variables, schema),
    templates: new Cache(templatesKept),
  })
}

/** A template is some 10 to 100 KiB. */
const templatesKept = 500

/** A host without versions may call any collection by that name, so it is looked at when it is needed. */
function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => {
    made ??= make()
    return made
  }
}

type Parts<S extends Schema> = Omit<
  Engine<S>,
  | 'db'
  | 'as'
  | 'knowing'
  | 'withOwn'
  | 'using'
  | 'transaction'
  | 'on'
  | 'committed'
  | 'install'
  | 'whole'
  | 'rowsOf'
  | 'rowsAt'
>

/** An engine, narrowed where its parts say so. */
function engineOn<S extends Schema>(db: Engine<S>['db'], parts: Parts<S>): Engine<S> {
  const { hooks, unit, home, narrowing, clock } = parts
  const limits = narrowing?.limits
  // The schema that is seen has the definition of the whole, from which the types come.
  const { withOwn, schema } = limits?.seen ?? {}
  const shown = parts.hasOwn ? withOwn : schema
  const seen = limits && { schema: shown as S, templates: limits.templates }
  const rowsAt =
    limits &&
    ((circumstances: Circumstances) => rowsSeen(limits, { ...circumstances, caller: narrowing.ruleCaller }))
  const rowsOf: Setting['rowsOf'] =
    rowsAt && ((frame) => rowsAt({ now: clock(), caller: narrowing.ruleCaller })(frame))
  const outside = () => engineOn(home, { ...parts, unit: undefined })
  const engine: Engine<S> = Object.freeze({
    ...parts,
    ...seen,
    rowsAt,
    rowsOf,
    db,
    whole: () => (narrowing ? engineOn(db, { ...parts, narrowing: undefined }) : engine),
    withOwn: () =>
      engineOn<Schema>(db, { ...(parts as Parts<Schema>), schema: schemaWithOwn(parts), hasOwn: true }),
    knowing: (ofQueries: Caller['variables'], ofRules: Caller['variables']) => {
      if (!narrowing) throw unreachable('nobody asks')
      const { caller, ruleCaller } = narrowing
      const known = {
        ...narrowing,
        caller: telling(caller, ofQueries),
        ruleCaller: telling(ruleCaller, ofRules),
      }
      return engineOn(db, { ...parts, narrowing: known })
    },
    as: (access: unknown) => {
      if (narrowing) throw fault('INVALID_OPTIONS', "This engine is one caller's already.")
      const others = () => ownCollections(parts)
      // It is of the schema that it is called on.
      return engineOn(db, { ...parts, narrowing: narrow(access, parts, others) }) as never
    },
    using: (transaction: HostTransaction) =>
      engineOn(transaction.withoutPlugins(), { ...parts, unit: unitOf(transaction) }),
    transaction: <Result>(
      work: (inside: Engine<S>) => Promise<Result>,
      { signal }: { readonly signal?: AbortSignal | undefined } = {},
    ): Promise<Result> => {
      const within = (inner: HostDatabase, own: Unit<Change>) =>
        work(engineOn(inner, { ...parts, unit: own }))
      if (unit) return inSavepoint(engine, unit, (own) => within(db, own))
      const own = new Unit<Change>()
      const tell = () => hooks.announce(own.take(), engine, parts.onError)
      return inTransaction(engine, (transaction) => within(transaction, own), tell, signal)
    },
    // Which handler belongs to which collection is known to its own schema only.
    on: (...given: readonly unknown[]) =>
      hooks.add(...(handlerIn(given, parts.schema) as Parameters<typeof hooks.add>)),
    install: () =>
      engine.transaction(async (inside) => {
        const tables = [{ collection: parts.versions(), unique: versionIdentity }]
        for (const statement of installStatements(tables, parts.dialect)) await execute(inside, statement, {})
      }),
    committed: async () => {
      if (!unit || !hostUnits.has(unit)) throw notHosts()
      await hooks.announce(unit.take(), outside(), parts.onError)
    },
  })
  return engine
}

/** Collections of the engine's own; a host may call one of its own by the same name and have no use for them. */
function ownCollections({
  versions,
  schema,
}: Pick<Parts<Schema>, 'versions' | 'schema'>): readonly Collection[] {
  return [...schema.collections.values()].some(({ isVersioned }) => isVersioned) ? [versions()] : []
}

const telling = (caller: Caller, more: Caller['variables']): Caller => ({
  ...caller,
  variables: { ...more, ...caller.variables },
})

function lookupsIn(given: Lookups | undefined, { collections }: Schema): Lookups {
  for (const [name, collection] of Object.entries(given ?? {})) {
    const path = ['variables', name]
    if (!Object.hasOwn(variables, name) || name === '$NOW')
      throw fault('INVALID_OPTIONS', `${quote(name)} is no variable that tells of a caller.`, { path })
    if (!collections.has(collection))
      throw fault('INVALID_OPTIONS', `There is no collection ${quote(collection)}.`, { path })
  }
  return given ?? {}
}

function schemaWithOwn(parts: Pick<Parts<Schema>, 'versions' | 'schema'>): Schema {
  const { collections, definition } = parts.schema
  const own = ownCollections(parts).map((collection) => [collection.name, collection] as const)
  return { collections: new Map([...own, ...collections]), definition }
}

/** Engines on the same transaction of a host take turns in it. */
const units = new WeakMap<object, Unit<Change>>()
const hostUnits = new WeakSet<Unit<Change>>()

function unitOf(transaction: object): Unit<Change> {
  const known = units.get(transaction)
  if (known) return known
  const unit = new Unit<Change>()
  units.set(transaction, unit)
  hostUnits.add(unit)
  return unit
}

const notHosts = () =>
  fault(
    'INVALID_OPTIONS',
    "Only an engine inside a transaction of the host's is told that it was committed.",
    {
      hint: 'Call it on what engine.using(transaction) answers; engine.transaction tells by itself.',
    },
  )

function handlerIn([event, ...given]: readonly unknown[], schema: Schema): readonly unknown[] {
  const [collection, handler, options] = given.length > 2 ? given : [undefined, ...given]
  if (collection !== undefined && !schema.collections.has(String(collection)))
    throw fault('INVALID_OPTIONS', `There is no collection ${quote(collection)}.`)
  return [event, collection, handler, Reflect.get(Object(options), 'when')]
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
