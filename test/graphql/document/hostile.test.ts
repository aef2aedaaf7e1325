// Documents that are written to do harm: each is refused before any statement, or answered like any other, and in no time that grows without bound.
import { graphql } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { answerGraphQL, createGraphQLSchema, type GraphQLExtend } from '../../../src/graphql.ts'
import { createEngine, defineSchema, type Engine } from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'
import { json, key, many, maybeOne, text } from '../../support/fields.ts'
import { titled } from '../../support/titled.ts'

const schema = defineSchema({
  tags: {
    fields: { id: key, name: text, notes: json, parent: maybeOne('tags'), children: many('tags.parent') },
  },
})

const extend = {
  fields: { tags: { shout: { type: 'String', needs: ['name'], resolve: ({ name }) => `${name}!` } } },
} satisfies GraphQLExtend<typeof schema>

const times = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join(' ')

/** Each fragment spreads the one before twice, so that the last stands for 2^count fields. */
const doubling = (count: number) =>
  `{ tags { ...F${count} } } fragment F0 on tags { id } ${times(count, (index) => `fragment F${index + 1} on tags { ...F${index} ...F${index} }`)}`

/** The same with a level for each fragment. */
const deepening = (count: number) =>
  `{ tags { ...F${count} } } fragment F0 on tags { id } ${times(count, (index) => `fragment F${index + 1} on tags { a: children { ...F${index} } b: children { ...F${index} } }`)}`

const nested = (depth: number, inside = 'id') =>
  `${'children { '.repeat(depth)}${inside}${' }'.repeat(depth)}`

/** Questions about the schema, each field of which asks twenty times for the next. */
const questions = () => {
  const twenty = (field: string) => times(20, (index) => `a${index}: ${field}`)
  return `{ __type(name: "Query") { ...F } } fragment F on __Type { ${twenty('fields { ...G }')} }
    fragment G on __Field { ${twenty('type { ...H }')} } fragment H on __Type { ${twenty('ofType { name }')} }`
}

interface Refusal {
  readonly title: string
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly says: RegExp
}

