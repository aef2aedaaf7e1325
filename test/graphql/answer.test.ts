// Documents and their answers.
import { beforeEach, describe, expect, it } from 'vitest'
import { answerGraphQL, type GraphQLAnswerOptions } from '../../src/graphql.ts'
import { createEngine, defineSchema, type Engine, listItems, type QueryReport } from '../../src/index.ts'
import { databases } from '../support/databases.ts'
import { integer, key, many, maybeOne, one, string, text } from '../support/fields.ts'

const schema = defineSchema({
  teas: {
    fields: {
      id: key,
      name: string,
      price: { type: 'decimal', precision: 12, scale: 2, nullable: true },
      picked: { type: 'date', nullable: true },
      farm: maybeOne('farms'),
      lots: many('lots.tea'),
    },
  },
  farms: { fields: { id: key, name: string, secret: text, teas: many('teas.farm') } },
  lots: { key: ['tea', 'code'], fields: { tea: one('teas'), code: string, weight: integer } },
})

const tables = [
  'create table farms (id integer primary key, name text not null, secret text)',
  'create table teas (id integer primary key, name text not null unique, price numeric(12,2), picked date, farm integer references farms)',
  'create table lots (tea integer not null references teas, code text not null, weight integer not null, primary key (tea, code))',
  "insert into farms values (1, 'Hill', 'x'), (2, 'Lake', 'y')",
  "insert into teas values (1, 'Assam', 4.50, '2024-04-05', 1), (2, 'Sencha', 12, null, null), (3, 'Oolong', 7.25, '2023-01-02', 1)",
  "insert into lots values (1, 'a', 3), (1, 'b', 5), (2, 'x', 1)",
]

interface Case {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly operationName?: string
  readonly answer: unknown
}

const queries: Readonly<Record<string, Case>> = {
  'answers a list': {
    query: '{ teas { id name price } }',
    answer: {
      teas: [
        { id: '1', name: 'Assam', price: 4.5 },
        { id: '2', name: 'Sencha', price: 12 },
        { id: '3', name: 'Oolong', price: 7.25 },
      ],
    },
  },
  'shows aggregates of related items, and sorts by them': {
    query:
      '{ farms(sort: ["-sum(teas.price)"]) { name teas_func { count sum(field: "price") last: max(field: "name") } } }',
    answer: {
      farms: [
        { name: 'Lake', teas_func: { count: 0, sum: null, last: null } },
        { name: 'Hill', teas_func: { count: 2, sum: 11.75, last: 'Oolong' } },
      ],
    },
  },
  'filters by aggregates of related items': {
    query: `query ($more: GraphQLJsonFilter) {
      some: farms(filter: { teas_func: { count: { _gt: 1 }, sum: { price: { _gt: 11 } }, max: $more } }) { name }
      none: farms(filter: { _or: [{ teas_func: { sum: { price: { _null: true } } } }, { teas_func: { avg: { price: { _gt: 6 } } } }] }) { name }
    }`,
    variables: { more: { name: { _eq: 'Oolong' } } },
    answer: { some: [{ name: 'Hill' }], none: [{ name: 'Lake' }] },
  },
  'sorts by the field, though another one is shown under its name': {
    query: '{ teas(sort: ["-name"], limit: 2) { name: id other: name } }',
    answer: {
      teas: [
        { name: '2', other: 'Sencha' },
        { name: '3', other: 'Oolong' },
      ],
    },
  },
  'follows one relation twice, with other arguments': {
    query: '{ teas_by_id(id: 1) { lots(limit: 1) { code } all: lots(sort: ["-weight"]) { w: weight } } }',
    answer: { teas_by_id: { lots: [{ code: 'a' }], all: [{ w: 5 }, { w: 3 }] } },
  },
  'merges fields of one name': {
    query:
      '{ teas(limit: 1) { farm { id } ...F } } fragment F on teas { farm { name __typename } __typename }',
    answer: { teas: [{ farm: { id: '1', name: 'Hill', __typename: 'farms' }, __typename: 'teas' }] },
  },
  'filters by functions and by related items': {
    query:
      '{ teas(filter: { picked_func: { year: { _gte: 2024 } }, farm: { name: { _eq: "Hill" } } }) { picked_func { month } } }',
    answer: { teas: [{ picked_func: { month: 4 } }] },
  },
  'takes variables, and leaves out what is skipped': {
    query:
      'query Q($ids: [GraphQLStringOrFloat], $no: Boolean = true) { teas(filter: { id: { _in: $ids } }) { id name @skip(if: $no) } }',
    variables: { ids: [2, 3] },
    answer: { teas: [{ id: '2' }, { id: '3' }] },
  },
  'chooses one of several operations': {
    query: 'query A { teas { id } } query B { farms(limit: 1) { name } }',
    operationName: 'B',
    answer: { farms: [{ name: 'Hill' }] },
  },
  'counts, and groups': {
    query:
      '{ teas_aggregated(groupBy: ["farm"], sort: ["-countAll"]) { group countAll most: max { price } count { id picked } } }',
    answer: {
      teas_aggregated: [
        { group: { farm: 1 }, countAll: 2, most: { price: 7.25 }, count: { id: 2, picked: 2 } },
        { group: { farm: null }, countAll: 1, most: { price: 12 }, count: { id: 1, picked: 0 } },
      ],
    },
  },
  'keeps groups by their aggregates, also by those that it does not show': {
    query:
      '{ teas_aggregated(groupBy: ["farm"], having: { countAll: { _gte: 1 }, count: { picked: { _eq: 0 } }, max: { price: { _gt: 10 } } }) { group } }',
    answer: { teas_aggregated: [{ group: { farm: null } }] },
  },
  'keeps groups by a choice of conditions in a variable': {
    query:
      'query H($having: teas_aggregated_having) { teas_aggregated(groupBy: ["farm"], having: $having) { countAll sum { price } } }',
    variables: { having: { _or: [{ countAll: { _in: [2] } }, { max: { picked: { _gt: '2025-01-01' } } }] } },
    answer: { teas_aggregated: [{ countAll: 2, sum: { price: 11.75 } }] },
  },
  'shows a key of several parts as one text, and finds by it': {
    query: '{ lots { id weight } lots_by_id(id: "1,b") { weight } }',
    answer: {
      lots: [
        { id: '1,a', weight: 3 },
        { id: '1,b', weight: 5 },
        { id: '2,x', weight: 1 },
      ],
      lots_by_id: { weight: 5 },
    },
  },
  'shows fields under names that JavaScript has for itself': {
    query: '{ constructor: teas(limit: 1) { constructor: id toString: name _rows: name _id: id } }',
    answer: { constructor: [{ constructor: '1', toString: 'Assam', _rows: 'Assam', _id: '1' }] },
  },
  'answers about the schema beside items': {
    query: '{ __typename __type(name: "lots") { kind } farms(limit: 1) { id } }',
    answer: { __typename: 'Query', __type: { kind: 'OBJECT' }, farms: [{ id: '1' }] },
  },
}

