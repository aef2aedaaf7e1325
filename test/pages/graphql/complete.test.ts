// What the page suggests at the cursor, which is the bar in each document.
import { describe, expect, it } from 'vitest'
import { complete } from '../../../src/pages/graphql/language/complete.ts'
import type { KnownSchema } from '../../../src/pages/graphql/language/known-schema.ts'
import { rowsOf } from '../../support/titled.ts'
import { knownSchema, withCursor } from './known-schema.ts'

const schema = knownSchema()

const suggested = (marked: string) => suggestedBy(schema, marked)

function suggestedBy(known: KnownSchema | undefined, marked: string): string[] {
  const { document, cursor } = withCursor(marked)
  return complete(document, cursor, known).suggestions.map(({ text }) => text)
}

const ofTag = ['id', 'name', 'colour', 'parent', 'old', 'articles', '__typename']
const ofQuery = ['tags', 'tags_by_id', 'named', 'search', '__typename']

const cases = rowsOf<readonly [at: string, suggested: readonly string[]]>({
  // Definitions
  'what a document is made of, in an empty one': ['|', ['query', 'mutation', 'fragment']],
  'the same behind a definition': ['{ tags { id } }\n|', ['query', 'mutation', 'fragment']],
  'a keyword that has been begun': ['mut|', ['mutation']],
  'no name for an operation': ['query |', []],
  '"on" behind the name of a fragment': ['fragment f |', ['on']],
  'types that have fields for a fragment': [
    'fragment f on |',
    ['Mutation', 'Query', 'articles', 'found', 'named', 'people', 'tags'],
  ],
  // Fields
  'fields of the query': ['{ | }', ofQuery],
  'fields of the query behind its name': ['query Q { |', ofQuery],
  'fields of a mutation': ['mutation { |', ['create_tags_item', '__typename']],
  'no fields where there is no such operation': ['subscription { | }', []],
  'fields of a type': ['{ tags { | } }', ofTag],
  'fields behind another one': ['{ tags { id | } }', ofTag],
  'fields behind an alias': ['{ tags { x: | } }', ofTag],
  'fields below an alias': ['{ x: tags { | } }', ofTag],
  'fields below arguments': ['{ tags(limit: 3, filter: { name: { _eq: "}" } }) { | } }', ofTag],
  'fields below a directive': ['{ tags @include(if: true) { | } }', ofTag],
  'fields behind a field with fields': ['{ tags { articles { id } | } }', ofTag],
  'fields two levels down': ['{ tags { articles { tags { | } } } }', ofTag],
  'fields by a part of their names, those that begin with it first': [
    '{ tags { n| } }',
    ['name', 'parent', '__typename'],
  ],
  'fields by their letters, whatever their case is': ['{ tags { PAR| } }', ['parent']],
  'fields for the part of a word before the cursor': ['{ tags { na|me } }', ['name', '__typename']],
  'nothing below a field without fields': ['{ tags { name { | } } }', []],
  'nothing below a field that there is not': ['{ tags { gone { | } } }', []],
  '__typename of a union alone': ['{ search(text: "x") { | } }', ['__typename']],
  'names of GraphQL where they are begun': ['{ __| }', ['__typename', '__schema', '__type']],
  // Fragments
  'fields of a fragment': ['fragment f on tags { | }', ofTag],
  'fields of a fragment that stands in place': [
    '{ search(text: "") { ... on people { | } } }',
    ['id', '__typename'],
  ],
  'fields of a fragment without a type': ['{ tags { ... @include(if: true) { | } } }', ofTag],
  'fields behind a fragment': ['{ tags { ...f | } } fragment f on tags { id }', ofTag],
  'fragments that fit, and "on"': [
    '{ tags { ...| } } fragment a on tags { id } fragment b on named { name } fragment c on people { id }',
    ['a', 'b', 'on'],
  ],
  'fragments that have been begun': ['{ tags { ...fi| } } fragment first on tags { id }', ['first']],
  'types that a union may be': ['{ search(text: "") { ... on | } }', ['found', 'named', 'people', 'tags']],
  'types that an item may be as well': [
    '{ people: search(text: "") { ... on people { ... on | } } }',
    ['found', 'people'],
  ],
  // Arguments and inputs
  arguments: ['{ tags(|) { id } }', ['filter', 'sort', 'limit']],
  'arguments that are not given yet': ['{ tags(limit: 1, |) { id } }', ['filter', 'sort']],
  'arguments of a field below an alias': ['{ a: tags_by_id(|', ['id']],
  'no arguments where there are none': ['{ tags { name(| } }', []],
  'fields of an input': ['{ tags(filter: {|', ['name', 'hot', 'colour', '_and']],
  'fields of an input that are not given yet': [
    '{ tags(filter: { hot: true, | })',
    ['name', 'colour', '_and'],
  ],
  'fields of an input in another one': ['{ tags(filter: { name: { | } }) { id } }', ['_eq', '_in']],
  'fields of inputs in a list': [
    '{ tags(filter: { _and: [{ hot: true }, { | }] })',
    ['name', 'hot', 'colour', '_and'],
  ],
  'fields of inputs in a list of lists': [
    'mutation { create_tags_item(lists: [[{|',
    ['name', 'hot', 'colour', '_and'],
  ],
  'fields of one input in the place of a list': [
    '{ tags(filter: { _and: { |',
    ['name', 'hot', 'colour', '_and'],
  ],
  // Values
  'values of an enum': ['{ named(kind: |) }', ['WARM', 'COLD', 'GONE', 'null']],
  'values of an enum in an input': ['{ tags(filter: { colour: W| }) }', ['WARM']],
  'true and false': ['{ tags(filter: { hot: | }) }', ['true', 'false', 'null']],
  'no null where there has to be a value': ['{ tags_by_id(id: |) }', []],
  'arguments again behind a value': ['{ tags(limit: 1 |) }', ['filter', 'sort']],
  'arguments again behind an input': ['{ tags(filter: { hot: true } |) }', ['sort', 'limit']],
  // Variables
  'variables of the operation, those of the type first': [
    'query ($a: String, $b: Int) { tags(limit: $|) { id } }',
    ['$b', '$a'],
  ],
  'variables by a part of their names': [
    'query ($first: Int, $other: Int) { tags(limit: $f|) { id } }',
    ['$first'],
  ],
  'variables without their sign': ['query ($n: Int) { tags(limit: |) { id } }', ['$n', 'null']],
  'no variables of another operation': [
    'query A($a: Int) { id } query B($b: Int) { tags(limit: $|) { id } }',
    ['$b'],
  ],
  'variables of all operations in a fragment': [
    'query A($a: Int) { tags { ...f } } fragment f on tags { articles(limit: $|) { id } }',
    ['$a'],
  ],
  'variables in a list': ['query ($s: String) { tags(sort: ["x", $|]) { id } }', ['$s']],
  'types for a variable': [
    'query ($x: |',
    ['Boolean', 'ID', 'Int', 'String', 'create_tags_input', 'kinds', 'tags_filter', 'text_filter'],
  ],
  'types for a list of a variable': ['query ($x: [tags_|', ['tags_filter', 'create_tags_input']],
  'no name for a variable': ['query ($|', []],
  'values of a default': ['query ($k: kinds = |', ['WARM', 'COLD', 'GONE', 'null']],
  'no variables in a default': ['query ($a: Int, $b: Int = $|', []],
  'fields of a default': ['query ($f: tags_filter = { |', ['name', 'hot', 'colour', '_and']],
  'fields behind variables': ['query ($f: tags_filter = { hot: true }, $n: [Int!]! = [1]) { |', ofQuery],
  // Directives
  'directives of a field': ['{ tags @|', ['@cached', '@include', '@skip']],
  'directives of a query': ['query Q @|', ['@cached']],
  'directives of a fragment': ['{ tags { ...f @| } }', ['@include', '@skip']],
  'arguments of a directive': ['{ tags @cached(|) { id } }', ['ttl']],
  'values of a directive': ['query ($x: Boolean!) { tags @skip(if: |) { id } }', ['$x', 'true', 'false']],
  // Where nothing is
  'nothing in a comment': ['{ # ta| }', []],
  'nothing at the end of a comment': ['{ tags # note|', []],
  'nothing in a text': ['{ tags(filter: { name: { _eq: "{ na| }" } }) }', []],
  'nothing in a text that is not closed': ['{ tags(filter: { name: { _eq: "x|', []],
  'nothing in a block of text': ['{ tags(filter: { name: { _eq: """\n { tags { na| \n""" } }) }', []],
  'nothing in a number': ['{ tags(limit: 1|) }', []],
  'fields behind a text with brackets': ['{ search(text: "}}){{\\"") { __typename } | }', ofQuery],
  'fields behind a comment with brackets': ['{ tags { # }}}\n | } }', ofTag],
  // Broken documents
  'fields below arguments that are not closed': ['{ tags(limit: 1 { | }', ofTag],
  'fields behind an input that is not closed': ['{ tags(filter: { hot: true) { | }', ofTag],
  'fields in spite of a bracket too many': ['{ tags ) ] { | }', ofTag],
  'an argument behind one without a value': ['{ tags(limit: , sort: "x", |) }', ['filter']],
  'the fields of the next operation behind one that is not closed': [
    'query A { tags {\nmutation B { | }',
    ['create_tags_item', '__typename'],
  ],
  'fields in front of a broken rest': ['{ tags { | ((( }}} "', ofTag],
  'fields before the operation whose name is a keyword': ['query query { tags { | } }', ofTag],
})

describe('at the cursor there are', () => {
  it.each(cases)('%s: %s', (_title, at, wanted) => {
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
    expect(tags).toEqual({ text: 'tags', detail: '[tags!]!', description: 'Every tag.', isDeprecated: false })
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
    const whole = cases.map(([, at]) => at.replace('|', '')).join('\n')
    for (let cursor = 0; cursor <= whole.length; cursor += 7)
      expect(complete(whole.slice(0, cursor + 20), cursor, schema).start).toBeLessThanOrEqual(cursor)
  })
})
