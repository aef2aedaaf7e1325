// Tables whose changes are logged, and a reader of what a source tells.

import { type Kysely, sql } from 'kysely'
import { createEngine, defineSchema, type Engine } from '../../../src/index.ts'
import {
  type ChangeLogSourceOptions,
  changeLogSource,
  type Source,
  type SourceBatch,
  type SourceChange,
} from '../../../src/realtime.ts'
import { atEnd } from '../../support/at-end.ts'
import type { AnyTables, TestDatabase } from '../../support/databases.ts'
import { integer, key, many, maybeOne, number, string, text } from '../../support/fields.ts'

export const schema = defineSchema({
  people: {
    fields: { id: key, name: { type: 'string', nullable: true, unique: true }, tasks: many('tasks.owner') },
  },
  tasks: { fields: { id: key, title: text, owner: maybeOne('people') } },
  seats: { key: ['hall', 'number'], fields: { hall: string, number: integer, guest: text } },
  keyless: { fields: { n: number } },
  named: { fields: { id: key, name: text } },
  nowhere: { fields: { id: key } },
})

export type Logged = Engine<typeof schema>

export const logged = ['people', 'tasks', 'seats'] as const

export interface OpenedLog {
  readonly db: Kysely<AnyTables>
  readonly engine: Logged
  readonly run: (statement: string) => Promise<void>
  readonly rows: (statement: string) => Promise<readonly Record<string, unknown>[]>
}

/** Opens a database with tables, of which nothing is logged yet. */
export async function openTables({ open }: Pick<TestDatabase, 'open'>): Promise<OpenedLog> {
  const { db } = await open()
  const run = async (statement: string) => void (await sql.raw(statement).execute(db))
  for (const statement of [
    'create table people (id integer primary key, name varchar(40) unique)',
    'create table tasks (id integer primary key, title text, owner integer references people on delete set null)',
    'create table seats (hall varchar(40) not null, number integer not null, guest text, primary key (hall, number))',
    'create table keyless (n integer)',
    'create view named as select id, name from people',
    `insert into people values (1, 'Ada'), (2, 'Bob')`,
    `insert into tasks values (1, 'Paint', 1), (2, 'Write', 1)`,
  ])
    await run(statement)
  const rows = async (statement: string) =>
    (await sql.raw<Record<string, unknown>>(statement).execute(db)).rows
  return { db, engine: createEngine({ db, schema }), run, rows }
}

/** Hears what a source tells. */
export class Listener {
  readonly batches: SourceBatch[] = []
  readonly errors: unknown[] = []
  failure: unknown
  readonly #over = new AbortController()
  readonly #reading: Promise<void>

  constructor(
    engine: Engine,
    source: Source,
    after?: string,
    wants: (event: string, collection: string) => boolean = () => true,
  ) {
    const context = {
      engine,
      wants,
      signal: this.#over.signal,
      onError: (error: unknown) => void this.errors.push(error),
    }
    this.#reading = this.#read(source.read(after, context))
    atEnd(() => this.stop())
  }

  async #read(batches: AsyncIterable<SourceBatch>): Promise<void> {
    try {
      for await (const batch of batches) {
        this.batches.push(batch)
        if (this.#over.signal.aborted) return
      }
    } catch (error) {
      this.failure = error
    }
  }

  async stop(): Promise<void> {
    this.#over.abort()
    await this.#reading
  }

  get changes(): readonly SourceChange[] {
    return this.batches.flatMap(({ changes }) => changes)
  }

  /** What was told, as texts: the operation, the collection and the keys. */
  get texts(): readonly string[] {
    return this.changes.flatMap(({ collection, operation = 'update', keys }) =>
      keys ? keys.map((key) => `${operation} ${collection} ${JSON.stringify(key)}`) : [`any ${collection}`],
    )
  }

  get isBroken(): boolean {
    return this.batches.some(({ isBroken }) => isBroken)
  }

  get blind(): readonly string[] {
    return this.batches.findLast(({ blind }) => blind)?.blind?.map(({ collection }) => collection) ?? []
  }
}

export async function listen(engine: Engine, options: ChangeLogSourceOptions = {}): Promise<Listener> {
  const listener = new Listener(engine, changeLogSource({ everyMs: 10, ...options }))
  await until(() => listener.batches.length > 0 || listener.failure !== undefined)
  if (listener.failure !== undefined) throw listener.failure
  return listener
}

/** Waits until something is so. */
export async function until(isSo: () => boolean | Promise<boolean>, within = 60_000): Promise<void> {
  const end = performance.now() + within
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('It did not become so.')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** The names of all that stands in a database beside rows. */
export async function traces(
  rows: (statement: string) => Promise<readonly Record<string, unknown>[]>,
  name: 'sqlite' | 'postgres',
): Promise<readonly string[]> {
  const found = await rows(
    name === 'sqlite'
      ? 'select name from sqlite_master'
      : `select relname as name from pg_class where relnamespace = current_schema()::regnamespace
          union all select tgname from pg_trigger where not tgisinternal and tgrelid in (select oid from pg_class where relnamespace = current_schema()::regnamespace)
          union all select proname from pg_proc where pronamespace = current_schema()::regnamespace`,
  )
  // SQLite keeps the table that counts, once there was a counter.
  return found
    .map((row) => String(row.name))
    .filter((name) => name !== 'sqlite_sequence')
    .toSorted()
}

/** Inserts tasks in statements of a hundred. */
export async function insertMany(
  run: (statement: string) => Promise<void>,
  from: number,
  count: number,
): Promise<void> {
  for (let first = from; first < from + count; first += 100) {
    const rows = Array.from({ length: 100 }, (_, at) => `(${first + at}, 'many', null)`)
    await run(`insert into tasks values ${rows.join(', ')}`)
  }
}
