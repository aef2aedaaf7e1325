// Defaults of SQLite that say what a column holds, also where the table is empty.
import { beforeEach, describe, expect, it } from 'vitest'
import { createEngine, createItem, type Engine, listItems } from '../../../src/index.ts'
import { introspectSchema } from '../../../src/introspect.ts'
import { type OpenDatabase, openSqlite } from '../../support/databases.ts'
import { run } from '../samples/sample.ts'

let database: OpenDatabase
beforeEach(async () => {
  database = await openSqlite()
})

async function fieldOf(declared: string, ...rows: readonly string[]) {
  await run(database.db, `create table things (id integer primary key, it ${declared})`)
  for (const row of rows) await run(database.db, `insert into things (it) values (${row})`)
  const { definition, report } = await introspectSchema(database.db)
  return { field: definition.things?.fields.it, says: report[0]?.message }
}

describe('a default that makes dates', () => {
  it.each([
    'datetime default current_timestamp',
    'timestamp not null default (CURRENT_TIMESTAMP)',
    "datetime default (datetime('now'))",
    "datetime default (datetime('now', 'localtime'))",
    "timestamp default '2024-02-29 08:30:00'",
    "timestamp default (strftime('%Y-%m-%d %H:%M:%f', 'now'))",
    "timestamp default (strftime('%F %T', 'now'))",
  ])('as SQL writes them is the storage "sql" of an empty table: %s', async (declared) => {
    expect((await fieldOf(declared)).field).toMatchObject({ storage: 'sql' })
  })

  it.each([
    "datetime default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))",
    "timestamp default '2024-02-29T08:30:00Z'",
    'date default current_date',
    'time default current_time',
    'datetime',
  ])('in another form is none: %s', async (declared) => {
    expect((await fieldOf(declared)).field).not.toHaveProperty('storage')
  })

  it('is reported with rows in another form', async () => {
    const { field, says } = await fieldOf('datetime default current_timestamp', "'2024-02-29T08:30:00Z'")
    expect(field).toMatchObject({ type: 'dateTime', storage: 'sql' })
    expect(says).toContain('its rows hold several forms')
  })

  it('gives way to rows of numbers', async () => {
    const { field } = await fieldOf('datetime default current_timestamp', '1709195400000')
    expect(field).toMatchObject({ type: 'timestamp', storage: 'milliseconds' })
  })
})

describe('a default of a BOOLEAN', () => {
  it.each([
    ['boolean default 1000', { type: 'integer', default: 1000 }],
    ['boolean default -1', { type: 'integer', default: -1 }],
    ['bool default 2', { type: 'integer', default: 2 }],
    ['boolean default 1', { type: 'boolean', default: true }],
    ['boolean default false', { type: 'boolean', default: false }],
  ])('says whether it is one: %s', async (declared, field) => {
    expect((await fieldOf(declared)).field).toMatchObject(field)
  })

  it('says so beside rows of 0 and 1, and is reported', async () => {
    const { field, says } = await fieldOf('boolean default 1000', '0', '1')
    expect(field).toMatchObject({ type: 'integer', default: 1000 })
    expect(says).toContain('is declared "boolean" and taken for "integer"')
  })
})

it('items that Quernel writes have the form of the rows that the default makes', async () => {
  const { db } = database
  await run(db, 'create table things (id integer primary key, at datetime default current_timestamp)')
  await run(db, 'insert into things (id) values (1)')
  const engine: Engine = createEngine({ db, schema: await introspectSchema(db) })
  await createItem(engine, 'things', { id: 2, at: '2999-11-25T09:00:00Z' })
  await createItem(engine, 'things', { id: 3 })
  const { data } = await listItems(engine, 'things', { fields: ['id'], sort: ['at', 'id'] })
  expect(data.map(({ id }) => id)).toEqual([1, 3, 2])
})
