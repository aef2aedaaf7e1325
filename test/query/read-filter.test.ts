import { describe, expect, test } from 'vitest'
import { parseQuery } from '../../src/index.ts'
import { expectQuery, filterRefusal, refusal } from './parse-harness.ts'

describe('a filter', () => {
  const filter = {
    _or: [
      { title: { _eq: 'a' } },
      { _and: [{ views: { _gt: '1', _lt: '9' } }, { author: { name: { _null: true } } }] },
    ],
    tags: { _none: { name: { _in: ['x', 'y'] } } },
  }

  const forms: Record<string, unknown> = {
    'JSON text': `filter=${JSON.stringify(filter)}`,
    'encoded JSON text': `filter=${encodeURIComponent(JSON.stringify(filter))}`,
    'JSON text with blanks around': `filter=+${JSON.stringify(filter)}+`,
    'numbered brackets':
      'filter[_or][0][title][_eq]=a&filter[_or][1][_and][0][views][_gt]=1&filter[_or][1][_and][0][views][_lt]=9&filter[_or][1][_and][1][author][name][_null]=true&filter[tags][_none][name][_in][0]=x&filter[tags][_none][name][_in][1]=y',
    'brackets, with comma text of a list':
      'filter[_or][0][title]=a&filter[_or][1][_and][0][views][_gt]=1&filter[_or][1][_and][0][views][_lt]=9&filter[_or][1][_and][1][author][name][_null]=&filter[tags][_none][name][_in]=x,y',
    'brackets with JSON text inside': `filter[_or]=${JSON.stringify(filter._or)}&filter[tags][_none]={"name":{"_in":"x,y"}}`,
    'brackets in which each branch is JSON text': `filter[_or][]=${JSON.stringify(filter._or[0])}&filter[_or][]=${JSON.stringify(filter._or[1])}&filter[tags]={"_none":{"name":{"_in":["x","y"]}}}`,
    'JSON text and brackets beside it': `filter={"tags":{"_none":{"name":{"_in":["x","y"]}}}}&filter[_or][0]={"title":"a"}&filter[_or][1]=${JSON.stringify(filter._or[1])}`,
    'JSON text given in two parts': `filter={"tags":{"_none":{"name":{"_in":["x","y"]}}}}&filter={"_or":${JSON.stringify(filter._or)}}`,
    'typed input': { filter },
    'typed input with shorthand': {
      filter: {
        _or: [{ title: 'a' }, { _and: [{ views: { _gt: '1', _lt: '9' } }, { author: { name: null } }] }],
        tags: { _none: { name: { _in: ['x', 'y'] } } },
      },
    },
    'typed input as JSON text': { filter: JSON.stringify(filter) },
    'lists as other parsers give them': {
      filter: {
        _or: { 0: filter._or[0], 1: { _and: { 0: filter._or[1]?._and?.[0], 1: filter._or[1]?._and?.[1] } } },
        tags: { _none: { name: { _in: { 0: 'x', 1: 'y' } } } },
      },
    },
  }

  test.each(Object.entries(forms))('is read from %s', (_form, input) => {
    expectQuery(input, { filter })
  })

  test.each([
    ['filter[title]=null', { title: { _null: true } }],
    ['filter[title][_eq]=null', { title: { _eq: null } }],
    ['filter[title][_neq]=null', { title: { _neq: null } }],
    ['filter[author][name]=null', { author: { name: { _null: true } } }],
    ['filter[_or][0][title]=null', { _or: [{ title: { _null: true } }] }],
    // Elements of lists, and other operators, are texts still; and JSON has a word of its own.
    ['filter[title][_in]=null,a', { title: { _in: ['null', 'a'] } }],
    ['filter[title][_contains]=null', { title: { _contains: 'null' } }],
    ['filter={"title":"null"}', { title: { _eq: 'null' } }],
    ['filter[_or]=[{"title":{"_neq":"null"}}]', { _or: [{ title: { _neq: 'null' } }] }],
    [{ filter: { title: 'null' } }, { title: { _eq: 'null' } }],
  ])('%j means null where brackets can say it in no other way', (input, filter) => {
    expectQuery(input, { filter })
  })

  test('the word means null in an object that is said to be text', () => {
    const given = { filter: { title: 'null', text: { _neq: 'null' } } }
    const filter = { title: { _null: true }, text: { _neq: null } }
    expect(parseQuery(given, { isText: true })).toEqual({ filter })
  })

  test.each([
    'filter=',
    'filter',
    'filter={}',
    'filter=[]',
    'filter=+',
    { filter: {} },
    { filter: [] },
    { filter: '' },
    { filter: ' ' },
  ])('%j is the same as absent', (input) => {
    expectQuery(input, {})
  })

  test.each([{ _and: [] }, { a: {} }, { a: { b: {} } }, { _and: [{}] }, { a: { _some: {} } }])(
    '%j keeps its form; what it means is decided later',
    (empty) => {
      expectQuery({ filter: empty }, { filter: empty })
    },
  )

  test.each([
    [5, 'A filter is an object, not 5.'],
    [null, 'A filter is an object, not null.'],
    [true, 'A filter is an object, not true.'],
    [[{ a: 1 }], 'A filter is an object, not a list of 1.'],
    [new Date(0), 'A filter is an object, not a date.'],
    ['foo', 'A filter is an object, or the JSON text of one; "foo" is not valid JSON.'],
    ['{"a":1', 'A filter is an object, or the JSON text of one; "{\\"a\\":1" is not valid JSON.'],
    ["{'a':1}", 'A filter is an object, or the JSON text of one; "{\'a\':1}" is not valid JSON.'],
    ['5', 'A filter is an object, or the JSON text of one; "5" is neither.'],
    ['null', 'A filter is an object, or the JSON text of one; "null" is neither.'],
    ['[{"a":1}]', 'A filter is an object, or the JSON text of one; "[{\\"a\\":1}]" is neither.'],
  ])('%j is none', (filterGiven, message) => {
    expect(filterRefusal(filterGiven)).toEqual([{ path: ['filter'], message }])
  })
})

