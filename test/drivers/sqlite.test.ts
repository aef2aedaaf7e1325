import Database from 'better-sqlite3'
import { Kysely, SqliteDialect, sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { internalsOf } from '../../src/engine/engine.ts'
import { compileFilter, createEngine, defineSchema, type Filter, listItems } from '../../src/index.ts'
import { equipDatabase, sqlite, sqliteDialect } from '../../src/sqlite.ts'
import { insert } from '../support/databases.ts'
import { sqliteConnections } from '../support/sqlite-connections.ts'

const schema = defineSchema({
  places: {
    fields: {
      id: { type: 'integer', key: true },
      point: { type: 'geometry.Point', nullable: true },
      price: { type: 'decimal', storage: 'text', nullable: true },
      opened: { type: 'timestamp', nullable: true },
      closed: { type: 'timestamp', storage: 'milliseconds', nullable: true },
    },
  },
})

const point = (x: number, y: number) => JSON.stringify({ type: 'Point', coordinates: [x, y] })
const square = {
  type: 'Polygon',
  coordinates: [
    [
      [0, 0],
      [2, 0],
      [2, 2],
      [0, 2],
      [0, 0],
    ],
  ],
} as const

interface Tables {
  places: {
    id: number
    point: string | null
    price: string | null
    opened: string | null
    closed: number | null
  }
}

describe.each(sqliteConnections)('quernel/sqlite over $title', ({ open }) => {
  let database: ReturnType<typeof open>
  let prepared: string[]
  let db: Kysely<Tables>

  beforeEach(async () => {
    database = open()
    prepared = []
    const prepare = database.prepare.bind(database)
    const heard = (text: string) => {
      prepared.push(text)
      return prepare(text)
    }
    Object.assign(database, { prepare: heard })
    db = new Kysely<Tables>({ dialect: sqliteDialect({ database, statements: 3 }) })
    await sql`create table places (id integer primary key, point text, price text, opened text, closed integer)`.execute(
      db,
    )
    await insert(db, 'places', [
      {
        id: 1,
        point: point(1, 1),
        price: '10.50',
        opened: '2024-07-01T22:30:00.000Z',
        closed: Date.UTC(2024, 6, 1, 22, 30),
      },
      {
        id: 2,
        point: point(5, 5),
        price: '9007199254740993.1',
        opened: '2024-01-01T23:30:00.000Z',
        closed: -1,
      },
      { id: 3, point: null, price: null, opened: null, closed: null },
      { id: 4, point: 'no geometry', price: 'no number', opened: null, closed: null },
    ])
  })

  async function idsOf(filter: Filter<typeof schema, 'places'>, timezone = 'UTC'): Promise<number[]> {
    const engine = createEngine({ db, schema, timezone })
    const { expression } = compileFilter(engine, 'places', filter)
    const rows = await db.selectFrom('places').select('id').where(expression).orderBy('id').execute()
    return rows.map(({ id }) => id)
  }

  it('is recognised by an engine from the Kysely instance', () => {
    expect(internalsOf(createEngine({ db, schema })).dialect).toBe(sqlite)
  })

  it("also serves Kysely's own dialect, where the engine is told", async () => {
    const own = new Kysely<Tables>({ dialect: new SqliteDialect({ database: equipDatabase(open()) }) })
    const { rows } = await sql<{
      same: number
    }>`select quernel_same(${point(1, 1)}, ${point(1, 1)}) as same`.execute(own)
    expect(rows).toEqual([{ same: 1 }])
    expect(internalsOf(createEngine({ db: own, schema, dialect: sqlite })).dialect).toBe(sqlite)
    await own.destroy()
  })

  it('compares geometries that are stored as GeoJSON text', async () => {
    expect(await idsOf({ point: { _intersects: square } })).toEqual([1])
    expect(await idsOf({ point: { _nintersects: square } })).toEqual([2])
    expect(await idsOf({ point: { _intersects_bbox: square } })).toEqual([1])
    expect(await idsOf({ point: { _eq: { type: 'Point', coordinates: [5, 5] } } })).toEqual([2])
  })

  it('compares decimals in text columns digit by digit', async () => {
    expect(await idsOf({ price: { _eq: '10.5' } })).toEqual([1])
    expect(await idsOf({ price: { _gt: '9007199254740993.09' } })).toEqual([2])
    expect(await idsOf({ price: { _in: ['10.500', 3] } })).toEqual([1])
    expect(await idsOf({ price: { _lt: 11 } })).toEqual([1])
  })

  it('adds decimals without rounding', async () => {
    const { rows } = await sql<{ sum: string }>`select quernel_sum(price) as sum from places`.execute(db)
    expect(rows).toEqual([{ sum: '9007199254741003.6' }])
    const { rows: none } = await sql<{
      sum: null
    }>`select quernel_sum(price) as sum from places where id > 9`.execute(db)
    expect(none).toEqual([{ sum: null }])
  })

  it('knows the clocks of time zones by name, in summer and in winter', async () => {
    expect(await idsOf({ 'day(opened)': 2 }, 'Europe/Oslo')).toEqual([1, 2])
    expect(await idsOf({ 'hour(opened)': 0 }, 'Europe/Oslo')).toEqual([1, 2])
    expect(await idsOf({ 'hour(opened)': { _in: [22, 23] } })).toEqual([1, 2])
    expect(await idsOf({ 'day(closed)': 2 }, 'Europe/Oslo')).toEqual([1])
    expect(await idsOf({ 'year(closed)': 1970 }, 'Europe/Oslo')).toEqual([2])
    expect(await idsOf({ 'year(closed)': 1969 })).toEqual([2])
  })

  it('prepares a statement once', async () => {
    prepared = []
    for (const id of [1, 2, 3]) await db.selectFrom('places').select('price').where('id', '=', id).execute()
    expect(prepared).toHaveLength(1)
  })

  it('works on with a kept statement after its table was changed', async () => {
    const engine = createEngine({ db, schema })
    const { data: before } = await listItems(engine, 'places', { fields: ['id', 'price'], limit: 1 })
    expect(before).toHaveLength(1)
    await sql`alter table places drop column price`.execute(db)
    await expect(listItems(engine, 'places', { fields: ['id', 'price'], limit: 1 })).rejects.toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
    })
    await sql`alter table places add column price text default '7'`.execute(db)
    const { data: after } = await listItems(engine, 'places', { fields: ['id', 'price'], limit: 1 })
    expect(after).toEqual(before.map((place) => ({ ...place, price: '7' })))
  })

  it('keeps no more statements than it is told, the latest used first', async () => {
    const ask = (column: 'id' | 'point' | 'price' | 'opened') =>
      db.selectFrom('places').select(column).execute()
    await ask('id')
    await ask('point')
    await ask('id')
    await ask('price')
    await ask('opened')
    prepared = []
    await ask('id')
    expect(prepared).toHaveLength(0)
    await ask('point')
    expect(prepared).toHaveLength(1)
  })

  it('reads by a statement while its rows are still being fetched', () => {
    const ready = equipDatabase(database)
    const text = 'select id from places order by id'
    const outer = ready.prepare(text).iterate([])
    outer.next()
    expect(ready.prepare(text).all([])).toHaveLength(4)
    expect([...outer]).toHaveLength(3)
  })
})

describe('plain SQLite', () => {
  const plain = new Kysely<Tables>({ dialect: new SqliteDialect({ database: new Database(':memory:') }) })

  it('says that it cannot compare geometries, and where they were asked for', () => {
    const engine = createEngine({ db: plain, schema })
    const refused = expect.objectContaining({
      code: 'INVALID_QUERY',
      path: ['filter', 'point', '_intersects'],
      message: '"_intersects" needs geometry functions, and this database has none.',
    })
    expect(() => compileFilter(engine, 'places', { point: { _intersects: square } })).toThrow(refused)
    expect(compileFilter(engine, 'places', { point: { _null: true } }).sql).toBe('"places"."point" is null')
  })

  it('says that it knows no time zones by name', () => {
    expect(() => createEngine({ db: plain, schema, timezone: 'Europe/Oslo' })).toThrow(
      'knows no time zones by name',
    )
    expect(internalsOf(createEngine({ db: plain, schema, timezone: '+05:30' })).zone).toEqual({
      kind: 'offset',
      minutes: 330,
    })
  })
})
