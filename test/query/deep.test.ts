import { describe, expect, test } from 'vitest'
import { expectQuery, refusal } from './parse-harness.ts'

describe('deep', () => {
  const query = {
    deep: {
      comments: {
        _filter: { rating: { _gt: '3' }, _or: [{ a: { _eq: '1' } }, { b: { _null: true } }] },
        _sort: ['-date', 'id'],
        _limit: 3,
        author: { _fields_of: undefined },
      },
    },
  }
  const { author: _unused, ...comments } = query.deep.comments
  const expected = { deep: { comments: { ...comments, author: { _search: 'ada' } } } }

  const forms: Record<string, unknown> = {
    brackets:
      'deep[comments][_filter][rating][_gt]=3&deep[comments][_filter][_or][0][a]=1&deep[comments][_filter][_or][1][b][_null]=true&deep[comments][_sort]=-date,id&deep[comments][_limit]=3&deep[comments][author][_search]=ada',
    'JSON text': `deep=${JSON.stringify(expected.deep)}`,
    'brackets with JSON text inside': `deep[comments][_filter]=${JSON.stringify(comments._filter)}&deep[comments][_sort][]=-date&deep[comments][_sort][]=id&deep[comments]={"_limit":"3"}&deep[comments][author]={"_search":"ada"}`,
    'JSON text with brackets beside': `deep={"comments":{"_limit":3,"_sort":"-date,id","author":{"_search":"ada"},"_filter":${JSON.stringify(comments._filter)}}}&deep[tags]=`,
    'typed input': expected,
  }

  test.each(Object.entries(forms))('is read from %s', (_form, input) => {
    expectQuery(input, expected)
  })

  test('every parameter that has a meaning below the root is read there as at the root', () => {
    const text = [
      'filter[a]=1',
      'search=x',
      'sort=-a',
      'limit=-1',
      'page=2',
      'aggregate[count]=*',
      'groupBy=a,year(b)',
      'having[count]=1',
      'alias[c]=d',
      'backlink=false',
    ]
    const level = {
      _filter: { a: { _eq: '1' } },
      _search: 'x',
      _sort: ['-a'],
      _limit: -1,
      _page: 2,
      _aggregate: { count: ['*'] },
      _groupBy: ['a', 'year(b)'],
      _having: { count: { _eq: '1' } },
      _alias: { c: 'd' },
      _backlink: false,
    }
    expectQuery(text.map((part) => `deep[r][_${part.replace(/^\w+/, (name) => `${name}]`)}`).join('&'), {
      deep: { r: level },
    })
    expectQuery('deep[r][_offset]=2', { deep: { r: { _offset: 2 } } })
  })

  test('parameters may stand at the root of deep, and levels under relations, aliases and scopes', () => {
    const levels = {
      a: { b: { c: { _limit: 1 } } },
      'item:block_hero': { _limit: 2 },
      'my alias': { _limit: 3 },
    }
    expectQuery({ deep: levels }, { deep: levels })
  })

  test.each([
    'deep=',
    'deep={}',
    'deep[a]=',
    'deep[a][b]={}',
    { deep: { a: { b: {} } } },
    'deep[a][_filter]={}',
  ])('%j says nothing, so it is left out', (input) => {
    expectQuery(input, {})
  })

  test.each([
    ['_fields', 'fields of related items are named in "fields" of the root, with dots'],
    ['_deep', 'levels below are named directly'],
    ['_export', 'only the whole result can be exported'],
    ['_version', 'only a single item has versions'],
    ['_versionRaw', 'only a single item has versions'],
    ['_meta', 'only the whole result has a meta'],
  ])('%s is refused with its reason', (name, reason) => {
    expect(refusal(`deep[a][${name}]=x`)).toEqual([
      { path: ['deep', 'a', name], message: `"${name}" cannot stand in "deep": ${reason}.` },
    ])
  })

  test.each([
    ['_limt', '_limit'],
    ['_filters', '_filter'],
    ['_groupby', '_groupBy'],
    ['_Sort', '_sort'],
  ])('%s is refused, and %s suggested', (name, near) => {
    expect(refusal(`deep[a][${name}]=x`)).toEqual([
      {
        path: ['deep', 'a', name],
        message: `There is no parameter "${name}".`,
        hint: `Did you mean "${near}"?`,
      },
    ])
  })

  test('what may not stand there is not suggested either', () => {
    expect(refusal('deep[a][_feilds]=x')[0]?.hint).not.toBe('Did you mean "_fields"?')
  })

  test.each([
    'deep[a][limit]=5',
    'deep[a][sort]=x',
    { deep: { a: { sort: ['x'] } } },
    { deep: { a: { limit: 5 } } },
  ])('in %j an underscore is missing', (input) => {
    const [told, ...others] = refusal(input)
    const name = told?.path?.at(-1)
    expect(others).toEqual([])
    expect(told).toEqual({
      path: ['deep', 'a', name],
      message: '"deep" takes its parameters with an underscore.',
      hint: `Write "_${name}".`,
    })
  })

  test('a relation may be called like a parameter', () => {
    expectQuery('deep[sort][_limit]=5', { deep: { sort: { _limit: 5 } } })
    expectQuery('deep={"limit":{"_limit":5}}', { deep: { limit: { _limit: 5 } } })
    expectQuery('deep[limit]={"_limit":5}', { deep: { limit: { _limit: 5 } } })
  })

  test.each([
    ['a.b', 'the name holds one of . , ( ) : *, which queries use for themselves'],
    ['$a', 'the name begins with "_", "$" or "-", which queries use for themselves'],
    ['', 'the name is empty'],
    ['item:', 'write it as field:collection'],
    [':a', 'write it as field:collection'],
    ['a:b:c', 'write it as field:collection'],
    ['item:_a', 'the name begins with "_", "$" or "-", which queries use for themselves'],
  ])('the level %j is refused', (name, mistake) => {
    expect(refusal({ deep: { [name]: { _limit: 1 } } })).toEqual([
      { path: ['deep', name], message: `"deep" has no level ${JSON.stringify(name)}: ${mistake}.` },
    ])
  })

  test('page and offset exclude each other on every level', () => {
    expect(refusal('deep[a][_page]=1&deep[a][_offset]=1&deep[b][_page]=1')).toEqual([
      { path: ['deep', 'a', '_page'], message: '"_page" and "_offset" exclude each other.' },
    ])
  })

  test('mistakes of values are told with their path', () => {
    expect(
      refusal(
        'deep[a][b][_limit]=x&deep[a][_filter][c][_between]=1&deep[a][_sort]=,&deep[a][_aggregate][sum]=*',
      ),
    ).toEqual([
      {
        path: ['deep', 'a', 'b', '_limit'],
        message: '"_limit" takes a whole number of -1 or more, not "x".',
      },
      {
        path: ['deep', 'a', '_filter', 'c', '_between'],
        message: '"_between" takes exactly two values, not 1.',
      },
      { path: ['deep', 'a', '_sort'], message: 'A name in the list is empty.' },
      { path: ['deep', 'a', '_sort'], message: 'A name in the list is empty.' },
      { path: ['deep', 'a', '_aggregate', 'sum'], message: '"sum" takes fields, not "*".' },
    ])
  })

  test.each([
    [5, '"deep" is an object, not 5.'],
    [null, '"deep" is an object, not null.'],
    [['a'], '"deep" is an object, not a list of 1.'],
    ['foo', '"deep" is an object, or the JSON text of one; "foo" is not valid JSON.'],
  ])('%j is refused', (deep, message) => {
    expect(refusal({ deep })).toEqual([{ path: ['deep'], message }])
  })
})
