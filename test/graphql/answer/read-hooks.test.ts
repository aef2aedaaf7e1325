// Hooks on reads, asked by a GraphQL query.
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { answerGraphQL } from '../../../src/graphql.ts'
import { createEngine, defineSchema, type Engine, type QueryReport } from '../../../src/index.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { key, many, maybeOne, one, string } from '../../support/fields.ts'

const schema = defineSchema({
  teas: {
    fields: {
      id: key,
      name: string,
      picked: { type: 'date', nullable: true },
      farm: maybeOne('farms'),
      lots: many('lots.tea'),
    },
  },
  farms: { fields: { id: key, name: string } },
  lots: { key: ['tea', 'code'], fields: { tea: one('teas'), code: string } },
})

describe.each(databases)('A hook on reads that GraphQL asks on $name', ({ open }) => {
  let database: OpenDatabase
  let engine: Engine<typeof schema>
  const reports: QueryReport[] = []

  beforeEach(async () => {
    database = await open()
    await database.run(
      'create table farms (id integer primary key, name text not null)',
      'create table teas (id integer primary key, name text not null, picked date, farm integer)',
      'create table lots (tea integer not null, code text not null, primary key (tea, code))',
      "insert into farms values (1, 'Hill')",
      "insert into teas values (1, 'Assam', '2024-04-05', 1), (2, 'Sencha', null, null)",
      "insert into lots values (1, 'a')",
    )
    engine = createEngine({ db: database.db, schema, onQuery: (report) => reports.push(report) })
    reports.splice(0)
  })

  const ask = async (query: string) => JSON.parse(await answerGraphQL(engine, { query }))

  it('sees the query with the fields that are selected', async () => {
    const seen: unknown[] = []
    engine.on('items.read', 'teas', ({ query }) => void seen.push(query), { when: 'before' })
    await ask(
      '{ teas(filter: { id: { _gt: 0 } }, sort: ["-id"], limit: 5) { a: id b: id picked_func { year } farm { name } lots(limit: 1) { id code } __typename } }',
    )
    expect(seen).toEqual([
      {
        filter: { id: { _gt: 0 } },
        sort: ['-id'],
        limit: 5,
        fields: ['id', 'year(picked)', 'farm.name', 'lots.tea', 'lots.code'],
      },
    ])
    await ask('{ teas { farm { __typename } } }')
    expect(seen[1]).toEqual({ fields: ['farm'] })
  })

  it('may narrow the query, which is planned by its answer', async () => {
    engine.on('items.read', 'teas', ({ query }) => ({ ...query, filter: { name: 'Sencha' } }), {
      when: 'before',
    })
    expect(await ask('{ teas { name lots(limit: 1) { code } } }')).toEqual({
      data: { teas: [{ name: 'Sencha', lots: [] }] },
    })
  })

  it.each([
    ['the field "name"', { fields: ['id'] }],
    ['lists inside ("deep")', { deep: { lots: { _limit: 1 } } }],
  ])('is refused where it changes %s', async (what, answer) => {
    engine.on('items.read', 'teas', ({ query }) => ({ ...query, ...answer }), { when: 'before' })
    reports.splice(0)
    const { errors, data } = await ask('{ teas { id name } }')
    expect(data).toBeUndefined()
    expect(errors).toMatchObject([
      {
        message: `A hook on reads changes ${what}, which a selection that is already made cannot follow.`,
        path: ['teas'],
        extensions: { code: 'FORBIDDEN' },
      },
    ])
    expect(reports).toEqual([])
  })

  it.each([
    '{ teas { name } }',
    '{ teas_aggregated(groupBy: ["name"]) { group } }',
    'mutation { update_teas_item(id: 1, data: { name: "Oolong" }) { name } }',
  ])('is refused where it returns a list in the place of a query: %s', async (document) => {
    engine.on('items.read', 'teas', () => [] as never, { when: 'before' })
    const { errors } = await ask(document)
    expect(errors).toMatchObject([
      { message: 'A query is an object, not a list of 0.', extensions: { code: 'INVALID_QUERY' } },
    ])
    const { rows } = await sql<{ name: string }>`select name from teas where id = 1`.execute(database.db)
    expect(rows).toEqual([{ name: 'Assam' }])
  })

  it('hears of the read when it is done', async () => {
    const heard: unknown[] = []
    engine.on('items.read', 'teas', ({ query }) => void heard.push(query), { when: 'after' })
    await ask('{ teas(limit: 1) { id } }')
    expect(heard).toEqual([{ limit: 1, fields: ['id'] }])
  })
})
