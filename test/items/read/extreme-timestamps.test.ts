// Moments far from today, and sessions whose clocks are far from UTC. What is answered is the same in every form.

import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { describe, expect, inject, it } from 'vitest'
import {
  createEngine,
  defineSchema,
  type Engine,
  listItems,
  listItemsJson,
  streamItems,
} from '../../../src/index.ts'
import { insert } from '../../support/databases.ts'
import { key, many } from '../../support/fields.ts'
import { lanes } from '../../support/lanes.ts'

/** The list as objects, as text, as a stream and inside of other items. */
async function forms(engine: Engine, fields: readonly string[]): Promise<readonly unknown[]> {
  const { data } = await listItems(engine, 'days', { fields })
  const streamed: unknown[] = []
  for await (const one of streamItems(engine, 'days', { fields })) streamed.push(one)
  const [{ days }] = (
    await listItems(engine, 'all', { fields: fields.map((name) => `days.${name}`), limit: 1 })
  ).data as [{ days: unknown[] }]
  return [data, JSON.parse(await listItemsJson(engine, 'days', { fields })).data, streamed, days]
}

const all = { fields: { id: key, days: many('days.all') } } as const
const tied = { id: { type: 'integer', key: true }, all: { type: 'm2o', to: 'all' } } as const

describe('on PostgreSQL', () => {
  const schema = defineSchema({
    all,
    days: {
      fields: { ...tied, date: { type: 'date' }, clock: { type: 'dateTime' }, moment: { type: 'timestamp' } },
    },
  })
  const shown = [
    { date: '0044-03-15 BC', clock: '0044-03-15T10:00:00 BC', moment: '0044-03-15T10:00:00.000Z BC' },
    { date: '0001-01-01', clock: '0001-01-01T00:00:00', moment: '0001-01-01T00:00:00.000Z' },
    { date: '1830-01-02', clock: '1830-01-02T03:04:05', moment: '1830-01-02T03:04:05.678Z' },
    { date: '9999-12-31', clock: '9999-12-31T23:59:59', moment: '9999-12-31T23:59:59.999Z' },
    { date: '12345-01-02', clock: '12345-01-02T03:04:05', moment: '12345-01-02T03:04:05.678Z' },
  ]
  const stored = [
    ['0044-03-15 BC', '0044-03-15 10:00 BC', '0044-03-15 10:00Z BC'],
    ['0001-01-01', '0001-01-01', '0001-01-01 00:00Z'],
    ['1830-01-02', '1830-01-02 03:04:05.678', '1830-01-02 03:04:05.678Z'],
    ['9999-12-31', '9999-12-31 23:59:59.999', '9999-12-31 23:59:59.999999Z'],
    ['12345-01-02', '12345-01-02 03:04:05.678', '12345-01-02 03:04:05.678Z'],
  ]

  // Before there were zones, clocks in Amsterdam were 17 minutes and 30 seconds ahead, and those in Manila almost 16 hours behind.
  it.each(['UTC', 'Europe/Amsterdam', 'Asia/Manila', 'Asia/Kolkata'])(
    'moments are the same in a session in %s',
    async (zone) => {
      const pool = new pg.Pool({
        connectionString: inject('postgres').c,
        options: `-c search_path=pg_temp -c timezone=${zone}`,
        max: 1,
      })
      const db = new Kysely<Record<string, Record<string, unknown>>>({
        dialect: new PostgresDialect({ pool }),
      })
      try {
        await sql`create temp table "all" (id integer primary key)`.execute(db)
        await sql`create temp table days (id integer primary key, "all" integer, date date, clock timestamp,
          moment timestamptz)`.execute(db)
        await sql`insert into "all" values (1)`.execute(db)
        for (const [index, [date, clock, moment]] of stored.entries())
          await db.insertInto('days').values({ id: index, all: 1, date, clock, moment }).execute()
        const engine = createEngine({ db, schema })
        for (const form of await forms(engine, ['date', 'clock', 'moment'])) expect(form).toEqual(shown)
      } finally {
        await db.destroy()
      }
    },
  )
})

describe.each(lanes)('on $title', ({ open, knowsZones }) => {
  const schema = defineSchema({
    all,
    days: {
      fields: {
        ...tied,
        date: { type: 'date', storage: 'seconds' },
        clock: { type: 'dateTime', storage: 'milliseconds' },
        moment: { type: 'timestamp', storage: 'seconds' },
        exact: { type: 'timestamp', storage: 'milliseconds' },
      },
    },
  })
  const nothing = { date: null, clock: null, moment: null, exact: null, moment_year: null, exact_hour: null }

  it('a number beyond the calendar is no moment, and fails no list', async () => {
    const { db, run } = await open()

    await run('create table "all" (id integer primary key)')
    await run(`create table days (id integer primary key, "all" integer, date bigint, clock bigint,
        moment bigint, exact bigint)`)
    await run('insert into "all" values (1)')
    const [first, last] = [-62_135_596_800, 253_402_300_799]
    const numbers = [first, last, first - 1, last + 1, 1_700_000_000_000, -9_000_000_000_000]
    for (const [id, seconds] of numbers.entries())
      await insert(db, 'days', {
        id,
        all: 1,
        date: seconds,
        clock: seconds * 1_000,
        moment: seconds,
        exact: seconds * 1_000,
      })
    const engine = createEngine({ db, schema, ...(knowsZones && { timezone: 'Etc/UTC' }) })
    const fields = ['date', 'clock', 'moment', 'exact', 'year(moment)', 'hour(exact)']
    const edge = (text: string) => ({
      date: text.slice(0, 10),
      clock: text.slice(0, 19),
      moment: text,
      exact: text,
      moment_year: Number(text.slice(0, 4)),
      exact_hour: Number(text.slice(11, 13)),
    })
    for (const form of await forms(engine, fields))
      expect(form).toEqual([
        edge('0001-01-01T00:00:00.000Z'),
        edge('9999-12-31T23:59:59.000Z'),
        nothing,
        nothing,
        nothing,
        nothing,
      ])
  })
})
