// Timestamps in sessions whose zone is not UTC, in columns with a zone and without. What is read is what is found and written.
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { describe, expect, inject, it } from 'vitest'
import {
  createEngine,
  createItem,
  defineSchema,
  type Engine,
  getItem,
  listItems,
  listItemsJson,
} from '../../../src/index.ts'
import type { AnyTables } from '../../support/databases.ts'
import { key, many, maybeOne } from '../../support/fields.ts'

const types = { dateTime: '2024-07-01T12:34:56', timestamp: '2024-07-01T12:34:56.789Z' } as const
const columns = ['timestamp', 'timestamptz']
const zones = ['UTC', 'America/New_York', 'Asia/Kolkata']
const cases = zones.flatMap((zone) =>
  columns.flatMap((column) =>
    Object.entries(types).map(([type, value]) => ({ zone, column, type: type as keyof typeof types, value })),
  ),
)

async function inSession(
  { zone, column, type }: (typeof cases)[number],
  work: (engine: Engine) => Promise<void>,
): Promise<void> {
  const pool = new pg.Pool({ connectionString: inject('postgres').c, options: `-c timezone=${zone}`, max: 1 })
  const db = new Kysely<AnyTables>({ dialect: new PostgresDialect({ pool }) })
  await sql`create temp table events (id integer primary key, at ${sql.raw(column)}, up integer)`.execute(db)
  const schema = defineSchema({
    events: {
      fields: { id: key, at: { type, nullable: true }, up: maybeOne('events'), downs: many('events.up') },
    },
  })
  try {
    await work(createEngine({ db, schema }) as Engine)
  } finally {
    await db.destroy()
  }
}

describe.each(cases)('a $type in a column of $column, in a session of $zone', (one) => {
  const { type, value } = one

  it('is read as it was written, in every form', () =>
    inSession(one, async (engine) => {
      expect(await createItem(engine, 'events', { id: 1, at: value, up: 1 })).toMatchObject({ at: value })
      const fields = ['at', 'downs.at', 'hour(at)']
      const shown = { at: value, downs: [{ at: value }], at_hour: 12 }
      expect(await getItem(engine, 'events', 1, { fields })).toEqual(shown)
      expect(JSON.parse(await listItemsJson(engine, 'events', { fields })).data).toEqual([shown])
      const max = { aggregate: { max: ['at'] } }
      expect((await listItems(engine, 'events', max)).data).toEqual([{ max: { at: value } }])
    }))

  it.each([
    ['_eq', { at: { _eq: value } }],
    ['_in', { at: { _in: [value] } }],
    ['_between', { at: { _between: [value, value] } }],
    ['_gte and _lte', { at: { _gte: value, _lte: value } }],
    ['the year', { 'year(at)': 2024, 'hour(at)': 12, 'minute(at)': 34 }],
    ['a Date', { at: new Date(type === 'timestamp' ? value : `${value}Z`) }],
  ])('is found by %s', (_, filter) =>
    inSession(one, async (engine) => {
      await createItem(engine, 'events', { id: 1, at: value })
      await createItem(engine, 'events', { id: 2, at: '2024-06-30T23:59:59Z' })
      await createItem(engine, 'events', { id: 3, at: null })
      const list = await listItems(engine, 'events', { filter, fields: ['id', 'at'] })
      expect(list.data).toEqual([{ id: 1, at: value }])
    }),
  )

  it.each([
    ['_eq', [1]],
    ['_gte', [1]],
    ['_lte', [1, 2]],
    ['_gt', []],
    ['_lt', [2]],
  ])('at the end of the calendar is %s what it should be, and infinity never', (operator, keys) =>
    inSession(one, async (engine) => {
      const last = value
        .replace(/^.*T\d\d:\d\d:\d\d(\.\d+)?/, '9999-12-31T23:59:59$1')
        .replace('.789', '.999')
      await createItem(engine, 'events', { id: 1, at: last })
      await createItem(engine, 'events', { id: 2, at: value })
      await sql`insert into events values (3, 'infinity'), (4, '-infinity')`.execute(engine.db)
      const list = await listItems(engine, 'events', { filter: { at: { [operator]: last } }, fields: ['id'] })
      expect(list.data.map(({ id }) => id)).toEqual(keys)
    }),
  )
})
