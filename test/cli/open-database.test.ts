// A database that is opened for reading cannot be written to, whatever is tried.
import BetterSqlite from 'better-sqlite3'
import { type Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { databasePlace, shownPlace } from '../../src/cli/database-place.ts'
import { type LoadPackage, packagesOf } from '../../src/cli/load-package.ts'
import { openDatabase } from '../../src/cli/open-database.ts'
import { readersOf } from '../../src/dialects/connections/readers.ts'
import { introspectSchema } from '../../src/introspect.ts'
import { openPostgresUrl } from '../examples/postgres-url.ts'
import { isThere } from '../support/drivers.ts'
import { openShop, runHere } from './command.ts'

const packages = packagesOf(import.meta.dirname)

/** Finds no package but these. */
const only =
  (...names: readonly string[]): LoadPackage =>
  async (name) =>
    names.includes(name) ? packages(name) : undefined

const openFilePlace = async () => {
  const { file, remove } = openShop()
  return { place: file, close: async () => remove() }
}

const openServerPlace = async () => {
  const { url, close } = await openPostgresUrl()
  const place = new URL(url)
  place.searchParams.set('options', '-c search_path=public -c statement_timeout=0')
  return { place: place.href, close }
}

const kinds = [
  { name: 'a file, by better-sqlite3', needs: 'better-sqlite3', openPlace: openFilePlace },
  { name: 'a file, by node:sqlite', needs: 'node:sqlite', openPlace: openFilePlace },
  { name: 'a server, by pg', needs: 'pg', openPlace: openServerPlace },
].filter(({ needs }) => isThere(needs))

describe.each(kinds)('$name', ({ needs, openPlace }) => {
  let opened: Awaited<ReturnType<typeof openPlace>>
  const dbs: Kysely<unknown>[] = []
  const open = async (isReadonly: boolean): Promise<Kysely<unknown>> => {
    const db: Kysely<unknown> = await openDatabase(opened.place, {
      isReadonly,
      print: () => {},
      load: only(needs),
    })
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

  it('is introspected', async () => {
    const db = await open(false)
    await sql`create table things (id integer primary key, name text not null)`.execute(db)
    const { definition } = await introspectSchema(db, { include: ['things'] })
    expect(definition).toEqual({
      things: {
        fields: {
          id: { type: 'integer', key: true, ...definition.things?.fields.id },
          name: { type: 'text' },
        },
      },
    })
  })

  it('is only read where that is said', async () => {
    const db = await open(true)
    await expect(sql`create table things (id integer primary key)`.execute(db)).rejects.toThrow(/read-?only/)
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
  })
})

it('a file has readers where they are asked for and it is in WAL mode', async () => {
  const { file, remove } = openShop()
  const readersIn = async () => {
    const db = await openDatabase(file, { isReadonly: false, print: () => {}, load: packages, readers: 1 })
    const found = readersOf(db)
    await db.destroy()
    return found
  }
  expect(await readersIn()).toBeUndefined()
  const database = new BetterSqlite(file)
  database.pragma('journal_mode = wal')
  database.close()
  expect(await readersIn()).toBeDefined()
  remove()
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

describe('the driver', () => {
  const refusalOf = async (words: readonly string[], load: LoadPackage) =>
    (await runHere(['introspect', ...words], { load })).told

  it('that a file needs is named where there is none', async () => {
    const { file, remove } = openShop()
    expect(await refusalOf([file], only())).toBe(
      'quernel: A file of SQLite needs the package "better-sqlite3", or Node 22.16 or newer.\n  npm install better-sqlite3\n',
    )
    remove()
  })

  it('that a server needs is named where there is none', async () => {
    expect(await refusalOf(['postgres://localhost/shop'], only('better-sqlite3'))).toBe(
      'quernel: A server of PostgreSQL needs the package "pg".\n  npm install pg\n',
    )
  })

  it('that is there and does not work gives way to that of Node, or says why', async () => {
    const { file, remove } = openShop()
    const broken = class {
      constructor() {
        throw new Error('It was compiled against a different version.')
      }
    }
    const load =
      (...names: readonly string[]): LoadPackage =>
      async (name) =>
        name === 'better-sqlite3' ? { default: broken } : only(...names)(name)
    expect(await refusalOf([file], load())).toContain(
      '"better-sqlite3" is here, and cannot be loaded: It was compiled against a different version.',
    )
    const { code } = await runHere(['introspect', file], { load: load('node:sqlite') })
    expect(code).toBe(isThere('node:sqlite') ? 0 : 1)
    // Before Node 22.16, the module takes no aggregates.
    const old: LoadPackage = async (name) => (name === 'node:sqlite' ? { DatabaseSync: class {} } : undefined)
    expect(await refusalOf([file], old)).toContain('or Node 22.16 or newer.')
    remove()
  })
})

describe('a URL of a file', () => {
  it.each([
    ['file:shop.db', 'shop.db'],
    ['file:./data/shop.db', './data/shop.db'],
    ['file:///data/my%20shop.db', '/data/my shop.db'],
    ['file:/data/shop.db', '/data/shop.db'],
    ['sqlite:shop.db', 'shop.db'],
    ['sqlite://shop.db', 'shop.db'],
    ['sqlite:///data/shop.db', '/data/shop.db'],
    ['SQLITE:my%20shop.db', 'my shop.db'],
    ['sqlite:///C:/shop.db', 'C:/shop.db'],
    ['C:\\shop.db', 'C:\\shop.db'],
    ['shop.db?mode=ro', 'shop.db?mode=ro'],
  ])('%s is %s', (url, path) => {
    expect(databasePlace(url)).toEqual({ kind: 'file', path, isReadonly: false })
  })

  it('says whether the file is only read', () => {
    expect(databasePlace('file:shop.db?mode=ro')).toMatchObject({ path: 'shop.db', isReadonly: true })
    expect(databasePlace('sqlite:shop.db?mode=rw')).toMatchObject({ path: 'shop.db', isReadonly: false })
  })

  it.each([
    ['file:shop.db?cache=shared', 'takes "mode=ro" and "mode=rw", and not "cache=shared".'],
    ['file:shop.db?mode=memory', 'not "mode=memory".'],
    ['file://elsewhere/shop.db', 'is no URL of a file.'],
    ['sqlite:%zz', 'is no URL of a file.'],
    ['libsql://shop.turso.io', 'There is no driver for "libsql:".'],
  ])('is refused: %s', (url, says) => {
    expect(() => databasePlace(url)).toThrow(says)
  })
})

describe('without an argument', () => {
  it('the database is that of DATABASE_URL', async () => {
    const { file, remove } = openShop()
    const environment = { DATABASE_URL: `file:${file}` }
    const { code, out } = await runHere(['introspect'], { environment })
    expect([code, out]).toEqual([0, expect.stringContaining(`// Read from file:${file} by`)])
    const named = await runHere(['introspect', 'other.db'], { environment })
    expect(named.told).toBe('quernel: There is no file "other.db".\n')
    const none = await runHere(['introspect'], { environment: { DATABASE_URL: '' } })
    expect([none.code, none.told]).toEqual([2, expect.stringContaining('here or in DATABASE_URL.')])
    remove()
  })
})
