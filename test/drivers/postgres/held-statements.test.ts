// Statements that are held back until the next one of their transaction: what the server is asked, and what becomes of an error.
import { Kysely, sql } from 'kysely'
import pg from 'pg'
import { beforeEach, describe, expect, inject, it } from 'vitest'
import { heldMark } from '../../../src/dialects/connections/statement-mark.ts'
import { HeldStatements } from '../../../src/drivers/postgres/held-statements.ts'
import { createEngine, createItem, defineSchema, listItems, updateItem } from '../../../src/index.ts'
import { postgresDialect } from '../../../src/postgres.ts'
import { atEnd } from '../../support/at-end.ts'
import type { AnyTables } from '../../support/databases.ts'
import { key, text } from '../../support/fields.ts'
import { keptConnections } from '../../support/kept-connections.ts'

/** What pg is handed as it is, as its cursors are. */
class WholeCursor extends pg.Query {
  readonly #rows: unknown[] = []
  readonly #end: Promise<unknown>

  constructor(text: string, values: unknown[]) {
    super({ text, values })
    this.on('row', (row) => void this.#rows.push(row))
    this.#end = new Promise((resolve, reject) => this.on('end', resolve).on('error', reject))
  }

  async read(): Promise<unknown[]> {
    await this.#end
    return this.#rows.splice(0)
  }

  close(): void {}
}

const schema = defineSchema({ notes: { fields: { id: key, text } } })

let pool: pg.Pool
let db: Kysely<AnyTables>
/** What was sent, in the order in which the server was waited for. */
let trips: string[][] = []
let sending: string[] = []

beforeEach(async () => {
  const name = `held_${process.pid}_${Math.random().toString(36).slice(2)}`
  pool = new pg.Pool({ ...keptConnections(inject('postgres').c, name), max: 1 })
  pool.on('connect', watch)
  await pool.query(`create schema ${name}`)
  db = new Kysely<AnyTables>({ dialect: postgresDialect({ pool, cursor: WholeCursor as never }) })
  atEnd(async () => {
    await pool.query(`drop schema ${name} cascade`)
    await db.destroy()
  })
  await sql`create table notes (id integer primary key, text text)`.execute(db)
  trips = []
})

interface Sender {
  readonly connection: Record<'parse' | 'query' | 'sync', (...input: unknown[]) => void>
}

function watch(client: pg.PoolClient): void {
  sending = []
  const { connection } = client as unknown as Sender // not in the types of pg
  const { parse, query, sync } = connection
  connection.parse = (message, ...rest) => {
    sending.push((message as { readonly text: string }).text)
    parse.call(connection, message, ...rest)
  }
  connection.query = (statement, ...rest) => {
    trips.push([String(statement)])
    query.call(connection, statement, ...rest)
  }
  connection.sync = () => {
    trips.push(sending)
    sending = []
    sync.call(connection)
  }
}

const held = (statement: string) => sql.raw(`${heldMark}${statement}`)

describe('a begin', () => {
  it('goes with the first statement', async () => {
    await db.transaction().execute(async (transaction) => {
      await sql`insert into notes values (${1}, 'one')`.execute(transaction)
      await sql`insert into notes values (${2}, 'two')`.execute(transaction)
    })
    expect(trips).toEqual([
      ['begin', `insert into notes values ($1, 'one')`],
      [`insert into notes values ($1, 'two')`],
      ['commit'],
    ])
    expect(await sql`select id from notes order by id`.execute(db)).toMatchObject({
      rows: [{ id: 1 }, { id: 2 }],
    })
  })

  it('goes with lists of plain values, which the server reads as they are', async () => {
    const texts = ['a', '', 'null', 'NULL', '{}', '\\', '"', ',', ' ', 'ä\n']
    const numbers = [1, -2, 0.5]
    const read = await db
      .transaction()
      .execute((transaction) =>
        sql`select ${texts}::text[] as texts, ${numbers}::float8[] as numbers, ${[2n ** 62n]}::bigint[] as big, ${[]}::int[] as none`.execute(
          transaction,
        ),
      )
    expect(read.rows).toEqual([{ texts, numbers, big: [String(2n ** 62n)], none: [] }])
    expect(trips).toHaveLength(2)
  })

  it('of a level of isolation is in force for it', async () => {
    const level = await db
      .transaction()
      .setIsolationLevel('serializable')
      .setAccessMode('read only')
      .execute((transaction) =>
        sql`select current_setting('transaction_isolation') as level, current_setting('transaction_read_only') as mode`.execute(
          transaction,
        ),
      )
    expect(level.rows).toEqual([{ level: 'serializable', mode: 'on' }])
    expect(trips).toHaveLength(2)
  })

  it('is not sent where nothing follows', async () => {
    await db.transaction().execute(async () => undefined)
    const failing = db.transaction().execute(async () => {
      throw new RangeError('undone')
    })
    await expect(failing).rejects.toThrow('undone')
    expect(trips).toEqual([])
    await db.connection().execute(async (connection) => {
      await sql`begin`.execute(connection)
    })
    // It was left by whoever began it, and the next statement is none of its.
    await sql`insert into notes values (1, 'one')`.execute(db)
    expect(trips).toEqual([[`insert into notes values (1, 'one')`]])
  })

  it('goes before a cursor', async () => {
    await sql`insert into notes select n, 'x' from generate_series(1, 5) as n`.execute(db)
    const read = await db.transaction().execute(async (transaction) => {
      const rows: unknown[] = []
      for await (const row of transaction.selectFrom('notes').select('id').stream(2)) rows.push(row)
      return rows
    })
    expect(read).toHaveLength(5)
    expect(trips.flat()).toContain('begin')
  })

  it('is undone with a first statement that fails', async () => {
    const work = db.transaction().execute(async (transaction) => {
      await sql`insert into notes values (${1}, ${'one'})`.execute(transaction)
      await sql`insert into missing values (1)`.execute(transaction)
    })
    await expect(work).rejects.toThrow('missing')
    const first = db.transaction().execute((transaction) => sql`select 1 from missing`.execute(transaction))
    await expect(first).rejects.toThrow('missing')
    expect((await sql`select 1 from notes`.execute(db)).rows).toEqual([])
    expect((await sql`select pg_current_xact_id_if_assigned() as id`.execute(db)).rows).toEqual([
      { id: null },
    ])
  })
})

it('names that the server has forgotten do not keep a transaction from beginning', async () => {
  const warned = new Promise((resolve) => process.once('warning', resolve))
  const write = (id: number) =>
    db.transaction().execute((transaction) => sql`insert into notes values (${id}, 'x')`.execute(transaction))
  for (const id of [1, 2, 3]) await write(id)
  // As a pooler does that gives the next transaction another connection of the server.
  await pool.query('deallocate all')
  await write(4)
  await write(5)
  expect((await sql`select count(*)::integer as n from notes`.execute(db)).rows).toEqual([{ n: 5 }])
  expect(await warned).toMatchObject({ code: 'QUERNEL_POOLER' })
})

describe('a statement whose answer nobody reads', () => {
  it('goes with the commit', async () => {
    await db.transaction().execute(async (transaction) => {
      await sql`select ${1}::integer`.execute(transaction)
      await held(`insert into notes values (1, 'one')`).execute(transaction)
    })
    expect(trips).toHaveLength(2)
    expect((await sql`select id from notes`.execute(db)).rows).toEqual([{ id: 1 }])
  })

  it('fails the commit, and nothing is stored', async () => {
    const work = db.transaction().execute(async (transaction) => {
      await sql`insert into notes values (1, 'one')`.execute(transaction)
      await held(`insert into notes values (1, 'again')`).execute(transaction)
    })
    await expect(work).rejects.toThrow('duplicate key')
    expect((await sql`select id from notes`.execute(db)).rows).toEqual([])
  })

  it('fails what follows, and is undone with the part that it belongs to', async () => {
    await db.transaction().execute(async (transaction) => {
      await sql`insert into notes values (1, 'one')`.execute(transaction)
      await sql`savepoint part`.execute(transaction)
      await held(`insert into notes values (1, 'again')`).execute(transaction)
      await sql`rollback to savepoint part`.execute(transaction)
      await held(`insert into notes values (2, 'two')`).execute(transaction)
      const { rows } = await sql`select id from notes order by id`.execute(transaction)
      expect(rows).toEqual([{ id: 1 }, { id: 2 }])
      await held(`insert into notes values (2, 'again')`).execute(transaction)
      await expect(sql`select id from notes`.execute(transaction)).rejects.toThrow('duplicate key')
      await sql`rollback to savepoint part`.execute(transaction)
    })
    expect((await sql`select id from notes`.execute(db)).rows).toEqual([{ id: 1 }])
  })

  it('is forgotten where the transaction is undone', async () => {
    const work = db.transaction().execute(async (transaction) => {
      await sql`insert into notes values (1, 'one')`.execute(transaction)
      await held(`insert into notes values (2, 'two')`).execute(transaction)
      throw new RangeError('undone')
    })
    await expect(work).rejects.toThrow('undone')
    expect(trips.flat().join()).not.toContain("'two'")
    expect((await sql`select id from notes`.execute(db)).rows).toEqual([])
  })
})

it('a transaction of an engine begins with its first statement', async () => {
  const engine = createEngine({ db, schema })
  await listItems(engine, 'notes')
  trips = []
  await engine.transaction(async (inside) => {
    await createItem(inside, 'notes', { id: 1, text: 'one' })
  })
  expect(trips.flat().filter((statement) => statement === 'begin')).toHaveLength(1)
  expect(trips.every(([first], at) => first !== 'begin' || (trips[at]?.length ?? 0) > 1)).toBe(true)
  expect((await listItems(engine, 'notes')).data).toEqual([{ id: 1, text: 'one' }])
})

describe('a part of a transaction of an engine', () => {
  const create = (inside: Parameters<typeof createItem>[0], id: number) =>
    createItem(inside, 'notes', { id, text: 'x' } as never)
  const ids = async () => (await sql<{ id: number }>`select id from notes order by id`.execute(db)).rows

  it('begins with its first statement, and ends with what follows it', async () => {
    const engine = createEngine({ db, schema })
    await create(engine, 1)
    const both = (text: string) =>
      engine.transaction(async (inside) => {
        await updateItem(inside, 'notes', 1, { text: `${text}?` })
        await updateItem(inside, 'notes', 1, { text })
      })
    // The catalogue is asked once.
    await both('one')
    trips = []
    await both('two')
    expect(trips).toHaveLength(3)
    expect((await listItems(engine, 'notes')).data).toEqual([{ id: 1, text: 'two' }])
  })

  it('is undone alone', async () => {
    const engine = createEngine({ db, schema })
    await engine.transaction(async (inside) => {
      await expect(inside.transaction(() => sql`select 1 from missing`.execute(inside.db))).rejects.toThrow()
      await create(inside, 1)
      await expect(create(inside, 1)).rejects.toMatchObject({ code: 'RECORD_NOT_UNIQUE' })
      await inside.transaction(async (part) => {
        await create(part, 2)
        await expect(create(part, 2)).rejects.toMatchObject({ code: 'RECORD_NOT_UNIQUE' })
        await create(part, 3)
      })
    })
    expect(await ids()).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
  })

  it('sends nothing where it writes nothing', async () => {
    const engine = createEngine({ db, schema })
    const fail = async () => {
      throw new RangeError('undone')
    }
    await engine.transaction(async (inside) => {
      await create(inside, 1)
      trips = []
      await inside.transaction((part) => part.transaction(async () => undefined))
      await expect(inside.transaction((part) => part.transaction(fail))).rejects.toThrow('undone')
      expect(trips).toEqual([])
      await create(inside, 2)
    })
    expect(trips.flat().join()).not.toContain('rollback')
    expect(await ids()).toEqual([{ id: 1 }, { id: 2 }])
  })

  it('undoes no part before it where the release of that one fails', async () => {
    const held = new HeldStatements()
    const send = (text: string) => held.ahead({ text, values: [] })?.map((one) => one.text)
    expect([send('savepoint quernel_1'), send('insert')]).toEqual([undefined, ['savepoint quernel_1']])
    expect(send('release savepoint quernel_1')).toBeUndefined()
    // With another name, what is undone behind a failed release is not there, which ends the transaction.
    expect(send('savepoint quernel_2')).toBeUndefined()
    expect(send('release savepoint quernel_2')).toBeUndefined()
    expect(send('savepoint quernel_1')).toEqual(['release savepoint quernel_1'])
  })

  it('whose failure the host has hidden stores nothing', async () => {
    const engine = createEngine({ db, schema })
    const work = engine.transaction(async (inside) => {
      await create(inside, 1)
      await sql`select 1 from missing`.execute(inside.db).catch(() => undefined)
    })
    await expect(work).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    // Nothing has waited for it, either.
    const unawaited = engine.transaction(async (inside) => {
      await create(inside, 1)
      void sql`select 1 from missing`.execute(inside.db).catch(() => undefined)
    })
    await expect(unawaited).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(await ids()).toEqual([])
  })
})
