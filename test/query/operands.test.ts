import { describe, expect, test } from 'vitest'
import type { OperandKind } from '../../src/vocabulary/operator.ts'
import { type OperatorName, operators } from '../../src/vocabulary/operators.ts'
import { expectQuery, filterRefusal, refusal } from './parse-harness.ts'

const takers = (kind: OperandKind) =>
  (Object.keys(operators) as OperatorName[]).filter((name) => operators[name].operand === kind)

/** What is said about an operand, without the word it stands behind. */
const said = (operator: string, value: unknown) =>
  filterRefusal({ a: { [operator]: value } }).map(({ path, message }) => [
    path?.slice(2),
    message.replace(`"${operator}" `, ''),
  ])

const expectOperand = (operator: string, value: unknown, normal: unknown = value) =>
  expectQuery({ filter: { a: { [operator]: value } } }, { filter: { a: { [operator]: normal } } })

test('every operator belongs to one of the kinds below', () => {
  const kinds: OperandKind[] = ['value', 'values', 'pair', 'text', 'geometry', 'flag', 'pattern']
  expect(kinds.flatMap(takers).sort()).toEqual(Object.keys(operators).sort())
})

describe.each(takers('value'))('%s, which takes one value,', (operator) => {
  test('takes what JSON has for one value', () => {
    for (const value of [0, -1.5, 1e21, '', 'x', '5', 'null', true, false, '$NOW(-1 day)'])
      expectOperand(operator, value)
  })

  test('takes what JavaScript has for one value', () => {
    expectOperand(operator, new Date(0), '1970-01-01T00:00:00.000Z')
    expectOperand(operator, 7n, 7)
    expectOperand(operator, -9007199254740993n, '-9007199254740993')
    expectOperand(operator, Buffer.from('abc'), 'YWJj')
    expectOperand(operator, -0, 0)
  })

  test('takes a geometry', () => {
    expectOperand(operator, { type: 'Point', coordinates: [1, -0] }, { type: 'Point', coordinates: [1, 0] })
  })

  test('refuses all else', () => {
    const at = [operator]
    expect(said(operator, [1])).toEqual([[at, 'takes a single value, not a list of 1.']])
    expect(said(operator, {})).toEqual([[at, 'takes a single value, not an object.']])
    expect(said(operator, Number.NaN)).toEqual([[at, 'takes a finite number, not NaN.']])
    expect(said(operator, Number.NEGATIVE_INFINITY)).toEqual([[at, 'takes a finite number, not -Infinity.']])
    expect(said(operator, new Date(Number.NaN))).toEqual([[at, 'takes a valid date.']])
    expect(said(operator, () => 1)).toEqual([[at, 'takes a single value, not a function.']])
    expect(said(operator, Symbol('x'))).toEqual([[at, 'takes a single value, not a symbol.']])
    expect(said(operator, new Map())).toEqual([[at, 'takes a single value, not an instance of a class.']])
    expect(refusal(`filter[a][${operator}][x]=1`)).toHaveLength(1)
  })

  test('takes the parts of a key, which only a schema tells from a list', () => {
    expectOperand(operator, [1, 'x'])
    expectOperand(operator, [1n, new Date(0)], [1, '1970-01-01T00:00:00.000Z'])
    const parts = { filter: { a: { [operator]: ['1', '2'] } } }
    expectQuery(`filter[a][${operator}][0]=1&filter[a][${operator}][1]=2`, parts)
    expectQuery(`filter[a][${operator}]=1&filter[a][${operator}]=2`, parts)
    expect(said(operator, [1, null])).toEqual([
      [[operator, 1], 'takes no null in its list; ask for "_null" beside it.'],
    ])
    expect(said(operator, [1, [2]])).toEqual([[[operator, 1], 'takes a single value, not a list of 1.']])
  })
})

test.each(['_eq', '_neq'])('%s takes null', (operator) => {
  expectOperand(operator, null)
})

