// Builds an engine from its parts: on a database or in a transaction, unlimited or narrowed to a caller.

import { type CallerScope, callerScope, rowsSeen } from '../access/caller-scope.ts'
import type { HostDatabase, HostTransaction } from '../dialects/host.ts'
import { checkOptions } from '../errors/check-options.ts'
import { fault, unreachable } from '../errors/errors.ts'
import { callOptions, type Options, type ReadGate } from '../execution/database.ts'
import { callHost } from '../execution/deadlock-guard.ts'
import type { Soon } from '../execution/soon.ts'
import { noteHosts } from '../execution/transaction/isolation-level.ts'
import { lacksTransactions } from '../execution/transaction/transaction.ts'
import type { Schema } from '../schema/model.ts'
import { versionsIn } from '../schema/own-collections.ts'
import type { Setting } from '../sql/frame.ts'
import type { Caller, Circumstances } from '../vocabulary/variables.ts'
import { type Engine, type EngineInternals, internals, internalsOf } from './engine.ts'
import { hookInput } from './hooks.ts'
import { type Unit, unitOf } from './host-units.ts'
import { installTables, ownTables } from './install-tables.ts'
import { committedByHost, runAtomically } from './run-atomically.ts'

export type Parts = Omit<
  EngineInternals,
  | 'db'
  | 'asEngine'
  | 'knowing'
  | 'fresh'
  | 'reading'
  | 'withOwn'
  | 'causedBy'
  | 'behind'
  | 'atomic'
  | 'whole'
  | 'outside'
  | 'within'
  | 'rowsOf'
  | 'rowsAt'
  | keyof Place
> & { readonly place: Place }

/** The parts in which engines of one database differ. A server builds some engines for each request, and a copy of all parts takes longer than the rest. */
type Place = Pick<
  EngineInternals,
  'home' | 'reads' | 'readers' | 'gate' | 'schema' | 'hasOwn' | 'unit' | 'scope' | 'cause'
>

/** Builds an engine, narrowed to a caller if its place says so. `unlimited`: the same engine without a caller, if it is known. */
export function buildEngine(
  db: HostDatabase,
  parts: Parts,
  place: Place = parts.place,
  unlimited?: EngineInternals,
): EngineInternals {
  const { home, reads, readers, unit, scope } = place
  const { clock } = parts
  const permissions = scope?.permissions
  // The visible schema has the definition of the whole schema, from which the types come.
  const { withOwn, schema } = permissions?.seen ?? {}
  const visible = place.hasOwn ? withOwn : schema
  const rowsAt =
    permissions &&
    ((circumstances: Circumstances) => rowsSeen(permissions, { ...circumstances, caller: scope.ruleCaller }))
  const rowsOf: Setting['rowsOf'] =
    rowsAt && ((frame) => rowsAt({ now: clock(), caller: scope.ruleCaller })(frame))
  const at = (other: HostDatabase, own: Place) => buildEngine(other, parts, own)
  let whole = unlimited
  let reader: EngineInternals | undefined
  let publicEngine: Engine | undefined
  // An object literal is built many times faster than a copy.
  const engine: EngineInternals = Object.freeze({
    db,
    home,
    reads,
    readers: db === home ? readers : undefined,
    gate: place.gate,
    schema: visible ?? place.schema,
    dialect: parts.dialect,
    limits: parts.limits,
    zone: parts.zone,
    byCodePoint: parts.byCodePoint,
    negationMatchesNull: parts.negationMatchesNull,
    timeoutMs: parts.timeoutMs,
    acquireTimeoutMs: parts.acquireTimeoutMs,
    maxStreams: parts.maxStreams,
    streamIdleMs: parts.streamIdleMs,
    onQuery: parts.onQuery,
    isolation: parts.isolation,
    lockable: parts.lockable,
    onError: parts.onError,
    onLoss: parts.onLoss,
    hooks: parts.hooks,
    unit,
    scope,
    clock,
    versions: parts.versions,
    files: parts.files,
    runs: parts.runs,
    own: parts.own,
    isReadonly: parts.isReadonly,
    assets: parts.assets,
    lookups: parts.lookups,
    hasOwn: place.hasOwn,
    cause: place.cause,
    templates: permissions ? permissions.templates : parts.templates,
    jsonWriter: parts.jsonWriter,
    rowsAt,
    rowsOf,
    asEngine: () => {
      publicEngine ??= engineFor(engine, parts, place)
      return publicEngine
    },
    // An engine that was created for a transaction knows nothing outside of it.
    outside: () => (unit && !home.isTransaction ? at(home, { ...place, unit: undefined }) : engine),
    within: (inner: HostDatabase, own: Unit) =>
      inner === db && own === unit ? engine : at(inner, { ...place, unit: own }),
    whole: () => {
      if (!scope) return engine
      whole ??= at(db, { ...place, scope: undefined })
      return whole
    },
    fresh: () => (reads || readers ? at(db, { ...place, reads: undefined, readers: undefined }) : engine),
    reading: () => {
      // Rows written in a transaction are visible only there.
      if (!reads || db !== home) return engine
      reader ??= at(reads, { ...place, home: reads, reads: undefined })
      return reader
    },
    behind: (gate: ReadGate) => at(db, { ...place, gate }),
    causedBy: (cause: object) => at(db, { ...place, cause }),
    withOwn: () => at(db, { ...place, schema: schemaWithOwn(parts, place), hasOwn: true }),
    knowing: (ofQueries: Caller['variables'], ofRules: Caller['variables']) =>
      at(db, { ...place, scope: knowingMore(scope, ofQueries, ofRules) }),
    atomic: <Result>(work: (inside: EngineInternals) => Soon<Result>, options: Options): Soon<Result> =>
      runAtomically(engine, work, { options, isTransaction: false }),
  })
  return engine
}

