// What the page suggests at the cursor, which is the bar in each document.
import { describe, expect, it } from 'vitest'
import { complete } from '../../../src/pages/graphql/language/complete.ts'
import type { KnownSchema } from '../../../src/pages/graphql/language/known-schema.ts'
import { knownSchema, withCursor } from './known-schema.ts'

const schema = knownSchema()

const suggested = (marked: string) => suggestedBy(schema, marked)

function suggestedBy(known: KnownSchema | undefined, marked: string): string[] {
  const { document, cursor } = withCursor(marked)
  return complete(document, cursor, known).suggestions.map(({ text }) => text)
}

const ofTag = ['id', 'name', 'colour', 'parent', 'old', 'articles', '__typename']
const ofQuery = ['tags', 'tags_by_id', 'named', 'search', '__typename']

const cases: readonly { title: string; at: string; expect: readonly string[] }[] = [
  // Definitions
  {
    title: 'what a document is made of, in an empty one',
    at: '|',
    expect: ['query', 'mutation', 'fragment'],
  },
  {
    title: 'the same behind a definition',
    at: '{ tags { id } }\n|',
    expect: ['query', 'mutation', 'fragment'],
  },
  { title: 'a keyword that has been begun', at: 'mut|', expect: ['mutation'] },
  { title: 'no name for an operation', at: 'query |', expect: [] },
  { title: '"on" behind the name of a fragment', at: 'fragment f |', expect: ['on'] },
  {
    title: 'types that have fields for a fragment',
    at: 'fragment f on |',
    expect: ['Mutation', 'Query', 'articles', 'found', 'named', 'people', 'tags'],
  },
  // Fields
  { title: 'fields of the query', at: '{ | }', expect: ofQuery },
  { title: 'fields of the query behind its name', at: 'query Q { |', expect: ofQuery },
  { title: 'fields of a mutation', at: 'mutation { |', expect: ['create_tags_item', '__typename'] },
  { title: 'no fields where there is no such operation', at: 'subscription { | }', expect: [] },
  { title: 'fields of a type', at: '{ tags { | } }', expect: ofTag },
  { title: 'fields behind another one', at: '{ tags { id | } }', expect: ofTag },
  { title: 'fields behind an alias', at: '{ tags { x: | } }', expect: ofTag },
  { title: 'fields below an alias', at: '{ x: tags { | } }', expect: ofTag },
  {
    title: 'fields below arguments',
    at: '{ tags(limit: 3, filter: { name: { _eq: "}" } }) { | } }',
    expect: ofTag,
  },
  { title: 'fields below a directive', at: '{ tags @include(if: true) { | } }', expect: ofTag },
  { title: 'fields behind a field with fields', at: '{ tags { articles { id } | } }', expect: ofTag },
  { title: 'fields two levels down', at: '{ tags { articles { tags { | } } } }', expect: ofTag },
  {
    title: 'fields by a part of their names, those that begin with it first',
    at: '{ tags { n| } }',
    expect: ['name', 'parent', '__typename'],
  },
  { title: 'fields by their letters, whatever their case is', at: '{ tags { PAR| } }', expect: ['parent'] },
  {
    title: 'fields for the part of a word before the cursor',
    at: '{ tags { na|me } }',
    expect: ['name', '__typename'],
  },
  { title: 'nothing below a field without fields', at: '{ tags { name { | } } }', expect: [] },
  { title: 'nothing below a field that there is not', at: '{ tags { gone { | } } }', expect: [] },
  { title: '__typename of a union alone', at: '{ search(text: "x") { | } }', expect: ['__typename'] },
  {
    title: 'names of GraphQL where they are begun',
    at: '{ __| }',
    expect: ['__typename', '__schema', '__type'],
  },
  // Fragments
  { title: 'fields of a fragment', at: 'fragment f on tags { | }', expect: ofTag },
  {
    title: 'fields of a fragment that stands in place',
    at: '{ search(text: "") { ... on people { | } } }',
    expect: ['id', '__typename'],
  },
  {
    title: 'fields of a fragment without a type',
    at: '{ tags { ... @include(if: true) { | } } }',
    expect: ofTag,
  },
  { title: 'fields behind a fragment', at: '{ tags { ...f | } } fragment f on tags { id }', expect: ofTag },
  {
    title: 'fragments that fit, and "on"',
    at: '{ tags { ...| } } fragment a on tags { id } fragment b on named { name } fragment c on people { id }',
    expect: ['a', 'b', 'on'],
  },
  {
    title: 'fragments that have been begun',
    at: '{ tags { ...fi| } } fragment first on tags { id }',
    expect: ['first'],
  },
  {
    title: 'types that a union may be',
    at: '{ search(text: "") { ... on | } }',
    expect: ['found', 'named', 'people', 'tags'],
  },
  {
    title: 'types that an item may be as well',
    at: '{ people: search(text: "") { ... on people { ... on | } } }',
    expect: ['found', 'people'],
  },
  // Arguments and inputs
  { title: 'arguments', at: '{ tags(|) { id } }', expect: ['filter', 'sort', 'limit'] },
  {
    title: 'arguments that are not given yet',
    at: '{ tags(limit: 1, |) { id } }',
    expect: ['filter', 'sort'],
  },
  { title: 'arguments of a field below an alias', at: '{ a: tags_by_id(|', expect: ['id'] },
  { title: 'no arguments where there are none', at: '{ tags { name(| } }', expect: [] },
  { title: 'fields of an input', at: '{ tags(filter: {|', expect: ['name', 'hot', 'colour', '_and'] },
  {
    title: 'fields of an input that are not given yet',
    at: '{ tags(filter: { hot: true, | })',
    expect: ['name', 'colour', '_and'],
  },
  {
    title: 'fields of an input in another one',
    at: '{ tags(filter: { name: { | } }) { id } }',
    expect: ['_eq', '_in'],
  },
  {
    title: 'fields of inputs in a list',
    at: '{ tags(filter: { _and: [{ hot: true }, { | }] })',
    expect: ['name', 'hot', 'colour', '_and'],
  },
  {
    title: 'fields of inputs in a list of lists',
    at: 'mutation { create_tags_item(lists: [[{|',
    expect: ['name', 'hot', 'colour', '_and'],
  },
  {
    title: 'fields of one input in the place of a list',
    at: '{ tags(filter: { _and: { |',
    expect: ['name', 'hot', 'colour', '_and'],
  },
  // Values
  { title: 'values of an enum', at: '{ named(kind: |) }', expect: ['WARM', 'COLD', 'GONE', 'null'] },
  { title: 'values of an enum in an input', at: '{ tags(filter: { colour: W| }) }', expect: ['WARM'] },
  { title: 'true and false', at: '{ tags(filter: { hot: | }) }', expect: ['true', 'false', 'null'] },
  { title: 'no null where there has to be a value', at: '{ tags_by_id(id: |) }', expect: [] },
  { title: 'arguments again behind a value', at: '{ tags(limit: 1 |) }', expect: ['filter', 'sort'] },
  {
    title: 'arguments again behind an input',
    at: '{ tags(filter: { hot: true } |) }',
    expect: ['sort', 'limit'],
  },
  // Variables
  {
    title: 'variables of the operation, those of the type first',
    at: 'query ($a: String, $b: Int) { tags(limit: $|) { id } }',
    expect: ['$b', '$a'],
  },
  {
    title: 'variables by a part of their names',
    at: 'query ($first: Int, $other: Int) { tags(limit: $f|) { id } }',
    expect: ['$first'],
  },
  {
    title: 'variables without their sign',
    at: 'query ($n: Int) { tags(limit: |) { id } }',
    expect: ['$n', 'null'],
  },
  {
    title: 'no variables of another operation',
    at: 'query A($a: Int) { id } query B($b: Int) { tags(limit: $|) { id } }',
    expect: ['$b'],
  },
  {
    title: 'variables of all operations in a fragment',
    at: 'query A($a: Int) { tags { ...f } } fragment f on tags { articles(limit: $|) { id } }',
    expect: ['$a'],
  },
  { title: 'variables in a list', at: 'query ($s: String) { tags(sort: ["x", $|]) { id } }', expect: ['$s'] },
  {
    title: 'types for a variable',
    at: 'query ($x: |',
    expect: ['Boolean', 'ID', 'Int', 'String', 'create_tags_input', 'kinds', 'tags_filter', 'text_filter'],
  },
  {
    title: 'types for a list of a variable',
    at: 'query ($x: [tags_|',
    expect: ['tags_filter', 'create_tags_input'],
  },
  { title: 'no name for a variable', at: 'query ($|', expect: [] },
  { title: 'values of a default', at: 'query ($k: kinds = |', expect: ['WARM', 'COLD', 'GONE', 'null'] },
  { title: 'no variables in a default', at: 'query ($a: Int, $b: Int = $|', expect: [] },
  {
    title: 'fields of a default',
    at: 'query ($f: tags_filter = { |',
    expect: ['name', 'hot', 'colour', '_and'],
  },
  {
    title: 'fields behind variables',
    at: 'query ($f: tags_filter = { hot: true }, $n: [Int!]! = [1]) { |',
    expect: ofQuery,
  },
  // Directives
  { title: 'directives of a field', at: '{ tags @|', expect: ['@cached', '@include', '@skip'] },
  { title: 'directives of a query', at: 'query Q @|', expect: ['@cached'] },
  { title: 'directives of a fragment', at: '{ tags { ...f @| } }', expect: ['@include', '@skip'] },
  { title: 'arguments of a directive', at: '{ tags @cached(|) { id } }', expect: ['ttl'] },
  {
    title: 'values of a directive',
    at: 'query ($x: Boolean!) { tags @skip(if: |) { id } }',
    expect: ['$x', 'true', 'false'],
  },
  // Where nothing is
  { title: 'nothing in a comment', at: '{ # ta| }', expect: [] },
  { title: 'nothing at the end of a comment', at: '{ tags # note|', expect: [] },
  { title: 'nothing in a text', at: '{ tags(filter: { name: { _eq: "{ na| }" } }) }', expect: [] },
  { title: 'nothing in a text that is not closed', at: '{ tags(filter: { name: { _eq: "x|', expect: [] },
  {
    title: 'nothing in a block of text',
    at: '{ tags(filter: { name: { _eq: """\n { tags { na| \n""" } }) }',
    expect: [],
  },
  { title: 'nothing in a number', at: '{ tags(limit: 1|) }', expect: [] },
  {
    title: 'fields behind a text with brackets',
    at: '{ search(text: "}}){{\\"") { __typename } | }',
    expect: ofQuery,
  },
  { title: 'fields behind a comment with brackets', at: '{ tags { # }}}\n | } }', expect: ofTag },
  // Broken documents
  { title: 'fields below arguments that are not closed', at: '{ tags(limit: 1 { | }', expect: ofTag },
  {
    title: 'fields behind an input that is not closed',
    at: '{ tags(filter: { hot: true) { | }',
    expect: ofTag,
  },
  { title: 'fields in spite of a bracket too many', at: '{ tags ) ] { | }', expect: ofTag },
  {
    title: 'an argument behind one without a value',
    at: '{ tags(limit: , sort: "x", |) }',
    expect: ['filter'],
  },
  {
    title: 'the fields of the next operation behind one that is not closed',
    at: 'query A { tags {\nmutation B { | }',
    expect: ['create_tags_item', '__typename'],
  },
  { title: 'fields in front of a broken rest', at: '{ tags { | ((( }}} "', expect: ofTag },
  {
    title: 'fields before the operation whose name is a keyword',
    at: 'query query { tags { | } }',
    expect: ofTag,
  },
]

