// Answers and variables as the page reads them: JSON in lines, what is wrong with it, errors and their places, and the schema.
import { describe, expect, it } from 'vitest'
import { errorsIn, rangesOf } from '../../../src/pages/graphql/language/answer-errors.ts'
import { readSchema } from '../../../src/pages/graphql/language/known-schema.ts'
import { searchSchema } from '../../../src/pages/graphql/language/search-schema.ts'
import { jsonLines } from '../../../src/pages/kit/json-pieces.ts'
import { variablesProblem } from '../../../src/pages/kit/json-problem.ts'
import { knownSchema } from './known-schema.ts'

const pretty = (json: string) =>
  [...jsonLines(json)].map((line) => line.map(({ text }) => text).join('')).join('\n')

describe('JSON in lines', () => {
  it.each([
    { a: [1, -2.5e3, {}], b: { c: null, d: [], e: [[true], { f: '' }] }, 'x:"{y': 'a, "b": [\\' },
    [],
    [[[]]],
    'text',
    3,
    null,
  ])('is what JSON.stringify makes of it: %j', (value) => {
    expect(pretty(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2))
    expect(pretty(JSON.stringify(value, null, 1))).toBe(JSON.stringify(value, null, 2))
  })

  it('keeps all digits of a number', () => {
    expect(pretty('{"a":12345678901234567890.10}')).toBe('{\n  "a": 12345678901234567890.10\n}')
  })

  it('tells keys, texts, numbers and words apart', () => {
    const kinds = [...jsonLines('{"a":"b","c":[1,null]}')].flat().map(({ kind, text }) => [kind, text.trim()])
    expect(kinds.filter(([kind]) => kind !== 'space' && kind !== 'sign')).toEqual([
      ['key', '"a"'],
      ['text', '"b"'],
      ['key', '"c"'],
      ['number', '1'],
      ['word', 'null'],
    ])
  })

  it('of a large answer costs what is read of it', () => {
    const lines = jsonLines(`[${'{"a":1},'.repeat(1_000_000)}{}]`)
    expect([lines.next(), lines.next()].map(({ value }) => value[0].text)).toEqual(['[', '  '])
    expect([...jsonLines(JSON.stringify('x'.repeat(20_000_000)))]).toHaveLength(1)
  })
})

describe('variables', () => {
  it.each(['', ' \n', '{}', '{"a":[1,{"b":null}],"c":"\\u00e9","d":-1.5e3,"e":true}'])(
    'are right: %j',
    (json) => {
      expect(variablesProblem(json)).toBeUndefined()
    },
  )

  it.each([
    ['[]', '[', 'Variables are an object'],
    ['3', '3', 'Variables are an object'],
    ['{', '{', 'A name in double quotes is expected here.'],
    ['{"a"}', '}', 'A colon is expected here.'],
    ['{"a":}', '}', 'A value is expected here.'],
    ['{"a":1,}', '}', 'A name in double quotes is expected here.'],
    ['{a:1}', 'a', 'A name in double quotes is expected here.'],
    ["{'a':1}", "'a'", 'A name in double quotes is expected here.'],
    ['{"a":tru}', 'tru', 'Texts stand in double quotes.'],
    ['{"a":"x}', '"x}', 'The text is not closed.'],
    ['{"a\\q":1}', '"a\\q"', 'The text has a sign that JSON does not know.'],
    ['{"a":01}', '01', 'This is not a number.'],
    ['{"a":[1 2]}', '2', 'A comma or "]" is expected here.'],
    ['{"a":[1,]}', ']', 'A value is expected here.'],
    ['{"a":1 "b":2}', '"b"', 'A comma or "}" is expected here.'],
    ['{} x', 'x', 'Nothing may follow the object.'],
    ['{"a":{"b":[{"c":}]}}', '}', 'A value is expected here.'],
  ])('say where they are wrong: %j', (json, at, message) => {
    const problem = variablesProblem(json)
    expect([problem?.message, json.slice(problem?.start, problem?.end)]).toEqual([
      expect.stringContaining(message),
      at,
    ])
  })

  it('are refused where JSON.parse refuses them', () => {
    const right = '{"a":[1,{"b":null,"c":"x\\n"}],"d":-1.5e3}'
    for (let cut = 1; cut < right.length; cut++) expect(variablesProblem(right.slice(0, cut))).toBeDefined()
  })
})

describe('errors of an answer', () => {
  const document = 'query Q {\n  tags {\n    colour\n    ...f\n  }\n'
  const placesOf = (line: number, column: number) =>
    errorsIn({ errors: [{ message: 'No.', locations: [{ line, column }] }] })
      .flatMap((error) => rangesOf(document, error))
      .map(({ start, end }) => document.slice(start, end))

  it('have a message, a code, a hint and the path to their place', () => {
    const extensions = { code: 'FORBIDDEN', hint: 'Ask.', path: ['filter', 'name'] }
    expect(
      errorsIn({ errors: [{ message: 'No.', path: ['tags', 0], extensions }, 3, { locations: [{}] }] }),
    ).toEqual([
      { message: 'No.', code: 'FORBIDDEN', hint: 'Ask.', path: 'tags.0.filter.name', lines: [] },
      ...[1, 2].map(() => ({
        message: 'An error without a message.',
        code: '',
        hint: '',
        path: '',
        lines: [],
      })),
    ])
    for (const none of [{ data: {} }, { errors: {} }, null, 'x']) expect(errorsIn(none)).toEqual([])
  })

  it.each([
    [3, 5, 'colour'],
    [1, 7, 'Q'],
    [4, 5, '...'],
    [2, 8, '{'],
    [6, 1, '}'],
    [99, 9, '}'],
  ])('are at line %i, column %i, which is %j', (line, column, text) => {
    expect(placesOf(line, column)).toEqual([text])
  })
})

describe('the schema', () => {
  it('is found in an answer, or there is none', () => {
    for (const none of [null, undefined, {}, { __schema: null }, 'x', []])
      expect(readSchema(none)).toBeUndefined()
    expect(readSchema({ __schema: {} })).toEqual({
      types: new Map(),
      directives: new Map(),
      roots: new Map(),
    })
  })

  it('has types as they are written, defaults and notes', () => {
    const { types, roots } = knownSchema()
    const tags = types.get('Query')?.fields.get('tags')
    expect([tags?.type, tags?.description, tags?.args.get('sort')?.type]).toEqual([
      '[tags!]!',
      'Every tag.',
      '[String]',
    ])
    expect(tags?.args.get('limit')?.initial).toBe('10')
    expect(types.get('tags')?.fields.get('old')?.isDeprecated).toBe(true)
    expect([...roots]).toEqual([
      ['query', 'Query'],
      ['mutation', 'Mutation'],
    ])
  })

  it.each([
    [
      'tags',
      ['tags', 'tags_filter', 'create_tags_input'],
      ['Query.tags', 'Query.tags_by_id', 'articles.tags', 'Mutation.create_tags_item'],
    ],
    ['tags.na', [], ['tags.name', 'create_tags_input.name', 'tags_filter.name']],
    ['TITLE', [], ['articles.title']],
    ['nothing', [], []],
  ])('is searched for %j', (words, types, fields) => {
    const found = searchSchema(knownSchema(), words)
    expect(found.types.map(({ name }) => name).sort()).toEqual([...types].sort())
    expect(found.fields.map(({ type, name }) => `${type}.${name}`).sort()).toEqual([...fields].sort())
  })
})
