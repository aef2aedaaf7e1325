import { types } from 'node:util'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasMoreBytes, isBuffer, isBytes, isDate } from '../../src/values/guards.ts'

const hostile = new Proxy(
  {},
  {
    get() {
      throw new Error('read')
    },
    getPrototypeOf() {
      throw new Error('asked')
    },
  },
)

const values: readonly [title: string, value: unknown][] = [
  ['nothing', undefined],
  ['null', null],
  ['a number', 5],
  ['a text', 'Date'],
  ['a function', () => new Date()],
  ['an object', {}],
  ['an object without a prototype', Object.create(null)],
  ['a list', [1]],
  ['a date', new Date()],
  ['a date that is none', new Date(Number.NaN)],
  ['a date of a class of its own', new (class extends Date {})()],
  ['a date of another realm', runInNewContext('new Date()')],
  ['what inherits from dates', Object.create(Date.prototype)],
  ['what says that it is a date', { [Symbol.toStringTag]: 'Date', getTime: () => 0 }],
  ['bytes', new Uint8Array(2)],
  ['bytes of Node', Buffer.from('a')],
  ['bytes of another realm', runInNewContext('new Uint8Array(2)')],
  ['what inherits from bytes', Object.create(Uint8Array.prototype)],
  ['what says that it is bytes', { [Symbol.toStringTag]: 'Uint8Array' }],
  ['bytes that are clamped', new Uint8ClampedArray(2)],
  ['words', new Uint16Array(2)],
  ['a view', new DataView(new ArrayBuffer(2))],
  ['a buffer', new ArrayBuffer(2)],
  ['a buffer that is shared', new SharedArrayBuffer(2)],
  ['a buffer of another realm', runInNewContext('new ArrayBuffer(2)')],
  ['a shared one of another realm', runInNewContext('new SharedArrayBuffer(2)')],
  ['what inherits from buffers', Object.create(ArrayBuffer.prototype)],
  ['what says that it is a buffer', { [Symbol.toStringTag]: 'ArrayBuffer', byteLength: 2 }],
  ['what stands before a date', new Proxy(new Date(), {})],
  ['what stands before bytes', new Proxy(new Uint8Array(2), {})],
  ['what throws when it is looked at', hostile],
]

describe('tests of values', () => {
  it.each(values)('see in %s what Node sees', (_title, value) => {
    expect([isDate(value), isBytes(value), isBuffer(value)]).toEqual([
      types.isDate(value),
      types.isUint8Array(value),
      types.isAnyArrayBuffer(value),
    ])
  })

  it('count the bytes of a text as Node does', () => {
    const every = fc.property(fc.string({ unit: 'binary', maxLength: 30 }), fc.nat(100), (text, most) => {
      expect(hasMoreBytes(most, text)).toBe(Buffer.byteLength(text) > most)
    })
    fc.assert(every, { numRuns: 1000 })
    const lonely = 'a\ud800'
    expect([3, 4].map((most) => hasMoreBytes(most, lonely))).toEqual([true, false])
  })
})
