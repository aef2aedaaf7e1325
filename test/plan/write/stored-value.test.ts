// What a payload says becomes what a column holds, is shown as it would be answered, or is refused with a reason.
import { describe, expect, it } from 'vitest'
import { Problems } from '../../../src/errors/problems.ts'
import { defineSchema } from '../../../src/index.ts'
import { shownValue } from '../../../src/plan/read/shown-value.ts'
import { readPayload } from '../../../src/plan/write/payload.ts'
import type { Collection } from '../../../src/schema/model.ts'
import { key, many } from '../../support/fields.ts'

/** A validator of the host, as any library of the Standard Schema makes one. */
const validator = (validate: (value: unknown) => unknown) =>
  ({ '~standard': { version: 1, vendor: 'host', validate } }) as never

const nullable = { nullable: true } as const
const { collections } = defineSchema({
  authors: { fields: { id: key, articles: many('articles.author') } },
  articles: {
    fields: {
      id: key,
      title: { type: 'string', length: 3, ...nullable },
      status: { type: 'string', values: ['draft', 'done'], ...nullable },
      views: { type: 'integer', ...nullable },
      big: { type: 'bigInteger', ...nullable },
      price: { type: 'decimal', precision: 5, scale: 2, ...nullable },
      whole: { type: 'decimal', precision: 3, ...nullable },
      exact: { type: 'decimal', ...nullable },
      tags: { type: 'csv', ...nullable },
      secret: { type: 'string', conceal: true, ...nullable },
      hash: { type: 'hash', ...nullable },
      born: { type: 'date', ...nullable },
      meta: { type: 'json', ...nullable },
      place: { type: 'geometry.Point', ...nullable },
      sizes: { type: 'integer', array: true, ...nullable },
      days: { type: 'date', array: true, ...nullable },
      bigs: { type: 'bigInteger', array: true, ...nullable },
      made: { type: 'timestamp', special: ['date-created'], ...nullable },
      fixed: { type: 'string', readonly: true, ...nullable },
      sum: { type: 'integer', generated: true, ...nullable },
      trimmed: { type: 'json', schema: validator((value) => ({ value: [value] })), ...nullable },
      strict: {
        type: 'json',
        schema: validator(() => ({ issues: [{ message: 'no' }, { message: 5 }, 'x'] })),
        ...nullable,
      },
      slow: { type: 'json', schema: validator(async () => ({ value: 1 })), ...nullable },
      gone: { type: 'json', schema: validator(() => ({ value: undefined })), ...nullable },
      author: { type: 'm2o', to: 'authors', ...nullable },
    },
  },
})
const articles = collections.get('articles') as Collection // it was just described
const authors = collections.get('authors') as Collection // and so was this

function read(given: Record<string, unknown>, collection = articles, isFixed = false) {
  const problems = new Problems('INVALID_PAYLOAD')
  const place = { collection, path: [], problems, isKeyed: false, isFixed }
  const { values, refused, children } = readPayload(given, place)
  return {
    values: Object.fromEntries([...values].map(([{ name }, value]) => [name, value])),
    shown: Object.fromEntries([...values].map(([field, value]) => [field.name, shownValue(field, value)])),
    refused: [...refused].map(({ name }) => name),
    children: children.map(({ changes }) => changes),
    problems: problems.all.map(({ code, path, message, hint, extensions }) => ({
      code,
      path,
      message,
      ...(hint !== undefined && { hint }),
      ...(extensions?.valid !== undefined && { valid: extensions.valid }),
    })),
  }
}

