import { describe, expect, test } from 'vitest'
import { expectQuery, refusal } from './parse-harness.ts'

describe('having', () => {
  const having = {
    count: { _gt: '1' },
    sum: { views: { _gte: '100' } },
    _or: [{ max: { a: { _null: true } } }],
  }

  const forms: Record<string, unknown> = {
    brackets: 'having[count][_gt]=1&having[sum][views][_gte]=100&having[_or][0][max][a]=null',
    'JSON text': `having=${JSON.stringify(having)}`,
    'brackets and JSON text':
      'having={"count":{"_gt":"1"},"sum":{"views":{"_gte":"100"}}}&having[_or]=[{"max":{"a":null}}]',
    'typed input': { having },
    'typed input in short': { having: { ...having, _or: [{ max: { a: null } }] } },
  }

  test.each(Object.entries(forms))('is read from %s', (_form, input) => {
    expectQuery(input, { having })
  })

  test.each(['having=', 'having={}', { having: {} }, { having: [] }])('%j is the same as absent', (input) => {
    expectQuery(input, {})
  })

  test('a value stands for equality, also right under an aggregate', () => {
    expectQuery({ having: { count: 3 } }, { having: { count: { _eq: 3 } } })
    expectQuery('having[count]=3', { having: { count: { _eq: '3' } } })
  })

  test.each([
    [5, 'not 5'],
    ['x', 'or the JSON text of one; "x" is not valid JSON'],
  ])('%j is refused', (having, says) => {
    expect(refusal({ having })).toEqual([{ path: ['having'], message: `"having" is an object, ${says}.` }])
  })

  test('is as deep and as large as a filter may be', () => {
    const deep = (levels: number): object => (levels === 0 ? { count: 1 } : { _and: [deep(levels - 1)] })
    expect(refusal({ having: deep(30) })).toEqual([
      { path: ['having'], message: '"having" nests deeper than 20 levels.' },
    ])
    expect(refusal({ having: { count: { _in: [1, 2, 3] } } }, { limits: { listOperand: 2 } })).toEqual([
      {
        path: ['having', 'count', '_in'],
        message: '"_in" takes a list of at most 2 values; this one has 3.',
      },
    ])
  })

  test('is refused with names that no object may have', () => {
    expect(refusal('having={"__proto__":{"count":1}}')).toEqual([
      { path: ['having', '__proto__'], message: 'The name "__proto__" cannot be used.' },
    ])
  })
})