describe('shorthand', () => {
  test.each([
    [1, { _eq: 1 }],
    ['x', { _eq: 'x' }],
    ['', { _eq: '' }],
    [true, { _eq: true }],
    [false, { _eq: false }],
    [null, { _null: true }],
    [-0, { _eq: 0 }],
    [5n, { _eq: 5 }],
    [12345678901234567890n, { _eq: '12345678901234567890' }],
    [new Date(0), { _eq: '1970-01-01T00:00:00.000Z' }],
    [new Uint8Array([1, 2, 3]), { _eq: 'AQID' }],
    ['$CURRENT_USER', { _eq: '$CURRENT_USER' }],
    [{ type: 'Point', coordinates: [1, 2] }, { _eq: { type: 'Point', coordinates: [1, 2] } }],
  ])('%s stands for %j', (value, full) => {
    expectQuery({ filter: { a: value } }, { filter: { a: full } })
  })

  test('text of a query string stays text, for only a field knows what it means', () => {
    expectQuery('filter[a]=1&filter[b]=true&filter[d]=', {
      filter: { a: { _eq: '1' }, b: { _eq: 'true' }, d: { _eq: '' } },
    })
  })

  test('a list is refused with what to write instead', () => {
    const told = {
      path: ['filter', 'a'],
      message: 'A list cannot stand for "a" itself.',
      hint: 'Write { "_in": [ … ] } to look for one of several values, or { "_eq": [ … ] } for a key of several parts.',
    }
    expect(filterRefusal({ a: [1, 2] })).toEqual([told])
    expect(refusal('filter[a]=1&filter[a]=2')).toEqual([told])
  })
})

describe('text that looks like JSON', () => {
  test('is a condition in a query string', () => {
    expectQuery('filter[a]={"_gt":1}', { filter: { a: { _gt: 1 } } })
    expectQuery('filter[a]=+{"b":{"_gt":1}}', { filter: { a: { b: { _gt: 1 } } } })
  })

  test('stays text in typed input, so that no value becomes an operator', () => {
    const value = '{"_neq":""}'
    expectQuery({ filter: { token: value } }, { filter: { token: { _eq: value } } })
    expectQuery(
      { deep: { a: { _filter: { token: value } } } },
      { deep: { a: { _filter: { token: { _eq: value } } } } },
    )
  })

  test('stays text inside JSON text', () => {
    expectQuery(`filter=${JSON.stringify({ token: '{"_neq":""}' })}`, {
      filter: { token: { _eq: '{"_neq":""}' } },
    })
    expectQuery(`filter[_or]=${JSON.stringify([{ token: '{"_neq":""}' }])}`, {
      filter: { _or: [{ token: { _eq: '{"_neq":""}' } }] },
    })
  })

  test('stays text behind an operator', () => {
    expectQuery('filter[a][_eq]={"b":1}', { filter: { a: { _eq: '{"b":1}' } } })
    expectQuery('filter[a][_contains]=["b"]', { filter: { a: { _contains: '["b"]' } } })
  })

  test('stays text when it is no JSON', () => {
    expectQuery('filter[a]={b}', { filter: { a: { _eq: '{b}' } } })
  })
})

