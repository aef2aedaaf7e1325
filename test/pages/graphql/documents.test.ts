// Documents as the page reads them: its colours, its operations, and its even form.
import { parse, print } from 'graphql'
import { describe, expect, it } from 'vitest'
import { definitionsOf } from '../../../src/pages/graphql/language/definitions.ts'
import { documentColours, documentTokens } from '../../../src/pages/graphql/language/document-tokens.ts'
import { prettyDocument } from '../../../src/pages/graphql/language/pretty-document.ts'
import { fieldSnippet, insertionOf } from '../../../src/pages/graphql/language/snippet.ts'
import { rowsOf } from '../../support/titled.ts'
import { knownSchema, withCursor } from './known-schema.ts'

const tokens = (document: string) => documentTokens(document).map(({ kind, text }) => [kind, text])

describe('a document has', () => {
  it.each(
    rowsOf({
      '{ a }': [
        [
          ['sign', '{'],
          ['name', 'a'],
          ['sign', '}'],
        ],
      ],
      '$x @y ...on': [
        [
          ['variable', '$x'],
          ['directive', '@y'],
          ['sign', '...'],
          ['name', 'on'],
        ],
      ],
      '-1.5e3,0': [
        [
          ['number', '-1.5e3'],
          ['number', '0'],
        ],
      ],
      '"a{\\"}" b': [
        [
          ['text', '"a{\\"}"'],
          ['name', 'b'],
        ],
      ],
      '"open\nb': [
        [
          ['text', '"open'],
          ['name', 'b'],
        ],
      ],
      '"""a\n"{"\\""" b""" c': [
        [
          ['text', '"""a\n"{"\\""" b"""'],
          ['name', 'c'],
        ],
      ],
      '"""open {\n}': [[['text', '"""open {\n}']]],
      '"" a': [
        [
          ['text', '""'],
          ['name', 'a'],
        ],
      ],
      '# {\na': [
        [
          ['comment', '# {'],
          ['name', 'a'],
        ],
      ],
      'a ? 😀': [
        [
          ['name', 'a'],
          ['odd', '?'],
          ['odd', '😀'],
        ],
      ],
      '$ @': [
        [
          ['variable', '$'],
          ['directive', '@'],
        ],
      ],
      '': [[]],
    }),
  )('these tokens: %j', (document, wanted) => {
    expect(tokens(document)).toEqual(wanted)
  })

  it('places that lead back to its text', () => {
    const document = 'query Q($n: Int = 3) { a(b: "x") } # end'
    for (const { text, start, end } of documentTokens(document)) expect(document.slice(start, end)).toBe(text)
  })

  it('keywords in another colour than names', () => {
    expect(documentColours('query Q { on }').map(({ kind }) => kind)).toEqual([
      'word',
      'name',
      'sign',
      'word',
      'sign',
    ])
  })
})

const definitions = (document: string) =>
  definitionsOf(document).map(({ kind, name, on, variables }) => [
    kind,
    name,
    on,
    variables.map((one) => `${one.name}: ${one.type}`).join(),
  ])

describe('a document defines', () => {
  it.each([
    ['{ a }', [['query', '', '', '']]],
    [
      'query A { a } mutation B { b }',
      [
        ['query', 'A', '', ''],
        ['mutation', 'B', '', ''],
      ],
    ],
    ['query ($a: [ID!]!, $b: Int = 3) { a }', [['query', '', '', 'a: [ID!]!,b: Int']]],
    ['query A($f: F = { a: { b: 1 } } @d, $c: X) { a }', [['query', 'A', '', 'f: F,c: X']]],
    [
      'fragment f on T { a } { b }',
      [
        ['fragment', 'f', 'T', ''],
        ['query', '', '', ''],
      ],
    ],
    [
      'query A { a {\nmutation B { b }',
      [
        ['query', 'A', '', ''],
        ['mutation', 'B', '', ''],
      ],
    ],
    ['query query { query }', [['query', 'query', '', '']]],
    ['# query X\n{ query }', [['query', '', '', '']]],
    ['{ a(b: "} query X {") }', [['query', '', '', '']]],
    ['fragment f', [['fragment', 'f', '', '']]],
    ['query A($x', [['query', 'A', '', '']]],
    ['hello', []],
    ['', []],
  ])('%j', (document, wanted) => {
    expect(definitions(document)).toEqual(wanted)
  })
})

