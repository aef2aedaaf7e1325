import { expect, it } from 'vitest'
import { defineSchema } from '../../src/index.ts'
import {
  countedKeys,
  distinctKeys,
  isCountedOn,
  isKeyLike,
  isNamedKey,
  isNameOfKey,
  isSameKey,
  itemOfKey,
  keyAsText,
  keyFromAddress,
  keyFromText,
  keyIdentity,
  keyInItem,
  keyToText,
  ownKeyIn,
  readKey,
  readNamedKey,
  referencedKey,
  shownKeyOf,
  storedKey,
  valuesOfKey,
} from '../../src/plan/key.ts'
import { type Collection, isStored } from '../../src/schema/model.ts'
import { integer, key, string } from '../support/fields.ts'

const { collections } = defineSchema({
  numbers: { fields: { id: key } },
  wide: { fields: { id: { type: 'bigInteger', key: true } } },
  prices: { fields: { id: { type: 'decimal', key: true, scale: 2 } } },
  names: { fields: { id: { type: 'string', key: true } } },
  marks: { fields: { id: { type: 'uuid', key: true } } },
  days: { fields: { id: { type: 'date', key: true } } },
  lines: { key: ['order', 'place'], fields: { order: integer, place: { type: 'decimal', scale: 1 } } },
  signs: { key: ['kind', 'code'], fields: { kind: string, code: string } },
  visits: { key: false, fields: { at: { type: 'timestamp' } } },
})
const of = (name: string) => collections.get(name) as Collection // all were just described
const uuid = '3F2504E0-4F89-11D3-9A0C-0305E82C3301'

it.each([
  ['numbers', 7, 7, '7'],
  ['numbers', '7', 7, '7'],
  ['wide', '9007199254740993', '9007199254740993', '9007199254740993'],
  ['prices', '1.5', '1.50', '1.50'],
  ['names', '007', '007', '007'],
  ['marks', uuid, uuid.toLowerCase(), uuid.toLowerCase()],
  ['days', new Date('2024-02-29T00:00:00Z'), '2024-02-29', '2024-02-29'],
  ['lines', ['1', 2.5], [1, '2.5'], '[1,"2.5"]'],
  ['signs', ['a,b', '"'], ['a,b', '"'], '["a,b","\\""]'],
])(
  'a key of %s given as %o is shown as %o, and is the text %s in other columns',
  (name, given, shown, text) => {
    const key = storedKey(of(name), given)
    expect(shownKeyOf(of(name), key)).toEqual(shown)
    expect(keyToText(of(name), key)).toBe(text)
    expect(isSameKey(keyFromText(of(name), text), key)).toBe(true)
  },
)

it.each([
  ['numbers', 'x'],
  ['numbers', 1.5],
  ['numbers', null],
  ['numbers', undefined],
  ['marks', 'no uuid'],
  ['names', {}],
  ['lines', [1]],
  ['lines', [1, 2, 3]],
  ['lines', ['1', '2.5', 'x']],
  ['lines', [1, null]],
  ['lines', 1],
  ['visits', 'a'],
])('a key of %s is never %o', (name, given) => {
  expect(readKey(of(name), given)).toBeUndefined()
  expect(readNamedKey(of(name), given)).toBeUndefined()
})

it.each([
  ['numbers', '01'],
  ['numbers', '+1'],
  ['numbers', '1e0'],
  ['numbers', '1.0'],
  ['prices', '01.50'],
  ['lines', ['01', '2.5']],
  ['lines', '[1,"2.5"]'],
])('an item of %s has one address, so %j names none', (name, given) => {
  expect(isNamedKey(of(name), given)).toBe(false)
  expect(readNamedKey(of(name), given)).toBeUndefined()
})

it.each([
  ['numbers', '07'],
  ['prices', '1.5'],
  ['marks', uuid],
  ['lines', '[1,2.5]'],
  ['lines', '[1, "2.5"]'],
  ['lines', '[1,'],
  ['lines', '{"order":1}'],
])('a reference in text to %s has one form, so %s refers to no item', (name, text) => {
  expect(keyFromText(of(name), text)).toBeUndefined()
})

it('a reference as results show it counts in its only form where it is a number', () => {
  expect(referencedKey(of('numbers'), '07')).toBeUndefined()
  expect(referencedKey(of('numbers'), null)).toBeUndefined()
  expect(isSameKey(referencedKey(of('numbers'), 7), storedKey(of('numbers'), 7))).toBe(true)
})

it('a reference of several parts counts where each number in it has its only form', () => {
  expect(referencedKey(of('lines'), ['01', '2.5'])).toBeUndefined()
  expect(referencedKey(of('lines'), [1])).toBeUndefined()
  expect(isSameKey(referencedKey(of('lines'), [1, 2.5]), storedKey(of('lines'), ['1', '2.5']))).toBe(true)
})

it.each<[string, object, unknown]>([
  ['numbers', { id: 7, name: 'x' }, 7],
  ['numbers', {}, undefined],
  ['lines', { order: 1, place: '2.5', amount: 3 }, [1, '2.5']],
  ['lines', { order: 1 }, undefined],
  ['lines', { order: 1, place: null }, undefined],
  ['visits', { at: 'now' }, undefined],
])('an item of %s that is %j says the key %j', (name, item, key) => {
  expect(keyInItem(of(name), { ...item })).toEqual(key)
})