describe('several forms of one object', () => {
  test('are joined in a query string that was already taken apart', () => {
    const filter = { a: { _eq: 1 }, b: { _eq: '2' } }
    expectQuery({ filter: ['{"a":1}', { b: '2' }] }, { filter }, { isText: true })
    expectQuery(
      { filter: [{ b: '2' }, '{"a":1}'] },
      { filter: { b: { _eq: '2' }, a: { _eq: 1 } } },
      { isText: true },
    )
  })

  test('may not name the same thing', () => {
    expect(refusal('filter={"a":1}&filter[a]=2')).toEqual([
      { path: ['filter', 'a'], message: '"a" is given twice.' },
    ])
    expect(refusal('filter={"a":1}&filter={"a":2}')).toHaveLength(1)
    expect(refusal({ filter: [{ a: '1' }, { a: '2' }] }, { isText: true })).toHaveLength(1)
  })

  test('are each refused when they are none', () => {
    expect(refusal('filter={"a":1}&filter=foo')[0]?.message).toMatch(/"foo" is not valid JSON\.$/)
    expect(refusal({ filter: ['{"a":1}', 5] }, { isText: true })[0]?.message).toBe(
      'A filter is an object, not 5.',
    )
    expect(refusal({ filter: [[{ a: 1 }]] }, { isText: true })[0]?.message).toBe(
      'A filter is an object, not a list of 1.',
    )
    expect(refusal('filter[a]=1&filter[a][_gt]=2')[0]?.message).toMatch(/"1" is neither\.$/)
  })
})

describe('words that are no operators', () => {
  test.each([
    ['_eqq', '_eq'],
    ['_EQ', '_eq'],
    ['_startswith', '_starts_with'],
    ['_contain', '_contains'],
    ['_betwen', '_between'],
    ['_ann', '_and'],
    ['_nonee', '_none'],
    ['_jsn', '_json'],
  ])('%s is refused, and %s suggested', (word, near) => {
    const told = {
      path: ['filter', 'title', word],
      message: `There is no operator "${word}" here.`,
      hint: `Did you mean "${near}"?`,
    }
    expect(filterRefusal({ title: { [word]: 1 } })).toEqual([told])
    expect(refusal(`filter[title][${word}]=1`)).toEqual([told])
  })

  test('words without a likeness get no suggestion', () => {
    expect(filterRefusal({ _whatsoever: 1 })).toEqual([
      { path: ['filter', '_whatsoever'], message: 'There is no operator "_whatsoever" here.' },
    ])
  })

  test.each(['_hasOwnProperty', '_', '__', '__defineGetter__', '_toString'])('%s is none either', (word) => {
    expect(filterRefusal({ a: { [word]: 1 } })).toHaveLength(1)
  })
})

