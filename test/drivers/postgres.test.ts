import { createServer } from 'node:net'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { internalsOf } from '../../src/engine/engine.ts'
import { createEngine, defineSchema, getItem, listItems, updateItem } from '../../src/index.ts'
import { nameStatements, postgres, postgresDialect } from '../../src/postgres.ts'
import { barrier } from '../support/barrier.ts'
import { key, number } from '../support/fields.ts'
import { portOf } from '../support/listening.ts'

const schema = defineSchema({ notes: { fields: { id: key } } })

interface Tables {
  notes: { id: number }
}

let pool: pg.Pool
let db: Kysely<Tables>

beforeEach(() => {
  // One connection, so that what it has prepared can be looked at.
  pool = new pg.Pool({ connectionString: inject('postgres').c, max: 1 })
  db = new Kysely<Tables>({ dialect: postgresDialect({ pool, statements: 2 }) })
})

afterEach(() => db.destroy())

const ask = (number: number) => sql<{ answer: number }>`select ${number}::int as answer`.execute(db)

/** What the server has prepared on the connection, oldest first. */
async function statements(): Promise<string[]> {
  const { rows } = await pool.query<{ statement: string }>(
    'select statement from pg_prepared_statements order by prepare_time, name',
  )
  return rows.map(({ statement }) => statement)
}