function engineFor(engine: EngineInternals, parts: Parts, place: Place): Engine {
  const { db, schema } = engine
  return Object.freeze<Engine>({
    db,
    schema,
    [internals]: engine,
    as: (access: unknown) => {
      if (place.scope) throw fault('INVALID_OPTIONS', "This engine is one caller's already.")
      const context = {
        schema: place.schema,
        others: () => ofOwn(parts),
        versions: () => versionsIn({ versions: parts.versions, schema: place.schema }),
        owner: parts.templates,
      }
      const own = { ...place, scope: callerScope(access, context) }
      // Typed by the schema of the engine on which it is called.
      return buildEngine(db, parts, own, engine).asEngine() as never
    },
    using: (transaction: HostTransaction) =>
      buildEngine(noteHosts(transaction.withoutPlugins()), parts, {
        ...place,
        unit: unitOf(transaction),
      }).asEngine(),
    transaction: async <Result>(
      work: (inside: Engine) => Promise<Result>,
      options: Options = {},
    ): Promise<Result> => {
      checkOptions(options, callOptions)
      internalsOf(engine.asEngine())
      const called = (inside: EngineInternals) => callHost(inside, () => work(inside.asEngine()))
      return runAtomically(engine, called, { options, isTransaction: true })
    },
    // The pairing of hook and collection is typed by the engine's own schema only.
    on: (...input: readonly unknown[]) => {
      const hook = hookInput(input, schemaWithOwn(parts, place)) as Parameters<typeof parts.hooks.add>
      requireTransactions(hook[3], place)
      return parts.hooks.add(...hook)
    },
    committed: () => committedByHost(engine),
    fresh: () => engine.fresh().asEngine(),
    install: () => install(engine, parts),
  })
}

/** Refuses hooks before a commit where only single statements are committed. Before the first transaction that is not known. */
function requireTransactions(when: unknown, { home }: Place): void {
  if (when !== 'beforeCommit' || !lacksTransactions(home)) return
  throw fault(
    'INVALID_OPTIONS',
    'The driver of this database has no transactions, so no hook can run before a commit.',
    {
      path: ['when'],
    },
  )
}

async function install(engine: EngineInternals, { versions, files, runs }: Parts): Promise<void> {
  await installTables(engine, ownTables({ versions: versions(), files: files?.collection, runs }))
}

function knowingMore(
  scope: CallerScope | undefined,
  ofQueries: Caller['variables'],
  ofRules: Caller['variables'],
): CallerScope {
  if (!scope) throw unreachable('there is no caller')
  const { caller, ruleCaller } = scope
  return {
    ...scope,
    caller: withVariables(caller, ofQueries),
    ruleCaller: withVariables(ruleCaller, ofRules),
  }
}

const withVariables = (caller: Caller, more: Caller['variables']): Caller => ({
  ...caller,
  variables: { ...more, ...caller.variables },
})

const ofOwn = ({ own }: Pick<Parts, 'own'>) => own().map(({ collection }) => collection)

function schemaWithOwn({ own }: Parts, { schema: { collections, ...rest } }: Place): Schema {
  const named = ofOwn({ own }).map((collection) => [collection.name, collection] as const)
  return { ...rest, collections: new Map([...named, ...collections]) }
}
