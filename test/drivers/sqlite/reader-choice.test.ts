// Which reads of a database with readers go to a thread, and that each sees what it has to.
import { symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readersOf } from '../../../src/dialects/connections/readers.ts'
import { exportItems } from '../../../src/export.ts'
import {
  createEngine,
  createItem,
  defineSchema,
  type Engine,
  explainItems,
  getItem,
  listItems,
  streamItems,
} from '../../../src/index.ts'
import { sqliteDialect } from '../../../src/sqlite.ts'
import { integer, key, many, string } from '../../support/fields.ts'

const schema = defineSchema({
  shops: { fields: { id: key, name: string, orders: many('orders.shop') } },
  orders: { fields: { id: key, text: string, total: integer, shop: { type: 'm2o', to: 'shops' } } },
  shouted: { fields: { id: key, text: string } },
})
type Shop = Engine<typeof schema>

const tables = `create table shops (id integer primary key, name text not null);
  create table orders (id integer primary key, text text not null, total integer not null, shop integer not null);
  create index orders_shop on orders (shop);
  insert into shops values (1, 'Tea'), (2, 'Bread');
  with recursive counted(id) as (select 1 union all select id + 1 from counted where id < 6000)
    insert into orders select id, 'order ' || id, id % 100, 1 + id % 2 from counted`

type Db = Kysely<Record<string, never>>

let home: string
let database: BetterSqlite.Database
let db: Db
let engine: Shop

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'quernel-choice-'))
  database = new BetterSqlite(join(home, 'shop.db'))
  database.pragma('journal_mode = wal')
  database.exec(tables)
  db = new Kysely<Record<string, never>>({ dialect: sqliteDialect({ database, readers: 1 }) })
  engine = createEngine({ db, schema })
  await getItem(engine, 'shops', 1)
})
afterEach(async () => {
  await db.destroy()
  await rm(home, { recursive: true, force: true })
})

/** Statements that the connection of the process prepares from now on. */
const ranHere = () => {
  const ran: string[] = []
  const prepare = database.prepare.bind(database)
  const heard = (text: string) => {
    ran.push(text)
    return prepare(text)
  }
  Object.assign(database, { prepare: heard })
  return ran
}

describe('a read goes to a reader', () => {
  it.each([
    ['by key', 'orders', { filter: { id: 1 } }, undefined],
    ['of a page in the order of the key', 'orders', { limit: 100 }, undefined],
    ['by an index', 'orders', { filter: { shop: 1, id: { _lt: 50 } }, sort: 'id' }, undefined],
    ['of a small table', 'shops', { sort: 'name' }, undefined],
    ['with lists inside', 'shops', { filter: { id: 1 }, fields: ['orders.text'] }, undefined],
    ['filtered without an index', 'orders', { filter: { text: 'x' } }, 'scan of orders'],
    ['far behind', 'orders', { offset: 5_000 }, 'scan of orders'],
    ['sorted without an index', 'orders', { sort: 'total' }, 'scan of orders'],
    ['sorted within an index', 'orders', { filter: { shop: 1 }, sort: 'total' }, 'sort of orders'],
    ['of groups', 'orders', { groupBy: ['shop'], aggregate: { sum: ['total'] } }, 'scan of orders'],
    ['that counts', 'orders', { aggregate: { count: '*' } }, 'scan of orders'],
    ['of a search', 'orders', { search: 'order' }, 'scan of orders'],
  ] as const)('%s', async (_, collection, query, because) => {
    const explained = await explainItems(engine, collection, query as never)
    expect(explained.because).toBe(because)
    expect(explained.reader).toBe(because === undefined ? undefined : true)
    const ran = ranHere()
    const read = (of: Engine) => listItems(of, collection, query as object)
    expect(await read(engine)).toEqual(await read(engine.fresh()))
    if (because !== undefined) expect(ran.filter((text) => text === explained.sql)).toHaveLength(1)
  })

  it('where it is a stream or an export', async () => {
    const ran = ranHere()
    let items = 0
    for await (const _ of streamItems(engine, 'orders', { fields: ['id'] })) items++
    const { body } = await exportItems(engine, 'orders', { fields: ['id'], limit: -1 }, 'json')
    expect(JSON.parse(await new Response(body as never).text())).toHaveLength(items)
    expect(items).toBe(6_000)
    expect(ran.filter((text) => text.startsWith('/* quernel */ select'))).toEqual([])
  })

  it('once it was slow three times', async () => {
    const readers = readersOf(db)?.()
    const byKey = await explainItems(engine, 'orders', { filter: { id: 1 } })
    const { sql, parameters } = await explainItems(engine, 'orders', { filter: { shop: 1 } })
    expect(readers?.placeOf(sql, parameters)).toMatchObject({ isTimed: true })
    // Two pauses among many quick runs are forgotten.
    for (const milliseconds of [6, 6, ...Array(100).fill(1)]) readers?.note(sql, milliseconds)
    const reasons = [1, 2, 3].map(() => {
      readers?.note(sql, 6)
      return readers?.placeOf(sql, parameters)?.reason
    })
    expect(reasons).toEqual([undefined, undefined, 'more than 5 ms, 3 times'])
    expect((await listItems(engine, 'orders', { filter: { shop: 1 }, limit: 1 })).data).toHaveLength(1)
    // A look-up by key waits for others, and is never slow itself.
    for (let round = 0; round < 5; round++) readers?.note(byKey.sql, 6)
    expect(readers?.placeOf(byKey.sql, byKey.parameters)).toMatchObject({ reason: undefined, isTimed: false })
  })

  it('after its table was missing for a moment', async () => {
    const filtered = { filter: { text: 'order 7' }, fields: ['id'] } as const
    database.exec('alter table orders rename to moved')
    await expect(listItems(engine, 'orders', filtered)).rejects.toThrow()
    database.exec('alter table moved rename to orders')
    expect(await listItems(engine, 'orders', filtered)).toEqual({ data: [{ id: 7 }] })
    expect((await explainItems(engine, 'orders', filtered)).because).toBe('scan of orders')
  })

  it('by the statistics of the database, where there are some', async () => {
    database.exec(`analyze; update sqlite_stat1 set stat = '10 5'`)
    expect((await explainItems(engine, 'orders', { filter: { text: 'x' } })).because).toBeUndefined()
  })
})

