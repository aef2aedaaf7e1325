import { describe, expect, test } from 'vitest'
import { expectQuery, refusal } from './parse-harness.ts'

describe('alias', () => {
  const query = { alias: { name: 'title', written: 'year(published_at)', width: 'json(meta, size.w)' } }

  const forms: Record<string, unknown> = {
    brackets: 'alias[name]=title&alias[written]=year(published_at)&alias[width]=json(meta, size.w)',
    'JSON text': `alias=${JSON.stringify(query.alias)}`,
    'brackets and JSON text':
      'alias={"name":"title"}&alias[written]=year(published_at)&alias[width]=json(meta, size.w)',
    'typed input': query,
    'typed input with blanks': { alias: { ...query.alias, name: ' title ' } },
  }

  test.each(Object.entries(forms))('is read from %s', (_form, input) => {
    expectQuery(input, query)
  })

  test.each(['alias=', 'alias={}', { alias: {} }])('%j is the same as absent', (input) => {
    expectQuery(input, {})
  })

  test('the same field may have several names', () => {
    expectQuery('alias[a]=comments&alias[b]=comments', { alias: { a: 'comments', b: 'comments' } })
  })

  test.each([
    ['a.b', 'holds one of . , ( ) : *, which queries use for themselves'],
    ['a:b', 'holds one of . , ( ) : *, which queries use for themselves'],
    ['_a', 'begins with "_", "$" or "-", which queries use for themselves'],
    ['$a', 'begins with "_", "$" or "-", which queries use for themselves'],
    ['-a', 'begins with "_", "$" or "-", which queries use for themselves'],
    [' a', 'begins or ends with a blank'],
    ['', 'is empty'],
  ])('the name %j is refused', (name, wrong) => {
    expect(refusal({ alias: { [name]: 'title' } })).toEqual([
      { path: ['alias', name], message: `The alias ${JSON.stringify(name)} ${wrong}.` },
    ])
  })

  test.each([
    ['author.name', 'stands for a field of its own collection; "author.name" is a path'],
    ['year(author.born)', 'stands for a field of its own collection; "year(author.born)" is a path'],
    ['json(author.meta, a)', 'stands for a field of its own collection; "json(author.meta, a)" is a path'],
    ['', 'stands for a field, not for ""'],
    [' ', 'stands for a field, not for " "'],
    [
      'yeer(a)',
      'stands for "yeer(a)", which is not understood: there is no function "yeer"; there are year, month, week, day, weekday, hour, minute, second, count, json, sum, avg, min, max',
    ],
    [
      'json(meta, a..b)',
      'stands for "json(meta, a..b)", which is not understood: "..b" is not a step; write name, [0] or ["name"]',
    ],
    [
      '*',
      'stands for a field; "*" cannot be one, because its name holds one of . , ( ) : *, which queries use for themselves',
    ],
    [
      'a,b',
      'stands for a field; "a,b" cannot be one, because its name holds one of . , ( ) : *, which queries use for themselves',
    ],
  ])('an alias of %j is refused', (target, wrong) => {
    expect(refusal({ alias: { x: target } })).toEqual([
      { path: ['alias', 'x'], message: `The alias "x" ${wrong}.` },
    ])
  })

  test.each([
    [5, '5'],
    [null, 'null'],
    [['title'], 'a list of 1'],
    [{ a: 'b' }, 'an object'],
  ])('an alias of the value %j is refused', (target, shown) => {
    expect(refusal({ alias: { x: target } })).toEqual([
      { path: ['alias', 'x'], message: `The alias "x" stands for a field, not for ${shown}.` },
    ])
  })

  test('the same rules hold inside deep', () => {
    expectQuery('deep[comments][_alias][t]=year(date)', {
      deep: { comments: { _alias: { t: 'year(date)' } } },
    })
    expect(
      refusal('deep[comments][_alias][t.u]=date&deep[comments][_alias][v]=author.name').map(
        ({ path }) => path,
      ),
    ).toEqual([
      ['deep', 'comments', '_alias', 't.u'],
      ['deep', 'comments', '_alias', 'v'],
    ])
  })

  test('an alias given twice is refused', () => {
    expect(refusal('alias[x]=a&alias[x]=b')[0]?.message).toBe(
      'The alias "x" stands for a field, not for a list of 2.',
    )
    expect(refusal('alias={"x":"a"}&alias[x]=b')[0]?.message).toBe('"x" is given twice.')
  })
})
