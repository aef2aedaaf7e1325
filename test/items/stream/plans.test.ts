import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createEngine, defineSchema, listItems, streamItems } from '../../../src/index.ts'
import type { AnyTables } from '../../support/databases.ts'
import { integer, key, many, maybeOne, number, string } from '../../support/fields.ts'

const schema = defineSchema({ rows: { fields: { id: key, number: integer, moment: number } } })

describe('each page of a stream is searched by an index, so the last one costs no more than the first', () => {
  it.each(['id', '-id', 'number', '-number', 'moment', '-moment'])('sorted by %s', async (sort) => {
    const database = new BetterSqlite(':memory:')
    database.exec(`create table "rows" (id integer primary key, "number" integer not null, moment integer)`)
    database.exec(`create index rows_number on "rows" ("number", id)`)
    database.exec(`create index rows_moment on "rows" (moment, id)`)
    const row = database.prepare('insert into "rows" values (?, ?, ?)')
    for (let id = 1; id <= 4_500; id++) row.run(id, id % 7, id % 2 === 0 ? null : id % 11)
    const statements: string[] = []
    const onQuery = (report: { readonly sql: string }) => void statements.push(report.sql)
    const db = new Kysely({ dialect: new SqliteDialect({ database }) })
    let seen = 0
    for await (const { id } of streamItems(createEngine({ db, schema, onQuery }), 'rows', { sort }))
      seen += Math.sign(id)

    const plans = statements.map((text) =>
      database
        .prepare(`explain query plan ${text}`)
        .all(Array.from(text.matchAll(/\?/g), () => 1))
        .map((step) => String(Reflect.get(Object(step), 'detail'))),
    )
    await db.destroy()
    expect({ seen, pages: plans.length > 4 }).toEqual({ seen: 4_500, pages: true })
    // What has no place to begin behind is read from one end of an index; nothing is sorted.
    const expected = statements.map((text) => [
      expect.stringMatching(/ [<>] /.test(text) ? /^SEARCH _q1 USING / : /^(SCAN|SEARCH) _q1/),
    ])
    expect(plans).toEqual(expected)
  })
})

describe('an order that no index has is sorted once, and not once for each page', () => {
  const days = defineSchema({
    days: {
      fields: {
        id: { type: 'bigInteger', key: true },
        name: string,
        rank: number,
        room: maybeOne('days'),
        rooms: many('days.room'),
      },
    },
  })

  it.each([
    ['name', {}],
    ['-rank', {}],
    ['rank', {}],
    ['-room.name', {}],
    ['rank', { filter: { name: { _nin: ['day 4', 'day 5'] } } }],
    ['-name', { offset: 700, limit: 3_500 }],
    ['name', { fields: ['id', 'rooms'] }],
  ] as const)('sorted by %s, %j', async (sort, query) => {
    const database = new BetterSqlite(':memory:')
    database.exec(
      'create table days (id integer primary key, name text not null, rank integer, room integer)',
    )
    database.exec('create index days_room on days (room)')
    const row = database.prepare('insert into days values (?, ?, ?, ?)')
    // Beyond what a number can tell apart.
    const first = 9_007_199_254_740_992n
    for (let id = 0n; id < 4_500n; id++)
      row.run(
        first + id,
        `day ${id % 1_001n}`,
        id % 3n === 0n ? null : id % 700n,
        first + ((id * 7n) % 4_500n),
      )
    const db = new Kysely<AnyTables>({ dialect: new SqliteDialect({ database }) })
    const statements: string[] = []
    const onQuery = ({ sql }: { readonly sql: string }) => void statements.push(sql)
    const engine = createEngine({ db, schema: days })
    const { data } = await listItems(engine, 'days', { limit: -1, ...query, sort })
    const streamed: unknown[] = []
    const watched = createEngine({ db, schema: days, onQuery })
    for await (const day of streamItems(watched, 'days', { ...query, sort })) streamed.push(day)
    expect(streamed).toEqual(data)

    const plans = statements.map((text) =>
      database
        .prepare(`explain query plan ${text}`)
        .all(Array.from(text.matchAll(/\?/g), () => '[1]'))
        .map((step) => String(Reflect.get(Object(step), 'detail')))
        .join('; '),
    )
    await db.destroy()
    expect(plans.length).toBeGreaterThanOrEqual(5)
    // All rows are looked at for the first page, and once more for the keys of those with a value and of those without.
    const isScanned = /SCAN _q1/
    expect(plans.filter((plan) => isScanned.test(plan)).length).toBeLessThanOrEqual(3)
    expect(plans.slice(3)).toSatisfy(
      (rest: readonly string[]) =>
        rest.filter((plan) => /SEARCH _q\d+ USING INTEGER PRIMARY KEY/.test(plan)).length >= rest.length - 1,
    )
  })

  it('shows no row that went, or meets the condition no more', async () => {
    const database = new BetterSqlite(':memory:')
    database.exec(
      'create table days (id integer primary key, name text not null, rank integer, room integer)',
    )
    const row = database.prepare('insert into days values (?, ?, ?, null)')
    for (let id = 1; id <= 4_000; id++) row.run(id, `day ${id % 1_001}`, id % 100)
    const engine = createEngine({
      db: new Kysely({ dialect: new SqliteDialect({ database }) }),
      schema: days,
    })
    const seen: string[] = []
    for await (const { id } of streamItems(engine, 'days', {
      fields: ['id'],
      filter: { rank: { _lt: 90 } },
      sort: '-name',
    })) {
      seen.push(id)
      if (seen.length === 1_500)
        database.exec('delete from days where id % 2 = 0; update days set rank = 95 where id % 3 = 0')
    }
    database.close()
    expect(new Set(seen).size).toBe(seen.length)
    const late = seen.slice(2_000).map(Number)
    expect(late.length).toBeGreaterThan(100)
    expect(late.every((id) => id % 2 === 1 && id % 3 > 0)).toBe(true)
  })
})