describe.each(takers('values'))('%s, which takes a list,', (operator) => {
  test('takes it in any form', () => {
    const query = { filter: { a: { [operator]: ['1', 'b c', ''] } } }
    expectQuery(query, query)
    for (const text of [
      '=1,b c,',
      '[]=1&:[]=b c&:[]=',
      '[0]=1&:[1]=b c&:[2]=',
      '=1&:=b c&:=',
      '=["1","b c",""]',
    ]) {
      const name = `filter[a][${operator}]`
      expectQuery(name + text.replaceAll(':', name), query)
    }
    expectQuery({ filter: { a: { [operator]: '1,b c,' } } }, query)
    expectQuery({ filter: { a: { [operator]: { 2: '', 0: '1', 1: 'b c' } } } }, query)
  })

  test('takes comma text literally, blanks and all', () => {
    expectOperand(operator, 'a, b', ['a', ' b'])
    expectOperand(operator, '', [''])
    expectOperand(operator, ',', ['', ''])
  })

  test('does not split the elements of a list', () => {
    expectOperand(operator, ['a,b', 'c'])
    expectQuery(`filter[a][${operator}][]=a,b`, { filter: { a: { [operator]: ['a,b'] } } })
  })

  test('takes a single value for a list of one', () => {
    expectOperand(operator, 5, [5])
    expectOperand(operator, false, [false])
    expectOperand(operator, new Date(0), ['1970-01-01T00:00:00.000Z'])
    expectOperand(operator, '$CURRENT_ROLES', ['$CURRENT_ROLES'])
  })

  test('takes an empty list', () => {
    expectOperand(operator, [])
    expectQuery(`filter[a][${operator}]=[]`, { filter: { a: { [operator]: [] } } })
  })

  test('takes keys of several parts', () => {
    expectOperand(operator, [
      [1, 'x'],
      [2, 'y'],
    ])
    expectQuery(`filter[a][${operator}]=[[1,"x"],[2,"y"]]`, {
      filter: {
        a: {
          [operator]: [
            [1, 'x'],
            [2, 'y'],
          ],
        },
      },
    })
  })

  test('refuses all else', () => {
    expect(said(operator, null)).toEqual([[[operator], 'takes a list, not null.']])
    expect(said(operator, { x: 1 })).toEqual([[[operator], 'takes a list, not an object.']])
    expect(said(operator, {})).toEqual([[[operator], 'takes a list, not an object.']])
    expect(said(operator, [1, null])).toEqual([
      [[operator, 1], 'takes no null in its list; ask for "_null" beside it.'],
    ])
    expect(said(operator, [[1]])).toEqual([[[operator, 0], 'takes a single value, not a list of 1.']])
    expect(said(operator, [{ type: 'Point' }])).toEqual([
      [[operator, 0], 'takes a single value, not an object.'],
    ])
    expect(refusal(`filter[a][${operator}][x]=1`)[0]?.message).toBe(
      `"${operator}" takes a list, not an object.`,
    )
  })
})

describe.each(takers('pair'))('%s, which takes two values,', (operator) => {
  test('takes them in any form', () => {
    const query = { filter: { a: { [operator]: ['1', '9'] } } }
    for (const text of ['=1,9', '[]=1&:[]=9', '[0]=1&:[1]=9', '=["1","9"]']) {
      const name = `filter[a][${operator}]`
      expectQuery(name + text.replaceAll(':', name), query)
    }
    expectOperand(operator, [1, 9])
    expectOperand(operator, [new Date(0), '$NOW'], ['1970-01-01T00:00:00.000Z', '$NOW'])
  })

  test('takes two variables in comma text', () => {
    expectOperand(operator, '$NOW(-1 day),$NOW(+1 day)', ['$NOW(-1 day)', '$NOW(+1 day)'])
    expectOperand(operator, '$CURRENT_ROLE.low,$CURRENT_ROLE.high', [
      '$CURRENT_ROLE.low',
      '$CURRENT_ROLE.high',
    ])
  })

  test.each([
    [[], 0],
    [[1], 1],
    [[1, 2, 3], 3],
    ['1', 1],
    ['1,2,3', 3],
    ['', 1],
    [5, 1],
  ])('refuses %j', (value, count) => {
    expect(said(operator, value)).toEqual([[[operator], `takes exactly two values, not ${count}.`]])
  })

  test('refuses null on either side', () => {
    expect(said(operator, [null, 1])).toEqual([
      [[operator, 0], 'takes no null in its list; ask for "_null" beside it.'],
    ])
    expect(said(operator, [1, null])[0]?.[0]).toEqual([operator, 1])
    expect(said(operator, null)).toEqual([[[operator], 'takes a list, not null.']])
    expect(said(operator, { low: 1, high: 2 })).toEqual([[[operator], 'takes a list, not an object.']])
  })
})

describe.each(takers('text'))('%s, which takes text,', (operator) => {
  test('takes it, and what can be written as text', () => {
    expectOperand(operator, 'a%_\\b')
    expectOperand(operator, '')
    expectOperand(operator, 5, '5')
    expectOperand(operator, true, 'true')
    expectQuery(`filter[a][${operator}]=true`, { filter: { a: { [operator]: 'true' } } })
    expectQuery(`filter[a][${operator}]={"b":1}`, { filter: { a: { [operator]: '{"b":1}' } } })
  })

  test('refuses all else', () => {
    expect(said(operator, null)).toEqual([[[operator], 'takes text, not null.']])
    expect(said(operator, ['a'])).toEqual([[[operator], 'takes text, not a list of 1.']])
    expect(said(operator, { a: 1 })).toEqual([[[operator], 'takes text, not an object.']])
  })
})

