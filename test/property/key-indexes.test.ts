// Keys of several parts leave the database's indexes usable: what its planner says of 20,000 rows.
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { createEngine, defineSchema, type Engine, explainItems, type Schema } from '../../src/index.ts'
import { databases, insert } from '../support/databases.ts'
import { integer, key, many, string } from '../support/fields.ts'

const schema: Schema = defineSchema({
  lines: {
    key: ['shop', 'number', 'code'],
    fields: {
      shop: integer,
      number: { type: 'bigInteger' },
      code: string,
      amount: integer,
      parcels: many('parcels.line'),
    },
  },
  parcels: {
    fields: {
      id: key,
      s: integer,
      n: { type: 'bigInteger' },
      c: string,
      line: { type: 'm2o', to: 'lines', by: ['s', 'n', 'c'] },
    },
  },
  tokens: {
    key: ['owner', 'number'],
    fields: { owner: { type: 'uuid' }, number: integer, marks: many('marks.token') },
  },
  marks: {
    fields: {
      id: key,
      owner: { type: 'uuid' },
      number: integer,
      token: { type: 'm2o', to: 'tokens', by: ['owner', 'number'] },
    },
  },
})

const uuid = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
const line = (index: number) => [1 + (index % 2), String(index % 5_000), `code ${index % 7}`]

/** How each plan says that it looks rows up by all parts of a key, and by an index of them. */
const lookups = {
  sqlite: {
    lines: /SEARCH \S+ USING .*INDEX lines_key \(shop=\? AND number=\?/,
    parcels: /SEARCH \S+ USING .*INDEX parcels_line \(s=\? AND n=\?/,
    tokens: /SEARCH \S+ USING .*INDEX (tokens_key|marks_token) \(owner=\?/,
  },
  postgres: { lines: /Index.*lines_key/s, parcels: /Index.*parcels_line/s, tokens: /Index.*marks_token/s },
} as const

describe.each(databases)('on $name', ({ name, open }) => {
  let engine: Engine
  beforeAll(async () => {
    const opened = await open()
    const { db, run } = opened
    const guid = sql.raw(name === 'sqlite' ? 'text' : 'uuid')
    await run(
      'create table lines (shop integer not null, number bigint not null, code varchar(20) not null, amount integer)',
    )
    await run('create table parcels (id integer primary key, s integer, n bigint, c varchar(20))')
    await sql`create table tokens (owner ${guid}, number integer)`.execute(db)
    await sql`create table marks (id integer, owner ${guid}, number integer)`.execute(db)
    for (let start = 0; start < 20_000; start += 500) {
      const many = Array.from({ length: 500 }, (_, at) => start + at)
      await insert(
        db,
        'lines',
        many.map((at) => ({ shop: 1 + (at % 2), number: at >> 1, code: `code ${at % 7}`, amount: at })),
      )
      await insert(
        db,
        'parcels',
        many.map((at) => ({ id: at, s: 1 + (at % 2), n: at >> 1, c: `code ${at % 7}` })),
      )
      await insert(
        db,
        'tokens',
        many.map((at) => ({ owner: uuid(at), number: at })),
      )
      await insert(
        db,
        'marks',
        many.map((at) => ({ id: at, owner: uuid(at), number: at })),
      )
    }
    await run('create unique index lines_key on lines (shop, number, code)')
    await run('create index parcels_line on parcels (s, n, c)')
    await run('create index marks_token on marks (owner, number)')
    await run('create unique index tokens_key on tokens (owner, number)')
    await run('analyze')
    engine = createEngine({ db, schema })
  })

  async function planOf(collection: string, query: object): Promise<string> {
    const { databasePlan = [] } = await explainItems(engine, collection, query, { database: true })
    return databasePlan.join('\n')
  }

  it('an equal key is looked up by all of its parts', async () => {
    expect(await planOf('parcels', { filter: { line: { _eq: line(7) } } })).toMatch(lookups[name].parcels)
  })

  it('a list of keys is looked up key by key', async () => {
    const keys = Array.from({ length: 50 }, (_, at) => line(at))
    expect(await planOf('parcels', { filter: { line: { _in: keys } } })).toMatch(lookups[name].parcels)
  })

  it('a list of keys with UUIDs is looked up in any case', async () => {
    const keys = Array.from({ length: 20 }, (_, at) => [uuid(at).toUpperCase(), at])
    const plan = await planOf('tokens', { fields: ['owner'], filter: { marks: { token: { _in: keys } } } })
    expect(plan).toMatch(lookups[name].tokens)
  })

  it('a target is looked up by all parts of its key', async () => {
    const plan = await planOf('parcels', { fields: ['line.amount'], limit: 20 })
    expect(plan).toMatch(lookups[name].lines)
  })

  it('children are looked up by all fields of their reference', async () => {
    const plan = await planOf('lines', { fields: ['amount', 'parcels.id'], limit: 20 })
    expect(plan).toMatch(lookups[name].parcels)
  })

  it('conditions on children look them up by all fields of their reference', async () => {
    const plan = await planOf('lines', { filter: { amount: 7, parcels: { id: { _gt: 0 } } } })
    expect(plan).toMatch(lookups[name].parcels)
  })

  it('a list is read in the order of an index of its key', async () => {
    const plan = await planOf('lines', { fields: ['amount'], limit: 20 })
    expect(plan).toMatch(name === 'sqlite' ? /USING INDEX lines_key/ : /Index Scan using lines_key/)
    expect(plan).not.toMatch(/TEMP B-TREE|Sort/)
  })
})
