// Columns of SQLite that hold dates and timestamps in the form of results and in no other, because a CHECK says so.
import Database from 'better-sqlite3'
import { Kysely } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { canonicalColumns } from '../../../src/dialects/sqlite/catalogue.ts'
import {
  compileFilter,
  createEngine,
  createItem,
  defineSchema,
  type Filter,
  filesDefinition,
  listItems,
} from '../../../src/index.ts'
import { introspectSchema } from '../../../src/introspect.ts'
import { sqliteDialect } from '../../../src/sqlite.ts'
import { memoryStorage } from '../../../src/storage.ts'
import type { AnyTables } from '../../support/databases.ts'
import { key } from '../../support/fields.ts'

let database: Database.Database
let db: Kysely<AnyTables>

beforeEach(() => {
  database = new Database(':memory:')
  db = new Kysely<AnyTables>({ dialect: sqliteDialect({ database }) })
})
afterEach(() => db.destroy())

const timestamp = '%Y-%m-%dT%H:%M:%fZ'

describe('a check of the canonical form', () => {
  it.each([
    ['of a column', `create table t (a text check (strftime('${timestamp}', a) is a))`],
    ['in other quotes and cases', `create table t ("A" text, CHECK(StrFTime('${timestamp}',[a]) IS \`A\`))`],
    ['with a name', `create table t (a text constraint "check" check (strftime('${timestamp}', a) is a))`],
    [
      'beside others',
      `create table t (a text, check (a > '2000'), check (strftime('${timestamp}', a) is a) /* ( */)`,
    ],
    ['across a comment', `create table t (a text check ( -- form\n strftime('${timestamp}', a) is a))`],
  ])('is found: %s', (_title, text) => {
    expect([...canonicalColumns(text)]).toEqual([['a', 'timestamp']])
  })

  it.each([
    ['of the equals sign, which lets in what is no date', `check (strftime('${timestamp}', a) = a)`],
    ['of another form', "check (strftime('%Y-%m-%d %H:%M:%S', a) is a)"],
    ['of another column', `check (strftime('${timestamp}', a) is b)`],
    ['of a branch', `check (strftime('${timestamp}', a) is a or b)`],
    ['turned around by not', `check (not strftime('${timestamp}', a) is a)`],
    ['in a comment', `/* check (strftime('${timestamp}', a) is a) */`],
    ['in a comment of a line', `-- check (strftime('${timestamp}', a) is a)\n`],
    ['in a text', `default 'check (strftime(''${timestamp}'', a) is a)'`],
  ])('does not count: %s', (_title, text) => {
    expect([...canonicalColumns(`create table t (b int, a text ${text})`)]).toEqual([])
  })

  it('is recognized by introspection for each type, whatever the column is declared', async () => {
    database.exec(`create table events (id integer primary key,
      day date check (strftime('%Y-%m-%d', day) is day), hour text check (strftime('%H:%M:%S', hour) is hour),
      local datetime check (strftime('%Y-%m-%dT%H:%M:%S', local) is local),
      at text not null check (strftime('${timestamp}', at) is at), other timestamp)`)
    const { definition } = await introspectSchema(db)
    const canonical = (type: string) => ({ type, storage: 'canonical', nullable: true })
    expect(definition.events?.fields).toEqual({
      id: { type: 'integer', key: true },
      day: canonical('date'),
      hour: canonical('time'),
      local: canonical('dateTime'),
      at: { type: 'timestamp', storage: 'canonical' },
      other: { type: 'timestamp', nullable: true },
    })
  })
})

it('install writes the check for the columns of own tables that are declared canonical', async () => {
  const { fields } = filesDefinition
  const created_on = { ...fields.created_on, storage: 'canonical' } as const
  const schema = defineSchema({ files: { fields: { ...fields, created_on } } })
  await createEngine({ db, schema, storage: memoryStorage() }).install()
  const { definition } = await introspectSchema(db)
  expect(definition.files?.fields).toMatchObject({ created_on: { type: 'timestamp', storage: 'canonical' } })
  const insert = database.prepare(
    "insert into files (id, filename_disk, filename_download, created_on) values (?, 'a', 'b', ?)",
  )
  insert.run('1', '2024-02-29T08:30:00.000Z')
  for (const other of ['2024-02-29 08:30:00', '2024-13-01T00:00:00.000Z', 1_709_195_400, 'now'])
    expect(() => insert.run('2', other)).toThrow(/CHECK/)
})

describe('a canonical column', () => {
  const schema = defineSchema({
    events: { fields: { id: key, at: { type: 'timestamp', storage: 'canonical', nullable: true } } },
  })

  it('is compared as it is, in ranges and lists', () => {
    const sqlOf = (filter: Filter<typeof schema, 'events'>) =>
      compileFilter({ schema, dialect: 'sqlite' }, 'events', filter).sql
    expect(sqlOf({ at: { _lte: '2024-02-29' } })).toBe('"events"."at" <= ?')
    expect(sqlOf({ at: '2024-02-29' })).toBe('"events"."at" = ?')
    expect(sqlOf({ 'year(at)': 2024 })).toBe('cast(substr("events"."at", 1, 4) as integer) = ?')
    const postgres = compileFilter({ schema, dialect: 'postgres' }, 'events', { at: '2024-02-29' })
    expect(postgres.sql).toBe('("events"."at" >= $1 and "events"."at" < $2)')
  })

  it('is written in its form, and returned as it is', async () => {
    database.exec(
      `create table events (id integer primary key, at text check (strftime('${timestamp}', at) is at))`,
    )
    const engine = createEngine({ db, schema })
    await createItem(engine, 'events', { at: '2024-02-29T10:30+02:00' })
    await createItem(engine, 'events', { at: new Date(0) })
    await createItem(engine, 'events', { at: null })
    const { data } = await listItems(engine, 'events', {
      filter: { at: { _lt: '2024-02-29T08:30:01Z' } },
      sort: 'at',
    })
    expect(data).toEqual([
      { id: 2, at: '1970-01-01T00:00:00.000Z' },
      { id: 1, at: '2024-02-29T08:30:00.000Z' },
    ])
  })
})
