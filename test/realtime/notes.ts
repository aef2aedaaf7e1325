// Notes of teams, which the members of a team see, and whoever reads what is told of them.
import { type Kysely, sql } from 'kysely'
import { type Access, defineSchema, type Engine } from '../../src/index.ts'
import { type Feed, type FeedMessage, type WatchedItems, watchItems } from '../../src/realtime.ts'
import type { AnyTables } from '../support/databases.ts'
import { integer, key, many, maybeOne, one, text } from '../support/fields.ts'
import { Replica } from './replica.ts'
import { until } from './tasks.ts'

export const schema = defineSchema({
  notes: { fields: { id: key, text, team: maybeOne('teams') } },
  teams: { fields: { id: key, members: many('members.team') } },
  members: { fields: { id: key, team: one('teams'), person: integer } },
})

export type Notes = Engine<typeof schema>
export const memberships = ['page', 'match'] as const
export type Membership = (typeof memberships)[number]

/** Whoever is a member of a team sees its notes. */
export const rules = {
  notes: { read: { filter: { team: { members: { _some: { person: '$CURRENT_USER' } } } } } },
} as const

/** Two teams of one member and one note each. */
export async function createNotes(db: Kysely<AnyTables>): Promise<void> {
  for (const statement of [
    'create table teams (id integer primary key)',
    'create table notes (id integer primary key, text text, team integer)',
    'create table members (id integer primary key, team integer not null, person integer not null)',
    'insert into teams values (1), (2)',
    'insert into members values (1, 1, 7), (2, 2, 8)',
    `insert into notes values (1, 'one', 1), (2, 'two', 2)`,
  ])
    await sql.raw(statement).execute(db)
}

/** Somebody who watches notes, and holds what was told. */
export class NotesReader {
  readonly replica = new Replica()
  readonly messages: FeedMessage[] = []
  /** Why it has ended. */
  error: unknown
  readonly #watch: () => WatchedItems<unknown>
  #watched: WatchedItems<unknown>
  #over: Promise<void> = Promise.resolve()

  constructor(
    feed: Feed<typeof schema>,
    access: Access<typeof schema> | (() => Access<typeof schema> | null),
    membership: Membership,
  ) {
    const mine = feed.as(access)
    const query = { fields: ['id', 'text'], limit: 100 } as const
    this.#watch = () => watchItems(mine, 'notes', query, { membership, token: this.replica.token })
    this.#watched = this.#watch()
  }

  /** Begins to read. Resolves with the first message. */
  async begin(): Promise<this> {
    this.#take((await this.#watched.next()).value)
    this.#over = this.#read()
    return this
  }

  /** Goes on after an error, with the last token. */
  comeBack(): void {
    this.error = undefined
    this.#watched = this.#watch()
    this.#over = this.#read()
  }

  async leave(): Promise<void> {
    await this.#watched.return()
    await this.#over
  }

  /** Waits until there are just the notes of some ids. */
  async holds(...expected: readonly number[]): Promise<void> {
    const ids = () =>
      this.replica.data
        .map((item) => Number(Reflect.get(Object(item), 'id')))
        .toSorted((one, other) => one - other)
    await until(() => String(ids()) === String(expected))
  }

  async #read(): Promise<void> {
    try {
      for await (const message of this.#watched) this.#take(message)
    } catch (error) {
      this.error = error
    }
  }

  #take(message: FeedMessage | undefined): void {
    if (!message) return
    this.messages.push(message)
    this.replica.apply(message)
  }
}