const refusals: readonly Refusal[] = [
  ...titled<Refusal>({
    'a document of 5,001 words and signs': {
      query: `{ tags { ${'id '.repeat(4_998)} } }`,
      says: /5000 tokens/,
    },
    'a cyclic fragment': {
      query:
        '{ tags { ...A } } fragment A on tags { children { ...B } } fragment B on tags { parent { ...A } }',
      says: /Cannot spread fragment "A" within itself/,
    },
    'fragments that double at each level': { query: deepening(9), says: /more than 1000/ },
    'thirty such fragments': { query: deepening(30), says: /more than 10 relations/ },
    'questions about the schema that multiply': { query: questions(), says: /list more than twice/ },
    'eleven levels': { query: `{ tags { ${nested(11)} } }`, says: /more than 10 relations/ },
    'a flood of other names at the root': {
      query: `{ ${times(51, (index) => `a${index}: tags { id }`)} }`,
      says: /more than 50 fields/,
    },
    'a flood of other names inside': {
      query: `{ tags { ${times(65, (index) => `a${index}: name`)} } }`,
      says: /more than 64 fields under other names/,
    },
    'a flood of other names that fragments share out': {
      query: `{ tags { ...A ...B } } fragment A on tags { ${times(40, (index) => `a${index}: name`)} } fragment B on tags { ${times(40, (index) => `b${index}: name`)} }`,
      says: /more than 64 fields under other names/,
    },
    'a flood of other names that fields of one name share out': {
      query: `{ tags { children { ${times(40, (index) => `a${index}: name`)} } children { ${times(40, (index) => `b${index}: name`)} } } }`,
      says: /more than 64 fields under other names/,
    },
    'a flood of fields at many roots': {
      query: `{ ${times(50, (index) => `a${index}: tags(offset: ${index}) { ...F }`)} } fragment F on tags { ${times(21, (index) => `a${index}: name`)} }`,
      says: /selects more than 1000 fields/,
    },
    'a flood of fields at many roots of a mutation': {
      query: `mutation { ${times(50, (index) => `a${index}: create_tags_item(data: {}) { ...F }`)} } fragment F on tags { ${times(21, (index) => `a${index}: name`)} }`,
      says: /selects more than 1000 fields/,
    },
    'a flood of computed fields': {
      query: `{ tags { ${times(65, (index) => `a${index}: shout`)} } }`,
      says: /more than 64 fields under other names/,
    },
    '10^7 rows by the limits of two lists': {
      query: '{ tags(limit: 10000) { children(limit: 1000) { id } } }',
      says: /could lead to more than 5000000 rows/,
    },
    '10^7 rows by the limits of many fields': {
      query: `{ ${times(50, (index) => `a${index}: tags(limit: 10000, offset: ${index}) { children(limit: 20) { id } }`)} }`,
      says: /could lead to more than 5000000 rows/,
    },
    'a variable that is no variable of the document': {
      query: 'query ($f: tags_filter) { tags(filter: $f) { id } }',
      variables: { f: JSON.parse('{ "__proto__": { "_eq": 1 } }') },
      says: /__proto__/,
    },
    'a filter of ten thousand conditions': {
      query: 'query ($f: tags_filter) { tags(filter: $f) { id } }',
      variables: { f: { _or: Array.from({ length: 10_000 }, (_, id) => ({ id: { _eq: id } })) } },
      says: /more than \d+/,
    },
    'a filter of a hundred levels': {
      query: 'query ($f: tags_filter) { tags(filter: $f) { id } }',
      variables: { f: filterOf(100) },
      says: /more than \d+|levels|relations/,
    },
    'a name of a type that is null by its variable': {
      query: 'query ($n: String = "tags") { __type(name: $n) { name } }',
      variables: { n: null },
      says: /name.*type "String!" (?:must not|not to) be null/,
    },
  }),
  ...[
    'tags @skip(if: $b) { id }',
    'tags { id @include(if: $b) }',
    '__schema { types { name @skip(if: $b) } }',
  ].map(
    (field): Refusal => ({
      title: `a condition that is null by its variable, in ${field}`,
      query: `query ($b: Boolean = true) { ${field} }`,
      variables: { b: null },
      says: /if.*type "Boolean!" (?:must not|not to) be null/,
    }),
  ),
  ...[30, 300, 900, 1_200].map(
    (depth): Refusal => ({
      title: `a filter of ${depth} levels in the document`,
      query: `{ tags(filter: ${'{_and:['.repeat(depth)}{id:{_eq:1}}${']}'.repeat(depth)}) { id } }`,
      says: /nests deeper than 20 levels|nests too deeply|tokens/,
    }),
  ),
  ...[100, 600, 1_200, 1_600].map(
    (depth): Refusal => ({
      title: `${depth} levels`,
      query: `{ tags { ${nested(depth)} } }`,
      says: /more than 10 relations|nests too deeply/,
    }),
  ),
  ...[1_000, 100_000].map(
    (depth): Refusal => ({
      title: `a filter of ${depth} levels in a variable`,
      query: 'query ($f: tags_filter) { tags(filter: $f) { id } }',
      variables: { f: filterOf(depth) },
      says: /nests deeper than 20 levels|nests too deeply/,
    }),
  ),
  ...titled<Refusal>({
    'a chain of fragments that nests without end': {
      query: `{ tags { ...F149 } } fragment F0 on tags { id } ${times(149, (index) => `fragment F${index + 1} on tags { ${nested(8, `...F${index}`)} }`)}`,
      says: /more than 10 relations|nests too deeply/,
    },
    'an operation that is called like a member of objects': {
      query: 'query a { tags { constructor } }',
      says: /Cannot query field "constructor"/,
    },
    'a field that objects inherit': {
      query: '{ tags { __proto__ } }',
      says: /Cannot query field "__proto__"/,
    },
    'a root field that objects inherit': { query: '{ toString }', says: /Cannot query field "toString"/ },
  }),
]