describe('a value', () => {
  it.each([
    ['title', '😀bc', '😀bc', '😀bc'],
    ['views', '7', 7n, 7],
    ['big', '-9223372036854775808', -9223372036854775808n, '-9223372036854775808'],
    ['price', '123.455', { digits: 12346n, scale: 2 }, '123.46'],
    ['price', -999.99, { digits: -99999n, scale: 2 }, '-999.99'],
    ['price', 5, { digits: 5n, scale: 0 }, '5.00'],
    ['whole', 0.5, { digits: 5n, scale: 1 }, '0.5'],
    ['whole', 999, { digits: 999n, scale: 0 }, '999'],
    ['exact', '1.50', { digits: 15n, scale: 1 }, '1.5'],
    ['tags', ['a', 'b'], 'a,b', ['a', 'b']],
    ['tags', [], '', []],
    ['secret', 'x', 'x', '**********'],
    ['hash', 'x', 'x', '**********'],
    ['born', '2024-02-29', Date.parse('2024-02-29'), '2024-02-29'],
    ['meta', { a: undefined, b: [new Date(0)] }, { b: ['1970-01-01T00:00:00.000Z'] }, undefined],
    ['meta', '\\u0000', '\\u0000', '\\u0000'],
    ['meta', ['\ud83d\ude00'], ['😀'], ['😀']],
    ['sizes', [1, null, '3'], [1n, null, 3n], [1, null, 3]],
    ['days', ['2024-02-29'], [Date.parse('2024-02-29')], ['2024-02-29']],
    ['bigs', ['1'], [1n], ['1']],
    ['trimmed', 1, [1], [1]],
    ['author', null, null, null],
  ])('of "%s" is read and shown: %o', (name, given, stored, shown) => {
    const found = read({ [name]: given })
    expect(found.problems).toEqual([])
    expect(found.values).toEqual({ [name]: stored })
    expect(found.shown).toEqual({ [name]: shown ?? stored })
  })

  it.each([
    ['title', 'abcd', 'VALUE_TOO_LONG', '"title" takes at most 3 characters, not "abcd".', 3],
    [
      'status',
      'gone',
      'FAILED_VALIDATION',
      '"status" takes one of its values, not "gone".',
      ['draft', 'done'],
    ],
    ['views', 1.5, 'FAILED_VALIDATION', '"views" takes a whole number, not 1.5.'],
    [
      'views',
      '9007199254740992',
      'VALUE_OUT_OF_RANGE',
      '"views" takes a number that JavaScript can count; a "bigInteger" takes more, not "9007199254740992".',
    ],
    [
      'big',
      '9223372036854775808',
      'VALUE_OUT_OF_RANGE',
      '"big" takes a number of 64 bits, not "9223372036854775808".',
    ],
    ['price', 1000, 'VALUE_OUT_OF_RANGE', '"price" takes at most 3 digits before the point, not 1000.'],
    ['whole', -1000, 'VALUE_OUT_OF_RANGE', '"whole" takes at most 3 digits before the point, not -1000.'],
    [
      'tags',
      ['a,b'],
      'FAILED_VALIDATION',
      '"tags" takes a list of texts without commas, which separate them, not a list of 1.',
    ],
    [
      'tags',
      [''],
      'FAILED_VALIDATION',
      '"tags" takes a list of texts without commas, which separate them, not a list of 1.',
    ],
    ['hash', 5, 'FAILED_VALIDATION', '"hash" takes text, not 5.'],
    ['hash', 'a\0', 'FAILED_VALIDATION', '"hash" takes text, not "a\\u0000".'],
    ['sizes', 1, 'FAILED_VALIDATION', '"sizes" takes a list, not 1.'],
    [
      'sizes',
      [1, 'x'],
      'FAILED_VALIDATION',
      '"sizes" takes a whole number in each place of its list, not a list of 2.',
    ],
    [
      'place',
      {
        type: 'LineString',
        coordinates: [
          [0, 0],
          [1, 1],
        ],
      },
      'FAILED_VALIDATION',
      '"place" takes a GeoJSON Point, not an object.',
    ],
    ['meta', () => 1, 'FAILED_VALIDATION', '"meta" takes a JSON value, not a function.'],
    ['meta', 5n, 'FAILED_VALIDATION', '"meta" takes a JSON value, not 5.'],
    ['meta', { toJSON: () => null }, 'FAILED_VALIDATION', '"meta" takes a JSON value, not an object.'],
    [
      'meta',
      ['x', ['\0']],
      'FAILED_VALIDATION',
      '"meta" takes a JSON value without U+0000 or half a surrogate pair, not a list of 2.',
    ],
    [
      'meta',
      { a: { '\ud83d': 1 } },
      'FAILED_VALIDATION',
      '"meta" takes a JSON value without U+0000 or half a surrogate pair, not an object.',
    ],
    [
      'strict',
      1,
      'FAILED_VALIDATION',
      '"strict" does not take this JSON value, not 1.',
      ['no', 'not valid', 'not valid'],
    ],
    ['gone', 1, 'FAILED_VALIDATION', '"gone" takes a JSON value, not 1.'],
    ['slow', 1, 'FAILED_VALIDATION', '"slow" takes a JSON value that a validator can check at once, not 1.'],
  ])('of "%s" is refused: %o', (name, given, code, message, valid?: unknown) => {
    const found = read({ [name]: given })
    expect(found.problems).toEqual([{ code, path: [name], message, ...(valid !== undefined && { valid }) }])
    expect(found.refused).toEqual([name])
    expect(found.values).toEqual({})
  })

  it('that the engine sets is passed over, and one that nobody may set is refused', () => {
    expect(read({ made: '2024-02-29', secret: '**********', title: undefined })).toMatchObject({
      values: {},
      problems: [],
    })
    expect(read({ fixed: 'x', sum: 1, nothing: 1 }).problems).toEqual([
      { code: 'INVALID_PAYLOAD', path: ['fixed'], message: '"fixed" is read-only.' },
      {
        code: 'INVALID_PAYLOAD',
        path: ['sum'],
        message: 'The database computes "sum", so it cannot be written.',
      },
      {
        code: 'FORBIDDEN',
        path: ['nothing'],
        message: 'There is no field "nothing" in "articles", or you may not use it.',
      },
    ])
    expect(read({ fixed: 'x', made: '2024-02-29' }, articles, true).values).toEqual({
      fixed: 'x',
      made: Date.parse('2024-02-29'),
    })
  })
})