describe.each(takers('flag'))('%s, which takes a flag,', (operator) => {
  test('takes true and false, and yes when nothing is said', () => {
    for (const flag of [true, false]) expectOperand(operator, flag)
    expectOperand(operator, 'true', true)
    expectOperand(operator, 'false', false)
    expectOperand(operator, '', true)
    expectOperand(operator, null, true)
    expectQuery(`filter[a][${operator}]`, { filter: { a: { [operator]: true } } })
  })

  test.each([
    ['1', '"1"'],
    ['yes', '"yes"'],
    ['TRUE', '"TRUE"'],
    ['null', '"null"'],
    [1, '1'],
    [0, '0'],
    [[true], 'a list of 1'],
    [{}, 'an object'],
  ])('refuses %j', (value, shown) => {
    expect(said(operator, value)).toEqual([[[operator], `takes true or false, not ${shown}.`]])
  })
})

describe.each(takers('geometry'))('%s, which takes a geometry,', (operator) => {
  const point = { type: 'Point', coordinates: [1.5, -2] }

  test('takes it in any form', () => {
    const query = { filter: { a: { [operator]: point } } }
    expectQuery(query, query)
    expectQuery(`filter[a][${operator}]=${JSON.stringify(point)}`, query)
    expectQuery({ filter: { a: { [operator]: JSON.stringify(point) } } }, query)
    const name = `filter[a][${operator}]`
    expectQuery(`${name}[type]=Point&${name}[coordinates][]=1.5&${name}[coordinates][]=-2`, query)
    expectQuery(`${name}[type]=Point&${name}[coordinates]=1.5&${name}[coordinates]=-2`, query)
    expectQuery(`${name}[type]=Point&${name}[coordinates]=[1.5,-2]`, query)
  })

  test('refuses what is none', () => {
    expect(said(operator, 'POINT(1 2)')).toEqual([
      [[operator], 'takes a GeoJSON geometry, not "POINT(1 2)".'],
    ])
    expect(said(operator, null)).toEqual([[[operator], 'takes a GeoJSON geometry, not null.']])
    expect(said(operator, [1, 2])).toEqual([[[operator], 'takes a GeoJSON geometry, not a list of 2.']])
    expect(said(operator, '[1,2]')).toEqual([[[operator], 'takes a GeoJSON geometry, not "[1,2]".']])
  })

  test('refuses what JSON cannot hold', () => {
    const at = [operator, 'coordinates', 0]
    const withCoordinate = (value: unknown) => said(operator, { type: 'Point', coordinates: [value, 2] })
    expect(withCoordinate(1n)).toEqual([[at, 'JSON has no word for 1.']])
    expect(withCoordinate(Number.NaN)).toEqual([[at, 'JSON has no word for NaN.']])
    expect(withCoordinate(undefined)).toEqual([[at, 'JSON has no word for undefined.']])
    expect(withCoordinate(new Date(0))).toEqual([[at, 'JSON has no word for a date.']])
    expect(withCoordinate(() => 1)).toEqual([[at, 'JSON has no word for a function.']])
  })

  test('leaves what else its object holds as it is', () => {
    const labelled = { ...point, id: null, properties: { visible: true, label: 'A', at: [-0] } }
    const read = { ...labelled, properties: { ...labelled.properties, at: [0] } }
    expectQuery({ filter: { a: { [operator]: labelled } } }, { filter: { a: { [operator]: read } } })
  })

  test('refuses one of more than a mebibyte', () => {
    const line = (digits: number) => ({ type: 'LineString', name: 'x'.repeat(digits), coordinates: [] })
    const around = JSON.stringify(line(0)).length
    expectOperand(operator, line(1_048_576 - around))
    expect(said(operator, line(1_048_577 - around))).toEqual([
      [[operator], 'takes a geometry of at most 1048576 bytes.'],
    ])
  })

  test('refuses what is too deep, before anything overflows', () => {
    const deep = `{"type":"Point","coordinates":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
    const told = refusal(`filter[a][${operator}]=${deep}`)
    expect(told.map(({ message }) => message)).toEqual(['The value nests deeper than 20 levels.'])
  })
})

describe('_regex', () => {
  test('takes text', () => {
    expectOperand('_regex', '^a\\d+$')
  })

  test.each([
    [5, '5'],
    [null, 'null'],
    [/a/, 'an instance of a class'],
    [['a'], 'a list of 1'],
  ])('refuses %s', (value, shown) => {
    expect(said('_regex', value)).toEqual([[['_regex'], `takes a regular expression as text, not ${shown}.`]])
  })
})