interface Refusal {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly says: RegExp
  readonly options?: GraphQLAnswerOptions
}

const deep = (depth: number): string =>
  depth === 0 ? 'id' : depth % 2 === 1 ? `farm { ${deep(depth - 1)} }` : `teas { ${deep(depth - 1)} }`

const refusals: Readonly<Record<string, Refusal>> = {
  'text that is no document': { query: '{ teas { id }', says: /Syntax Error/ },
  'a document of too many tokens': {
    query: `{ teas { ${'id '.repeat(5_001)} } }`,
    says: /more tha[nt] 5000 tokens/,
  },
  'an unknown field': { query: '{ teas { colour } }', says: /Cannot query field "colour" on type "teas"/ },
  'an unknown collection': {
    query: '{ coffees { id } }',
    says: /Cannot query field "coffees" on type "Query"/,
  },
  'an unknown argument': { query: '{ teas(first: 1) { id } }', says: /Unknown argument "first"/ },
  'a variable of another type': {
    query: 'query Q($n: Int) { teas(limit: $n) { id } }',
    variables: { n: 'many' },
    says: /Variable "\$n" (got invalid value "many"|has invalid value)/,
  },
  'two operations without a name': {
    query: 'query A { teas { id } } query B { teas { id } }',
    says: /several operations/,
  },
  'a fragment that holds itself': {
    query: '{ teas { ...F } } fragment F on teas { farm { teas { ...F } } }',
    says: /Cannot spread fragment "F" within itself/,
  },
  'more relations than a query follows': {
    query: `{ teas { ${deep(11)} } }`,
    says: /follows more than 10 relations/,
  },
  'too many fields at the root': {
    query: `{ ${Array.from({ length: 51 }, (_, index) => `a${index}: __typename`).join(' ')} }`,
    says: /more than 50 fields at its root/,
  },
  'too many fields under other names': {
    query: `{ teas { ${Array.from({ length: 65 }, (_, index) => `a${index}: id`).join(' ')} } }`,
    says: /more than 64 fields under other names/,
  },
  'an unknown field of an order': {
    query: '{ teas(sort: ["colour"]) { id } }',
    says: /There is no field "colour" in "teas"/,
  },
  'an unknown field of an order below': {
    query: '{ teas { lots(sort: ["colour"]) { id } } }',
    says: /There is no field "colour" in "lots"/,
  },
  'a sum of an unknown field of related items': {
    query: '{ farms(filter: { teas_func: { sum: { colour: { _gt: 1 } } } }) { name } }',
    says: /There is no field "colour" in "teas"/,
  },
  'a sum of related items without a field': {
    query: '{ farms(filter: { teas_func: { sum: null } }) { name } }',
    says: /"sum" needs a field of the items of "teas"/,
  },
  'a question about the schema, when it is off': {
    query: '{ __schema { queryType { name } } }',
    says: /introspection/i,
    options: { introspection: false },
  },
  'a suggestion, when introspection is off': {
    query: '{ tea { id } }',
    says: /^Cannot query field "tea" on type "Query"\.$/,
    options: { introspection: false },
  },
  'a subscription': {
    query: 'subscription { teas { id } }',
    says: /subscription|Only queries and mutations/,
  },
}