describe('a read stays', () => {
  const slow = { filter: { text: { _contains: 'order 7' } }, fields: ['id'] } as const

  it('in a transaction, and in a fresh engine', async () => {
    const seen = await engine.transaction(async (inside) => {
      await createItem(inside, 'orders', { id: 9_000, text: 'order 7000000', total: 1, shop: 1 })
      expect((await explainItems(inside, 'orders', slow)).reader).toBeUndefined()
      return listItems(inside, 'orders', { filter: { text: 'order 7000000' }, fields: ['id'] })
    })
    expect(seen.data).toEqual([{ id: 9_000 }])
    expect((await explainItems(engine.fresh(), 'orders', slow)).reader).toBeUndefined()
  })

  it('in a transaction that the host has begun on the connection itself', async () => {
    const written = { filter: { text: 'mine' }, fields: ['id'] } as const
    expect((await listItems(engine, 'orders', written)).data).toEqual([])
    database.exec(`begin; update orders set text = 'mine' where id = 5`)
    expect((await listItems(engine, 'orders', written)).data).toEqual([{ id: 5 }])
    database.exec('commit')
    expect((await listItems(engine, 'orders', written)).data).toEqual([{ id: 5 }])
  })

  it('where a table of the connection alone hides one of the file', async () => {
    database.exec(`create temp table orders as select 1 as id, 'order 7' as text, 1 as total, 1 as shop`)
    expect((await listItems(engine, 'orders', slow)).data).toEqual([{ id: 1 }])
  })

  it.each([
    ['a view', 'create view shouted as select id, shout(text) as text from orders'],
    [
      'a generated column',
      `create table shouted (id integer primary key, plain text not null, text text generated always as (shout(plain)));
        insert into shouted (id, plain) select id, text from orders`,
    ],
  ])('where %s calls a function of the host, which is reported once', async (_, made) => {
    database.function('shout', { deterministic: true }, (text) => String(text).toUpperCase())
    database.exec(made)
    const warnings: unknown[] = []
    const hear = (warning: Error) => warnings.push(Reflect.get(warning, 'code'))
    process.on('warning', hear)
    const loud = { filter: { text: 'ORDER 7' }, fields: ['id'] } as const
    for (let round = 0; round < 2; round++)
      expect((await listItems(engine, 'shouted', loud)).data).toEqual([{ id: 7 }])
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', hear)
    expect(warnings).toEqual(['QUERNEL_READER'])
  })
})

it('a read of a reader sees what was written before it', async () => {
  const mine = { filter: { text: 'mine' }, aggregate: { count: '*' } } as const
  for (let round = 1; round <= 300; round++) {
    await createItem(engine, 'orders', { id: 10_000 + round, text: 'mine', total: 1, shop: 1 })
    expect((await listItems(engine, 'orders', mine)).data).toEqual([{ count: round }])
  }
})