describe('quernel/postgres', () => {
  it('names a statement when it is asked a second time', async () => {
    await ask(1)
    expect(await statements()).toEqual([])
    expect((await ask(2)).rows).toEqual([{ answer: 2 }])
    expect((await ask(3)).rows).toEqual([{ answer: 3 }])
    expect(await statements()).toEqual(['select $1::int as answer'])
  })

  it('names no more statements than it is told', async () => {
    for (const column of ['a', 'b', 'c']) {
      for (let time = 0; time < 3; time++) await sql`select 1 as ${sql.ref(column)}`.execute(db)
    }
    expect(await statements()).toEqual(['select 1 as "a"', 'select 1 as "b"'])
  })

  it('names none when it is told so', async () => {
    const unnamed = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool: nameStatements(pool, { statements: 0 }) }),
    })
    for (let time = 0; time < 3; time++) await sql`select 1 as one`.execute(unnamed)
    expect(await statements()).toEqual([])
  })

  it('works on after a table that it has read was changed', async () => {
    const read = () => sql<object>`select * from changing`.execute(db)
    await sql`create temporary table changing (id int)`.execute(db)
    await sql`insert into changing values (1)`.execute(db)
    await read()
    await read()
    await sql`alter table changing add column name text`.execute(db)
    expect((await read()).rows).toEqual([{ id: 1, name: null }])
    expect((await read()).rows).toEqual([{ id: 1, name: null }])
    expect(await statements()).toHaveLength(1)
  })

  it('says in a transaction that a table was changed, and works on after it', async () => {
    const read = (from: Kysely<Tables>) => sql<object>`select * from changing_again`.execute(from)
    await sql`create temporary table changing_again (id int)`.execute(db)
    await read(db)
    await read(db)
    await sql`alter table changing_again add column name text`.execute(db)
    const work = db.transaction().execute((transaction) => read(transaction))
    await expect(work).rejects.toMatchObject({ code: '0A000' })
    expect((await read(db)).rows).toEqual([])
  })

  it('finds out once for all connections that a table was changed', async () => {
    const two = new pg.Pool({ connectionString: inject('postgres').c, max: 2 })
    const own = new Kysely<Tables>({ dialect: postgresDialect({ pool: two }) })
    const table = `growing_${process.pid}`
    const growing = defineSchema({ growing: { table, fields: { id: key, size: number } } })
    const engine = createEngine({ db: own, schema: growing })
    // Whoever is heard writes in a transaction.
    engine.on('items.update', () => undefined, { when: 'after' })
    const update = (from: typeof engine) => updateItem(from, 'growing', 1, { size: 1 })
    /** Reads, and then reads again, in two transactions at once. */
    const onBoth = () => {
      const bothHaveRead = barrier(2)
      return Promise.all(
        [1, 2].map(() =>
          own.transaction().execute(async (transaction) => {
            const inside = engine.using(transaction)
            for (let time = 0; time < 3; time++) await getItem(inside, 'growing', 1)
            await bothHaveRead()
            return getItem(inside, 'growing', 1)
          }),
        ),
      )
    }
    const grow = (type: string) =>
      sql`alter table ${sql.table(table)} alter column size type ${sql.raw(type)}`.execute(own)
    try {
      await sql`create table ${sql.table(table)} (id int primary key, size int)`.execute(own)
      await sql`insert into ${sql.table(table)} values (1, 1)`.execute(own)
      await onBoth()
      await grow('bigint')
      const told = own
        .transaction()
        .execute((transaction) => getItem(engine.using(transaction), 'growing', 1))
      await expect(told).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message: expect.stringMatching(/^A table has changed .*: begin it anew\.$/),
        cause: { code: '0A000' },
      })
      expect(await onBoth()).toEqual([1, 2].map(() => ({ id: 1, size: 1 })))
      for (let time = 0; time < 6; time++) await update(engine)
      await grow('int')
      expect(await update(engine)).toEqual({ id: 1, size: 1 })
      expect(await getItem(engine, 'growing', 1)).toEqual({ id: 1, size: 1 })
    } finally {
      await sql`drop table if exists ${sql.table(table)}`.execute(own)
      await own.destroy()
    }
  })

  it('shares connections with another that names statements', async () => {
    const other = new Kysely<Tables>({ dialect: postgresDialect({ pool }) })
    const one = (from: Kysely<Tables>) => sql<{ one: number }>`select 1 as one`.execute(from)
    const two = (from: Kysely<Tables>) => sql<{ two: number }>`select 2 as two`.execute(from)
    for (let time = 0; time < 2; time++) await one(db)
    for (let time = 0; time < 2; time++) await two(other)
    expect((await one(other)).rows).toEqual([{ one: 1 }])
    expect((await one(other)).rows).toEqual([{ one: 1 }])
    expect((await two(db)).rows).toEqual([{ two: 2 }])
    expect((await two(db)).rows).toEqual([{ two: 2 }])
    expect(await statements()).toEqual(['select 1 as one', 'select 2 as two'])
  })

  it('keeps transactions and errors as they are', async () => {
    await expect(sql`select 1 / ${0}::int`.execute(db)).rejects.toThrow('division by zero')
    const answer = await db
      .transaction()
      .execute(async (trx) => (await sql<{ one: number }>`select 1 as one`.execute(trx)).rows)
    expect(answer).toEqual([{ one: 1 }])
  })

  it('tells that a transaction was undone instead of committed', async () => {
    const work = db.transaction().execute(async (trx) => {
      await expect(sql`select 1 / ${0}::int`.execute(trx)).rejects.toThrow('division by zero')
    })
    await expect(work).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'This transaction is over, and nothing of it is stored.',
    })
    expect((await ask(1)).rows).toEqual([{ answer: 1 }])
  })

  it('takes connections that answer by promises alone', async () => {
    const asked: unknown[] = []
    const client = {
      query: async (config: { readonly text: string }) => {
        asked.push(config)
        if (config.text === 'select wrong') throw new Error('There is no such column.')
        return { command: 'SELECT', rowCount: 1, rows: [{ one: 1 }] }
      },
      release: () => {},
    }
    const like = nameStatements({ connect: async () => client, end: async () => {} } as never)
    const own = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: like }) })
    const rows = async () => (await sql`select 1 as one`.execute(own)).rows
    expect([await rows(), await rows()]).toEqual([[{ one: 1 }], [{ one: 1 }]])
    await expect(sql`select wrong`.execute(own)).rejects.toThrow('There is no such column.')
    expect(asked).toEqual([
      { text: 'select 1 as one', values: [] },
      { name: expect.stringMatching(/^quernel_[\w-]{22}_0_0$/), text: 'select 1 as one', values: [] },
      { text: 'select wrong', values: [] },
    ])
  })

  it('tells whoever asks next of a connection that broke while it was held, and goes on with another', async () => {
    const ended = new Promise((resolve) => pool.once('connect', (client) => client.once('end', resolve)))
    const held = db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
      const client = new pg.Client(inject('postgres').c)
      await client.connect()
      await client.query('select pg_terminate_backend($1)', [rows[0]?.pid])
      await client.end()
      await ended
      await sql`select 1`.execute(trx)
    })
    await expect(held).rejects.toThrow('not queryable')
    expect((await ask(1)).rows).toEqual([{ answer: 1 }])
  })

  it('hears of a connection that the server ends with its first answer', async () => {
    const text = (name: string, ...parts: Buffer[]) => {
      const body = Buffer.concat(parts)
      const length = Buffer.alloc(4)
      length.writeInt32BE(body.length + 4)
      return Buffer.concat([Buffer.from(name), length, body])
    }
    const fields = ['SFATAL', 'VFATAL', 'C57P01', 'Mended', ''].map((field) => Buffer.from(`${field}\0`))
    const first = Buffer.concat([
      text('R', Buffer.alloc(4)),
      text('K', Buffer.alloc(8)),
      text('Z', Buffer.from('I')),
      text('E', ...fields),
    ])
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end(first))
    })
    const port = await portOf(server)
    for (const dialect of [
      (own: pg.Pool) => postgresDialect({ pool: own }),
      (own: pg.Pool) => new PostgresDialect({ pool: nameStatements(own) }),
    ]) {
      const own = new pg.Pool({ connectionString: `postgres://nobody@127.0.0.1:${port}/none` })
      const ended = createEngine({ db: new Kysely({ dialect: dialect(own) }), schema })
      for (let time = 0; time < 3; time++)
        await expect(listItems(ended, 'notes')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
      expect(own.totalCount).toBe(0)
      await ended.db.destroy()
    }
    server.close()
  })

  it('speaks the dialect that an engine finds by itself', () => {
    expect(internalsOf(createEngine({ db, schema })).dialect).toBe(postgres)
  })
})
