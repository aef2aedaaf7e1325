// Databases whose tables stand in named schemas.
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { expect, it } from 'vitest'
import { introspectSchema } from '../../src/introspect.ts'
import { openPostgresUrl } from '../examples/postgres-url.ts'
import { type AnyTables, openSqlite } from '../support/databases.ts'
import { run } from './samples/sample.ts'

const places = {
  sqlite: { open: openSqlite, make: (name: string) => `attach ':memory:' as ${name}` },
  postgres: { open: openOwnPostgres, make: (name: string) => `create schema ${name}` },
} as const

/** A database of its own: the tests of others leave schemas in theirs. */
async function openOwnPostgres() {
  const { url, close } = await openPostgresUrl()
  const db = new Kysely<AnyTables>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }),
  })
  return { db, close: () => db.destroy().then(close) }
}

it.each(Object.entries(places))(
  'tables in named schemas alone are an error that names them, on %s',
  async (_, { open, make }) => {
    const { db } = await open()
    await run(db, make('shop'), make('billing'))
    await expect(introspectSchema(db)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: 'There is no table in the database.',
    })
    await run(db, 'create table shop.items (id integer primary key)')
    await expect(introspectSchema(db)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message:
        'There is no table in the database. Those in the schema "shop" are found by the name of their schema alone.',
      hint: 'Take them with dbSchemas: ["shop"], or with --db-schema.',
    })
    await run(db, 'create table billing.bills (id integer primary key)')
    await expect(introspectSchema(db)).rejects.toMatchObject({
      message:
        'There is no table in the database. Those in the schemas "billing", "shop" are found by the name of their schema alone.',
      hint: 'Take them with dbSchemas: ["billing","shop"], or with --db-schema.',
    })
    const { collections, report } = await introspectSchema(db, { dbSchemas: ['billing', 'shop'] })
    expect([...collections.keys()]).toEqual(['bills', 'shop_items'])
    expect(report).toEqual([])
  },
)