it('a call inside of a transaction that reads outside of it is refused, as without readers', async () => {
  const nested = engine.transaction(() => listItems(engine, 'orders', { filter: { text: 'x' } }))
  await expect(nested).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
})

describe('readers are refused', () => {
  it.each([0, -1, 1.5, 1e9])('with %s threads', (threads) => {
    const message = (name: string) => `"${name}" is a whole number from 1 to 64, not ${threads}.`
    expect(() => sqliteDialect({ database, readers: threads })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', path: ['readers'], message: message('readers') }),
    )
    expect(() => sqliteDialect({ database, readers: { threads } })).toThrow(
      expect.objectContaining({ path: ['readers', 'threads'], message: message('threads') }),
    )
  })

  const inMemory = 'Readers want a file: no thread can read a database in memory, or a temporary one.'
  it.each([
    ['in memory', () => new BetterSqlite(':memory:'), inMemory],
    ['a temporary file', () => new BetterSqlite(''), inMemory],
    [
      'a file without WAL mode',
      () => new BetterSqlite(join(home, 'plain.db')),
      'Readers want a file in WAL mode, and the journal mode of this one is "delete".',
    ],
    [
      'an encrypted file',
      () => {
        writeFileSync(join(home, 'secret.db'), 'x'.repeat(4096))
        return new BetterSqlite(join(home, 'secret.db'))
      },
      'The file is encrypted, or no database of SQLite.',
    ],
    [
      'a file that can only be read, without "-shm"',
      () => {
        const path = join(home, 'locked.db')
        const own = new BetterSqlite(path)
        own.exec('pragma journal_mode = wal; create table notes (id integer primary key)')
        own.close()
        // The link leads nowhere, so that none can be created by the root user either.
        symlinkSync(join(home, 'nowhere/shm'), `${path}-shm`)
        return new BetterSqlite(path, { readonly: true })
      },
      'The file cannot be opened for reading.',
    ],
  ])('over %s, at once or when it is opened', async (_, open, message) => {
    const refused = { code: 'INVALID_OPTIONS', path: ['readers'], message }
    const given = open()
    expect(() => sqliteDialect({ database: given, readers: 1 })).toThrow(expect.objectContaining(refused))
    expect(given.open).toBe(true)
    given.close()
    const opened: BetterSqlite.Database[] = []
    const opening = async () => {
      const again = new BetterSqlite(given.name, { readonly: given.readonly })
      opened.push(again)
      return again
    }
    const own: Db = new Kysely({ dialect: sqliteDialect({ database: opening, readers: 1 }) })
    const apart = createEngine({ db: own, schema })
    for (let round = 0; round < 2; round++)
      await expect(listItems(apart, 'orders')).rejects.toMatchObject(refused)
    expect(opened.map((one) => one.open)).toEqual([false, false])
    await own.destroy()
  })
})

it('readers whose file is opened by a function read as those of an open one', async () => {
  const opening = async () => new BetterSqlite(join(home, 'shop.db'))
  const own: Db = new Kysely({ dialect: sqliteDialect({ database: opening, readers: 1 }) })
  const apart = createEngine({ db: own, schema })
  await getItem(apart, 'shops', 1)
  expect((await explainItems(apart, 'orders', { sort: 'text' })).reader).toBe(true)
  expect((await listItems(apart, 'orders', { sort: '-id', filter: { text: 'order 7' } })).data).toHaveLength(
    1,
  )
  await own.destroy()
})

it('a read behind the end of the database is refused, in a reader or in the process', async () => {
  const closed = { code: 'SERVICE_UNAVAILABLE', status: 503, message: 'The database is closed.' }
  const reads = [{ sort: 'text' }, { filter: { id: 1 } }] as const
  for (const query of reads) await listItems(engine, 'orders', query)
  await db.destroy()
  for (const query of reads) await expect(listItems(engine, 'orders', query)).rejects.toMatchObject(closed)
})

it('the plan of a new shape is read once', async () => {
  const ran = ranHere()
  for (let round = 0; round < 3; round++) await listItems(engine, 'orders', { sort: 'text' })
  expect(ran.filter((text) => text.startsWith('explain query plan'))).toHaveLength(1)
})

it('readers take their driver from the folder that is named', async () => {
  const other = new Kysely<Record<string, never>>({
    dialect: sqliteDialect({ database, readers: { driver: home } }),
  })
  const apart = createEngine({ db: other, schema })
  await getItem(apart, 'shops', 1)
  await expect(listItems(apart, 'orders', { sort: 'text' })).rejects.toMatchObject({
    code: 'INVALID_OPTIONS',
    message: '"driver" leads to no "better-sqlite3" that can be loaded.',
  })
})
