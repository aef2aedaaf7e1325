// Fields that a host computes: in text, in objects that GraphQL.js walks through, at depth, in unions and in what mutations answer.
import { graphql } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  answerGraphQL,
  createGraphQLHandler,
  createGraphQLSchema,
  explainGraphQL,
  type GraphQLExtend,
  graphql as graphqlMount,
  printGraphQLSchema,
} from '../../../src/graphql.ts'
import { createHandler } from '../../../src/http.ts'
import {
  createEngine,
  createVersion,
  defineSchema,
  type Engine,
  EngineError,
  getItem,
  listItems,
  saveVersion,
} from '../../../src/index.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { json, key, many, maybeOne, string, text } from '../../support/fields.ts'
import { titled } from '../../support/titled.ts'

const schema = defineSchema({
  teas: {
    fields: {
      id: key,
      name: text,
      price: { type: 'decimal', nullable: true },
      notes: json,
      farm: maybeOne('farms'),
      kind: text,
      pair: { type: 'any', by: 'kind', to: ['farms', 'teas'], nullable: true },
    },
  },
  farms: { versioned: true, fields: { id: key, name: string, teas: many('teas.farm') } },
  site: { singleton: true, fields: { id: key, title: string } },
})
const tables = [
  'create table farms (id integer primary key, name text not null)',
  'create table teas (id integer primary key, name text, price numeric, notes JSON_TYPE, farm integer, kind text, pair text)',
  'create table site (id integer primary key, title text not null)',
  "insert into farms values (1, 'Hill'), (2, 'Lake')",
  `insert into teas values (1, 'As"sam', 1.5, '{"label needs 0": {"name": "no"}, "a": "}\\\\\\""}', 1, 'farms', '2'), (2, null, null, null, null, 'teas', '1'), (3, 'Oolong', 2, null, 2, null, null)`,
]

/** What callers must not see. */
const secret = 'a secret of the host'
const errors: unknown[] = []

const extend = {
  queries: {
    now: { type: 'Date!', note: 'The time of the server.', resolve: () => new Date(0) },
    twice: { type: '[Int!]', args: { n: 'Int!' }, resolve: ({ n }) => [n, Number(n) * 2] },
    farms_seen: {
      type: 'Int',
      resolve: async (_args, { engine }) => (await listItems(engine, 'farms', {})).data.length,
    },
    broken: {
      type: 'Int!',
      resolve: () => {
        throw new Error(secret)
      },
    },
  },
  fields: {
    teas: {
      label: {
        type: 'String',
        needs: ['name', 'price'],
        args: { sign: 'String', upper: 'Boolean' },
        resolve: ({ name, price }, { sign = '', upper }) => {
          const text = `${name} ${price === null || price === undefined ? '-' : Number(price)}${sign}`
          return upper ? text.toUpperCase() : text
        },
      },
      farm_name: {
        type: 'String',
        needs: ['farm'],
        resolve: async ({ farm }, _args, { engine }) =>
          farm === null || farm === undefined ? null : (await getItem(engine, 'farms', Number(farm))).name,
      },
      wrong: { type: 'Int', needs: [], resolve: () => 'no number' },
      refused: {
        type: 'JSON',
        needs: ['id'],
        resolve: ({ id }) => {
          if (id === 2) throw new EngineError('FORBIDDEN', 'Not this tea.')
          return { id }
        },
      },
      leaking: { type: 'String', needs: [], resolve: () => Promise.reject(new Error(secret)) },
    },
    farms: { shout: { type: 'String', needs: ['name'], resolve: ({ name }) => `${name}!` } },
    site: { heading: { type: 'String', needs: ['title'], resolve: ({ title }) => `# ${title}` } },
  },
} satisfies GraphQLExtend<typeof schema>

interface Case {
  readonly title: string
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly data: unknown
  readonly errors?: readonly (readonly [path: readonly (string | number)[], message: string])[]
}

const internal = 'An unexpected error occurred.'