it('a key says the fields of its item', () => {
  expect(itemOfKey(of('numbers'), 7)).toEqual({ id: 7 })
  expect(itemOfKey(of('lines'), [1, '2.5'])).toEqual({ order: 1, place: '2.5' })
  expect(isNameOfKey(of('lines'), 'place')).toBe(true)
  expect(isNameOfKey(of('lines'), 'id')).toBe(false)
})

it.each<[string, unknown, boolean]>([
  ['numbers', 7, true],
  ['numbers', [7], false],
  ['lines', [1, 'x'], true],
  ['lines', [1], false],
  ['lines', [1, {}], false],
  ['lines', 1, false],
])('has %s keys such as %j: %s', (name, given, isLike) => {
  expect(isKeyLike(of(name), given)).toBe(isLike)
})

it('the values that a row holds of a key are its parts, and a row without one of them has no key yet', () => {
  const { order, place } = Object.fromEntries(of('lines').fields)
  if (!order || !isStored(order) || !place || !isStored(place)) throw new Error('fields that were described')
  const key = storedKey(of('lines'), [1, 2.5])
  const held = valuesOfKey([order, place], key)
  expect(held.map(([field, value]) => [field.name, value])).toEqual([
    ['order', 1n],
    ['place', { digits: 25n, scale: 1 }],
  ])
  expect(isSameKey(ownKeyIn(new Map(held), of('lines')), key)).toBe(true)
  expect(ownKeyIn(new Map([[order, 1n]]), of('lines'))).toBeUndefined()
  expect(
    ownKeyIn(
      new Map([
        [order, 1n],
        [place, null],
      ]),
      of('lines'),
    ),
  ).toBeUndefined()
  expect(valuesOfKey([order, place], null)).toEqual([
    [order, null],
    [place, null],
  ])
  expect(valuesOfKey([order], storedKey(of('numbers'), 3))).toEqual([[order, 3n]])
})

it('keys are told apart by what they are worth', () => {
  const identity = (name: string, given: unknown) => keyIdentity(storedKey(of(name), given))
  expect(identity('numbers', '7')).toBe(identity('numbers', 7))
  expect(identity('prices', '1.50')).toBe(identity('prices', 1.5))
  expect(identity('marks', uuid)).toBe(identity('marks', uuid.toLowerCase()))
  expect(identity('names', 'a')).not.toBe(identity('names', 'A'))
  const [one, two] = [storedKey(of('numbers'), 1), storedKey(of('numbers'), 2)]
  expect(distinctKeys([one, two, storedKey(of('numbers'), '1')])).toEqual([one, two])
  expect(identity('lines', [1, '2.50'])).toBe(identity('lines', ['1', 2.5]))
  expect(identity('signs', ['a', 'b,c'])).not.toBe(identity('signs', ['a,b', 'c']))
})

it('counted keys follow the key before them', () => {
  const key = (id: number) => storedKey(of('numbers'), id)
  expect(countedKeys(6n, 3).map((one) => shownKeyOf(of('numbers'), one))).toEqual([4, 5, 6])
  expect(isCountedOn(key(3), countedKeys(6n, 3))).toBe(true)
  expect(isCountedOn(key(2), countedKeys(6n, 3))).toBe(false)
  expect(isCountedOn(undefined, countedKeys(6n, 3))).toBe(false)
  expect(isCountedOn(storedKey(of('names'), 'x'), [storedKey(of('names'), 'y')])).toBe(false)
})

it('a stored row without a key is named by its collection', () => {
  expect(() => storedKey(of('numbers'), null)).toThrow('A row of "numbers" has a key that cannot be read.')
})

it('the segments of a key of several parts stand between commas', () => {
  expect(keyFromAddress(of('signs'), 'a~2Cb,c')).toEqual(['a,b', 'c'])
  expect(keyFromAddress(of('signs'), ',')).toEqual(['', ''])
  expect(keyFromAddress(of('names'), 'a,b')).toBe('a,b')
})

it.each([
  ['a~2Cb', 'a,b'],
  ['~2E~2e', '..'],
  ['1~2F2', '1/2'],
  ['50~25', '50%'],
  ['~7E2C', '~2C'],
  ['~41', '~41'],
])('the segment %s of a path is the key %s', (segment, key) => {
  expect(keyFromAddress(undefined, segment)).toBe(key)
})

it.each([
  [7, '7'],
  ['9007199254740993', '9007199254740993'],
  ['a,b', 'a,b'],
  [[1, 'a,b'], '1,a~2Cb'],
  [['~2C', '1/2', '..', '50%'], '~7E2C,1~2F2,~2E~2E,50~25'],
  [['', ''], ','],
])('the key %j is the one text %s', (shown, text) => {
  expect(keyAsText(shown)).toBe(text)
  if (Array.isArray(shown)) expect(keyFromAddress(of('signs'), text)).toEqual(shown.map(String))
})

it.each([null, undefined])('no key (%s) has no text', (none) => {
  expect(keyAsText(none)).toBeNull()
})
