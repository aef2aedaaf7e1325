// Names that GraphQL cannot hold are the nearest free ones there, those that would clash are left out; both are reported, and may be given.
import { describe, expect, it } from 'vitest'
import {
  answerGraphQL,
  createGraphQLSchema,
  type GraphQLNames,
  printGraphQLSchema,
  reportGraphQLNames,
} from '../../../src/graphql.ts'
import { createEngine, defineSchema, isEngineError } from '../../../src/index.ts'
import type { SchemaDefinition } from '../../../src/schema/definition.ts'
import { openSqlite } from '../../support/databases.ts'
import { integer, json, many, maybeOne, number, string, text } from '../../support/fields.ts'
import { rowsOf } from '../../support/titled.ts'
import { engineOf } from '../engine.ts'

const id = { type: 'integer', key: true } as const
const date = { type: 'date', nullable: true } as const

const told = (definition: SchemaDefinition, names?: GraphQLNames) =>
  reportGraphQLNames(engineOf(definition), names && { names }).map(({ message }) => message)

const membersOf = (definition: SchemaDefinition, type: string) =>
  Object.keys(Object(createGraphQLSchema(engineOf(definition)).getType(type)?.toConfig()).fields)

const refused = (names: unknown) => {
  try {
    printGraphQLSchema(engineOf({ tags: { fields: { id, name: text } } }), { names: names as GraphQLNames }) // as a host without types would
    return 'taken'
  } catch (error) {
    return isEngineError(error) ? [error.message, error.path, error.hint] : error
  }
}

