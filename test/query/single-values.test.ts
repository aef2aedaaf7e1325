import { describe, expect, test } from 'vitest'
import { expectQuery, refusal } from './parse-harness.ts'

const whole = { limit: -1, offset: 0, page: 1 }

describe.each(Object.entries(whole))('%s', (name, least) => {
  test.each([least, least + 1, 7, 1_000_000, Number.MAX_SAFE_INTEGER])(
    'takes %d, as text and as a number',
    (number) => {
      expectQuery(`${name}=${number}`, { [name]: number })
      expectQuery({ [name]: number }, { [name]: number })
      expectQuery({ [name]: String(number) }, { [name]: number })
    },
  )

  test.each([
    '',
    ' ',
    ' 5',
    '5 ',
    '+5',
    '05',
    '1.5',
    '1.0',
    '1e3',
    '0x10',
    '0b1',
    '1_000',
    '1,000',
    '٣',
    'abc',
    'null',
    'true',
    'NaN',
    'Infinity',
    '9007199254740993',
    '99999999999999999999',
    String(least - 1),
    '-2',
    '--1',
  ])('refuses the text %j', (text) => {
    const told = [
      {
        path: [name],
        message: `"${name}" takes a whole number of ${least} or more, not ${JSON.stringify(text)}.`,
      },
    ]
    expect(refusal({ [name]: text })).toEqual(told)
    expect(refusal(`${name}=${encodeURIComponent(text)}`)).toEqual(told)
  })

  test.each([
    [1.5, '1.5'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [2 ** 53, '9007199254740992'],
    [least - 1, String(least - 1)],
    [5n, '5'],
    [null, 'null'],
    [true, 'true'],
    [[5], 'a list of 1'],
    [{}, 'an object'],
    [new Date(5), 'a date'],
  ])('refuses the value %s', (value, shown) => {
    expect(refusal({ [name]: value })).toEqual([
      { path: [name], message: `"${name}" takes a whole number of ${least} or more, not ${shown}.` },
    ])
  })

  test('given twice is refused', () => {
    expect(refusal(`${name}=1&${name}=2`)[0]?.message).toMatch(/not a list of 2\.$/)
    expect(refusal(`${name}=1&${name}[]=2`)[0]?.message).toMatch(/not an object\.$/)
  })

  test('given with a name alone is refused', () => {
    expect(refusal(name)[0]?.message).toMatch(/not ""\.$/)
  })
})

test('zero has no sign', () => {
  expectQuery('limit=-0&offset=-0', { limit: 0, offset: 0 })
  expectQuery({ offset: -0 }, { offset: 0 })
})

test('page and offset exclude each other', () => {
  const told = [{ path: ['page'], message: '"page" and "offset" exclude each other.' }]
  expect(refusal('page=1&offset=0')).toEqual(told)
  expect(refusal({ offset: 5, page: 2 })).toEqual(told)
})

describe('search', () => {
  test('is trimmed, and blank is the same as absent', () => {
    expectQuery('search=++a++b+', { search: 'a  b' })
    expectQuery('search=', {})
    expectQuery('search=+%09+', {})
    expectQuery({ search: '' }, {})
  })

  test('takes what looks like something else for text', () => {
    expectQuery('search=5', { search: '5' })
    expectQuery({ search: 5 }, { search: '5' })
    expectQuery('search={"a":1}', { search: '{"a":1}' })
    expectQuery('search=%25_\\\'"--', { search: '%_\\\'"--' })
    expectQuery('search=null', { search: 'null' })
  })

  test.each([
    [null, 'null'],
    [true, 'true'],
    [['a'], 'a list of 1'],
    [{ a: 1 }, 'an object'],
  ])('refuses %j', (value, shown) => {
    expect(refusal({ search: value })).toEqual([
      { path: ['search'], message: `"search" takes text, not ${shown}.` },
    ])
  })

  test('given twice is refused', () => {
    expect(refusal('search=a&search=b')[0]?.message).toBe('"search" takes text, not a list of 2.')
  })
})

describe('export', () => {
  test.each(['csv', 'json', 'ndjson', 'xml', 'yaml'])('takes %s', (format) => {
    expectQuery(`export=${format}`, { export: format })
  })

  test('empty is the same as absent', () => {
    expectQuery('export=', {})
  })

  test.each([
    ['CSV', 'csv'],
    ['ymal', 'yaml'],
    ['jsn', 'json'],
  ])('refuses %s, and suggests %s', (format, near) => {
    expect(refusal(`export=${format}`)).toEqual([
      {
        path: ['export'],
        message: `"export" takes one of csv, json, ndjson, xml, yaml, not "${format}".`,
        hint: `Did you mean "${near}"?`,
      },
    ])
  })

  test('refuses what is no text', () => {
    expect(refusal({ export: ['csv'] })[0]?.message).toMatch(/not a list of 1\.$/)
    expect(refusal({ export: 'toString' })[0]?.hint).toBeUndefined()
  })
})

describe.each(['backlink', 'versionRaw'])('%s', (name) => {
  test('takes true and false, as text and as themselves', () => {
    for (const flag of [true, false]) {
      expectQuery(`${name}=${flag}`, { [name]: flag })
      expectQuery({ [name]: flag }, { [name]: flag })
    }
  })

  test.each(['', '1', '0', 'yes', 'TRUE', 'null', ' true'])('refuses the text %j', (text) => {
    expect(refusal({ [name]: text })).toEqual([
      { path: [name], message: `"${name}" takes true or false, not ${JSON.stringify(text)}.` },
    ])
  })

  test.each([1, 0, null, ['true']])('refuses the value %j', (value) => {
    expect(refusal({ [name]: value })).toHaveLength(1)
  })
})

describe('version', () => {
  test('takes a key, and empty is the same as absent', () => {
    expectQuery('version=draft', { version: 'draft' })
    expectQuery('version=', {})
    expectQuery({ version: 'Entwurf für März' }, { version: 'Entwurf für März' })
  })

  test('refuses what no key can be', () => {
    expect(refusal({ version: 5 })).toEqual([{ path: ['version'], message: '"version" takes text, not 5.' }])
    expect(refusal({ version: 'x'.repeat(256) })).toEqual([
      { path: ['version'], message: '"version" takes text of at most 255 bytes.' },
    ])
  })
})