describe.each(databases)('GraphQL on $name', ({ open }) => {
  let engine: Engine<typeof schema>
  const reports: QueryReport[] = []

  beforeEach(async () => {
    const database = await open()
    for (const table of tables) await database.run(table)
    engine = createEngine({ db: database.db, schema, onQuery: (report) => reports.push(report) })
    await answerGraphQL(engine, { query: '{ teas { id } }' })
    reports.length = 0
  })

  const ask = async (
    query: string,
    rest: Partial<Case> = {},
    options?: GraphQLAnswerOptions,
    of: Engine = engine,
  ) => JSON.parse(await answerGraphQL(of, { query, ...rest }, options))

  it.each(Object.entries(queries))('%s', async (_title, { query, answer, ...rest }) => {
    expect(await ask(query, rest)).toEqual({ data: answer })
    expect(await ask(query, rest)).toEqual({ data: answer })
  })

  it.each(Object.entries(refusals))(
    'refuses %s before any statement',
    async (_title, { query, says, options, ...rest }) => {
      const { errors, ...others } = await ask(query, rest, options)
      expect(errors[0].message).toMatch(says)
      expect(errors[0].locations).not.toHaveLength(0)
      expect(others).toEqual({})
      expect(reports).toEqual([])
    },
  )

  it.each([
    ['{ teas { lots(sort: ["colour"]) { id } } }', [10], ['lots', 'sort']],
    [
      '{ teas { few: lots(filter: { code: { _gt: null } }) { id } } }',
      [10],
      ['few', 'filter', 'code', '_gt'],
    ],
    [
      '{ teas_aggregated(groupBy: ["farm"], having: { sum: { price: { _gt: "x" } } }) { countAll } }',
      [3],
      ['having', 'sum', 'price', '_gt'],
    ],
    ['{ teas_aggregated(having: { countAll: { _gt: 1 } }) { countAll } }', [3], ['having']],
    ['query A { teas { id } } query B { teas { id } }', [1, 25], undefined],
    [`{ farms { ${'teas { farm { '.repeat(6)} id ${'} } '.repeat(6)} } }`, [81], expect.any(Array)],
  ])('tells where in %s the mistake is', async (query, columns, path) => {
    const { errors } = await ask(query)
    expect(errors[0].locations).toEqual(columns.map((column) => ({ line: 1, column })))
    expect(errors[0].extensions.path).toEqual(path)
  })

  it('holds each document to the limits of the request, though another one had wider limits', async () => {
    const query = '{ a: __typename b: __typename teas { x: id y: name } }'
    expect(await ask(query)).not.toHaveProperty('errors')
    expect(await ask(query, {}, { limits: { aliases: 1 } })).toMatchObject({ errors: [{}] })
    expect(await ask(query, {}, { limits: { tokens: 5 } })).toMatchObject({ errors: [{}] })
    expect(await ask(query)).not.toHaveProperty('errors')
  })

  it('runs one statement for each root, and one for equal roots', async () => {
    await ask(
      '{ a: teas { id lots { code } farm { name } } b: teas { id lots { code } farm { name } } farms { id } }',
    )
    expect(reports.length).toBe(2)
  })

  it('says of a key that there is no such item, and answers the rest', async () => {
    expect(await ask('{ teas_by_id(id: 9) { id } farms(limit: 1) { id } }')).toEqual({
      errors: [
        {
          message: 'There is no such item, or you may not see it.',
          locations: [{ line: 1, column: 3 }],
          path: ['teas_by_id'],
          extensions: { code: 'NOT_FOUND' },
        },
      ],
      data: { teas_by_id: null, farms: [{ id: '1' }] },
    })
  })

  it('writes, and returns what was written in the form that was asked for', async () => {
    const query =
      'mutation M($data: create_teas_input!) { tea: create_teas_item(data: $data) { key: id farm { name } lots { id } } }'
    const data = { id: 4, name: 'Matcha', price: 9.9, farm: { id: 2 }, lots: [{ code: 'm', weight: 2 }] }
    const { data: created } = await ask(query, { variables: { data } })
    expect(created).toEqual({ tea: { key: '4', farm: { name: 'Lake' }, lots: [{ id: '4,m' }] } })
    expect(await ask('mutation { update_teas_items(ids: [4, 1], data: { picked: null }) { name } }')).toEqual(
      { data: { update_teas_items: [{ name: 'Matcha' }, { name: 'Assam' }] } },
    )
    expect(
      await ask(
        'mutation { delete_lots_item(id: "4,m") { id } delete_teas_items(ids: [4]) { ids __typename } }',
      ),
    ).toEqual({
      data: { delete_lots_item: { id: '4,m' }, delete_teas_items: { ids: ['4'], __typename: 'delete_many' } },
    })
  })

  it('writes everything of a mutation, or nothing', async () => {
    const query =
      'mutation { a: create_farms_item(data: { id: 3, name: "Sea" }) { id } b: create_teas_item(data: { id: 5, name: "Assam" }) { id } }'
    const { errors, ...rest } = await ask(query)
    expect(rest).toEqual({ data: null, extensions: { rolledBack: true } })
    expect(errors).toMatchObject([{ path: ['b'], extensions: { code: 'RECORD_NOT_UNIQUE' } }])
    expect(await listItems(engine, 'farms', { filter: { name: 'Sea' } })).toEqual({ data: [] })
    const { data } = await ask(query, {}, { atomic: false })
    expect(data).toEqual({ a: { id: '3' }, b: null })
    expect((await listItems(engine, 'farms', { filter: { name: 'Sea' } })).data).toHaveLength(1)
  })

  it('refuses a wrong selection before anything is written', async () => {
    const { errors } = await ask(
      'mutation { create_farms_item(data: { name: "Sea" }) { teas(sort: ["nope"]) { id } } }',
    )
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
    expect(reports).toEqual([])
  })

  describe('to a caller with rules', () => {
    const reader = (farm: number) =>
      engine.as({
        rules: {
          teas: { read: { fields: ['id', 'name', 'farm'], filter: { farm } } },
          farms: { read: { fields: ['id', 'name'] }, create: true },
        },
      })

    it('shows only what the rules allow', async () => {
      expect(await ask('{ teas { name farm { name } } }', {}, {}, reader(1))).toEqual({
        data: {
          teas: [
            { name: 'Assam', farm: { name: 'Hill' } },
            { name: 'Oolong', farm: { name: 'Hill' } },
          ],
        },
      })
      // Equal names and another filter.
      expect(await ask('{ teas { name farm { name } } }', {}, {}, reader(2))).toEqual({ data: { teas: [] } })
    })

    it.each([
      ['{ farms { secret } }', 'secret', 'farms'],
      ['{ teas { price } }', 'price', 'teas'],
    ])('tells of a forbidden field in %s as of an unknown one', async (query, word, type) => {
      const { errors } = await ask(query, {}, {}, reader(1))
      const { errors: unknown } = await ask(query.replace(word, 'nowhere'), {}, {}, reader(1))
      expect(errors[0].message).toBe(`Cannot query field "${word}" on type "${type}".`)
      expect(unknown[0].message).toBe(errors[0].message.replace(word, 'nowhere'))
    })

    it('refuses a mutation of a caller who may write nothing', async () => {
      const visitor = engine.as({ rules: { farms: { read: true } } })
      const { errors, data } = await ask('mutation { delete_farms_item(id: 1) { id } }', {}, {}, visitor)
      expect(data).toBeUndefined()
      expect(errors).toMatchObject([
        { message: 'There are no mutations, or you may not use them.', extensions: { code: 'FORBIDDEN' } },
      ])
    })

    it('answers true for what may be created and not be read', async () => {
      const creator = engine.as({ rules: { farms: { create: { fields: ['id', 'name'] } } } })
      expect(
        await ask('mutation { create_farms_item(data: { id: 3, name: "Sea" }) }', {}, {}, creator),
      ).toEqual({ data: { create_farms_item: true } })
    })
  })
})
