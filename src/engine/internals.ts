// Builds an engine from its parts: on a database or in a transaction, unlimited or narrowed to a caller.

import { callerScope as narrow, rowsSeen } from '../access/caller-scope.ts'
import type { HostDatabase, HostTransaction } from '../dialects/host.ts'
import { anything, checkOptions, optionNames } from '../errors/check-options.ts'
import { fault, quote, unreachable } from '../errors/errors.ts'
import { callOptions, type Options } from '../execution/database.ts'
import { execute, requireCourse } from '../execution/execute.ts'
import { noteHosts } from '../execution/isolation-level.ts'
import { attempt } from '../execution/report-errors.ts'
import { inSavepoint } from '../execution/savepoint.ts'
import { inTransaction } from '../execution/transaction.ts'
import { UnitOfWork } from '../execution/unit-of-work.ts'
import type { Schema } from '../schema/model.ts'
import { ownCollections, versionsIn } from '../schema/own-collections.ts'
import { versionIdentity } from '../schema/own-versions.ts'
import type { Setting } from '../sql/frame.ts'
import { installStatements } from '../sql/install.ts'
import type { Caller, Circumstances } from '../vocabulary/variables.ts'
import type { Engine } from './engine.ts'
import type { HookOptions, OnError, QueuedEvent } from './hooks.ts'

const hookOptions = optionNames<HookOptions>({ when: anything })

/** Parts of which an engine is built. */
export type Parts<S extends Schema> = Omit<
  Engine<S>,
  | 'db'
  | 'as'
  | 'knowing'
  | 'fresh'
  | 'reading'
  | 'withOwn'
  | 'using'
  | 'transaction'
  | 'atomic'
  | 'on'
  | 'committed'
  | 'install'
  | 'whole'
  | 'outside'
  | 'rowsOf'
  | 'rowsAt'
>

/** Builds an engine, narrowed to a caller if its parts say so. */
export function engineOn<S extends Schema>(db: Engine<S>['db'], parts: Parts<S>): Engine<S> {
  const { home, reads, dialect, zone, byCodePoint, negationMatchesNull, timeoutMs, acquireTimeoutMs } = parts
  const { maxStreams, streamIdleMs } = parts
  const { onQuery, isolation, onError, hooks, unit, narrowing, clock, versions, files, pictures, lookups } =
    parts
  const { lockable } = parts
  const limits = narrowing?.limits
  // The visible schema has the definition of the whole schema, from which the types come.
  const { withOwn, schema } = limits?.seen ?? {}
  const shown = parts.hasOwn ? withOwn : schema
  const rowsAt =
    limits &&
    ((circumstances: Circumstances) => rowsSeen(limits, { ...circumstances, caller: narrowing.ruleCaller }))
  const rowsOf: Setting['rowsOf'] =
    rowsAt && ((frame) => rowsAt({ now: clock(), caller: narrowing.ruleCaller })(frame))
  let reader: Engine<S> | undefined
  // A server builds one per request, and an object literal is built many times faster than a copy.
  const engine: Engine<S> = Object.freeze({
    db,
    home,
    reads,
    schema: limits ? (shown as S) : parts.schema,
    dialect,
    limits: parts.limits,
    zone,
    byCodePoint,
    negationMatchesNull,
    timeoutMs,
    acquireTimeoutMs,
    maxStreams,
    streamIdleMs,
    onQuery,
    isolation,
    lockable,
    onError,
    onLoss: parts.onLoss,
    hooks,
    unit,
    narrowing,
    clock,
    versions,
    files,
    pictures,
    lookups,
    hasOwn: parts.hasOwn,
    templates: limits ? limits.templates : parts.templates,
    jsonWriter: parts.jsonWriter,
    rowsAt,
    rowsOf,
    // An engine that was created for a transaction knows nothing outside of it.
    outside: () => (unit && !home.isTransaction ? engineOn(home, { ...parts, unit: undefined }) : engine),
    whole: () => (narrowing ? engineOn(db, { ...parts, narrowing: undefined }) : engine),
    fresh: () => (reads ? engineOn(db, { ...parts, reads: undefined }) : engine),
    reading: () => {
      // Rows written in a transaction are visible only there.
      if (!reads || db !== home) return engine
      reader ??= engineOn(reads, { ...parts, home: reads, reads: undefined })
      return reader
    },
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
      const { schema, templates: owner } = parts
      const ground = { schema, others: () => ownCollections(parts), versions: () => versionsIn(parts), owner }
      // Typed by the schema of the engine on which it is called.
      return engineOn(db, { ...parts, narrowing: narrow(access, ground) }) as never
    },
    using: (transaction: HostTransaction) =>
      engineOn(noteHosts(transaction.withoutPlugins()), { ...parts, unit: unitOf(transaction) }),
    transaction: async <Result>(
      work: (inside: Engine<S>) => Promise<Result>,
      options: Options = {},
    ): Promise<Result> => {
      checkOptions(options, callOptions)
      const watched = async (inside: Engine<S>) => {
        const result = await work(inside)
        // Statements that the host ran there itself may have failed.
        inside.unit?.course.doubt()
        return result
      }
      return engine.atomic(watched, options)
    },
    atomic: <Result>(work: (inside: Engine<S>) => Promise<Result>, options: Options): Promise<Result> => {
      const within = async (inner: HostDatabase, own: UnitOfWork<QueuedEvent<Engine>>) => {
        try {
          const inside = engineOn(inner, { ...parts, unit: own })
          const result = await work(inside)
          if (!unit) await requireCourse(inside, options)
          return result
        } catch (error) {
          await settle(own, 'undone', parts.onError)
          throw error
        }
      }
      if (unit) return inSavepoint(engine, unit, (own) => within(db, own), options)
      const own = new UnitOfWork<QueuedEvent<Engine>>()
      const tell = async () => {
        await settle(own, 'done', parts.onError)
        await hooks.announce(own.take(), outsideOf, parts.onError)
      }
      return inTransaction(engine, (transaction) => within(transaction, own), tell, options)
    },
    // The pairing of hook and collection is typed by the engine's own schema only.
    on: (...given: readonly unknown[]) =>
      hooks.add(...(handlerIn(given, parts) as Parameters<typeof hooks.add>)),
    install: () =>
      engine.transaction(async (inside) => {
        const { files } = parts
        const tables = [
          { collection: parts.versions(), unique: versionIdentity },
          ...(files ? [{ collection: files.collection, unique: [] }] : []),
        ]
        for (const statement of installStatements(tables, parts.dialect)) await execute(inside, statement, {})
      }),
    committed: async () => {
      if (!unit || !hostUnits.has(unit)) throw notHosts()
      if (unit.course.ended) {
        unit.take()
        await settle(unit, 'undone', parts.onError)
        unit.course.requireOn(parts.dialect)
      }
      await settle(unit, 'done', parts.onError)
      await hooks.announce(unit.take(), outsideOf, parts.onError)
    },
  })
  return engine
}

