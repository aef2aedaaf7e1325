// Values of scalars: what literals and variables are read as, what is refused, and what is shown.
import { parseValue } from 'graphql'
import { describe, expect, it } from 'vitest'
import { type ScalarName, scalars } from '../../../src/graphql/schema/scalars.ts'

const refusal = 'refused'
const tried = (read: () => unknown) => {
  try {
    return read()
  } catch {
    return refusal
  }
}
const literal = (name: ScalarName, text: string) =>
  tried(() => scalars[name].parseLiteral(parseValue(text), { v: 'of a variable' }))
const variable = (name: ScalarName, value: unknown) => tried(() => scalars[name].parseValue(value))

describe('scalars', () => {
  it.each<[ScalarName, string, unknown]>([
    ['Int', '9007199254740991', 9_007_199_254_740_991],
    ['Int', '9007199254740992', refusal],
    ['Int', '1.5', refusal],
    ['Int', '"1"', refusal],
    ['Float', '1', 1],
    ['Float', '0.1', 0.1],
    ['Float', '1e3', 1_000],
    ['Float', '12345678901234567.89', '12345678901234567.89'],
    ['Float', '1e999', refusal],
    ['Float', '"1"', refusal],
    ['GraphQLBigInt', '9223372036854775807', '9223372036854775807'],
    ['GraphQLBigInt', '"-5"', '-5'],
    ['GraphQLBigInt', '"$CURRENT_USER"', '$CURRENT_USER'],
    ['GraphQLBigInt', '"five"', refusal],
    ['GraphQLBigInt', '1.5', refusal],
    ['GraphQLStringOrFloat', '5', 5],
    ['GraphQLStringOrFloat', '"5"', '5'],
    ['GraphQLStringOrFloat', 'true', refusal],
    ['GraphQLStringOrFloat', '{ a: 1 }', refusal],
    ['Date', '"2024-02-29"', '2024-02-29'],
    ['Date', '5', refusal],
    ['Hash', '"secret"', 'secret'],
    ['Hash', '5', refusal],
    [
      'JSON',
      '{ a: [1, 2.5, { b: null }], c: X, d: $v, e: true }',
      { a: [1, 2.5, { b: null }], c: 'X', d: 'of a variable', e: true },
    ],
    ['JSON', '"text"', 'text'],
    ['GraphQLJsonFilter', '{ color: { _eq: "red" } }', { color: { _eq: 'red' } }],
    ['GraphQLJsonFilter', '"red"', refusal],
    ['GraphQLGeoJSON', '{ type: "Point", coordinates: [1, 2] }', { type: 'Point', coordinates: [1, 2] }],
    ['GraphQLGeoJSON', '[1, 2]', refusal],
    ['Void', '5', refusal],
  ])('%s reads the literal %s', (name, text, expected) => {
    expect(literal(name, text)).toEqual(expected)
  })

  it.each<[ScalarName, unknown, unknown]>([
    ['Int', 5, 5],
    ['Int', 1.5, refusal],
    ['Int', '5', refusal],
    ['Float', 1.5, 1.5],
    ['Float', Number.NaN, refusal],
    ['Float', '1.5', refusal],
    ['GraphQLBigInt', 5, 5],
    ['GraphQLBigInt', '9223372036854775807', '9223372036854775807'],
    ['GraphQLBigInt', 2 ** 60, refusal],
    ['GraphQLStringOrFloat', true, refusal],
    ['Date', 5, refusal],
    ['JSON', { a: [null] }, { a: [null] }],
    ['GraphQLJsonFilter', [], refusal],
    ['GraphQLGeoJSON', 'POINT (1 2)', refusal],
  ])('%s reads the variable %j', (name, value, expected) => {
    expect(variable(name, value)).toEqual(expected)
  })

  it('a member of a literal may be called as the prototype', () => {
    const read = literal('JSON', '{ __proto__: { a: 1 } }')
    expect(Object.keys(Object(read))).toEqual(['__proto__'])
    expect(Reflect.get(Object(read), 'a')).toBeUndefined()
  })

  it('numbers are shown as numbers, and those of 64 bits as text', () => {
    expect(scalars.Float.serialize('12.50')).toBe(12.5)
    expect(scalars.Int.serialize(9_007_199_254_740_991)).toBe(9_007_199_254_740_991)
    expect(scalars.GraphQLBigInt.serialize('9223372036854775807')).toBe('9223372036854775807')
  })
})
