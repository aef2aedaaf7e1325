// Dates in the form that SQL and most frameworks write on SQLite: with a blank, without a zone.
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  compareVersion,
  createEngine,
  createItem,
  createVersion,
  defineSchema,
  deleteItem,
  type Engine,
  getItem,
  listItems,
  listItemsJson,
  matchesFilter,
  promoteVersion,
  type Schema,
  updateByQuery,
  updateItem,
  updateItems,
} from '../../../src/index.ts'
import { databases, type OpenDatabase, openSqlite } from '../../support/databases.ts'
import { key, many, maybeOne, text } from '../../support/fields.ts'

const stored = { storage: 'sql', nullable: true } as const
const schema: Schema = defineSchema({
  events: {
    versioned: true,
    fields: {
      id: key,
      name: text,
      at: { type: 'timestamp', ...stored },
      begins: { type: 'dateTime', ...stored },
      day: { type: 'date', ...stored },
      clock: { type: 'time', ...stored },
      made: { type: 'timestamp', ...stored, special: ['date-created'] },
      changed: { type: 'dateTime', ...stored, special: ['date-updated'] },
    },
  },
  slots: {
    fields: { at: { type: 'timestamp', storage: 'sql', key: true }, bookings: many('bookings.slot') },
  },
  bookings: {
    fields: {
      id: key,
      slot: maybeOne('slots'),
      kind: text,
      about: { type: 'any', to: ['slots'], by: 'kind', nullable: true },
    },
  },
})

/** The same moment, as programs write it. */
const forms = {
  'Rails, TypeORM': '2026-11-25 09:00:00.123456',
  Laravel: '2026-11-25 09:00:00',
  'Django with microseconds': '2026-11-25 09:00:00.123456',
  'SQLAlchemy, three digits': '2026-11-25 09:00:00.123000',
  Sequelize: '2026-11-25 09:00:00.123 +00:00',
  Go: '2026-11-25 11:00:00.123456789+02:00',
  ISO: '2026-11-25T09:00:00.123Z',
  'ISO with an offset': '2026-11-25T10:00:00.123+01:00',
} as const
const now = Date.parse('2026-11-25T09:00:00.123Z')

let database: OpenDatabase
let engine: Engine
beforeEach(async () => {
  database = await openSqlite()
  const { db, run } = database
  engine = createEngine({ db, schema, clock: () => new Date(now) })
  await run(
    'create table events (id integer primary key, name text, at datetime, begins datetime, day date, clock time, made datetime, changed datetime)',
  )
  await run('create table slots (at datetime primary key)')
  await run('create table bookings (id integer primary key, slot datetime, kind text, about text)')
  await engine.install()
})

const row = async (id = 1) => {
  const { rows } = await sql<Record<string, unknown>>`select * from events where id = ${id}`.execute(
    database.db,
  )
  return rows[0]
}