describe('the items of a relation', () => {
  it('are a list of items and keys, or what changes', () => {
    expect(read({ articles: [1, { title: 'x' }] }, authors).children).toMatchObject([
      {
        isComplete: true,
        children: [
          { kind: 'link', key: 1n },
          { kind: 'item', payload: { title: 'x' }, action: 'either' },
        ],
        removed: [],
      },
    ])
    expect(read({ articles: null }, authors).children).toEqual([
      { isComplete: true, children: [], removed: [] },
    ])
    const changes = { create: [{ title: 'x' }], update: [{ id: 1 }], delete: ['2'] }
    expect(read({ articles: changes }, authors).children).toMatchObject([
      {
        isComplete: false,
        children: [{ action: 'create' }, { action: 'update' }],
        removed: [{ key: 2n, path: ['articles', 'delete', 0] }],
      },
    ])
  })

  const keys = (given: string) => `"articles" takes items of "articles" or their keys, not ${given}.`
  it.each([
    [5, ['articles'], '"articles" takes a list, or { create, update, delete }, not 5.'],
    [[null], ['articles', 0], keys('null')],
    [[1, 'x'], ['articles', 1], keys('"x"')],
    [{ delete: [undefined] }, ['articles', 'delete', 0], keys('undefined')],
    [{ create: 5 }, ['articles', 'create'], '"create" takes a list, not 5.'],
    [{ update: [1] }, ['articles', 'update', 0], '"update" takes items, not 1.'],
    [
      { creat: [] },
      ['articles', 'creat'],
      '"articles" takes { create, update, delete } and no "creat"; items stand in a list.',
      'Did you mean "create"?',
    ],
    [
      { title: 'x' },
      ['articles', 'title'],
      '"articles" takes { create, update, delete } and no "title"; items stand in a list.',
    ],
  ])('are refused as %o', (given, path, message, hint?: string) => {
    const found = read({ articles: given }, authors).problems
    expect(found).toEqual([{ code: 'INVALID_PAYLOAD', path, message, ...(hint !== undefined && { hint }) }])
  })
})
