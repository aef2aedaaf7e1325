import { describe, expect, test } from 'vitest'
import { parseQuery } from '../../src/query/parse.ts'
import { expectQuery, refusal } from './parse-harness.ts'

describe('the forms of a query', () => {
  const query = {
    fields: ['id', 'author.name'],
    filter: { title: { _contains: 'a b' }, views: { _gt: '5' } },
    sort: ['-id'],
    limit: 5,
    backlink: false,
  }
  const text =
    'fields=id,author.name&filter[title][_contains]=a+b&filter[views][_gt]=5&sort=-id&limit=5&backlink=false'

  const forms: Record<string, unknown> = {
    'a query string': text,
    'a query string with a question mark': `?${text}`,
    'a query string with encoded brackets and blanks':
      'fields%5B%5D=id&fields%5B%5D=author.name&filter%5Btitle%5D%5B_contains%5D=a%20b&filter%5Bviews%5D%5B_gt%5D=5&sort=-id&limit=5&backlink=false',
    'a query string with empty parts': `&&${text.replaceAll('&', '&&')}&`,
    URLSearchParams: new URLSearchParams(text),
    'URLSearchParams with JSON': new URLSearchParams({
      fields: 'id,author.name',
      filter: JSON.stringify(query.filter),
      sort: '-id',
      limit: '5',
      backlink: 'false',
    }),
    'typed input': query,
    'an object without a prototype': Object.assign(Object.create(null), query),
    'what a parser of brackets made of it': {
      fields: ['id', 'author.name'],
      filter: { title: { _contains: 'a b' }, views: { _gt: '5' } },
      sort: '-id',
      limit: '5',
      backlink: 'false',
    },
    "what Node's parser made of it, with the brackets still in the names": {
      'fields[]': ['id', 'author.name'],
      'filter[title][_contains]': 'a b',
      'filter[views][_gt]': '5',
      sort: '-id',
      limit: '5',
      backlink: 'false',
    },
  }

  test.each(Object.entries(forms))('%s', (_form, input) => {
    expectQuery(input, query)
  })

  test.each([
    ['an empty text', ''],
    ['a question mark', '?'],
    ['an empty object', {}],
    ['nothing', undefined],
    ['null', null],
    ['URLSearchParams without parameters', new URLSearchParams()],
  ])('%s asks for nothing in particular', (_form, input) => {
    expectQuery(input, {})
  })

  test.each([
    ['a list', ['fields=id'], 'a list of 1'],
    ['a number', 5, '5'],
    ['a boolean', true, 'true'],
    ['a function', () => 'fields=id', 'a function'],
    ['a date', new Date(0), 'a date'],
    ['a map', new Map([['limit', 5]]), 'an instance of a class'],
  ])('%s is no query', (_form, input, shown) => {
    const message = `A query is a query string, URLSearchParams or an object, not ${shown}.`
    expect(refusal(input)).toEqual([{ path: undefined, message }])
  })
})

describe('the normal form', () => {
  test('defaults are not filled in, and what is absent stays absent', () => {
    expectQuery('page=2', { page: 2 })
    expectQuery({ fields: [], filter: {}, sort: '', search: '  ', deep: {}, alias: {} }, {})
  })

  test('parameters stand in the order in which they were given', () => {
    expect(Object.keys(parseQuery('limit=1&fields=id&filter[a]=1'))).toEqual(['limit', 'fields', 'filter'])
  })

  test('the query shares nothing with the input', () => {
    const place = { type: 'Point', coordinates: [1, 2] }
    const input = { fields: ['id'], filter: { place: { _intersects: place }, id: { _in: [1] } } }
    const parsed = parseQuery(input)
    place.coordinates.push(3)
    input.fields.push('title')
    input.filter.id._in.push(2)
    expect(parsed).toStrictEqual({
      fields: ['id'],
      filter: { place: { _intersects: { type: 'Point', coordinates: [1, 2] } }, id: { _in: [1] } },
    })
  })

  test('the input is not changed', () => {
    const input = { filter: { a: 1, b: null, _or: [{ c: 2 }] }, sort: 'a,b', deep: { x: { _limit: '1' } } }
    const before = structuredClone(input)
    parseQuery(input)
    expect(input).toStrictEqual(before)
  })
})

