// Keys of several parts: how a list of values is read, compared and shown, part by part.
import { describe, expect, it } from 'vitest'
import { defineSchema } from '../../src/index.ts'
import { readStored } from '../../src/plan/write/stored-value.ts'
import { keyOf } from '../../src/schema/model.ts'
import { familyRow } from '../../src/types/families.ts'
import { shownSingle } from '../../src/types/field-types.ts'

const { collections } = defineSchema({
  prices: {
    key: ['shop', 'ware', 'price'],
    fields: { shop: { type: 'bigInteger' }, ware: { type: 'string' }, price: { type: 'decimal', scale: 2 } },
  },
})
const [prices] = collections.values()
if (!prices) throw new Error('no collection')
const key = keyOf(prices)
const { compare, comparable, operand, outputSchema } = familyRow('tuple')
const read = (given: unknown) => {
  const found = operand(given, key.value)
  if (!found) throw new Error(`${JSON.stringify(given)} is no key`)
  return found.at
}

describe('a key of several parts', () => {
  it('is the same in every form of its parts, and shown in one', () => {
    for (const given of [[1, 'a', 2], ['1', 'a', '2.00'], [1n, 'a', 2.0], '[1,"a","2.0"]']) {
      expect(compare(read(given), read([1, 'a', '2']))).toBe(0)
      expect(shownSingle(read(given), key.value)).toEqual(['1', 'a', '2.00'])
    }
  })

  it.each<[string, unknown]>([
    ['text that is no JSON', 'x'],
    ['JSON of another kind', '{"shop":1}'],
    ['another number of parts', [1, 'a']],
    ['a part that is null', [1, null, 2]],
    ['a part of another type', [1, 'a', 'x']],
    ['one value', 7],
  ])('is not %s', (_, given) => {
    expect(operand(given, key.value)).toBeUndefined()
  })

  it('with a part between two values is none of those that are stored', () => {
    expect(operand([1.5, 'a', 2], key.value)?.exact).toBe(false)
    expect(operand([1, 'a', 2], key.value)?.exact).toBe(true)
  })

  it('comes before another by the first part that differs', () => {
    const sorted = [
      [-1, 'b', 9],
      [1, 'A', 9],
      [1, 'a', 1],
      [1, 'a', '1.5'],
      [1, 'a', '10'],
      [1, 'aa', 0],
      ['9007199254740993', '', 0],
    ].map(read)
    for (const [at, left] of sorted.entries())
      expect(sorted.map((right) => Math.sign(compare(left, right)))).toEqual(
        sorted.map((_, place) => Math.sign(at - place)),
      )
  })

  it('of an item compares in the form of its parts, and is null where a part can be no value', () => {
    expect(comparable?.(['1', 'a', '2.00'], key.value)).toEqual(read([1, 'a', 2]))
    for (const value of [[1.5, 'a', 2], [1, 'a'], [1, 'a', {}], 'x'])
      expect(comparable?.(value, key.value)).toBeNull()
  })

  it.each<[unknown, string]>([
    [[1, 'a'], 'takes a list of 3 values, the parts of a key'],
    [7, 'takes a list of 3 values, the parts of a key'],
    [[1, 'a', 'x'], 'takes a number in each place of its key'],
    [[1.5, 'a', 1], 'takes a whole number in each place of its key'],
  ])('that is to be stored is not %j', (given, says) => {
    expect(readStored(key, given)).toMatchObject({ kind: 'mistake', code: 'FAILED_VALIDATION', says })
  })

  it('is described as a list with a schema for each part', () => {
    expect(outputSchema(key.value)).toEqual({
      type: 'array',
      prefixItems: [
        { type: 'string', pattern: '^-?[0-9]+$' },
        { type: 'string' },
        { type: 'string', pattern: '^-?[0-9]+\\.[0-9]{2,}$' },
      ],
      items: false,
      minItems: 3,
    })
  })
})