describe('junctions', () => {
  test.each([5, 'foo', true, null, { a: 1 }, { a: { b: 1 } }])('_and does not take %j', (value) => {
    const told = filterRefusal({ _and: value })
    expect(told).toHaveLength(1)
    expect(told[0]?.path).toEqual(['filter', '_and'])
    expect(told[0]?.message).toMatch(/^"_and" takes a list of filters, not .+\.$/)
  })

  test('blank text and an empty list are no branches, which _and may have and _or may not', () => {
    expectQuery('filter[_and]=', { filter: { _and: [] } })
    expectQuery('filter[_and]=[]', { filter: { _and: [] } })
    const message = '"_or" needs at least one branch; without any it would match everything.'
    for (const blank of [[], '', ' ', '[]'])
      expect(filterRefusal({ a: { _some: { _or: blank } } })).toEqual([
        { path: ['filter', 'a', '_some', '_or'], message },
      ])
  })

  test.each([5, 'foo', null, [{}], new Date(0)])('a branch cannot be %j', (branch) => {
    const told = filterRefusal({ _or: [{ a: 1 }, branch] })
    expect(told).toHaveLength(1)
    expect(told[0]?.path).toEqual(['filter', '_or', 1])
  })

  test('an empty object inside _or is refused, wherever it stands and whatever else is wrong', () => {
    const message = 'An empty object inside "_or" would match everything.'
    expect(filterRefusal({ _or: [{ a: 1 }, {}] })).toEqual([{ path: ['filter', '_or', 1], message }])
    expect(filterRefusal({ b: { _some: { _or: [{}] } } })).toEqual([
      { path: ['filter', 'b', '_some', '_or', 0], message },
    ])
    expect(filterRefusal({ a: { _eqq: 1 }, _or: [{}] })).toHaveLength(2)
    expect(refusal('filter[_or][0]=&filter[_or][1]={}')).toEqual([
      { path: ['filter', '_or', 0], message },
      { path: ['filter', '_or', 1], message },
    ])
  })

  test('a branch that was refused is not called empty', () => {
    expect(filterRefusal({ _or: [{ a: { _in: null } }, { _eqq: 1 }, 5] }).map(({ path }) => path)).toEqual([
      ['filter', '_or', 0, 'a', '_in'],
      ['filter', '_or', 1, '_eqq'],
      ['filter', '_or', 2],
    ])
  })

  test('branches of any number are read as one list', () => {
    const branches = Array.from({ length: 400 }, (_, index) => ({ a: { _eq: String(index) } }))
    expectQuery(branches.map((branch, index) => `filter[_or][${index}][a]=${branch.a._eq}`).join('&'), {
      filter: { _or: branches },
    })
    expectQuery(branches.map((branch) => `filter[_or][][a]=${branch.a._eq}`).join('&'), {
      filter: { _or: branches },
    })
  })

  test('operators of one value may be joined', () => {
    const filter = { a: { _or: [{ _lt: 1 }, { _gt: 9 }] } }
    expectQuery({ filter }, { filter })
  })
})

describe('names in a filter', () => {
  test.each([
    'a b',
    'Ünïcode',
    '0',
    'hasOwnProperty',
    'toString',
    'valueOf',
    'length',
    'type',
    "a'b",
    'a"b',
    'a;b--',
    'year(published_at)',
    'count(comments)',
    'json(meta, size.w)',
    'json(meta, items[0].name)',
    'item:block_hero',
    '$FOLLOW(comments, article)',
    '$FOLLOW(junction,item,collection)',
  ])('%s may stand there', (name) => {
    expectQuery({ filter: { [name]: { _eq: 1 } } }, { filter: { [name]: { _eq: 1 } } })
    expectQuery(`filter[${encodeURIComponent(name)}][_null]=true`, { filter: { [name]: { _null: true } } })
  })

  test.each([
    ['', 'A field without a name cannot be filtered.'],
    [' ', 'A field without a name cannot be filtered.'],
    ['author.name', 'A filter takes no dotted name such as "author.name"; nest the names.'],
    ['a.', 'A filter takes no dotted name such as "a."; nest the names.'],
    ['item:', '"item:" is not understood: write it as field:collection.'],
    [':a', '":a" is not understood: write it as field:collection.'],
    ['a:b:c', '"a:b:c" is not understood: write it as field:collection.'],
    ['year()', '"year()" is not understood: "year" needs a field.'],
    ['year(a', '"year(a" is not understood: write it as function(field).'],
    ['year(a)b', '"year(a)b" is not understood: write it as function(field).'],
    ['json(a)', '"json(a)" is not understood: write it as json(field, path).'],
    ['json(a, b..c)', '"json(a, b..c)" is not understood: "..c" is not a step; write name, [0] or ["name"].'],
    ['$FOLLOW(a)', '"$FOLLOW(a)" is not understood; only $FOLLOW(collection, field) may stand here.'],
    [
      '$FOLLOW(a,b,c,d)',
      '"$FOLLOW(a,b,c,d)" is not understood; only $FOLLOW(collection, field) may stand here.',
    ],
    ['$FOLLOW(a,)', '"$FOLLOW(a,)" is not understood; only $FOLLOW(collection, field) may stand here.'],
    ['$FOLLOW(a,b', '"$FOLLOW(a,b" is not understood; only $FOLLOW(collection, field) may stand here.'],
    ['$follow(a,b)', '"$follow(a,b)" is not understood; only $FOLLOW(collection, field) may stand here.'],
    ['$CURRENT_USER', '"$CURRENT_USER" is not understood; only $FOLLOW(collection, field) may stand here.'],
  ])('%j may not', (name, message) => {
    expect(filterRefusal({ [name]: 1 })).toEqual([{ path: ['filter', name], message }])
  })
})