describe('unknown parameters', () => {
  test.each([
    ['feilds', 'fields'],
    ['filters', 'filter'],
    ['groupby', 'groupBy'],
    ['Limit', 'limit'],
    ['serach', 'search'],
    ['versionRwa', 'versionRaw'],
  ])('%s is refused, with %s as the suggestion', (name, near) => {
    const told = {
      path: [name],
      message: `There is no parameter "${name}".`,
      hint: `Did you mean "${near}"?`,
    }
    expect(refusal(`${name}=1`)).toEqual([told])
    expect(refusal({ [name]: 1 })).toEqual([told])
  })

  test('a name that resembles none is answered with all there are', () => {
    expect(refusal('utm_campaign=x')).toEqual([
      {
        path: ['utm_campaign'],
        message: 'There is no parameter "utm_campaign".',
        hint: 'There are fields, filter, search, sort, limit, offset, page, after, before, aggregate, groupBy, having, deep, alias, export, meta, backlink, version, versionRaw.',
      },
    ])
  })

  test('a parameter without a name is none, and its text is not read as a query', () => {
    const told = refusal({ '': '{"limit":1}' }, { isText: true })
    expect(told.map(({ message }) => message)).toEqual(['There is no parameter "".'])
  })

  test('the caller can let parameters through, and they are left out', () => {
    expectQuery(
      'utm_campaign=x&access_token[a]=y&limit=1',
      { limit: 1 },
      { allow: ['utm_campaign', 'access_token'] },
    )
  })

  test('letting a real parameter through does not lose it', () => {
    expectQuery('filter[a]=1', { filter: { a: { _eq: '1' } } }, { allow: ['filter'] })
  })
})

describe('all mistakes of one query', () => {
  test('are reported together, each with its path', () => {
    const told = refusal(
      'limit=&page=0&filter[a][_eqq]=1&filter[b][_between]=1&sort=a,,b&alias[x.y]=z&export=pdf&bogus=1&filter[c&search=%ff',
    )
    expect(told.map(({ path }) => path)).toEqual([
      [],
      ['filter'],
      ['limit'],
      ['page'],
      ['filter', 'a', '_eqq'],
      ['filter', 'b', '_between'],
      ['sort'],
      ['alias', 'x.y'],
      ['export'],
      ['bogus'],
    ])
  })

  test('are counted in the message of the whole', () => {
    expect(() => parseQuery('limit=x&page=x&offset=x')).toThrow(
      '"limit" takes a whole number of -1 or more, not "x". (and 2 more problems)',
    )
    expect(() => parseQuery('limit=x&page=x')).toThrow(/\(and 1 more problem\)$/)
  })

  const wrong = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`_${n}`, 1]))
  test.each([
    ['a query', wrong],
    ['a filter', { filter: wrong }],
    ['aggregates', { aggregate: wrong }],
    ['a level of deep', { deep: { comments: wrong } }],
    ['aliases', { alias: wrong }],
    ['a list of names', { fields: Object.keys(wrong).map((name) => `${name}()`) }],
  ])('are cut off where nobody would read on: of %s', (_what, query) => {
    expect(refusal(query, { limits: { aliases: 10_000, expandedFields: 10_000 } })).toHaveLength(50)
  })
})

