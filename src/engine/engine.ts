import type { Access, OwnName } from '../access/access.ts'
import type { CallerScope } from '../access/caller-scope.ts'
import { requireUnexpired } from '../access/check-access.ts'
import type { HostDatabase, HostTransaction } from '../dialects/host.ts'
import { fault, quote } from '../errors/errors.ts'
import type { Database, Options, ReadGate } from '../execution/database.ts'
import type { Soon } from '../execution/soon.ts'
import type { UnitOfWork } from '../execution/transaction/unit-of-work.ts'
import type { EngineReader } from '../prepared/prepare.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Collection, Schema } from '../schema/model.ts'
import type { OwnCollection } from '../schema/own-collections.ts'
import type { OwnRuns } from '../schema/own-runs.ts'
import type { Caller, Lookups } from '../vocabulary/variables.ts'
import type { EventName } from './events.ts'
import type { FileKeeping } from './file-options.ts'
import type { Hook, HookOptions, Hooks, OnError, QueuedEvent } from './hooks.ts'

/** The key under which an engine holds what only Quernel uses. A copy of the package in another module format finds it, too. */
export const internals: unique symbol = Symbol.for('quernel.internals')

/** An engine: a database, its schema, and the settings that every function works with. */
export interface Engine<S extends Schema = Schema> {
  readonly db: HostDatabase
  readonly schema: S
  /** Narrows the engine to one caller: data that their rules do not allow is not there. A caller has to be given; `{}` sees nothing.
   *  @example const mine = engine.as({ user: 2, rules: { articles: { read: { filter: { author: '$CURRENT_USER' } } } } })
   *  await listItems(mine, 'articles', { fields: ['title'] }) // → { data: [{ title: 'Bread' }] } */
  as<Own extends Schema>(this: Engine<Own>, access: Access<Own>): NarrowedEngine<Own>
  /** Returns the engine inside a transaction of the host's. */
  using(transaction: HostTransaction): Engine<S>
  /** Runs work in a transaction, or in a savepoint of the surrounding one: all of it takes effect, or nothing. `timeoutMs` applies to its
   *  begin and its end. */
  transaction<Result>(work: (inside: Engine<S>) => Promise<Result>, options?: Options): Promise<Result>
  /** Registers a hook that runs before an item is read or written, before the commit of what was written, or after it. Returns a function that
   *  removes the hook.
   *  @example engine.on('items.create', 'tags', ({ payload }) => ({ ...payload, name: String(payload?.name).trim() }), { when: 'before' })
   *  await createItem(engine, 'tags', { name: ' dry ' }) // → { id: 3, name: 'dry' } */
  on(event: EventName, hook: Hook<Engine<S>>, options: HookOptions): () => void
  on(
    event: EventName,
    collection: CollectionName<S> | OwnName,
    hook: Hook<Engine<S>>,
    options: HookOptions,
  ): () => void
  /** Runs the "after" hooks for the changes of the host's transaction. To be called once the host has committed it. */
  committed(): Promise<void>
  /** Returns the engine with reads from its primary database and not from the copy at `reads`: for rows that were just written.
   *  @example await getItem(engine.fresh(), 'tags', 1) // → { id: 1, name: 'hot' } */
  fresh(): Engine<S>
  /** Creates the engine's own tables that do not exist yet.
   *  @example await engine.install() */
  install(): Promise<void>
  readonly [internals]: EngineInternals
}

/** An engine narrowed to one caller. */
export interface NarrowedEngine<S extends Schema = Schema> extends Engine<S> {
  readonly [internals]: EngineInternals & { readonly scope: CallerScope }
}

/** The engine as Quernel's own functions use it. */
export interface EngineInternals extends Database, EngineReader {
  readonly schema: Schema
  readonly clock: () => Date
  readonly hooks: Hooks<Engine>
  readonly onError: OnError
  /** Milliseconds that an export waits for its reader. */
  readonly streamIdleMs: number
  /** Returns the collection that holds the versions of items. */
  readonly versions: () => Collection
  /** Storage and collection of files. */
  readonly files: FileKeeping | undefined
  /** Collections of flows; undefined for an engine without the option `flows`. */
  readonly runs: OwnRuns | undefined
  /** Returns the engine's own collections that are in use. */
  readonly own: () => readonly OwnCollection[]
  /** True for a collection whose items no verb writes. */
  readonly isReadonly: (collection: Collection) => boolean
  /** Settings of images as the host gave them. What is made of them is kept by this object. */
  readonly assets: { readonly settings: unknown }
  /** Unit of work: the transaction or savepoint in which the engine runs. */
  readonly unit: UnitOfWork<QueuedEvent<EngineInternals>> | undefined
  /** Scope of the caller; undefined for the host's own engine, which may do everything. */
  readonly scope: CallerScope | undefined
  /** Collections in which fields of variables are looked up. */
  readonly lookups: Lookups
  /** Copy of the database from which items are read. */
  readonly reads: HostDatabase | undefined
  /** True if the schema includes the engine's own collections. */
  readonly hasOwn: boolean
  /** Cause of the calls of this engine, for hooks that are called by them; undefined if that is the host. */
  readonly cause: object | undefined
  /** Returns the engine as hosts use it. */
  readonly asEngine: () => Engine
  /** Runs the engine's own work in a transaction, or in a savepoint of the surrounding one. It runs no statement that is unknown to the
   *  engine. */
  readonly atomic: <Result>(work: (inside: EngineInternals) => Soon<Result>, options: Options) => Soon<Result>
  /** Returns the engine on the database from which items are read. */
  readonly reading: () => EngineInternals
  /** Returns the engine with reads from its primary database. */
  readonly fresh: () => EngineInternals
  /** Returns the engine with more variables of its caller: for queries, and for rules. */
  readonly knowing: (ofQueries: Caller['variables'], ofRules: Caller['variables']) => EngineInternals
  /** Returns the engine with its own collections among those of the schema. */
  readonly withOwn: () => EngineInternals
  /** Returns the engine of a request, whose reads pass a gate. */
  readonly behind: (gate: ReadGate) => EngineInternals
  /** Returns the engine whose calls have a cause. */
  readonly causedBy: (cause: object) => EngineInternals
  /** Returns the engine without a caller, for its own work. */
  readonly whole: () => EngineInternals
  /** Returns the engine outside of its transaction. */
  readonly outside: () => EngineInternals
  /** Returns the engine in a transaction, or in a part of one. */
  readonly within: (db: HostDatabase, unit: NonNullable<EngineInternals['unit']>) => EngineInternals
}

/** Returns what Quernel itself uses of an engine. */
export function internalsOf(engine: Engine): EngineInternals {
  const found = Object(engine)[internals] as EngineInternals | undefined // only engines have this symbol
  if (found) {
    const end = found.scope?.expiresAt
    if (end !== undefined) requireUnexpired(end, found.clock())
    return found
  }
  throw fault('INVALID_OPTIONS', `An engine is made by createEngine, and is not ${quote(engine)}.`, {
    path: ['engine'],
  })
}