describe('names in GraphQL', () => {
  it.each<[string, SchemaDefinition, readonly string[]]>(
    rowsOf({
      'a collection called as another makes of its name': [
        { tags_filter: { fields: { id } }, tags: { fields: { id } } },
        ['"tags_filter" is left out of GraphQL: the name "tags_filter" is taken by "tags".'],
      ],
      'a collection called as a field of Query': [
        { tags_by_id: { fields: { id } }, tags: { fields: { id } } },
        ['"tags_by_id" is left out of GraphQL: the name "Query.tags_by_id" is taken by "tags".'],
      ],
      'a singleton whose update is called as that of an item': [
        { tags_item: { singleton: true, fields: { id } }, tags: { fields: { id } } },
        ['"tags_item" is left out of GraphQL: the name "Mutation.update_tags_item" is taken by "tags".'],
      ],
      'a collection called as a type of GraphQL': [
        { Query: { fields: { id } }, string_filter_operators: { fields: { id } }, JSON: { fields: { id } } },
        [
          '"JSON" is left out of GraphQL: the name "JSON" is reserved.',
          '"Query" is left out of GraphQL: the name "Query" is reserved.',
          '"string_filter_operators" is left out of GraphQL: the name "string_filter_operators" is reserved.',
        ],
      ],
      'a name that no letter begins': [
        { 数: { fields: { id } }, tags: { fields: { id, '2nd': text } } },
        [
          '"数" is left out of GraphQL: "数" is no name in GraphQL, which has letters, digits and "_".',
          '"tags.2nd" is left out of GraphQL: "2nd" is no name in GraphQL, which has letters, digits and "_".',
        ],
      ],
      'a field called as the functions of another': [
        { tags: { fields: { id, a_func: text, a: date } } },
        ['"tags.a_func" is left out of GraphQL: the name "a_func" is taken by "a".'],
      ],
      'functions whose type is called as that of another collection': [
        { tags_meta_func: { fields: { id } }, tags: { fields: { id, meta: json } } },
        [
          'The functions of "tags.meta" are left out of GraphQL: the name "tags_meta_func" is taken by "tags_meta_func".',
        ],
      ],
      'collections called as inputs of updates and upserts': [
        {
          increment_tags_input: { fields: { id } },
          tags: { fields: { id, size: integer } },
          upsert_tags_input: { fields: { id } },
        },
        ['upsert', 'increment'].map(
          (verb) =>
            `"${verb}_tags_input" is left out of GraphQL: the name "${verb}_tags_input" is taken by "tags".`,
        ),
      ],
      'a key of several parts beside a field that is called id': [
        { tags: { key: ['id', 'locale'], fields: { id: integer, locale: string } } },
        ['The key of "tags" as one text is left out of GraphQL: the name "id" is taken by "id".'],
      ],
    }),
  )('%s is left out', (_, definition, messages) => {
    expect(told(definition)).toEqual(messages)
  })

  it('what has other signs has the nearest name that is free', () => {
    const definition: SchemaDefinition = {
      'order details': { fields: { id, 'unit price': number, 'unit-price': number, unit_price: number } },
      'order-details': { fields: { id } },
      order_details_filter: { fields: { id } },
      prénoms: { fields: { id, '[naïve]': text } },
    }
    expect(told(definition)).toEqual([
      '"prénoms" is "prenoms" in GraphQL.',
      '"order details" is "order_details_2" in GraphQL.',
      '"order-details" is "order_details_3" in GraphQL.',
      '"order details.unit price" is "unit_price_2" in GraphQL.',
      '"order details.unit-price" is "unit_price_3" in GraphQL.',
      '"prénoms.[naïve]" is "naive" in GraphQL.',
    ])
    expect(membersOf(definition, 'order_details_2')).toEqual([
      'id',
      'unit_price_2',
      'unit_price_3',
      'unit_price',
      '_cursor',
    ])
  })

  it('what has another name is read, found and written by it', async () => {
    const { db, run } = await openSqlite()
    await run('create table "order details" (id integer primary key, "unit price" integer)')
    const schema = defineSchema({ 'order details': { fields: { id, 'unit price': integer } } })
    const engine = createEngine({ db, schema })
    const answer = (query: string) => answerGraphQL(engine, { query })
    const create = 'mutation { create_order_details_item(data: { unit_price: 3 }) { id unit_price } }'
    expect(await answer(create)).toBe('{"data":{"create_order_details_item":{"id":"1","unit_price":3}}}')
    const read = '{ order_details(filter: { unit_price: { _gt: 2 } }, sort: ["-unit price"]) { unit_price } }'
    expect(await answer(read)).toBe('{"data":{"order_details":[{"unit_price":3}]}}')
    const reader = engine.as({ rules: { 'order details': { read: { fields: ['id'] } } } })
    expect(reportGraphQLNames(reader).map(({ kind, name }) => [kind, name])).toEqual([
      ['renamed', 'order_details'],
    ])
  })

  it('what is left out is gone with all that leads to it, but for the key in a reference', () => {
    const definition: SchemaDefinition = {
      articles: { fields: { id, tag: maybeOne('2nd'), a: date, a_func: text } },
      '2nd': { fields: { id, articles: many('articles.tag') } },
    }
    expect(membersOf(definition, 'articles')).toEqual(['id', 'tag', 'a', 'a_func', '_cursor'])
    expect(membersOf(definition, 'articles_filter')).toEqual(['id', 'tag', 'a', 'a_func', '_and', '_or'])
    expect(membersOf(definition, 'create_articles_input')).toEqual(['id', 'tag', 'a'])
    expect(printGraphQLSchema(engineOf(definition))).toContain('tag: Int')
  })

  it('are given by the host, and are meant by the names of the schema', () => {
    const definition: SchemaDefinition = {
      'blog-posts': { fields: { id, '2nd': text, price: { type: 'decimal', nullable: true } } },
    }
    const names: GraphQLNames = {
      rename: { 'blog-posts': 'posts', 'blog-posts.2nd': 'second' },
      scalars: { decimal: 'String' },
    }
    expect(told(definition, names)).toEqual([])
    expect(printGraphQLSchema(engineOf(definition), { names })).toContain(
      'type posts {\n  id: ID!\n  second: String\n  price: String\n  _cursor: String\n}',
    )
  })

  it('a key of several parts is one text under id', () => {
    const lines: SchemaDefinition = {
      lines: { key: ['order', 'line'], fields: { order: integer, line: integer } },
    }
    const printed = printGraphQLSchema(engineOf(lines))
    expect(printed).toContain('  id: ID!\n  order: Int!\n  line: Int!\n  _cursor: String\n}')
    expect(printed).toContain('lines_by_id(id: ID!, version: String): lines')
  })

  it('a collection without a key can be listed and aggregated', () => {
    const log = engineOf({ log: { key: false, fields: { line: text } } })
    expect(Object.keys(createGraphQLSchema(log).getQueryType()?.getFields() ?? {})).toEqual([
      'log',
      'log_aggregated',
    ])
    expect(printGraphQLSchema(log)).not.toContain('type Mutation')
  })

  it.each<[unknown, unknown]>([
    [
      { rename: { tag: 'a' } },
      [
        'There is no collection or field "tag" to be renamed.',
        ['names', 'rename', 'tag'],
        'Did you mean "tags"?',
      ],
    ],
    [
      { rename: { 'tags.nam': 'a' } },
      [
        'There is no collection or field "tags.nam" to be renamed.',
        ['names', 'rename', 'tags.nam'],
        'Did you mean "name"?',
      ],
    ],
    [
      { rename: { tags: 'my tags' } },
      [
        'A name of GraphQL has letters, digits and "_", unlike "my tags".',
        ['names', 'rename', 'tags'],
        undefined,
      ],
    ],
    [
      { rename: { tags: '__tags' } },
      [
        'A name of GraphQL has letters, digits and "_", unlike "__tags".',
        ['names', 'rename', 'tags'],
        undefined,
      ],
    ],
    [
      { rename: { tags: 5 } },
      ['A name of GraphQL has letters, digits and "_", unlike 5.', ['names', 'rename', 'tags'], undefined],
    ],
    [{ rename: [] }, ['"rename" is an object, not a list of 0.', ['names', 'rename'], undefined]],
    [
      { scalars: { decimal: 'Int' } },
      ['"decimal" is "Float" or "String", not "Int".', ['names', 'scalars', 'decimal'], undefined],
    ],
    ['tags', ['"names" is an object, not "tags".', ['names'], undefined]],
  ])('%j is refused', (names, problem) => {
    expect(refused(names)).toEqual(problem)
  })
})