const untidy = `query   Q($a:[ID!]!=[1],$n:Int=3 @dir){a b:c(x:1,y:[1 2],z:{u:null v:"}"}){...f ...on T@include(if:$x){id}...{x}}}
# about f
fragment f on T{id # the key

# alone
name}
mutation($d:[In!]!){create(data:$d){id}}query Long{tags(filter:{name:{_eq:"a long text in a filter"},other:{_in:["aaaaaaaaaaaaaaaa","bbbbbbbbbbbbbbbbbbb"]}},limit:3){id}}`

describe('the even form of a document', () => {
  it('has a line for each field, and one for each argument where they are too long', () => {
    expect(prettyDocument(untidy)).toBe(`query Q($a: [ID!]! = [1], $n: Int = 3 @dir) {
  a
  b: c(x: 1, y: [1, 2], z: { u: null, v: "}" }) {
    ...f
    ... on T @include(if: $x) {
      id
    }
    ... {
      x
    }
  }
}

# about f
fragment f on T {
  id # the key
  # alone
  name
}

mutation ($d: [In!]!) {
  create(data: $d) {
    id
  }
}

query Long {
  tags(
    filter: {
      name: { _eq: "a long text in a filter" }
      other: { _in: ["aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbb"] }
    }
    limit: 3
  ) {
    id
  }
}
`)
  })

  it('means the same, and is its own even form', () => {
    const pretty = String(prettyDocument(untidy))
    expect(print(parse(pretty))).toBe(print(parse(untidy)))
    expect(prettyDocument(pretty)).toBe(pretty)
  })

  it('keeps blocks of text and comments among arguments', () => {
    const pretty = prettyDocument('{a(t:"""x\n "y" """ # why\nn:1)}')
    expect(pretty).toBe('{\n  a(\n    t: """x\n "y" """ # why\n    n: 1\n  )\n}\n')
  })

  it.each([
    ['{ a', 0, '"{" is not closed.'],
    ['{ a(b: [1 }', 10, '"}" closes nothing here.'],
    ['{ a } }', 6, '"}" closes nothing here.'],
    ['{ a(b: "x) }', 7, 'The text is not closed.'],
    ['{ a(b: """x) }', 7, 'The text is not closed.'],
  ])('says of %j at %i why there is none', (document, start, message) => {
    expect(prettyDocument(document)).toMatchObject({ start, message })
  })

  it('of nothing is nothing', () => {
    expect(prettyDocument(' \n')).toBe('')
  })
})

describe('a field of the schema comes into the document', () => {
  const schema = knownSchema()
  const snippet = (type: string, name: string): string => {
    const field = schema.types.get(type)?.fields.get(name)
    return field ? fieldSnippet(field, schema) : ''
  }

  it.each([
    ['tags', 'name', 'name'],
    ['tags', 'parent', 'parent {\n  id\n  name\n  colour\n}'],
    ['Query', 'tags_by_id', 'tags_by_id(id: ) {\n  id\n  name\n  colour\n}'],
    ['Query', 'search', 'search(text: ) {\n  __typename\n}'],
    ['Mutation', 'create_tags_item', 'create_tags_item(data: ) {\n  id\n  name\n  colour\n}'],
  ])('as what it needs and has: %s.%s', (type, name, wanted) => {
    expect(snippet(type, name)).toBe(wanted)
  })

  it.each([
    ['as a query, if there is none', '|', 'query', '{\n  name {\n    id\n  }\n}'],
    ['as a mutation', '|', 'mutation', 'mutation {\n  name {\n    id\n  }\n}'],
    ['as another operation', '{ a }|', 'query', '{ a }\n\nquery {\n  name {\n    id\n  }\n}'],
    ['in the line of the cursor', '{\n  |\n}', 'query', '{\n  name {\n    id\n  }\n}'],
    ['beside what stands there', '{\n  a|\n}', undefined, '{\n  a name {\n    id\n  } \n}'],
    ['even where no field can be', '|', undefined, 'name {\n  id\n}'],
  ])('%s', (_title, marked, operation, wanted) => {
    const { document, cursor } = withCursor(marked)
    const { start, end, text } = insertionOf(document, cursor, { snippet: 'name {\n  id\n}', operation })
    expect(document.slice(0, start) + text + document.slice(end)).toBe(wanted)
  })
})
