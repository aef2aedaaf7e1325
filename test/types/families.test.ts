// How each family reads an operand, and how its values stand to each other.
import { describe, expect, it } from 'vitest'
import { valueTypeOf } from '../../src/schema/stored-fields.ts'
import { type FieldType, familyRow, isEmptyValue } from '../../src/types/families.ts'
import type { OperandValue } from '../../src/types/family-row.ts'
import { compareText } from '../../src/types/text.ts'

const read = (type: FieldType, given: unknown) => {
  const value = valueTypeOf({ type })
  return familyRow(value.family).operand(given, value)
}

const point = { type: 'Point', coordinates: [1, 2] }
const id = '0190163d-8694-739b-aea5-966c26f8ad91'

describe('an operand', () => {
  it.each<[FieldType, unknown, unknown]>([
    ['integer', 5, 5n],
    ['integer', -0, 0n],
    ['integer', '5', 5n],
    ['integer', ' 5 ', undefined],
    ['integer', 9007199254740993n, 9007199254740993n],
    ['integer', '9007199254740993', 9007199254740993n],
    ['integer', '1e3', 1000n],
    ['integer', '', undefined],
    ['integer', 'x', undefined],
    ['integer', Number.NaN, undefined],
    ['integer', Number.POSITIVE_INFINITY, undefined],
    ['integer', true, undefined],
    ['float', 1.5, 1.5],
    ['float', '1.5', 1.5],
    ['float', '1e400', undefined],
    ['float', 'x', undefined],
    ['float', null, undefined],
    ['decimal', '1.50', { digits: 15n, scale: 1 }],
    ['decimal', 'x', undefined],
    ['string', 'x', 'x'],
    ['string', '', ''],
    ['string', 5, '5'],
    ['string', 5n, '5'],
    ['string', true, 'true'],
    ['string', new Date('2024-02-29T12:00:00Z'), '2024-02-29T12:00:00.000Z'],
    ['string', new Date('x'), undefined],
    ['string', null, undefined],
    ['string', ['x'], undefined],
    ['string', { toString: () => 'x' }, undefined],
    ['string', 'a\0', undefined],
    ['string', '\ud83d', undefined],
    ['csv', 'a,b', 'a,b'],
    ['csv', ['a', 'b'], 'a,b'],
    ['csv', [], ''],
    ['csv', ['a', 1], undefined],
    ['uuid', id, id],
    ['uuid', id.toUpperCase(), id],
    ['uuid', `${id}0`, undefined],
    ['uuid', `x${id}`, undefined],
    ['uuid', 5, undefined],
    ['boolean', true, true],
    ['boolean', false, false],
    ['boolean', 'true', true],
    ['boolean', 'false', false],
    ['boolean', 1, true],
    ['boolean', 0, false],
    ['boolean', '1', true],
    ['boolean', '0', false],
    ['boolean', 'yes', undefined],
    ['boolean', 2, undefined],
    ['boolean', null, undefined],
    ['date', '2024-02-29', Date.parse('2024-02-29')],
    ['date', '2024-02-30', undefined],
    ['time', '08:30:00', 30_600_000],
    ['time', '25:00:00', undefined],
    ['dateTime', '2024-02-29T08:30:00', Date.parse('2024-02-29T08:30:00Z')],
    ['timestamp', '2024-02-29T08:30:00+01:00', Date.parse('2024-02-29T07:30:00Z')],
    ['timestamp', 'now', undefined],
    ['binary', Buffer.from('ab'), '6162'],
    ['binary', new Uint8Array([97, 98]), '6162'],
    ['binary', 'YWI=', '6162'],
    ['binary', 'YWI', '6162'],
    ['binary', 'YWJj', '616263'],
    ['binary', 'YQ', '61'],
    ['binary', 'data:;base64,YWI=', '6162'],
    ['binary', 'data:;base64,Y', undefined],
    ['binary', '\\x61', undefined],
    ['binary', '', ''],
    ['binary', 'Y', undefined],
    ['binary', 'YW I', undefined],
    ['binary', 'YWI=YWI=', undefined],
    ['binary', 5, undefined],
    ['binary', 1234, undefined],
    ['geometry', point, point],
    ['geometry', JSON.stringify(point), point],
    ['geometry', '{"type":', undefined],
    ['geometry', 'POINT(1 2)', undefined],
    ['geometry', { type: 'Circle' }, undefined],
    ['geometry', null, undefined],
    ['json', {}, undefined],
    ['hash', 'x', undefined],
  ])('of a field of type %s that is %o is %o', (type, given, at) => {
    const found = read(type, given)
    expect(found).toEqual(at === undefined ? undefined : { at: expect.anything(), exact: true })
    expect(found?.at).toEqual(at)
  })

  it.each<[FieldType, unknown, unknown]>([
    ['integer', 1.5, 1n],
    ['integer', '-1.5', -2n],
    ['date', '2024-02-29T08:30:00Z', Date.parse('2024-02-29')],
    ['dateTime', '2024-02-29T08:30:00.5', Date.parse('2024-02-29T08:30:00Z')],
    ['time', '08:30:00.5', 30_600_000],
    ['timestamp', '2024-02-29T08:30:00.0005Z', Date.parse('2024-02-29T08:30:00Z')],
  ])('of a field of type %s that is %o lies behind %o', (type, given, at) => {
    expect(read(type, given)).toEqual({ at, exact: false })
  })

  it.each<[FieldType, string]>([
    ['integer', 'a whole number'],
    ['float', 'a number'],
    ['decimal', 'a number'],
    ['string', 'text'],
    ['csv', 'text, or a list of texts'],
    ['uuid', 'a UUID'],
    ['boolean', 'true or false'],
    ['date', 'a date such as 2024-02-29'],
    ['time', 'a time such as 08:30:00'],
    ['dateTime', 'a date and time such as 2024-02-29T08:30:00'],
    ['timestamp', 'a timestamp such as 2024-02-29T08:30:00Z'],
    ['binary', 'base64 text'],
    ['geometry', 'a GeoJSON geometry'],
  ])('of a field of type %s is called %s', (type, expects) => {
    expect(familyRow(valueTypeOf({ type }).family).expects).toBe(expects)
  })
})

