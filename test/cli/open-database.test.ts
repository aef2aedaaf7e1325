// A database that is opened for reading cannot be written to, whatever is tried.
import { type Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase, shownPlace } from '../../src/cli/open-database.ts'
import { openPostgresUrl } from '../examples/postgres-url.ts'
import { openShop } from './command.ts'

const kinds = [
  {
    name: 'a file',
    openPlace: async () => {
      const { file, remove } = openShop()
      return { place: file, close: async () => remove() }
    },
  },
  {
    name: 'a server',
    openPlace: async () => {
      const { url, close } = await openPostgresUrl()
      const place = new URL(url)
      place.searchParams.set('options', '-c search_path=public -c statement_timeout=0')
      return { place: place.href, close }
    },
  },
]

describe.each(kinds)('$name', ({ openPlace }) => {
  let opened: Awaited<ReturnType<typeof openPlace>>
  const dbs: Kysely<unknown>[] = []
  const open = async (isReadonly: boolean): Promise<Kysely<unknown>> => {
    const db: Kysely<unknown> = await openDatabase(opened.place, { isReadonly, tell: () => {} })
    dbs.push(db)
    return db
  }
  beforeEach(async () => {
    opened = await openPlace()
  })
  afterEach(async () => {
    for (const db of dbs.splice(0)) await db.destroy()
    await opened.close()
  })

  it('is read and written', async () => {
    const db = await open(false)
    await sql`create table things (id integer primary key)`.execute(db)
    await sql`insert into things values (1)`.execute(db)
    expect((await sql`select id from things`.execute(db)).rows).toEqual([{ id: 1 }])
  })

  it('is only read where that is said', async () => {
    const db = await open(true)
    await expect(sql`create table things (id integer primary key)`.execute(db)).rejects.toThrow(/read-?only/)
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
  })
})

describe('a place', () => {
  it.each([
    ['postgres://me:secret@localhost:5432/shop?sslmode=require', 'postgres://me@localhost:5432/shop'],
    ['postgres://me:se:c@ret@localhost/shop', 'postgres://me@localhost/shop'],
    ['postgresql://localhost/shop', 'postgresql://localhost/shop'],
    ['postgres://localhost/shop?user=me&password=secret', 'postgres://localhost/shop'],
    ['shops/a:b@c.db', 'shops/a:b@c.db'],
    ['shop#1?.db', 'shop#1?.db'],
  ])('is shown without a password: %s', (place, shown) => {
    expect(shownPlace(place)).toBe(shown)
  })
})