describe('names that reach into prototypes', () => {
  const poison = ['__proto__', 'constructor', 'prototype']
  const places: readonly [string, (name: string) => unknown][] = [
    ['a parameter', (name) => `${name}=1`],
    ['brackets under a parameter', (name) => `filter[${name}]=1`],
    ['brackets before others', (name) => `filter[${name}][polluted]=1`],
    ['brackets behind others', (name) => `filter[a][b][${name}]=1`],
    ['the brackets of a list', (name) => `fields[${name}]=1`],
    ['brackets of a number', (name) => `limit[${name}]=1`],
    ['JSON text of a filter', (name) => `filter={"a":{"${name}":{"polluted":1}}}`],
    ['JSON text inside brackets', (name) => `filter[a]={"${name}":1}`],
    ['JSON text in a list', (name) => `filter[_or]=[{"${name}":1}]`],
    ['JSON text of deep', (name) => `deep={"a":{"${name}":{}}}`],
    ['JSON text of an alias', (name) => `alias={"${name}":"a"}`],
    ['JSON text of an aggregate', (name) => `aggregate={"${name}":"a"}`],
    ['a geometry', (name) => `filter[a][_intersects]={"type":"Point","${name}":1}`],
    ['the name of a parameter of typed input', (name) => JSON.parse(`{"${name}":1}`)],
    ['typed input', (name) => JSON.parse(`{"filter":{"_and":[{"a":{"${name}":1}}]}}`)],
    ['JSON inside a JSON field', (name) => JSON.parse(`{"filter":{"a":{"_json":{"${name}":1}}}}`)],
    ['a list of names', (name) => ({ fields: [`a.${name}`] })],
    ['a sort', (name) => ({ sort: `-${name}` })],
    ['what an alias stands for', (name) => ({ alias: { a: name } })],
    ['brackets that another parser left in the names', (name) => ({ [`filter[${name}][a]`]: 'x' })],
  ]

  test.each(places)('are refused as %s', (_place, inputWith) => {
    for (const name of poison) {
      const [told, ...others] = refusal(inputWith(name))
      expect(others).toEqual([])
      expect(told?.message).toContain(`"${name}"`)
      expect(JSON.stringify(told?.path)).toMatch(/proto|constr|fields|sort|"a"/)
    }
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('are refused however they are encoded', () => {
    expect(refusal('filter%5B__%70roto__%5D=1')).toHaveLength(1)
    expect(refusal('filter={"\\u005f_proto__":1}')).toHaveLength(1)
  })
})

describe('text that no database can hold', () => {
  const places: readonly [string, (bad: string) => unknown][] = [
    ['an operand', (bad) => ({ filter: { a: { _eq: bad } } })],
    ['a shorthand', (bad) => ({ filter: { a: bad } })],
    ['a list operand', (bad) => ({ filter: { a: { _in: ['x', bad] } } })],
    ['a text operand', (bad) => ({ filter: { a: { _contains: bad } } })],
    ['a regular expression', (bad) => ({ filter: { a: { _regex: bad } } })],
    ['a field of a filter', (bad) => ({ filter: { [bad]: 1 } })],
    ['a path of a JSON field', (bad) => ({ filter: { a: { _json: { [bad]: 1 } } } })],
    ['a geometry', (bad) => ({ filter: { a: { _intersects: { type: 'Point', note: bad } } } })],
    ['a key of a geometry', (bad) => ({ filter: { a: { _intersects: { type: 'Point', [bad]: 1 } } } })],
    ['a search', (bad) => ({ search: bad })],
    ['a field', (bad) => ({ fields: [bad] })],
    ['a sort', (bad) => ({ sort: bad })],
    ['a group', (bad) => ({ groupBy: bad })],
    ['an aggregate', (bad) => ({ aggregate: { sum: bad } })],
    ['an alias', (bad) => ({ alias: { [bad]: 'a' } })],
    ['what an alias stands for', (bad) => ({ alias: { a: bad } })],
    ['a level of deep', (bad) => ({ deep: { [bad]: { _limit: 1 } } })],
    ['a version', (bad) => ({ version: bad })],
    ['a parameter', (bad) => ({ [bad]: 1 })],
  ]

  test.each(places)('is refused as %s', (_place, inputWith) => {
    for (const bad of ['a\u0000b', '\u0000', 'x\ud800', '\udc00y']) {
      const told = refusal(inputWith(bad))
      expect(told).toHaveLength(1)
      // A message never carries what it complains about.
      expect(told[0]?.message).not.toMatch(/[\p{Cc}\p{Cs}]/u)
    }
  })

  test('is refused in a query string', () => {
    expect(refusal('search=a%00b')).toEqual([
      { path: ['search'], message: '"search" cannot take text with U+0000 or half a surrogate pair.' },
    ])
    expect(refusal('filter[a%00]=1')).toHaveLength(1)
    expect(refusal('filter={"a":"\\u0000"}')).toHaveLength(1)
    expect(refusal('filter={"a":"\\ud800"}')).toHaveLength(1)
    expect(refusal(`search=${'\ud800'}`)).toHaveLength(1)
  })
})

describe('the encoding of query text', () => {
  test('plus and %20 are blanks, and %2B is a plus', () => {
    expectQuery('search=a+b%20c%2Bd', { search: 'a b c+d' })
    expectQuery('filter[a+b]=1', { filter: { 'a b': { _eq: '1' } } })
  })

  test('an encoded ampersand, equals sign or bracket is ordinary text in a value', () => {
    expectQuery('search=a%26b%3Dc=d%5B0%5D', { search: 'a&b=c=d[0]' })
  })

  test('characters beyond ASCII come as UTF-8 or as themselves', () => {
    expectQuery('search=%C3%A9%F0%9F%8E%89', { search: 'é🎉' })
    expectQuery('search=é🎉', { search: 'é🎉' })
  })

  test.each(['%', '%z', '%zz', 'a%2', '%E0%A4%A', '%C3%28', '%FF', '%ED%A0%80', '%F8%88%80%80%80'])(
    '%s is refused as malformed',
    (bad) => {
      const told = [
        {
          path: [],
          message: `The query text ${JSON.stringify(bad)} is not percent-encoded UTF-8.`,
          hint: 'Write a percent sign itself as %25.',
        },
      ]
      expect(refusal(`search=${bad}`)).toEqual(told)
      expect(refusal(`${bad}=1`)).toEqual(told)
    },
  )

  test.each([
    'filter[a',
    'filter[a]b',
    'filter[a]]',
    'filter[[a]',
    'filter[a][',
    'filter[a[b]',
    'filter[a]b[c]',
  ])('the brackets of %s do not match', (name) => {
    expect(refusal(`${name}=1`)).toEqual([
      { path: ['filter'], message: `The brackets of "${name}" do not match.` },
    ])
  })

  test.each(['=1', '[a]=1', '[]=1', '[=1'])('%s has no name', (text) => {
    expect(refusal(text)).toEqual([
      {
        path: [],
        message: `A parameter of the query text has no name: ${JSON.stringify(text.slice(0, -2))}.`,
      },
    ])
  })

  test('a closing bracket alone is part of an unknown name', () => {
    expect(refusal('filter]=1')).toEqual([
      { path: ['filter]'], message: 'There is no parameter "filter]".', hint: 'Did you mean "filter"?' },
    ])
  })
})

describe('undefined', () => {
  test.each([
    ['a parameter', { filter: undefined }, ['filter']],
    ['a condition', { filter: { a: 1, b: undefined } }, ['filter', 'b']],
    ['an operand', { filter: { a: { _eq: undefined } } }, ['filter', 'a', '_eq']],
    ['an element of a list', { filter: { a: { _in: [1, undefined] } } }, ['filter', 'a', '_in', 1]],
    ['a branch', { filter: { _and: [{ a: 1 }, undefined] } }, ['filter', '_and', 1]],
    ['the branches', { filter: { _and: undefined } }, ['filter', '_and']],
    ['a quantifier', { filter: { a: { _some: undefined } } }, ['filter', 'a', '_some']],
    [
      'a part of a geometry',
      { filter: { a: { _eq: { type: 'Point', coordinates: undefined } } } },
      ['filter', 'a', '_eq', 'coordinates'],
    ],
    ['a value inside JSON', { filter: { a: { _json: { b: undefined } } } }, ['filter', 'a', '_json', 'b']],
    ['a filter of deep', { deep: { a: { _filter: { b: undefined } } } }, ['deep', 'a', '_filter', 'b']],
    ['an alias', { alias: { a: undefined } }, ['alias', 'a']],
    ['a name', { fields: [undefined] }, ['fields']],
  ])('as %s is refused instead of being taken for nothing', (_place, input, path) => {
    const told = refusal(input)
    expect(told.map((one) => one.path)).toEqual([path])
    expect(told[0]?.message).toContain('undefined')
  })
})

test('a hole in a list is as undefined as undefined', () => {
  const holed: unknown[] = [{ a: 1 }]
  holed[2] = { b: 2 }
  expect(refusal({ filter: { _and: holed } }).map(({ path }) => path)).toEqual([['filter', '_and', 1]])
  const numbers: unknown[] = [1]
  numbers[2] = 3
  expect(refusal({ filter: { a: { _in: numbers } } }).map(({ path }) => path)).toEqual([
    ['filter', 'a', '_in', 1],
  ])
  expect(refusal({ fields: Object.assign(new Array(2), { 0: 'a' }) }).map(({ path }) => path)).toEqual([
    ['fields', 1],
  ])
})

describe('input that holds itself', () => {
  test('is refused, once or many times over', () => {
    const once: Record<string, unknown> = { a: 1 }
    once._and = [once]
    const often: unknown[] = []
    for (let count = 0; count < 50_000; count++) often.push(often)
    expect(refusal({ filter: once })[0]?.message).toBe('The filter nests deeper than 20 levels.')
    expect(refusal({ filter: { _or: often } })[0]?.message).toBe('The filter holds more than 250000 objects.')
    expect(refusal({ deep: { a: once } })).toHaveLength(1)
  })
})

describe('a list longer than any that is accepted', () => {
  // It costs nothing to give: it has a length, and no elements.
  test.each([250_001, 2 ** 32 - 1])('is refused by its length alone, which is %i', (length) => {
    const long = new Array(length)
    const [filter] = refusal({ filter: { a: { _in: long } } })
    expect(filter?.message).toBe('The filter holds a list of more than 250000 elements.')
    expect(refusal({ fields: long })).toEqual([
      { path: ['fields'], message: `"fields" takes a list of names, not a list of ${length}.` },
    ])
  })
})