describe('bytes as hexadecimal digits', () => {
  const type = valueTypeOf({ type: 'binary', encoding: 'hex' })
  const { operand, store, show, expectsOf, hintFor } = familyRow('binary')
  it.each<[unknown, unknown]>([
    ['00ff', '00ff'],
    ['00Ff', '00ff'],
    ['', ''],
    [Buffer.from('ab'), '6162'],
    ['data:;base64,YWI=', '6162'],
    ['0', undefined],
    ['0x00', undefined],
    ['\\x00', undefined],
    ['00 ff', undefined],
    ['YWI=', undefined],
    [0, undefined],
  ])('are read from %o as %o', (given, at) => {
    expect(operand(given, type)?.at).toBe(at)
    expect(store(given, type)).toMatchObject(at === undefined ? { kind: 'mistake' } : { value: at })
  })

  it('are shown as such, and as base64 by default', () => {
    expect(show?.('00ff', type)).toBe('00ff')
    expect(show?.('00ff', valueTypeOf({ type: 'binary' }))).toBe('AP8=')
  })

  it.each([
    ['0x00', 'Leave out "0x".'],
    ['0X00FF', 'Leave out "0X".'],
    ['\\x00', 'Leave out "\\x".'],
    ['x00', undefined],
    [5, undefined],
  ])('that are given as %o get the hint %o', (given, hint) => {
    expect(expectsOf?.(type)).toBe('hexadecimal digits, two for each byte')
    expect(hintFor?.(given, type)).toBe(hint)
    expect(store(given, type)).toEqual({
      kind: 'mistake',
      code: 'FAILED_VALIDATION',
      type: 'type',
      says: 'takes hexadecimal digits, two for each byte',
      ...(hint !== undefined && { hint }),
    })
  })

  it('get the hint that base64 is expected where it is', () => {
    expect(hintFor?.('\\x00', valueTypeOf({ type: 'binary' }))).toContain('base64')
  })
})

describe('values of type', () => {
  const other = { type: 'Point', coordinates: [2, 1] }
  it.each<[FieldType, readonly OperandValue[]]>([
    ['integer', [-1n, 0n, 9007199254740993n, 9007199254740994n]],
    ['float', [-1.5, 0, 0.5]],
    [
      'decimal',
      [
        { digits: -15n, scale: 1 },
        { digits: 15n, scale: 2 },
        { digits: 15n, scale: 1 },
      ],
    ],
    [
      'string',
      [
        '',
        'A',
        'a',
        'aa',
        'b',
        'é',
        '\ud7ff',
        '\ue000',
        '\uffff',
        '\u{10000}',
        '\u{103fe}',
        '\u{103ff}',
        '😀',
      ],
    ],
    ['csv', ['a', 'a,b']],
    ['uuid', ['0', '1']],
    ['boolean', [false, true]],
    ['timestamp', [-1, 0, 1]],
    ['binary', ['', '00', '0001', '61', '6161', '7f', '80', 'ff']],
  ])('%s come one after the other', (type, values) => {
    const { compare } = familyRow(valueTypeOf({ type }).family)
    for (const [at, left] of values.entries())
      expect(values.map((right) => Math.sign(compare(left, right)))).toEqual(
        values.map((_, place) => Math.sign(at - place)),
      )
  })

  it('geometry are the same or differ', () => {
    const { compare } = familyRow('geometry')
    expect([compare(point, { ...point }), compare(point, other), compare(other, point)]).toEqual([0, 1, 1])
  })

  it.each<[FieldType, readonly OperandValue[], readonly OperandValue[]]>([
    ['string', [''], [' ', '0']],
    ['csv', [''], [',']],
    ['hash', [''], ['x']],
    ['binary', [''], ['00']],
    ['integer', [0n], [1n, -1n]],
    ['float', [0, -0], [0.1]],
    ['decimal', [{ digits: 0n, scale: 0 }], [{ digits: 1n, scale: 3 }]],
    ['boolean', [false], [true]],
    ['json', [[], {}, '', 0, false], [[0], { a: null }, 'x', 1, true]],
    ['timestamp', [], [0]],
    ['uuid', [], [id]],
    ['geometry', [], [point]],
  ])('%s are empty where they are falsy', (type, empty, full) => {
    const { family } = valueTypeOf({ type })
    expect(isEmptyValue(null, family)).toBe(true)
    expect(empty.map((value) => isEmptyValue(value, family))).toEqual(empty.map(() => true))
    expect(full.map((value) => isEmptyValue(value, family))).toEqual(full.map(() => false))
  })
})

describe('the order of texts', () => {
  it('is that of code points, whichever comes first', () => {
    const texts = ['😀', '\uffff', 'b', 'a', 'ab', '']
    expect([...texts].sort(compareText)).toEqual(['', 'a', 'ab', 'b', '\uffff', '😀'])
  })
})