const cases: readonly Case[] = titled({
  'a computed field stands in its place, and shows nothing of what it needs': {
    query: '{ teas { id label __typename } }',
    data: {
      teas: [
        { id: '1', label: 'As"sam 1.5', __typename: 'teas' },
        { id: '2', label: 'null -', __typename: 'teas' },
        { id: '3', label: 'Oolong 2', __typename: 'teas' },
      ],
    },
  },
  'needed fields that are asked for as well are shown': {
    query: '{ teas(limit: 1) { n: name label } }',
    data: { teas: [{ n: 'As"sam', label: 'As"sam 1.5' }] },
  },
  'documents with any names in them stay what they are': {
    query: '{ teas(limit: 1) { notes label } }',
    data: { teas: [{ notes: { 'label needs 0': { name: 'no' }, a: '}\\"' }, label: 'As"sam 1.5' }] },
  },
  'a field with other arguments under another name is computed apart': {
    query: 'query ($s: String) { teas(limit: 1) { a: label(sign: $s) b: label(upper: true) } }',
    variables: { s: ' EUR' },
    data: { teas: [{ a: 'As"sam 1.5 EUR', b: 'AS"SAM 1.5' }] },
  },
  'equal roots share a statement, and not what is computed': {
    query: '{ a: teas(limit: 1) { x: label(sign: "a") } b: teas(limit: 1) { x: label(sign: "b") } }',
    data: { a: [{ x: 'As"sam 1.5a' }], b: [{ x: 'As"sam 1.5b' }] },
  },
  'fields are computed at any depth, with fragments': {
    query:
      'query { farms { shout teas { ...T } } teas_by_id(id: 3) { farm { shout } farm_name } } fragment T on teas { label farm { teas { shouted: farm { shout } } } }',
    data: {
      farms: [
        {
          shout: 'Hill!',
          teas: [{ label: 'As"sam 1.5', farm: { teas: [{ shouted: { shout: 'Hill!' } }] } }],
        },
        { shout: 'Lake!', teas: [{ label: 'Oolong 2', farm: { teas: [{ shouted: { shout: 'Lake!' } }] } }] },
      ],
      teas_by_id: { farm: { shout: 'Lake!' }, farm_name: 'Lake' },
    },
  },
  'items of a union may have other fields under one name': {
    query:
      '{ teas { pair { ... on farms { x: shout f: __typename } ... on teas { x: label farm { shout } } } } }',
    data: {
      teas: [
        { pair: { x: 'Lake!', f: 'farms' } },
        { pair: { x: 'As"sam 1.5', farm: { shout: 'Hill!' } } },
        { pair: null },
      ],
    },
  },
  'what fails is null beside its error': {
    query: '{ teas { id refused } }',
    data: {
      teas: [
        { id: '1', refused: { id: 1 } },
        { id: '2', refused: null },
        { id: '3', refused: { id: 3 } },
      ],
    },
    errors: [[['teas', 1, 'refused'], 'Not this tea.']],
  },
  'errors that are not for callers, and values of another type, are one fixed sentence': {
    query: '{ teas_by_id(id: 1) { id leaking wrong } }',
    data: { teas_by_id: { id: '1', leaking: null, wrong: null } },
    errors: [
      [['teas_by_id', 'leaking'], internal],
      [['teas_by_id', 'wrong'], internal],
    ],
  },
  'fields of Query take arguments, and get the engine of the caller': {
    query: 'query ($n: Int!) { now t: twice(n: $n) farms_seen __typename }',
    variables: { n: 3 },
    data: { now: '1970-01-01T00:00:00.000Z', t: [3, 6], farms_seen: 2, __typename: 'Query' },
  },
  'a field of Query that cannot be null leaves no data when it fails': {
    query: '{ teas { id } broken }',
    data: null,
    errors: [[['broken'], internal]],
  },
  'an item that is missing computes nothing': {
    query: '{ teas_by_id(id: 99) { label } }',
    data: { teas_by_id: null },
    errors: [[['teas_by_id'], 'There is no such item, or you may not see it.']],
  },
  'what @skip leaves out is not computed': {
    query: 'query ($skip: Boolean!) { teas(limit: 1) { id wrong @skip(if: $skip) } }',
    variables: { skip: true },
    data: { teas: [{ id: '1' }] },
  },
  'mutations answer with computed fields, and are not undone by one that fails': {
    query: `mutation {
      create_farms_item(data: { id: 7, name: "New" }) { id shout }
      update_teas_items(ids: [1, 2], data: { kind: "teas" }) { label refused }
      update_teas_item(id: 1, data: { kind: "farms" }) { farm { shout } }
      delete_farms_item(id: 7) { id }
    }`,
    data: {
      create_farms_item: { id: '7', shout: 'New!' },
      update_teas_items: [
        { label: 'As"sam 1.5', refused: { id: 1 } },
        { label: 'null -', refused: null },
      ],
      update_teas_item: { farm: { shout: 'Hill!' } },
      delete_farms_item: { id: '7' },
    },
    errors: [[['update_teas_items', 1, 'refused'], 'Not this tea.']],
  },
  'singletons have computed fields': {
    query: 'mutation { update_site(data: { id: 1, title: "Teas" }) { heading title } }',
    data: { update_site: { heading: '# Teas', title: 'Teas' } },
  },
})

