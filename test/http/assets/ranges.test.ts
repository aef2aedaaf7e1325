import { expect, it } from 'vitest'
import { rangeOf } from '../../../src/http/assets.ts'

it.each([
  [undefined, 10, 'all'],
  ['bytes=0-4', 10, { start: 0, end: 4 }],
  ['bytes=0-0', 10, { start: 0, end: 0 }],
  ['bytes=3-3', 10, { start: 3, end: 3 }],
  ['Bytes= 3-', 10, { start: 3, end: 9 }],
  ['bytes=-3', 10, { start: 7, end: 9 }],
  ['bytes=-99', 10, { start: 0, end: 9 }],
  ['bytes=5-99', 10, { start: 5, end: 9 }],
  ['bytes=0-99999999999999999999999', 10, { start: 0, end: 9 }],
  ['bytes=10-', 10, 'none'],
  ['bytes=99999999999999999999999-', 10, 'none'],
  ['bytes=-0', 10, 'none'],
  ['bytes=0-', 0, 'none'],
  ['bytes=-5', 0, 'none'],
  // What is not understood is not there.
  ['bytes=4-2', 10, 'all'],
  ['bytes=', 10, 'all'],
  ['bytes=-', 10, 'all'],
  ['bytes=a-b', 10, 'all'],
  ['bytes=1.5-3', 10, 'all'],
  ['bytes=0x1-3', 10, 'all'],
  ['items=0-4', 10, 'all'],
  ['bytes=0-1,3-4', 10, 'all'],
  ['bytes 0-4', 10, 'all'],
] as const)('the range %s of %i bytes is %j', (header, size, expected) => {
  expect(rangeOf(header, size)).toEqual(expected)
})
