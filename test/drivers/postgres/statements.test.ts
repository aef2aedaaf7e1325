// Statements that a connection of pg has prepared, and whose columns are known: from the third time on they are sent by a shorter path.
import { Kysely, sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import {
  createEngine,
  createItem,
  defineSchema,
  type Engine,
  getItem,
  listItems,
} from '../../../src/index.ts'
import { postgresDialect } from '../../../src/postgres.ts'
import { valueCases } from '../../conformance/writes/values.ts'
import type { AnyTables } from '../../support/databases.ts'
import { integer, key, text } from '../../support/fields.ts'
import { canonical } from '../smoke/canonical.ts'
import { fillLibrary, schema as librarySchema } from '../smoke/library.ts'
import { readGroups } from '../smoke/reads.ts'

const name = `prepared_${process.pid}`
const connectionString = () => `${inject('postgres').c}`
const times = 5

let admin: pg.Client
let pool: pg.Pool
let db: Kysely<AnyTables>

/** Opens a pool of one connection, so that it prepares what is asked again. */
function open(config: pg.PoolConfig & { readonly pipeline?: boolean; readonly binary?: boolean } = {}): void {
  pool = new pg.Pool({
    connectionString: connectionString(),
    options: `-c search_path=${name}`,
    max: 1,
    ...config,
  })
  db = new Kysely<AnyTables>({ dialect: postgresDialect({ pool }) })
}

beforeEach(async () => {
  admin = new pg.Client(connectionString())
  await admin.connect()
  await admin.query(`create schema ${name}`)
  open()
})
afterEach(async () => {
  if (!pool.ended) await db.destroy()
  await admin.query(`drop schema ${name} cascade`)
  await admin.end()
})

const schema = defineSchema({
  notes: { fields: { id: key, text: { type: 'text', nullable: true } } },
  naps: { fields: { id: key, text: { type: 'text' } } },
})
type Notes = Engine<typeof schema>

async function notes(): Promise<Notes> {
  await sql`create table notes (id serial primary key, text text)`.execute(db)
  await sql`insert into notes (text) values ('a'), ('b'), (null)`.execute(db)
  await sql`create table beds (id serial primary key, seconds float8 not null)`.execute(db)
  await sql`insert into beds (seconds) values (0), (30)`.execute(db)
  await sql`create view naps as select id, pg_sleep(seconds)::text as text from beds`.execute(db)
  return createEngine({ db, schema })
}

/** Asks often enough for the shorter path. */
async function warm(ask: () => Promise<unknown>): Promise<unknown> {
  let answer: unknown
  for (let time = 0; time < times; time++) answer = await ask()
  return answer
}

/** Counts the messages that ask for the columns of rows. */
async function descriptions(): Promise<() => number> {
  const client = await pool.connect()
  const { connection } = client as unknown as {
    readonly connection: { describe: (message: unknown) => void }
  }
  const { describe } = connection
  let asked = 0
  connection.describe = (message) => {
    asked++
    describe.call(connection, message)
  }
  client.release()
  return () => asked
}

describe('prepared statements', () => {
  it('are described once, and answer alike each time', async () => {
    const engine = await notes()
    const described = await descriptions()
    await warm(() => getItem(engine, 'notes', 1))
    const before = described()
    expect(await getItem(engine, 'notes', 2)).toEqual({ id: 2, text: 'b' })
    expect(await getItem(engine, 'notes', 3)).toEqual({ id: 3, text: null })
    expect(described()).toBe(before)
  })

  it.each(
    readGroups.flatMap(({ title, checks }) =>
      checks.map((check) => [`${title}: ${check.title}`, check] as const),
    ),
  )('answer alike: %s', async (_, { run }) => {
    await sql`create type switch as enum ('on', 'off')`.execute(db)
    await fillLibrary(db, 'postgres')
    const clock = () => new Date('2024-03-01T12:00:00.000Z')
    const engine = createEngine({ db, schema: librarySchema, clock }) as unknown as Engine
    const answers: string[] = []
    for (let time = 0; time < times; time++)
      answers.push(
        canonical(await run({ db, database: 'postgres', engine }).catch((error: unknown) => error)),
      )
    expect(new Set(answers).size).toBe(1)
  })

  it.each(valueCases.map((one) => [one.title, one] as const))(
    'take and give values alike: %s',
    async (_, { column, field, kept }) => {
      await sql`create type switch as enum ('on', 'off')`.execute(db)
      await sql.raw(`create table values (id serial primary key, value ${column.postgres})`).execute(db)
      const id = { type: 'integer', key: true }
      // The field is one of many, so the compiler knows no more of the schema than that it is one.
      const definition = defineSchema({ values: { fields: { id, value: field } } } as never)
      const engine = createEngine({ db, schema: definition }) as unknown as Engine
      const asked = { fields: ['value'] }
      for (const [value] of kept) {
        const created: string[] = []
        const read: string[] = []
        for (let time = 0; time < times; time++) {
          const item = await createItem(engine, 'values', { value }, { fields: ['id', 'value'] })
          const { id: key, ...others }: { readonly id?: unknown } = Object(item)
          created.push(canonical(others))
          read.push(canonical(await getItem(engine, 'values', Number(key), asked)))
        }
        // A hash has a salt of its own each time.
        if (field.type !== 'hash') expect(new Set([...created, ...read]).size).toBe(1)
      }
    },
  )

  it('give many callers each their own item', async () => {
    await db.destroy()
    open({ max: 3 })
    const engine = await notes()
    await warm(() => getItem(engine, 'notes', 1))
    const ask = async (at: number) => {
      const key = 1 + (at % 3)
      const item = await getItem(engine, 'notes', key)
      return item.id === key && item.text === [null, 'a', 'b', null][key]
    }
    const all = await Promise.all(Array.from({ length: 300 }, (_, at) => ask(at)))
    expect(all.every(Boolean)).toBe(true)
    expect([pool.totalCount, pool.idleCount]).toEqual([3, 3])
  })

  it('are made anew where a column has another type', async () => {
    const engine = await notes()
    const ask = () => getItem(engine, 'notes', 1)
    await warm(ask)
    await admin.query(`alter table ${name}.notes alter column text type varchar(9)`)
    expect(await warm(ask)).toEqual({ id: 1, text: 'a' })
    await admin.query(`alter table ${name}.notes alter column id type bigint`)
    expect(await warm(ask)).toEqual({ id: 1, text: 'a' })
  })

  it('are made anew where a value has another type', async () => {
    const kinds = defineSchema({ kinds: { fields: { id: key, kind: text } } })
    await sql`create table kinds (id serial primary key, kind int)`.execute(db)
    const engine = createEngine({ db, schema: kinds })
    const create = (kind: string) => createItem(engine, 'kinds', { kind }, { fields: ['kind'] })
    await warm(() => create('1'))
    await admin.query(`alter table ${name}.kinds alter column kind type text`)
    expect(await warm(() => create('one'))).toEqual({ kind: 'one' })
    await expect(pool.query('select kind::int from kinds')).rejects.toThrow('one')
    await admin.query(`alter table ${name}.kinds alter column kind type int using null`)
    await expect(warm(() => create('one'))).rejects.toMatchObject({ code: 'FAILED_VALIDATION' })
    expect(await warm(() => create('2'))).toEqual({ kind: 2 })
  })

  it('may be several in one text of the host, as often as it likes', async () => {
    const several = sql<{ two: number }>`select 1 as one; select 2 as two`
    for (let time = 0; time < times; time++)
      expect(await several.execute(db)).toMatchObject({ rows: expect.anything() })
  })

  it('are sent whole where the host has taken them away', async () => {
    const engine = await notes()
    const ask = () => getItem(engine, 'notes', 1)
    await warm(ask)
    await pool.query('deallocate all')
    expect(await warm(ask)).toEqual({ id: 1, text: 'a' })
  })

  it('fail alone where the server refuses them', async () => {
    const divided = defineSchema({ shares: { fields: { id: key, share: integer } } })
    await sql`create table parts (id serial primary key, part int)`.execute(db)
    await sql`insert into parts (part) values (1), (0)`.execute(db)
    await sql`create view shares as select id, 6 / part as share from parts`.execute(db)
    const engine = createEngine({ db, schema: divided })
    await warm(() => getItem(engine, 'shares', 1))
    await expect(getItem(engine, 'shares', 2)).rejects.toMatchObject({ cause: { code: '22012' } })
    expect(await getItem(engine, 'shares', 1)).toEqual({ id: 1, share: 6 })
    expect(pool.idleCount).toBe(1)
  })

  it('fail alone where a row cannot be read', async () => {
    const engine = await notes()
    const ask = () => getItem(engine, 'notes', 1)
    await warm(ask)
    const client = await pool.connect()
    const int4 = 23
    client.setTypeParser(int4, () => {
      throw new Error('This parser is the host’s.')
    })
    client.release()
    await expect(ask()).rejects.toMatchObject({ cause: { message: 'This parser is the host’s.' } })
    const again = await pool.connect()
    again.setTypeParser(int4, Number)
    again.release()
    expect(await ask()).toEqual({ id: 1, text: 'a' })
  })

  it('fail with their connection, and the next one gets another', async () => {
    const engine = await notes()
    await warm(() => getItem(engine, 'naps', 1))
    const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid')
    const asleep = getItem(engine, 'naps', 2)
    const end = setInterval(() => admin.query('select pg_terminate_backend($1)', [rows[0]?.pid]), 50)
    await expect(asleep).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    clearInterval(end)
    expect(await getItem(engine, 'naps', 1)).toEqual({ id: 1, text: '' })
    expect([pool.totalCount, pool.idleCount]).toEqual([1, 1])
  })

  it('keep the query timeout of the pool', async () => {
    await db.destroy()
    open({ query_timeout: 500 })
    const engine = await notes()
    await warm(() => getItem(engine, 'naps', 1))
    await expect(getItem(engine, 'naps', 2)).rejects.toMatchObject({
      cause: { message: 'Query read timeout' },
    })
  })

  it('wait for a connection as long as they may, and give back what comes too late', async () => {
    await notes()
    const engine = createEngine({ db, schema, acquireTimeoutMs: 100 })
    await warm(() => getItem(engine, 'notes', 1))
    const held = await pool.connect()
    await expect(getItem(engine, 'notes', 1)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'No connection to the database became free in time.',
    })
    held.release()
    expect(await getItem(engine, 'notes', 2)).toEqual({ id: 2, text: 'b' })
    expect([pool.idleCount, pool.waitingCount]).toEqual([1, 0])
  })

  it('fail where the pool has ended', async () => {
    const engine = await notes()
    await warm(() => getItem(engine, 'notes', 1))
    await pool.end()
    await expect(getItem(engine, 'notes', 1)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })

  it('are reported to whoever listens, as before', async () => {
    const engine = await notes()
    await warm(() => getItem(engine, 'notes', 1))
    const heard: number[] = []
    const listened = createEngine({ db, schema, onQuery: ({ rows }) => heard.push(rows) })
    await warm(() => listItems(listened, 'notes'))
    expect(heard).toEqual(Array.from({ length: times }, () => 3))
  })

  it('are sent as pg does where they do not wait for each other', async () => {
    await notes()
    await db.destroy()
    open({ pipeline: true })
    const engine = createEngine({ db, schema })
    const data = [
      { id: 1, text: 'a' },
      { id: 2, text: 'b' },
      { id: 3, text: null },
    ]
    expect(await warm(() => listItems(engine, 'notes', { sort: ['id'] }))).toEqual({ data })
  })

  it('refuse a pool whose values come in the binary format', async () => {
    await notes()
    await db.destroy()
    open({ binary: true })
    await expect(listItems(createEngine({ db, schema }), 'notes')).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      path: ['pool'],
    })
  })

  it('run on pools that make promises only', async () => {
    await notes()
    const promising = { connect: () => pool.connect(), end: () => pool.end() }
    const own = new Kysely<AnyTables>({ dialect: postgresDialect({ pool: promising as never }) })
    const engine = createEngine({ db: own, schema })
    expect(await warm(() => getItem(engine, 'notes', 2))).toEqual({ id: 2, text: 'b' })
    await pool.end()
    await expect(getItem(engine, 'notes', 2)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })
})