const stories: GraphQLExtend<typeof schema> = {
  fields: { farms: { story: { type: 'String', needs: ['name'], resolve: () => 'x'.repeat(600) } } },
}

describe.each(databases)('fields that a host computes on $name', ({ name, open }) => {
  let database: OpenDatabase
  let engine: Engine<typeof schema>

  beforeAll(async () => {
    database = await open()
    for (const table of tables)
      await database.run(table.replace('JSON_TYPE', name === 'sqlite' ? 'text' : 'jsonb'))
    engine = createEngine({ db: database.db, schema, onError: (error) => errors.push(error) })
    await engine.install()
  })

  it.each(cases)('$title', async ({ query, variables = {}, data, errors: expected = [] }) => {
    const text = JSON.parse(await answerGraphQL(engine, { query, variables }, { extend }))
    expect(text.data).toEqual(data)
    expect(failures(text.errors)).toEqual(expected)
    const walked = await graphql({
      schema: createGraphQLSchema(engine, { extend }),
      source: query,
      variableValues: variables,
      contextValue: { engine },
    })
    expect(JSON.parse(JSON.stringify(walked.data))).toEqual(data)
    expect(failures(walked.errors)).toEqual(expected)
  })

  it('reports to onError what callers are not told', async () => {
    errors.length = 0
    await answerGraphQL(engine, { query: '{ teas(limit: 1) { leaking wrong } }' }, { extend })
    expect(errors.map((error) => (error instanceof Error ? error.message : ''))).toEqual([
      secret,
      '"teas.wrong" is of the type Int, unlike "no number".',
    ])
  })

  // Each major version of GraphQL.js has words of its own for it.
  it.each([
    ['twice', 'query ($n: Int = 1) { twice(n: $n) }'],
    ['teas_by_id', 'query ($n: ID = 1) { teas_by_id(id: $n) { id } }'],
  ])('null for an argument of %s that may not be null is an error of the caller', async (path, query) => {
    errors.length = 0
    const answer = JSON.parse(await answerGraphQL(engine, { query, variables: { n: null } }, { extend }))
    expect(answer.errors[0]).toMatchObject({
      path: [path],
      message: expect.stringMatching(/null/),
      extensions: { code: 'INVALID_QUERY' },
    })
    expect(answer.data).toBeUndefined()
    expect(errors).toEqual([])
  })

  it('computes with the values of a version', async () => {
    await createVersion(engine, 'farms', 1, { key: 'draft' })
    await saveVersion(engine, 'farms', 1, 'draft', { name: 'Peak' })
    const query = '{ farms_by_id(id: 1, version: "draft") { shout name } }'
    expect(await answerGraphQL(engine, { query }, { extend })).toBe(
      '{"data":{"farms_by_id":{"shout":"Peak!","name":"Peak"}}}',
    )
  })

  it('reads with one statement what a field needs, and as much as before without one', async () => {
    const [with_, without, plain] = await Promise.all([
      explainGraphQL(engine, { query: '{ teas { label } now }' }, { extend }),
      explainGraphQL(engine, { query: '{ teas { id } }' }, { extend }),
      explainGraphQL(engine, { query: '{ teas { id } }' }),
    ])
    expect(with_.map(({ root }) => root)).toEqual(['teas'])
    expect(with_[0]?.sql).toContain('price')
    expect(without[0]?.sql).toBe(plain[0]?.sql)
  })

  it('offers a field to callers who may read all that it needs', async () => {
    const reader = engine.as({ rules: { teas: { read: { fields: ['id', 'name'] } } } })
    const query = '{ teas { label } }'
    const refused = JSON.parse(await answerGraphQL(reader, { query }, { extend }))
    const unknown = JSON.parse(await answerGraphQL(reader, { query }))
    expect(refused).toEqual(unknown)
    expect(refused.errors[0].message).toContain('Cannot query field "label" on type "teas".')
    expect(printGraphQLSchema(reader, { extend })).not.toContain('label')
    expect(printGraphQLSchema(engine, { extend })).toContain('label(sign: String, upper: Boolean): String')
  })

  it('gives what is computed the rows that the caller sees', async () => {
    const reader = engine.as({ rules: { farms: { read: { filter: { id: 2 } } } } })
    const text = await answerGraphQL(reader, { query: '{ farms_seen farms { shout } }' }, { extend })
    expect(JSON.parse(text).data).toEqual({ farms_seen: 1, farms: [{ shout: 'Lake!' }] })
  })

  it('computes by its own functions where the schemas of two engines look the same', async () => {
    const other = { fields: { farms: { shout: { ...extend.fields.farms.shout, resolve: () => 'other' } } } }
    const same = { fields: { farms: { shout: extend.fields.farms.shout } } }
    const query = '{ farms(limit: 1) { shout } }'
    const answers: unknown[] = []
    for (const one of [other, same, other])
      answers.push(
        JSON.parse(await answerGraphQL(engine, { query }, { extend: one })).data.farms[0].shout,
        JSON.parse(
          JSON.stringify(
            await graphql({
              schema: createGraphQLSchema(engine, { extend: one }),
              source: query,
              contextValue: { engine },
            }),
          ),
        ).data.farms[0].shout,
      )
    expect(answers).toEqual(['other', 'other', 'Hill!', 'Hill!', 'other', 'other'])
    expect(createGraphQLSchema(engine, { extend: other })).toBe(
      createGraphQLSchema(engine, { extend: other }),
    )
  })

  it('keeps all digits of numbers beside computed fields', async () => {
    await database.run(`insert into farms values (50, 'Big')`)
    await database.run(`insert into teas (id, name, price, farm) values (50, 'Dear', 0.1, 50)`)
    const query = '{ farms(filter: { id: { _eq: 50 } }) { shout teas { price label } } }'
    const text = await answerGraphQL(engine, { query }, { extend })
    expect(text).toBe('{"data":{"farms":[{"shout":"Big!","teas":[{"price":0.1,"label":"Dear 0.1"}]}]}}')
    await database.run('delete from teas where id = 50', 'delete from farms where id = 50')
  })

  it('counts what is computed among the bytes of an answer', async () => {
    const bounded = createEngine({
      db: database.db,
      schema,
      limits: { answerBytes: 1_000 },
      onError: () => undefined,
    })
    const asked = async (query: string) =>
      JSON.parse(await answerGraphQL(bounded, { query }, { extend: stories }))
    expect((await asked('{ farms(limit: 1) { story } }')).errors).toBeUndefined()
    for (const query of [
      '{ farms(limit: 2) { story } }',
      '{ a: farms(limit: 1) { story } b: farms(limit: 1) { story } }',
    ]) {
      const { data, errors: found } = await asked(query)
      expect(data).toBeUndefined()
      expect(found).toMatchObject([
        {
          message: 'The answer has more than 1000 bytes, which limits.answerBytes allows.',
          extensions: { code: 'INVALID_QUERY' },
        },
      ])
    }
  })

  it('leaves out of what was written what is too long of what is computed', async () => {
    const bounded = createEngine({
      db: database.db,
      schema,
      limits: { answerBytes: 1_000 },
      onError: () => undefined,
    })
    const query = 'mutation { update_farms_items(ids: [1, 2], data: {}) { name story } }'
    const { data, errors: found } = JSON.parse(await answerGraphQL(bounded, { query }, { extend: stories }))
    expect(data.update_farms_items.map(({ story }: { story: unknown }) => story === null)).toEqual([
      false,
      true,
    ])
    expect(found).toMatchObject([
      { path: ['update_farms_items', 1, 'story'], extensions: { code: 'INVALID_QUERY' } },
    ])
  })

  it('is served by the handler and by the mount', async () => {
    const handler = createGraphQLHandler(engine, { authenticate: () => ({ admin: true }), extend })
    const api = createHandler(engine, {
      authenticate: () => ({ admin: true }),
      mounts: [graphqlMount({ extend })],
    })
    for (const serve of [handler, api]) {
      const response = await serve(new Request('http://localhost/graphql?query={now}'))
      expect(await response.json()).toEqual({ data: { now: '1970-01-01T00:00:00.000Z' } })
      const printed = await serve(new Request('http://localhost/graphql/schema'))
      expect(await printed.text()).toContain('"""The time of the server."""\n  now: Date!')
    }
  })
})

const failures = (
  given: readonly {
    readonly path?: readonly (string | number)[] | undefined
    readonly message: string
  }[] = [],
) => given.map(({ path, message }) => [path, message])
