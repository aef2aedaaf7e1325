import { expect, it } from 'vitest'
import { defineSchema } from '../../src/index.ts'
import {
  countedKeys,
  distinctKeys,
  isCountedOn,
  isNamedKey,
  isSameKey,
  keyFromAddress,
  keyFromText,
  keyIdentity,
  keyToText,
  readKey,
  readNamedKey,
  referencedKey,
  shownKeyOf,
  storedKey,
} from '../../src/plan/key.ts'
import type { Collection } from '../../src/schema/model.ts'

const { collections } = defineSchema({
  numbers: { fields: { id: { type: 'integer', key: true } } },
  wide: { fields: { id: { type: 'bigInteger', key: true } } },
  prices: { fields: { id: { type: 'decimal', key: true, scale: 2 } } },
  names: { fields: { id: { type: 'string', key: true } } },
  marks: { fields: { id: { type: 'uuid', key: true } } },
  days: { fields: { id: { type: 'date', key: true } } },
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
])(
  'a key of %s given as %o is shown as %o, and is the text %s in other columns',
  (name, given, shown, text) => {
    const key = storedKey(of(name), given)
    expect(shownKeyOf(of(name), key)).toBe(shown)
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
])('an item of %s has one address, so %s names none', (name, given) => {
  expect(isNamedKey(of(name), given)).toBe(false)
  expect(readNamedKey(of(name), given)).toBeUndefined()
})

it.each([
  ['numbers', '07'],
  ['prices', '1.5'],
  ['marks', uuid],
])('a reference in text to %s has one form, so %s refers to no item', (name, text) => {
  expect(keyFromText(of(name), text)).toBeUndefined()
})

it('a reference as results show it counts in its only form where it is a number', () => {
  expect(referencedKey(of('numbers'), '07')).toBeUndefined()
  expect(referencedKey(of('numbers'), null)).toBeUndefined()
  expect(isSameKey(referencedKey(of('numbers'), 7), storedKey(of('numbers'), 7))).toBe(true)
})

it('keys are told apart by what they are worth', () => {
  const identity = (name: string, given: unknown) => keyIdentity(storedKey(of(name), given))
  expect(identity('numbers', '7')).toBe(identity('numbers', 7))
  expect(identity('prices', '1.50')).toBe(identity('prices', 1.5))
  expect(identity('marks', uuid)).toBe(identity('marks', uuid.toLowerCase()))
  expect(identity('names', 'a')).not.toBe(identity('names', 'A'))
  const [one, two] = [storedKey(of('numbers'), 1), storedKey(of('numbers'), 2)]
  expect(distinctKeys([one, two, storedKey(of('numbers'), '1')])).toEqual([one, two])
})

it('counted keys follow the key before them', () => {
  const key = (id: number) => storedKey(of('numbers'), id)
  expect(countedKeys(6n, 3).map((one) => shownKeyOf(of('numbers'), one))).toEqual([4, 5, 6])
  expect(isCountedOn(key(3), countedKeys(6n, 3))).toBe(true)
  expect(isCountedOn(key(2), countedKeys(6n, 3))).toBe(false)
  expect(isCountedOn(undefined, countedKeys(6n, 3))).toBe(false)
  expect(isCountedOn(storedKey(of('names'), 'x'), [storedKey(of('names'), 'y')])).toBe(false)
})

it('a stored row without a key is a bug, and says so', () => {
  expect(() => storedKey(of('numbers'), null)).toThrow('a stored row without a key')
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
