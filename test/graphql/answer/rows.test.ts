// How many rows an answer may have, and what it says about lists that were cut.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  answerGraphQL,
  createGraphQLHandler,
  type GraphQLAnswerOptions,
  type GraphQLRequest,
} from '../../../src/graphql.ts'
import { createEngine, defineSchema, type Engine, type QueryReport } from '../../../src/index.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { key, many, maybeOne, one } from '../../support/fields.ts'

const schema = defineSchema({
  teas: { fields: { id: key, farm: maybeOne('farms'), lots: many('lots.tea') } },
  farms: { fields: { id: key, teas: many('teas.farm') } },
  lots: { fields: { id: key, tea: one('teas') } },
})

describe.each(databases)('Rows of a GraphQL answer on $name', ({ open }) => {
  let database: OpenDatabase
  let engine: Engine<typeof schema>
  const reports: QueryReport[] = []

  beforeAll(async () => {
    database = await open()
    await database.run(
      'create table farms (id integer primary key)',
      'create table teas (id integer primary key, farm integer)',
      'create table lots (id integer primary key, tea integer not null)',
      'insert into farms values (1), (2)',
      'insert into teas values (1, 1), (2, 1), (3, 2)',
      'insert into lots values (1, 1), (2, 1), (3, 1), (4, 2), (5, 3)',
    )
    engine = createEngine({ db: database.db, schema, onQuery: (report) => reports.push(report) })
  })
  beforeEach(() => reports.splice(0))

  const ask = async (request: GraphQLRequest | string, options?: GraphQLAnswerOptions, by: Engine = engine) =>
    JSON.parse(await answerGraphQL(by, typeof request === 'string' ? { query: request } : request, options))

  /** The same database, with a limit of rows below the items of an answer. */
  const engineWithin = (nestedRows: number) =>
    createEngine({
      db: database.db,
      schema,
      limits: { nestedRows },
      onQuery: (report) => reports.push(report),
    })

  it.each([
    ['{ teas(limit: 1000) { lots(limit: 10000) { id } } }', 'teas'],
    [
      '{ few: farms { id } teas(limit: 100) { lots(limit: 100) { tea { lots(limit: 1000) { id } } } } }',
      'teas',
    ],
    ['{ a: teas(limit: 1) { id } b: teas { lots(limit: 1000000) { id } } }', 'b'],
    [
      '{ a: teas(limit: 1000) { lots(limit: 3000) { id } } b: teas(limit: 999) { lots(limit: 3000) { id } } }',
      'a',
    ],
  ])('refuses %s before any statement', async (query, root) => {
    const { errors, data } = await ask(query)
    expect(data).toBeUndefined()
    expect(errors).toEqual([
      {
        message: 'The limits of this operation could lead to more than 5000000 rows.',
        locations: [
          {
            line: 1,
            column: query.indexOf(`${root}: `) < 0 ? query.indexOf(root) + 1 : query.indexOf(`${root}: `) + 1,
          },
        ],
        path: [root],
        extensions: { code: 'INVALID_QUERY', hint: 'Ask for smaller pages.' },
      },
    ])
    expect(reports).toEqual([])
  })

  it('takes lists at their defaults, and fields that are equal, once', async () => {
    const deep = '{ farms { teas { lots { tea { farm { teas { lots { id } } } } } } } }'
    expect((await ask(deep)).errors).toBeUndefined()
    const twice =
      '{ a: teas(limit: 1000) { lots(limit: 3000) { id } } b: teas(limit: 1000) { lots(limit: 3000) { id } } }'
    expect((await ask(twice)).errors).toBeUndefined()
  })

  it('takes another bound', async () => {
    const query = '{ teas(limit: 10) { lots(limit: 10) { id } } }'
    expect((await ask(query, { limits: { rows: 110 } })).errors).toBeUndefined()
    expect((await ask(query, { limits: { rows: 109 } })).errors).toMatchObject([{ path: ['teas'] }])
    expect((await ask(query, { limits: { rows: Number.POSITIVE_INFINITY } })).errors).toBeUndefined()
  })

  it('counts the rows below the items of all fields together', async () => {
    // Five lots below teas, and three teas below farms.
    const both = '{ teas(limit: -1) { lots { id } } farms { teas { id } } }'
    expect((await ask(both, {}, engineWithin(8))).errors).toBeUndefined()
    reports.splice(0)
    const { errors, data } = await ask(both, {}, engineWithin(7))
    expect(data).toBeUndefined()
    expect(errors).toMatchObject([
      {
        message: 'There are more than 7 rows below the items of the answer.',
        path: ['teas'],
        locations: [{ line: 1, column: 3 }],
      },
    ])
    // Counted, and not read.
    expect(reports).toHaveLength(2)
  })

  it('counts with what is left of the bound, up to the first field that passes it', async () => {
    // Five lots each, and room for seven.
    const roots = ['a', 'b', 'c', 'd'].map(
      (name, at) => `${name}: teas(limit: 100, filter: { id: { _lt: ${at + 10} } }) { lots { id } }`,
    )
    const { errors } = await ask(`{ ${roots.join(' ')} }`, {}, engineWithin(7))
    expect(errors).toMatchObject([{ path: ['a'] }])
    expect(reports).toHaveLength(2)
    const bounds = reports.map(({ parameters }) =>
      Math.max(...parameters.map(Number).filter((one) => one < 10)),
    )
    expect(bounds).toEqual([8, 3])
    reports.splice(0)
    // The next operation has all of it again, by the same statements.
    expect((await ask(`{ ${roots.slice(0, 2).join(' ')} }`, {}, engineWithin(10))).errors).toBeUndefined()
    expect(reports).toHaveLength(4)
  })

  it('counts once', async () => {
    await ask('{ teas(limit: 100) { lots { id } } farms { teas { id } } }', {}, engineWithin(8))
    expect(reports).toHaveLength(4)
  })

  it('says which lists were cut, on request', async () => {
    const query =
      '{ teas { id lots(limit: 1) { id } } others: teas(limit: 1) { lots { id } } all: teas_aggregated(groupBy: ["id"]) { group } teas_by_id(id: 1) { lots { id } } __typename }'
    const small = createEngine({ db: database.db, schema, limits: { defaultLimit: 2 } })
    const { data, extensions } = await ask({ query, extensions: { truncated: true } }, {}, small)
    expect(extensions).toEqual({ truncated: ['teas', 'others.lots', 'all', 'teas_by_id.lots'] })
    expect(data.teas).toEqual([
      { id: '1', lots: [{ id: '1' }] },
      { id: '2', lots: [{ id: '4' }] },
    ])
    expect(data.others).toEqual([{ lots: [{ id: '1' }, { id: '2' }] }])
    expect(data.teas_by_id).toEqual({ lots: [{ id: '1' }, { id: '2' }] })
    // The same answer without it.
    expect(await ask({ query, extensions: { other: 1 } }, {}, small)).toEqual({ data })
    expect(await ask({ query: '{ farms { id } }', extensions: { truncated: true } }, {}, small)).toEqual({
      data: { farms: [{ id: '1' }, { id: '2' }] },
      extensions: { truncated: [] },
    })
  })

  it('takes the wish from the address, too', async () => {
    const small = createEngine({ db: database.db, schema, limits: { defaultLimit: 2 } })
    const handler = createGraphQLHandler(small, { authenticate: () => ({ admin: true }) })
    const get = async (extensions: string) => {
      const search = new URLSearchParams({ query: '{ teas { id } }', extensions })
      const response = await handler(new Request(`http://localhost/graphql?${search}`))
      return { status: response.status, body: await response.json() }
    }
    expect(await get('{"truncated":true}')).toMatchObject({ body: { extensions: { truncated: ['teas'] } } })
    expect(await get('{"truncated":"yes"}')).toMatchObject({
      status: 400,
      body: { errors: [{ message: '"extensions.truncated" is true or false, not "yes".' }] },
    })
    expect(await get('{')).toMatchObject({
      status: 400,
      body: { errors: [{ message: '"extensions" is not valid JSON.' }] },
    })
    expect(await get('3')).toMatchObject({ status: 400 })
  })

  it.each([
    [{ rows: 0 }, '"rows" is a number of 1 or more, not 0.'],
    [{ tokens: 1.5 }, '"tokens" is a number of 1 or more, not 1.5.'],
    [{ token: 5 }, 'There is no option "token".'],
    [5, 'Options are an object, not 5.'],
  ])('refuses %j as limits', async (limits, message) => {
    const given = { limits } as unknown as GraphQLAnswerOptions // what a host without types gives
    await expect(answerGraphQL(engine, { query: '{ teas { id } }' }, given)).rejects.toThrow(message)
    expect(() => createGraphQLHandler(engine, { authenticate: () => ({ admin: true }), ...given })).toThrow(
      message,
    )
  })
})