describe('at the cursor there are', () => {
  it.each(cases)('$title: $at', ({ at, expect: wanted }) => {
    expect(suggested(at)).toEqual(wanted)
  })
})

describe('a suggestion', () => {
  it('replaces the whole word that the cursor is in', () => {
    const { document, cursor } = withCursor('{ tags { na|mes } }')
    expect(complete(document, cursor, schema)).toMatchObject({ start: 9, end: 14 })
  })

  it('has its type, what it means, and whether it is still wanted', () => {
    const [tags] = complete('{  }', 2, schema).suggestions
    expect(tags).toEqual({
      text: 'tags',
      detail: '[tags!]!',
      description: 'Every tag.',
      isDeprecated: false,
    })
    const { suggestions } = complete('{ named(kind: ) }', 14, schema)
    expect(suggestions[2]).toEqual({
      text: 'GONE',
      detail: 'kinds',
      description: 'Gone.',
      isDeprecated: true,
    })
  })

  it('brings its colon, if it is an argument', () => {
    const [filter] = complete('{ tags() }', 7, schema).suggestions
    expect(filter).toEqual({ text: 'filter', tail: ': ', detail: 'tags_filter', description: '' })
  })

  it('knows of no schema what the document says by itself', () => {
    const marked = 'query ($n: Int) { tags(limit: $|) { ...f } } fragment f on tags { id }'
    expect(suggestedBy(undefined, marked)).toEqual(['$n'])
    expect(suggestedBy(undefined, '{ tags { ...| } } fragment f on tags { id }')).toEqual(['f', 'on'])
    expect(suggestedBy(undefined, '|')).toEqual(['query', 'mutation', 'fragment'])
    expect(suggestedBy(undefined, '{ | }')).toEqual([])
  })

  it('fails at no place of a document, however it is cut', () => {
    const whole = cases.map(({ at }) => at.replace('|', '')).join('\n')
    for (let cursor = 0; cursor <= whole.length; cursor += 7)
      expect(complete(whole.slice(0, cursor + 20), cursor, schema).start).toBeLessThanOrEqual(cursor)
  })
})