/** Runs the work that waited for the end of a unit of work. If it fails, the database remains as it is. */
async function settle(
  unit: UnitOfWork<QueuedEvent<Engine>>,
  how: 'done' | 'undone',
  onError: OnError,
): Promise<void> {
  for (const consequence of unit.takeConsequences())
    await attempt(async () => consequence[how]?.(), undefined, onError)
}

const telling = (caller: Caller, more: Caller['variables']): Caller => ({
  ...caller,
  variables: { ...more, ...caller.variables },
})

function schemaWithOwn(parts: Pick<Parts<Schema>, 'versions' | 'files' | 'schema'>): Schema {
  const { collections, definition } = parts.schema
  const own = ownCollections(parts).map((collection) => [collection.name, collection] as const)
  return { collections: new Map([...own, ...collections]), definition }
}

const outsideOf = (inside: Engine): Engine => inside.outside()

/** Units of work by host transaction: engines on the same transaction take turns. */
const units = new WeakMap<object, UnitOfWork<QueuedEvent<Engine>>>()
const hostUnits = new WeakSet<UnitOfWork<QueuedEvent<Engine>>>()

function unitOf(transaction: object): UnitOfWork<QueuedEvent<Engine>> {
  const known = units.get(transaction)
  if (known) return known
  const unit = new UnitOfWork<QueuedEvent<Engine>>()
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

function handlerIn(
  [event, ...given]: readonly unknown[],
  parts: Pick<Parts<Schema>, 'versions' | 'files' | 'schema'>,
): readonly unknown[] {
  const [collection, handler, options] = given.length > 2 ? given : [undefined, ...given]
  if (collection !== undefined && !schemaWithOwn(parts).collections.has(String(collection)))
    throw fault('INVALID_OPTIONS', `There is no collection ${quote(collection)}.`)
  checkOptions(options, hookOptions)
  return [event, collection, handler, Reflect.get(Object(options), 'when')]
}
