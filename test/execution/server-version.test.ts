// What kind of server a database is, and what follows from it. The server of the tests tells another name here.
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresDialect,
  sql,
} from 'kysely'
import pg from 'pg'
import { afterEach, describe, expect, inject, it } from 'vitest'
import {
  createEngine,
  createItem,
  createItems,
  defineSchema,
  type Engine,
  listItems,
  streamItems,
} from '../../src/index.ts'
import { introspectSchema } from '../../src/introspect.ts'
import { type OpenDatabase, postgres } from '../support/databases.ts'

const schema = defineSchema({
  notes: { fields: { id: { type: 'integer', key: true }, text: { type: 'string' } } },
})

let opened: OpenDatabase | undefined
let pool: pg.Pool | undefined
afterEach(() => pool?.end())

async function open(name: string): Promise<{ readonly db: Engine['db']; readonly asked: string[] }> {
  opened = await postgres.open()
  if (!opened) throw new Error('There is no server.')
  await opened.run('create table notes (id serial primary key, text text not null)')
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(opened.db)
  pool = new pg.Pool({ connectionString: inject('postgres').c, options: `-c search_path=${rows[0]?.schema}` })
  const asked: string[] = []
  const dialect = new PostgresDialect({ pool })
  const db = new Kysely({
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createIntrospector: (own) => dialect.createIntrospector(own),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createDriver: () => calledSo(dialect.createDriver(), name, asked),
    },
  })
  return { db, asked }
}

function calledSo(driver: Driver, name: string, asked: string[]): Driver {
  const acquire = driver.acquireConnection.bind(driver)
  const known = new WeakSet<DatabaseConnection>()
  driver.acquireConnection = async () => {
    const connection = await acquire()
    if (known.has(connection)) return connection
    known.add(connection)
    const execute = connection.executeQuery.bind(connection)
    connection.executeQuery = async <Row>(query: CompiledQuery) => {
      asked.push(query.sql)
      const result = await execute<Row>(query)
      return /version\(\)/.test(query.sql) ? { ...result, rows: [{ 0: name } as Row] } : result
    }
    return connection
  }
  return driver
}

const verbs: Readonly<Record<string, (db: Engine['db']) => Promise<unknown>>> = {
  'a list': (db) => listItems(createEngine({ db, schema }), 'notes'),
  'a stream': async (db) => {
    for await (const _ of streamItems(createEngine({ db, schema }), 'notes', {})) return
  },
  'a new item': (db) => createItem(createEngine({ db, schema }), 'notes', { text: 'a' }),
  'new items': (db) => createItems(createEngine({ db, schema }), 'notes', [{ text: 'a' }, { text: 'b' }]),
  'a transaction': (db) => {
    const engine = createEngine({ db, schema })
    return engine.transaction((inside) => listItems(inside, 'notes'))
  },
  introspection: (db) => introspectSchema(db),
  'an install': (db) => createEngine({ db, schema }).install(),
}

describe('PostgreSQL 13', () => {
  it.each(Object.entries(verbs))('is refused in words by %s', async (_, run) => {
    const { db, asked } = await open('PostgreSQL 13.14 (Debian 13.14-1) on x86_64-pc-linux-gnu, 64-bit')
    const refused = {
      code: 'INVALID_OPTIONS',
      path: ['db'],
      message: 'PostgreSQL 13 is too old: version 14 is the oldest that works.',
    }
    await expect(run(db)).rejects.toMatchObject(refused)
    expect(asked.filter((text) => !/version\(\)|^begin$|^rollback$/.test(text))).toEqual([])
  })
})

describe.each([
  'PostgreSQL 14.0 on x86_64-pc-linux-gnu, 64-bit',
  'PostgreSQL 19devel on x86_64-pc-linux-gnu, 64-bit',
  'PostgreSQL 11.2-YB-2.19.0.0-b0 on x86_64-pc-linux-gnu, 64-bit',
  'CockroachDB CCL v23.2.0 (x86_64-pc-linux-gnu)',
])('what calls itself %s', (name) => {
  it('is worked with, and asked for its name once', async () => {
    const { db, asked } = await open(name)
    for (const run of Object.values(verbs)) await run(db)
    expect(asked.filter((text) => /version\(\)/.test(text))).toHaveLength(1)
  })
})
