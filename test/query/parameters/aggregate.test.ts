import { describe, expect, test } from 'vitest'
import { aggregates } from '../../../src/vocabulary/aggregates.ts'
import { expectQuery, refusal } from '../parse-harness.ts'

const all = Object.keys(aggregates).join(', ')

describe('aggregate', () => {
  const query = { aggregate: { count: ['*'], sum: ['views', 'author.age'] } }

  const forms: Record<string, unknown> = {
    brackets: 'aggregate[count]=*&aggregate[sum]=views,author.age',
    'brackets in brackets': 'aggregate[count][]=*&aggregate[sum][0]=views&aggregate[sum][1]=author.age',
    'JSON text, as the SDK writes it': 'aggregate={"count":"*","sum":["views","author.age"]}',
    'brackets and JSON text': 'aggregate={"count":"*"}&aggregate[sum]=views,author.age',
    'JSON text in brackets': 'aggregate[count]=["*"]&aggregate[sum]=["views","author.age"]',
    'typed input': query,
    'typed input with comma text': { aggregate: { count: '*', sum: 'views, author.age' } },
  }

  test.each(Object.entries(forms))('is read from %s', (_form, input) => {
    expectQuery(input, query)
  })

  test.each(['aggregate=', 'aggregate={}', 'aggregate=[]', { aggregate: {} }])(
    '%j is the same as absent',
    (input) => {
      expectQuery(input, {})
    },
  )

  test.each(Object.keys(aggregates))('%s may be asked of a field, a path and a function', (name) => {
    const fields = ['views', 'author.age', 'year(born)', 'json(meta, a.b)']
    expectQuery(`aggregate[${name}]=${fields.join(',')}`, { aggregate: { [name]: fields } })
  })

  test('countAll is refused with what to write instead', () => {
    const told = {
      path: ['aggregate', 'countAll'],
      message: '"countAll" belongs to GraphQL.',
      hint: 'Write aggregate[count]=*',
    }
    expect(refusal('aggregate[countAll]=*')).toEqual([told])
    expect(refusal({ aggregate: { countAll: [] } })).toEqual([told])
  })

  test.each([
    ['cuont', 'count'],
    ['countdistinct', 'countDistinct'],
    ['summ', 'sum'],
  ])('%s is refused, and %s suggested', (name, near) => {
    expect(refusal(`aggregate[${name}]=id`)).toEqual([
      {
        path: ['aggregate', name],
        message: `There is no aggregate "${name}"; there are ${all}.`,
        hint: `Did you mean "${near}"?`,
      },
    ])
  })

  test('the words of the language are no aggregates', () => {
    expect(refusal('aggregate[toString]=id')[0]?.message).toBe(
      `There is no aggregate "toString"; there are ${all}.`,
    )
  })

  test('an aggregate of nothing is refused, whatever else is wrong', () => {
    const empty = {
      path: ['aggregate', 'count'],
      message: '"count" names no field.',
      hint: 'Name fields, or * to count rows.',
    }
    expect(refusal('aggregate[count]=')).toEqual([empty])
    expect(refusal({ aggregate: { count: [] } })).toEqual([empty])
    expect(refusal('bogus=1&aggregate[count]=')).toContainEqual(empty)
    expect(refusal('aggregate[sum]=')).toEqual([
      { path: ['aggregate', 'sum'], message: '"sum" names no field.' },
    ])
  })

  test.each(['sum', 'avg', 'min', 'max', 'countDistinct', 'sumDistinct', 'avgDistinct'])(
    'only count counts rows, so %s takes no star',
    (name) => {
      expect(refusal(`aggregate[${name}]=*`)).toEqual([
        { path: ['aggregate', name], message: `"${name}" takes fields, not "*".` },
      ])
    },
  )

  test.each([
    ['aggregate=count', '"aggregate" is an object, or the JSON text of one; "count" is not valid JSON.'],
    [
      'aggregate={"count"',
      '"aggregate" is an object, or the JSON text of one; "{\\"count\\"" is not valid JSON.',
    ],
    ['aggregate=5', '"aggregate" is an object, or the JSON text of one; "5" is neither.'],
    [{ aggregate: null }, '"aggregate" is an object, not null.'],
    [{ aggregate: ['count'] }, '"aggregate" is an object, not a list of 1.'],
  ])('%j is refused', (input, message) => {
    expect(refusal(input)).toEqual([{ path: ['aggregate'], message }])
  })

  test('fields that are no names are refused', () => {
    expect(refusal({ aggregate: { sum: 5, max: { a: 1 }, min: ['a..b'] } })).toEqual([
      { path: ['aggregate', 'sum'], message: '"sum" takes a list of names, not 5.' },
      { path: ['aggregate', 'max'], message: '"max" takes a list of names, not an object.' },
      { path: ['aggregate', 'min'], message: '"a..b" is not understood: a name is missing beside a dot.' },
    ])
  })

  test('an aggregate given in JSON text and in brackets is refused', () => {
    expect(refusal('aggregate={"count":"id"}&aggregate[count]=*')).toEqual([
      { path: ['aggregate', 'count'], message: '"count" is given twice.' },
    ])
  })
})
