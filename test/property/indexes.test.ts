// Filters leave the database's indexes usable: what its planner says of 10,000 rows.
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { compileFilter, createEngine, defineSchema, type Schema } from '../../src/index.ts'
import { databases, insert, type OpenDatabase } from '../support/databases.ts'
import { integer, key, many, maybeOne, string } from '../support/fields.ts'
import type { Filter } from './table.ts'

const schema: Schema = defineSchema({
  owners: { fields: { id: key, name: string, things: many('things.owner') } },
  things: {
    fields: {
      id: key,
      name: string,
      number: integer,
      price: { type: 'float' },
      token: { type: 'uuid' },
      day: { type: 'date' },
      moment: { type: 'timestamp' },
      stamp: { type: 'timestamp', storage: 'milliseconds' },
      owner: maybeOne('owners'),
    },
  },
})

const columns = {
  sqlite: 'number integer, name text, price real, token text, day text, moment text, stamp integer',
  postgres:
    'number integer, name text, price double precision, token uuid, day date, moment timestamptz, stamp bigint',
} as const
/** How each plan says that it reads some rows only, by an index of ours. */
const usesIndex = {
  sqlite: /SEARCH .*things_|SEARCH .*INTEGER PRIMARY KEY/,
  postgres: /(Index Cond|Bitmap Index Scan|Index Scan)/,
} as const

const uuid = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
const cases: readonly {
  readonly title: string
  readonly filter: Filter
  readonly index: string
  readonly needs?: 'postgres' | 'sqlite'
}[] = [
  { title: '_eq on text', filter: { name: { _eq: 'name 77' } }, index: 'things_name' },
  { title: '_in on text', filter: { name: { _in: ['name 77', 'name 78'] } }, index: 'things_name' },
  { title: '_starts_with', filter: { name: { _starts_with: 'name 777' } }, index: 'things_name' },
  { title: '_eq on a number', filter: { number: { _eq: '77' } }, index: 'things_number' },
  { title: '_in on numbers', filter: { number: { _in: [77, 78, 1.5] } }, index: 'things_number' },
  { title: '_between on numbers', filter: { number: { _between: [77, 78] } }, index: 'things_number' },
  { title: '_gt on a floating-point number', filter: { price: { _gt: 9_990.5 } }, index: 'things_price' },
  { title: '_eq on a uuid', filter: { token: { _eq: uuid(77) } }, index: 'things_token' },
  { title: '_in on uuids', filter: { token: { _in: [uuid(77), uuid(78)] } }, index: 'things_token' },
  { title: '_eq on a day', filter: { day: { _eq: '2020-01-05' } }, index: 'things_day' },
  {
    title: 'a range of days',
    filter: { day: { _between: ['2020-01-05', '2020-01-06'] } },
    index: 'things_day',
  },
  {
    title: 'a range of moments',
    filter: { moment: { _gte: '2020-01-05', _lt: '2020-01-06' } },
    index: 'things_moment',
  },
  { title: '_lt on moments', filter: { moment: { _lt: '2020-01-02' } }, index: 'things_moment' },
  { title: '_null on moments', filter: { moment: { _null: true } }, index: 'things_moment' },
  {
    title: 'a range of moments that are numbers',
    filter: { stamp: { _gte: '2020-01-05', _lt: '2020-01-06' } },
    index: 'things_stamp',
  },
  { title: 'the key of a relation', filter: { owner: { _eq: 7 } }, index: 'things_owner' },
  { title: 'keys of a relation', filter: { owner: { _in: [7, 8] } }, index: 'things_owner' },
]

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await open()
    const { db, run } = opened
    await run('create table owners (id integer primary key, name text)')
    await run(`create table things (id integer primary key, owner integer, ${columns[name]})`)
    await insert(
      db,
      'owners',
      Array.from({ length: 5_000 }, (_, index) => ({ id: index + 1, name: `owner ${index + 1}` })),
    )
    const rows = Array.from({ length: 10_000 }, (_, index) => {
      const at = new Date(Date.UTC(2020, 0, 1) + index * 3_600_000)
      const [day, moment] = [at.toISOString().slice(0, 10), at.toISOString()]
      return {
        id: index + 1,
        owner: (index % 5_000) + 1,
        number: index,
        name: `name ${index}`,
        price: index,
        token: uuid(index),
        day,
        moment,
        stamp: at.getTime(),
      }
    })
    for (let start = 0; start < rows.length; start += 1_000)
      await insert(db, 'things', rows.slice(start, start + 1_000))
    for (const column of ['owner', 'number', 'name', 'price', 'token', 'day', 'moment', 'stamp']) {
      await sql`create index ${sql.id(`things_${column}`)} on things (${sql.id(column)})`.execute(db)
    }
    await run('analyze')
  })

  async function planOf(collection: string, filter: Filter): Promise<string> {
    const { expression } = compileFilter(createEngine({ db: opened.db, schema }), collection, filter)
    const words = sql.raw(name === 'sqlite' ? 'explain query plan' : 'explain')
    const { rows } = await sql<
      Record<string, unknown>
    >`${words} select id from ${sql.id(collection)} where ${expression}`.execute(opened.db)
    return rows.map((row) => String(row.detail ?? row['QUERY PLAN'])).join('\n')
  }

  it.each(cases)('$title uses the index', async ({ filter, index }) => {
    const plan = await planOf('things', filter)
    expect(plan).toMatch(usesIndex[name])
    expect(plan).toContain(index)
  })

  it('a condition on a relation looks its target up by key', async () => {
    const plan = await planOf('things', { number: { _eq: 77 }, owner: { name: { _eq: 'owner 78' } } })
    expect(plan).toMatch(
      name === 'sqlite' ? /SEARCH _q1 .*INTEGER PRIMARY KEY/ : /Index Scan using owners_pkey/,
    )
    expect(plan).toContain('things_number')
  })

  it('children are looked up by their pointer', async () => {
    expect(await planOf('owners', { id: { _eq: 7 }, things: { name: { _contains: '7' } } })).toContain(
      'things_owner',
    )
  })
})