describe('a value', () => {
  it('is written with a blank, without a zone, and with a fraction only where it has one', async () => {
    const given = {
      at: '2026-11-25T10:00:00+01:00',
      begins: '2026-11-25T09:00:00.5',
      day: '2026-11-25T23:00:00Z',
      clock: '08:30',
    }
    const item = await createItem(engine, 'events', { id: 1, ...given })
    expect(await row()).toMatchObject({
      at: '2026-11-25 09:00:00',
      begins: '2026-11-25 09:00:00',
      day: '2026-11-25',
      clock: '08:30:00',
      made: '2026-11-25 09:00:00.123',
    })
    expect(item).toMatchObject({
      at: '2026-11-25T09:00:00.000Z',
      begins: '2026-11-25T09:00:00',
      day: '2026-11-25',
      clock: '08:30:00',
      made: '2026-11-25T09:00:00.123Z',
    })
    await updateItem(engine, 'events', 1, { at: '2026-11-25T09:00:00.120Z' })
    expect(await row()).toMatchObject({ at: '2026-11-25 09:00:00.120', changed: '2026-11-25 09:00:00' })
  })

  it('is written so by lists of items, queries, upserts and versions', async () => {
    await createItem(engine, 'events', { id: 1 })
    await createItem(engine, 'events', { id: 2 })
    await updateItems(engine, 'events', [
      { id: 1, at: '2026-01-01T00:00:00Z' },
      { id: 2, at: '2026-01-02T00:00:00Z' },
    ])
    expect([(await row(1))?.at, (await row(2))?.at]).toEqual(['2026-01-01 00:00:00', '2026-01-02 00:00:00'])
    await updateByQuery(engine, 'events', { filter: { id: 1 } }, { at: new Date('2026-01-03T00:00:00Z') })
    expect(await row()).toMatchObject({ at: '2026-01-03 00:00:00' })
    await createVersion(engine, 'events', 1, { key: 'draft', delta: { at: '2026-01-05T00:00:00Z' } })
    const { mainHash } = await compareVersion(engine, 'events', 1, 'draft')
    await promoteVersion(engine, 'events', 1, 'draft', { mainHash })
    expect(await row()).toMatchObject({ at: '2026-01-05 00:00:00' })
  })
})

describe.each(Object.entries(forms))('a value as by %s', (_, text) => {
  const isCut = !text.includes('.')
  const at = isCut ? '2026-11-25T09:00:00.000Z' : '2026-11-25T09:00:00.123Z'
  beforeEach(() =>
    sql`insert into events (id, at, begins, name) values (1, ${text}, ${text}, 'a'), (2, '2026-11-25 08:59:59', null, 'b'), (3, '2026-11-25 09:00:01', null, 'c')`.execute(
      database.db,
    ),
  )

  it('is read in the form of results', async () => {
    const expected = { data: [{ at, begins: '2026-11-25T09:00:00' }] }
    const query = { fields: ['at', 'begins'], filter: { id: 1 } }
    expect(await listItems(engine, 'events', query)).toEqual(expected)
    expect(JSON.parse(await listItemsJson(engine, 'events', query))).toEqual(expected)
  })

  it.each([
    ['_eq', { _eq: at }, [1]],
    ['_in', { _in: [at, '2020-01-01T00:00:00Z'] }, [1]],
    ['_neq', { _neq: at }, [2, 3]],
    ['_lt', { _lt: at }, [2]],
    ['_lte', { _lte: at }, [1, 2]],
    ['_gt', { _gt: at }, [3]],
    ['_gte', { _gte: at }, [1, 3]],
    ['_between', { _between: ['2026-11-25T09:00:00Z', at] }, [1]],
  ] as const)('is found by %s, and matched in memory', async (_name, condition, ids) => {
    const { data } = await listItems(engine, 'events', { fields: ['id'], filter: { at: condition } })
    expect(data.map(({ id }) => id)).toEqual(ids)
    const items = (await listItems(engine, 'events', { fields: ['id', 'at'] })).data
    const matched = items.filter((item) => matchesFilter(engine, 'events', { at: condition }, item))
    expect(matched.map(({ id }) => id)).toEqual(ids)
  })

  it('is sorted, grouped and aggregated by its moment', async () => {
    const { data } = await listItems(engine, 'events', { fields: ['id'], sort: ['-at'] })
    const isIso = text.includes('T') || text.startsWith('2026-11-25 11')
    if (!isIso) expect(data.map(({ id }) => id)).toEqual([3, 1, 2])
    await sql`insert into events (id, at) values (4, ${at})`.execute(database.db)
    const groups = await listItems(engine, 'events', { aggregate: { count: '*' }, groupBy: ['at'] })
    expect(groups.data).toContainEqual({ at, count: 2 })
    const ends = await listItems(engine, 'events', {
      aggregate: { min: 'at', max: 'at' },
      filter: { id: { _in: [1, 4] } },
    })
    expect(ends.data).toEqual([{ min: { at }, max: { at } }])
  })

  it('has its parts', async () => {
    const parts = { at_year: 2026, at_month: 11, at_day: 25, at_hour: 9, begins_year: 2026, begins_day: 25 }
    const fields = ['year(at)', 'month(at)', 'day(at)', 'hour(at)', 'year(begins)', 'day(begins)']
    expect(await getItem(engine, 'events', 1, { fields })).toEqual(parts)
  })

  it('stays as it is when it is written back as it was read', async () => {
    const item = await getItem(engine, 'events', 1, { fields: ['at', 'begins', 'name'] })
    await updateItem(engine, 'events', 1, { ...item, name: 'd' })
    expect(await row()).toMatchObject({ at: text, begins: text, name: 'd' })
    await updateItems(engine, 'events', [{ id: 1, at: item.at, name: 'e' }])
    await updateByQuery(engine, 'events', { filter: { id: 1 } }, { begins: item.begins })
    expect(await row()).toMatchObject({ at: text, begins: text, name: 'e' })
    await updateItem(engine, 'events', 1, { at: '2026-11-25T09:00:00.124Z', begins: null })
    expect(await row()).toMatchObject({ at: '2026-11-25 09:00:00.124', begins: null })
  })

  it('stays as it is in the storage "text", too', async () => {
    const fields = { id: { type: 'integer', key: true }, at: { type: 'timestamp', storage: 'text' } } as const
    const texts: Engine = createEngine({ db: database.db, schema: defineSchema({ events: { fields } }) })
    await updateItem(texts, 'events', 1, { at })
    expect(await row()).toMatchObject({ at: text })
    await updateItem(texts, 'events', 1, { at: '2026-11-25T09:00:00.124Z' })
    expect(await row()).toMatchObject({ at: '2026-11-25T09:00:00.124Z' })
  })
})