describe('values inside JSON documents', () => {
  test.each([
    ['_json', (rest: string, value: string) => `filter[meta][_json][size.w]${rest}=${value}`],
    ['json()', (rest: string, value: string) => `filter[json(meta, size.w)]${rest}=${value}`],
  ])('numbers in a query string are numbers behind %s', (form, text) => {
    const behind = (condition: object) => ({
      filter:
        form === '_json' ? { meta: { _json: { 'size.w': condition } } } : { 'json(meta, size.w)': condition },
    })
    expectQuery(text('[_gt]', '3'), behind({ _gt: 3 }))
    expectQuery(text('', '-1.5e2'), behind({ _eq: -150 }))
    expectQuery(text('[_eq]', 'true'), behind({ _eq: true }))
    expectQuery(text('[_eq]', 'null'), behind({ _eq: null }))
    expectQuery(text('[_eq]', '-0'), behind({ _eq: 0 }))
    expectQuery(text('[_eq]', '1e999'), behind({ _eq: '1e999' }))
    expectQuery(text('[_eq]', '007'), behind({ _eq: '007' }))
    expectQuery(text('[_in]', '1,a,true'), behind({ _in: [1, 'a', true] }))
    expectQuery(text('[_between]', '1,2'), behind({ _between: [1, 2] }))
    expectQuery(text('[_contains]', '3'), behind({ _contains: '3' }))
    expectQuery(text('[_or][0][_gt]', '3'), behind({ _or: [{ _gt: 3 }] }))
    expectQuery(text('[_in]', '["1",2]'), behind({ _in: ['1', 2] }))
    expectQuery(text('', '{"_eq":"1"}'), behind({ _eq: '1' }))
    expect(refusal(text('[_in]', '1,null'))[0]?.message).toBe(
      '"_in" takes no null in its list; ask for "_null" beside it.',
    )
  })

  test('outside of them they stay text', () => {
    expectQuery('filter[a][_gt]=3&filter[year(b)]=2024', {
      filter: { a: { _gt: '3' }, 'year(b)': { _eq: '2024' } },
    })
  })

  test.each(['size.w', 'items[0].name', '["a key"].x', 'a', '[0]', 'größe', 'a-b'])(
    '%s is a path',
    (path) => {
      expectQuery(
        { filter: { meta: { _json: { [path]: 1 } } } },
        { filter: { meta: { _json: { [path]: { _eq: 1 } } } } },
      )
    },
  )

  test.each([
    ['', 'the path is empty'],
    ['a..b', '"..b" is not a step; write name, [0] or ["name"]'],
    ['a.', '"." is not a step; write name, [0] or ["name"]'],
    ['.a', 'a dot stands between two names'],
    ['a[', '"[" is not a step; write name, [0] or ["name"]'],
    ['a[-1]', '"[-1]" is not a step; write name, [0] or ["name"]'],
    ['a b', '" b" is not a step; write name, [0] or ["name"]'],
    ['a"b', '"\\"b" is not a step; write name, [0] or ["name"]'],
    ['$.a', '"$.a" is not a step; write name, [0] or ["name"]'],
    ['a.*', '".*" is not a step; write name, [0] or ["name"]'],
    ['a.b.c.d.e.f.g.h.i.j.k', 'the path has 11 steps; the most is 10'],
  ])('%j is none', (path, mistake) => {
    expect(filterRefusal({ meta: { _json: { [path]: 1 } } })).toEqual([
      {
        path: ['filter', 'meta', '_json', path],
        message: `The JSON path ${JSON.stringify(path)} cannot be read: ${mistake}.`,
      },
    ])
  })

  test('a path stands in no other path', () => {
    const message = '"w" stands inside another JSON path; write both as one, with a dot.'
    expect(filterRefusal({ meta: { _json: { size: { w: 1 } } } })).toEqual([
      { path: ['filter', 'meta', '_json', 'size', 'w'], message },
    ])
    expect(filterRefusal({ 'json(meta, size)': { w: { _gt: 1 } } })[0]?.message).toBe(message)
  })

  test('no relation leads out of a document', () => {
    for (const word of ['_some', '_none', '_json']) {
      expect(filterRefusal({ meta: { _json: { [word]: { a: 1 } } } })).toEqual([
        { path: ['filter', 'meta', '_json', word], message: `There is no operator "${word}" here.` },
      ])
    }
  })
})
