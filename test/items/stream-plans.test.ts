import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createEngine, defineSchema, streamItems } from '../../src/index.ts'

const schema = defineSchema({
  rows: {
    fields: {
      id: { type: 'integer', key: true },
      number: { type: 'integer' },
      moment: { type: 'integer', nullable: true },
    },
  },
})

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