function filterOf(depth: number): object {
  let filter: object = { id: { _eq: 1 } }
  for (let level = 0; level < depth; level++) filter = { _and: [{ parent: filter }] }
  return filter
}

describe.each(databases)('hostile documents on $name', ({ name, open }) => {
  let engine: Engine<typeof schema>
  let statements = 0

  beforeAll(async () => {
    const database = await open()
    const notes = name === 'sqlite' ? 'text' : 'jsonb'
    await database.run(
      `create table tags (id integer primary key, name text, notes ${notes}, parent integer)`,
    )
    await database.run(`insert into tags values (1, 'hot', '{"__proto__": 1}', null), (2, 'cold', null, 1)`)
    engine = createEngine({ db: database.db, schema, onQuery: () => void statements++ })
    await answerGraphQL(engine, { query: '{ tags { id shout } }' }, { extend })
  })

  it.each(refusals)('refuse $title', async ({ query, variables = {}, says }) => {
    statements = 0
    const { data, errors } = JSON.parse(await answerGraphQL(engine, { query, variables }, { extend }))
    expect(data).toBeUndefined()
    expect(errors[0].message).toMatch(says)
    expect(errors[0].extensions.code).toMatch(/^INVALID_/)
    expect(statements).toBe(0)
  })

  it('answer fragments that double without levels once', async () => {
    const text = await answerGraphQL(engine, { query: doubling(400) })
    expect(JSON.parse(text)).toEqual({ data: { tags: [{ id: '1' }, { id: '2' }] } })
  })

  it('keep response keys that objects inherit, in text and where GraphQL.js executes', async () => {
    const query = `{
      __proto__: tags(limit: 1) { __proto__: name constructor: id toString: shout notes
        hasOwnProperty: children { __proto__: shout }
        valueOf: parent { id } }
    }`
    const expected =
      '{"data":{"__proto__":[{"__proto__":"hot","constructor":"1","toString":"hot!","notes":{"__proto__":1},"hasOwnProperty":[{"__proto__":"cold!"}],"valueOf":null}]}}'
    // PostgreSQL writes documents with blanks.
    const text = (await answerGraphQL(engine, { query }, { extend })).replaceAll('": ', '":')
    expect(text).toBe(expected)
    const walked = await graphql({
      schema: createGraphQLSchema(engine, { extend }),
      source: query,
      contextValue: { engine },
    })
    expect(JSON.stringify(walked)).toBe(expected)
  })

  it('keep such keys in what a mutation answers, and pollute nothing', async () => {
    const query = `mutation ($__proto__: update_tags_input!) {
      __proto__: update_tags_item(id: 2, data: $__proto__) { __proto__: name constructor: shout }
    }`
    const variables = JSON.parse('{ "__proto__": { "name": "warm" } }')
    expect(await answerGraphQL(engine, { query, variables }, { extend })).toBe(
      '{"data":{"__proto__":{"__proto__":"warm","constructor":"warm!"}}}',
    )
    expect(Reflect.get({}, 'name')).toBeUndefined()
    await answerGraphQL(engine, {
      query: 'mutation { update_tags_item(id: 2, data: { name: "cold" }) { id } }',
    })
  })

  it('take texts that look like the inside of an answer for texts', async () => {
    const text = '"}],"shout needs 0":{"name":"\\\\'
    const query = 'mutation ($n: String) { update_tags_item(id: 2, data: { name: $n }) { name shout } }'
    const answer = JSON.parse(await answerGraphQL(engine, { query, variables: { n: text } }, { extend }))
    expect(answer.data.update_tags_item).toEqual({ name: text, shout: `${text}!` })
    const read = JSON.parse(
      await answerGraphQL(engine, { query: '{ tags_by_id(id: 2) { shout name } }' }, { extend }),
    )
    expect(read.data.tags_by_id).toEqual({ shout: `${text}!`, name: text })
    await answerGraphQL(engine, {
      query: 'mutation { update_tags_item(id: 2, data: { name: "cold" }) { id } }',
    })
  })
})
