// What `quernel/sqlite` asks of a connection, and where node:sqlite differs from better-sqlite3.
import { type Generated, Kysely, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  createItems,
  defineSchema,
  getItem,
  listItems,
  streamItems,
} from '../../../src/index.ts'
import { equipDatabase, sqliteDialect } from '../../../src/sqlite.ts'
import { sqliteConnections } from '../../support/sqlite-connections.ts'

const schema = defineSchema({
  numbers: { fields: { id: { type: 'integer', key: true }, value: { type: 'integer', nullable: true } } },
})

const beyond = 2 ** 53 + 2

describe.each(sqliteConnections)('over $title', ({ open }) => {
  const opened = async () => {
    const database = open()
    const db = new Kysely<{ numbers: { id: Generated<number>; value: number | null } }>({
      dialect: sqliteDialect({ database }),
    })
    await sql`create table numbers (id integer primary key, value integer)`.execute(db)
    return { database, db, engine: createEngine({ db, schema }) }
  }

  it('an integer beyond 2^53 is rounded, and fails no read', async () => {
    const { db, engine } = await opened()
    await sql`insert into numbers values (1, 9007199254740993), (2, 5), (3, null)`.execute(db)
    const rows = [
      { id: 1, value: beyond - 2 },
      { id: 2, value: 5 },
      { id: 3, value: null },
    ]
    const read = () => db.selectFrom('numbers').selectAll().orderBy('id').execute()
    expect(await read()).toEqual(rows)
    expect(await read()).toEqual(rows)
    const query = { fields: ['id', 'value'] } as const
    expect(await listItems(engine, 'numbers', query)).toEqual({ data: rows })
    expect(await getItem(engine, 'numbers', 1, query)).toEqual(rows[0])
    const streamed: unknown[] = []
    for await (const item of streamItems(engine, 'numbers', query)) streamed.push(item)
    expect(streamed).toEqual(rows)
  })

  it('a statement that writes and returns such an integer is run once', async () => {
    const { db } = await opened()
    const returned = await db
      .insertInto('numbers')
      .values({ value: sql<number>`9007199254740994` })
      .returningAll()
      .execute()
    expect(returned).toEqual([{ id: 1, value: beyond }])
    const { insertId } = await db
      .insertInto('numbers')
      .values({ id: sql<number>`9007199254740994`, value: 1 })
      .executeTakeFirstOrThrow()
    expect(insertId).toBe(9007199254740994n)
    const { count } = await db
      .selectFrom('numbers')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    expect(count).toBe(2)
  })

  it('rows are streamed one by one, whatever else is read meanwhile', async () => {
    const { database, db } = await opened()
    const values = Array.from({ length: 10 }, (_, at) => ({ id: at + 1, value: at }))
    await db.insertInto('numbers').values(values).execute()
    const streamed: unknown[] = []
    for await (const row of db.selectFrom('numbers').selectAll().orderBy('id').stream()) streamed.push(row)
    expect(streamed).toEqual(values)
    const ready = equipDatabase(database)
    const text = 'select * from numbers order by id'
    const outer = ready.prepare(text).iterate([])
    expect(outer.next().value).toEqual({ id: 1, value: 0 })
    expect(ready.prepare(text).all([])).toEqual(values)
    expect([...outer]).toEqual(values.slice(1))
    expect([...ready.prepare(text).iterate([])]).toEqual(values)
  })

  it('what SQLite cannot bind is refused, and not bound as null', async () => {
    const { db } = await opened()
    for (const value of [new Date(0), { a: 1 }])
      await expect(sql`insert into numbers (value) values (${value})`.execute(db)).rejects.toThrow(/bind/)
    expect(await db.selectFrom('numbers').selectAll().execute()).toEqual([])
  })

  it('a transaction that the database ended is told, and nothing of it is stored', async () => {
    const { db, engine } = await opened()
    await sql`create trigger ending before insert on numbers when new.value = 13 begin select raise(rollback, 'no'); end`.execute(
      db,
    )
    const work = engine.transaction(async (own) => {
      await createItem(own, 'numbers', { id: 1, value: 1 })
      await createItem(own, 'numbers', { id: 2, value: 13 }).catch(() => undefined)
      await createItem(own, 'numbers', { id: 3, value: 3 })
    })
    await expect(work).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(await listItems(engine, 'numbers')).toEqual({ data: [] })
    await createItems(engine, 'numbers', [{ value: 1 }, { value: 2 }])
    expect(await listItems(engine, 'numbers', { fields: ['value'] })).toEqual({
      data: [{ value: 1 }, { value: 2 }],
    })
  })

  it('its connection is closed with the Kysely instance, once', async () => {
    const { database, db } = await opened()
    await db.destroy()
    expect(() => database.prepare('select 1')).toThrow()
    const { db: other, database: closed } = await opened()
    closed.close()
    await other.destroy()
  })
})

describe('a driver without what quernel/sqlite needs', () => {
  const nothing = () => undefined
  const bare = { prepare: nothing, close: nothing }
  const refused = (missing: string) =>
    expect.objectContaining({
      code: 'INVALID_OPTIONS',
      path: ['database'],
      message: `The "database" of quernel/sqlite has no ${missing}: it has to be one of better-sqlite3, or of node:sqlite from Node 22.16 on.`,
      hint: expect.stringContaining('Kysely dialect that is made for it'),
    })

  it.each([
    ['function', bare],
    ['aggregate', { ...bare, function: nothing }],
    ['prepare', {}],
    ['prepare', undefined],
  ])('is told of %s()', async (missing, database) => {
    expect(() => sqliteDialect({ database: database as never })).toThrow(refused(`${missing}()`))
    expect(() => equipDatabase(database as never)).toThrow(refused(`${missing}()`))
    const db = new Kysely<unknown>({ dialect: sqliteDialect({ database: async () => database as never }) })
    await expect(sql`select 1`.execute(db)).rejects.toEqual(refused(`${missing}()`))
  })

  it('is told of its statements with the first of them', async () => {
    const database = { ...bare, prepare: () => ({}), function: nothing, aggregate: nothing }
    const db = new Kysely<unknown>({ dialect: sqliteDialect({ database: database as never }) })
    await expect(sql`select 1`.execute(db)).rejects.toEqual(refused('statements with raw()'))
  })
})
