import { expect, it } from 'vitest'
import { shownAs } from '../../../src/plan/read/shown-as.ts'

it.each([
  ['key', 7, '7'],
  ['key', ['a,b', 1], 'a~2Cb,1'],
  ['key', null, null],
  ['number', '4.50', 4.5],
  ['number', '12345678901234567890.25', 12345678901234567000],
  ['number', '0', 0],
  ['number', 2n, 2],
  ['number', null, null],
  ['number', undefined, null],
] as const)('shows as a %s the value %o as %o', (form, value, shown) => {
  expect(shownAs[form](value)).toEqual(shown)
})
