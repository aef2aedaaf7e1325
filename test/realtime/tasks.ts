// A small database, and feeds over it.

import { sql } from 'kysely'
import { type Access, createEngine, defineSchema, type Engine, type EngineOptions } from '../../src/index.ts'
import {
  createFeed,
  type Feed,
  type FeedMessage,
  type FeedOptions,
  localSource,
  type WatchedItems,
} from '../../src/realtime.ts'
import { atEnd } from '../support/at-end.ts'
import { sqlite, type TestDatabase } from '../support/databases.ts'
import { key, many, maybeOne, moment, number, text } from '../support/fields.ts'
import { Replica } from './replica.ts'

const collections = {
  tasks: {
    fields: {
      id: { type: 'integer', key: true, generated: true },
      title: text,
      due: moment,
      owner: maybeOne('people'),
    },
  },
  people: { fields: { id: key, name: text, tasks: many('tasks.owner') } },
  numbered: { fields: { id: { type: 'integer', key: true, rowNumber: true }, n: number } },
  keyless: { fields: { n: number } },
  parts: { fields: { id: key, task: maybeOne('tasks') } },
  open_tasks: { fields: { id: key, title: text } },
  site: { singleton: true, fields: { id: key, title: text } },
} as const

export const schema = defineSchema(collections)

/** The schema for a database that numbers no rows. */
const withoutNumbers = defineSchema({
  ...collections,
  numbered: { fields: { id: key, n: collections.numbered.fields.n } },
}) as unknown as typeof schema // its tests are of SQLite

export type Tasks = Engine<typeof schema>

export interface Opened {
  readonly engine: Tasks
  readonly feed: Feed<typeof schema>
  readonly errors: unknown[]
  /** Runs SQL that no engine knows of. */
  readonly run: (statement: string) => Promise<void>
}

/** Opens a database with three tasks, two of person 1 and one of person 2. */
export async function openTasks(
  options: Partial<FeedOptions> = {},
  engineOptions: Pick<EngineOptions<typeof schema>, 'clock' | 'onQuery' | 'limits'> = {},
  { name, open }: TestDatabase = sqlite,
): Promise<Opened> {
  const { db } = await open()
  const isSqlite = name === 'sqlite'
  const given = isSqlite ? 'integer primary key' : 'serial primary key'
  const run = async (statement: string) => void (await sql.raw(statement).execute(db))
  for (const statement of [
    'create table people (id integer primary key, name text)',
    `create table tasks (id ${given}, title text, due ${isSqlite ? 'text' : 'timestamptz'}, owner integer references people)`,
    isSqlite
      ? 'create table numbered (n integer)'
      : 'create table numbered (id integer primary key, n integer)',
    'create table keyless (n integer)',
    'create table parts (id integer primary key, task integer references tasks on delete cascade)',
    `create view open_tasks as select id, title from tasks where title not like 'done%'`,
    'create table site (id integer primary key, title text)',
    `insert into people values (1, 'Ada'), (2, 'Bob')`,
    `insert into tasks (title, owner) values ('Paint', 1), ('Write', 1), ('Hide', 2)`,
  ])
    await run(statement)
  const errors: unknown[] = []
  const engine = createEngine({
    db,
    schema: isSqlite ? schema : withoutNumbers,
    variables: { $CURRENT_USER: 'people' },
    ...engineOptions,
  })
  const feed = createFeed(engine, {
    source: localSource(),
    settleMs: 1,
    onError: (error) => errors.push(error),
    ...options,
  })
  atEnd(() => feed.stop())
  return { engine, feed, errors, run }
}

export const admin: Access<typeof schema> = { admin: true }

export async function next<Item>(
  messages: AsyncIterator<FeedMessage<Item>, undefined>,
): Promise<FeedMessage<Item> | undefined> {
  const { value } = await messages.next()
  return value
}

/** Returns the next message without its token, which is new each time. */
export async function bare(messages: AsyncIterator<FeedMessage, undefined>): Promise<unknown> {
  const { token: _token, ...message } = Object((await messages.next()).value)
  return message
}

/** Somebody who reads all messages to the end, with the error that it may be. */
export function reading(watched: WatchedItems<unknown>) {
  const replica = new Replica()
  const told: FeedMessage[] = []
  let error: unknown
  const over = (async () => {
    for await (const message of watched) {
      told.push(message)
      replica.apply(message)
    }
  })().catch((thrown: unknown) => {
    error = thrown
  })
  return {
    replica,
    told,
    over,
    has: (text: string) => JSON.stringify(told).includes(text),
    get error() {
      return error
    },
    get code() {
      return error === undefined ? undefined : Reflect.get(Object(error), 'code')
    },
  }
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Waits until something is so. */
export async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + 60_000
  while (!isSo()) {
    if (performance.now() > end) throw new Error('It did not become so.')
    await pause(2)
  }
}
