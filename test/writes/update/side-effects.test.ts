// What is known of a table's catalogue: what was found in a transaction that is rolled back, rows that take the place of others, and triggers that are
// added later.
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  createItems,
  defineSchema,
  type Engine,
  listItems,
  updateByQuery,
  updateItem,
  updateItems,
} from '../../../src/index.ts'
import { databases, openSqlite } from '../../support/databases.ts'
import { key, number, text } from '../../support/fields.ts'

const schema = defineSchema({
  teams: { fields: { id: key, name: text, members: { type: 'o2m', from: 'members.team' } } },
  members: { fields: { id: key, team: { type: 'm2o', to: 'teams', nullable: true }, person: number } },
})

async function open(...statements: readonly string[]) {
  const { db } = await openSqlite()
  for (const statement of statements) await sql.raw(statement).execute(db)
  return { db, engine: createEngine({ db, schema }) }
}

const teams = 'create table teams (id integer primary key, name text)'

it.each([true, false])(
  'is forgotten with the transaction that has changed it (asked before: %s)',
  async (isAsked) => {
    const { db, engine } = await open(teams, `insert into teams values (1, 'a'), (2, 'b')`)
    const rules = { teams: { read: true, update: { validation: { name: { _ncontains: 'bad' } } } } } as const
    const caller = engine.as({ user: 1, rules })
    const renamed = (by: typeof caller, text: string) =>
      updateItems(by, 'teams', [
        { id: 1, name: `${text}1` },
        { id: 2, name: `${text}2` },
      ] as never)
    if (isAsked) await renamed(caller, 'v')
    const undone = db.transaction().execute(async (transaction) => {
      await sql`create table scratch (x)`.execute(transaction)
      await renamed(engine.using(transaction).as({ user: 1, rules }), 'w')
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    // The catalogue has the number again that it had in there.
    await sql`create trigger t after update on teams when new.name not like '%bad'
    begin update teams set name = new.name || 'bad' where id = new.id; end`.execute(db)
    await expect(renamed(caller, 'z')).rejects.toMatchObject({ code: 'FAILED_VALIDATION' })
    const { data } = await listItems(engine, 'teams', { fields: ['name'] })
    expect(data.map(({ name }) => name)).toEqual(isAsked ? ['v1', 'v2'] : ['a', 'b'])
  },
)

it('says that rows which get the same values may take the place of each other', async () => {
  const { engine } = await open(
    teams,
    `insert into teams values (1, 'a'), (2, 'b'), (3, 'c')`,
    'create table members (id integer primary key, team integer, person integer, unique (team, person) on conflict replace)',
    'insert into members values (1, 1, 1), (2, 1, 2), (3, 2, 1), (4, 2, 3), (5, 3, 1), (6, 3, 3)',
  )
  await expect(updateItem(engine, 'teams', 1, { members: [4, 6] })).rejects.toMatchObject({
    code: 'RECORD_NOT_UNIQUE',
  })
  expect((await listItems(engine, 'members')).data).toHaveLength(6)
})

const spoils = (name: string, event = 'insert', field = 'person', value = 99): readonly string[] =>
  name === 'sqlite'
    ? [
        `create trigger t after ${event} on members begin update members set ${field} = ${value} where id = new.id; end`,
      ]
    : [
        `create function spoil() returns trigger language plpgsql as $$ begin new.${field} = ${value}; return new; end $$`,
        `create trigger t before ${event} on members for each row execute function spoil()`,
      ]

type By = Engine<typeof schema>

const roads: Record<string, (by: By, person: number) => Promise<unknown>> = {
  'a new item': (by, person) => createItem(by, 'teams', { name: 'x', members: [{ person }] }),
  'an item that is there': (by, person) => updateItem(by, 'teams', 1, { members: { create: [{ person }] } }),
  'an item that changes': (by, person) => updateItem(by, 'teams', 1, { name: 'y', members: [{ person }] }),
  'no item': (by, person) => createItems(by, 'members', [{ person }, { person: person + 1 }]),
}

/** Opens a database, with what runs statements in it and the type of a key that it counts. */
async function opened(open: (typeof databases)[number]['open'], name: string) {
  const { db } = await open()
  const run = async (statements: readonly string[]) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  }
  return { db, run, counted: name === 'sqlite' ? 'integer primary key' : 'serial primary key' }
}

describe.each(databases)('a trigger that is added later on $name', ({ name, open }) => {
  const all = Object.keys(roads).flatMap((road) => [false, true].map((hasHook) => [road, hasHook] as const))
  it.each(all)('is minded by new rows in %s (with a hook before: %s)', async (road, hasHook) => {
    const { db, run, counted } = await opened(open, name)
    await run([
      `create table teams (id ${counted}, name varchar(9))`,
      `insert into teams (name) values ('a')`,
      `create table members (id ${counted}, team integer, person integer)`,
    ])
    const engine = createEngine({ db, schema })
    if (hasHook) engine.on('items.create', 'members', () => undefined, { when: 'before' })
    const rules = {
      teams: { read: true, create: true, update: true },
      members: { read: true, update: true, delete: true, create: { validation: { person: { _lt: 50 } } } },
    } as const
    const by = engine.as({ user: 1, rules })
    const write = async (caller: By, person: number) => roads[road]?.(caller, person)
    await write(by, 1)
    await run(spoils(name))
    const before = await listItems(engine, 'members')
    for (const person of [3, 5])
      await expect(write(by, person)).rejects.toMatchObject({ code: 'FAILED_VALIDATION' })
    expect(await listItems(engine, 'members')).toEqual(before)
  })
})

interface Spoilt {
  readonly trigger: readonly [event: string, field: string, value: number]
  readonly write: (by: By, number: number) => Promise<unknown>
  readonly code: string
}

const some = { filter: { id: { _lte: 2 } } } as const

const spoilt: Record<string, Spoilt> = {
  'a validation of the rows of a query': {
    trigger: ['update', 'person', 99],
    write: (by, person) => updateByQuery(by, 'members', some, { person }),
    code: 'FAILED_VALIDATION',
  },
  'a validation of another field of such rows': {
    trigger: ['update', 'person', 99],
    write: (by) => updateByQuery(by, 'members', some, { team: 1 }, { keys: false }),
    code: 'FAILED_VALIDATION',
  },
  'a reference of the rows of a query': {
    trigger: ['update', 'team', 2],
    write: (by, number) => updateByQuery(by, 'members', some, { team: number % 2 ? 1 : 3 }),
    code: 'INVALID_FOREIGN_KEY',
  },
  'a reference of new rows in a new item': {
    trigger: ['insert', 'team', 2],
    write: (by, person) => createItem(by, 'teams', { name: 'x', members: [{ person }, { person }] }),
    code: 'INVALID_FOREIGN_KEY',
  },
}

describe.each(databases)('a trigger on $name', ({ name, open }) => {
  const all = Object.keys(spoilt).flatMap((what) => [true, false].map((isLater) => [what, isLater] as const))
  it.each(all)('is minded by %s (added later: %s)', async (what, isLater) => {
    const { trigger, write, code } = spoilt[what] ?? {}
    if (!trigger || !write) throw new Error(what)
    const { db, run, counted } = await opened(open, name)
    await run([
      `create table teams (id ${counted}, name varchar(9))`,
      `insert into teams (name) values ('a'), ('hidden'), ('c')`,
      `create table members (id ${counted}, team integer, person integer)`,
      'insert into members (team, person) values (1, 1), (3, 2), (3, 3)',
    ])
    const engine = createEngine({ db, schema })
    const by = engine.as({
      user: 1,
      rules: {
        teams: { read: { filter: { name: { _neq: 'hidden' } } }, create: true },
        members: { read: true, create: true, update: { validation: { person: { _lt: 50 } } } },
      },
    })
    if (isLater) await write(by, 1)
    await run(spoils(name, ...trigger))
    const before = await listItems(engine, 'members')
    for (const number of [4, 5]) await expect(write(by, number)).rejects.toMatchObject({ code })
    expect(await listItems(engine, 'members')).toEqual(before)
    if (name === 'sqlite') await run(['drop trigger t'])
    else await run(['drop trigger t on members'])
    await write(by, 6)
  })
})
