import type { Access, OwnName } from '../access/access.ts'
import type { CallerScope } from '../access/caller-scope.ts'
import type { HostDatabase, HostTransaction } from '../dialects/host.ts'
import type { Database, Options } from '../execution/database.ts'
import type { UnitOfWork } from '../execution/unit-of-work.ts'
import type { EngineReader } from '../prepared/prepare.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Collection, Schema } from '../schema/model.ts'
import type { Images } from '../variants/images.ts'
import type { Caller, Lookups } from '../vocabulary/variables.ts'
import type { FileKeeping } from './file-options.ts'
import type { EventName, Hook, HookOptions, Hooks, OnError, QueuedEvent } from './hooks.ts'

/** What every verb works on: a database, its description, and how words are meant there. */
export interface Engine<S extends Schema = Schema> extends Database, EngineReader {
  readonly schema: S
  readonly clock: () => Date
  /** The engine as one caller sees it: what their rules do not allow is not there. It has to be said who that is; `{}` sees nothing.
   *  @example const mine = engine.as({ user: 2, rules: { articles: { read: { filter: { author: '$CURRENT_USER' } } } } })
   *  await listItems(mine, 'articles', { fields: ['title'] }) // → { data: [{ title: 'Bread' }] } */
  as<Own extends Schema>(this: Engine<Own>, access: Access<Own>): NarrowedEngine<Own>
  /** The same engine inside a transaction of the host's. */
  using(transaction: HostTransaction): Engine<S>
  /** Does something in a transaction, or in a savepoint of the one around it: all of it happens, or nothing. `timeoutMs` is for what it takes
   *  to begin and to end it. */
  transaction<Result>(work: (inside: Engine<S>) => Promise<Result>, options?: Options): Promise<Result>
  /** The same for work of the engine's own, which runs no statement that the engine does not know of. */
  readonly atomic: <Result>(work: (inside: Engine<S>) => Promise<Result>, options: Options) => Promise<Result>
  /** Asks a handler before something is done, or tells it afterwards. Answers how to stop.
   *  @example engine.on('items.create', 'tags', ({ payload }) => ({ ...payload, name: String(payload?.name).trim() }), { when: 'before' })
   *  await createItem(engine, 'tags', { name: ' dry ' }) // → { id: 3, name: 'dry' } */
  on(event: EventName, handler: Hook<Engine<S>>, options: HookOptions): () => void
  on(
    event: EventName,
    collection: CollectionName<S> | OwnName,
    handler: Hook<Engine<S>>,
    options: HookOptions,
  ): () => void
  /** Tells handlers what was done in the host's transaction, once the host has committed it. */
  committed(): Promise<void>
  /** The same engine, which reads where it writes and not from the copy at `reads`: for what was just written.
   *  @example await getItem(engine.fresh(), 'tags', 1) // → { id: 1, name: 'hot' } */
  fresh(): Engine<S>
  /** Creates the tables of the engine's own that are not there yet.
   *  @example await engine.install() */
  install(): Promise<void>
  readonly hooks: Hooks<Engine>
  readonly onError: OnError
  /** How long an export waits for its reader. */
  readonly streamIdleMs: number
  /** The collection that holds the versions of items. */
  readonly versions: () => Collection
  /** Where files are kept, and what tells of them. */
  readonly files: FileKeeping | undefined
  /** Where pictures are made of files. */
  readonly pictures: Images
  /** The transaction or savepoint that the engine works in. */
  readonly unit: UnitOfWork<QueuedEvent<Engine>> | undefined
  /** Whose engine it is; undefined where it is the host's own, which may do everything. */
  readonly narrowing: CallerScope | undefined
  /** Where the fields of variables are looked up. */
  readonly lookups: Lookups
  /** The copy of the database from which items are read. */
  readonly reads: HostDatabase | undefined
  /** The same engine where items are read. */
  readonly reading: () => Engine<S>
  /** The same engine, with more variables of its caller: for queries, and for rules. */
  knowing(ofQueries: Caller['variables'], ofRules: Caller['variables']): Engine<S>
  /** The same engine, with its own collections among those of the schema. */
  withOwn(): Engine
  /** Whether they are. */
  readonly hasOwn: boolean
  /** The same engine for what it does by itself, whoever asks. */
  readonly whole: () => Engine
  /** The same engine outside of the transaction that it works in. */
  readonly outside: () => Engine<S>
}

/** An engine that is one caller's. */
export interface NarrowedEngine<S extends Schema = Schema> extends Engine<S> {
  readonly narrowing: CallerScope
}