it('what is no date is shown as it is, and can be written over', async () => {
  await database.run("insert into events (id, at) values (1, 'soon')")
  expect(await getItem(engine, 'events', 1, { fields: ['at'] })).toEqual({ at: 'soon' })
  await updateItem(engine, 'events', 1, { at: '2026-11-25T09:00:00Z' })
  expect(await row()).toMatchObject({ at: '2026-11-25 09:00:00' })
})

it('a key is one, and so is what leads to it', async () => {
  await createItem(engine, 'slots', { at: '2026-11-25T09:00:00Z' })
  const key = '2026-11-25T09:00:00.000Z'
  await createItem(engine, 'bookings', { id: 1, slot: key, kind: 'slots', about: key })
  const { rows } = await sql`select slot, about from bookings`.execute(database.db)
  expect(rows).toEqual([{ slot: '2026-11-25 09:00:00', about: key }])
  expect(await getItem(engine, 'bookings', 1, { fields: ['slot.at', 'about.at'] })).toEqual({
    slot: { at: key },
    about: { at: key },
  })
  expect(await getItem(engine, 'slots', key, { fields: ['at', 'bookings'] })).toEqual({
    at: key,
    bookings: [1],
  })
  await deleteItem(engine, 'slots', key)
  expect((await listItems(engine, 'slots')).data).toEqual([])
})

describe.each(databases)('on $name', ({ name, open }) => {
  it('the storage "sql" is the type of a new column, or the text of SQL', async () => {
    const { db } = await open()
    const type = sql.raw(name === 'sqlite' ? 'text' : 'timestamptz')
    await sql`create table events (id integer primary key, at ${type})`.execute(db)
    const fields = { id: { type: 'integer', key: true }, at: { type: 'timestamp', storage: 'sql' } } as const
    const here: Engine = createEngine({ db, schema: defineSchema({ events: { fields } }) })
    const at = '2026-11-25T09:00:00.123Z'
    expect(await createItem(here, 'events', { id: 1, at })).toEqual({ id: 1, at })
    expect(
      (await listItems(here, 'events', { filter: { at: '2026-11-25 10:00:00.123+01:00' } })).data,
    ).toEqual([{ id: 1, at }])
  })
})
