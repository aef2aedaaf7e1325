import { describe, expect, test } from 'vitest'
import { defaultLimits, type Limits, limitsFromEnvironment, limitsWith } from '../../src/query/limits.ts'
import { parseQuery } from '../../src/query/parse.ts'
import { refusal, thrownBy } from './parse-harness.ts'

/** Something that a limit counts: how an input with so much of it is made, and what is said when that is too much. */
interface Cap {
  readonly limit: keyof Limits
  readonly what: string
  readonly make: (amount: number) => unknown
  readonly says: (most: number) => string
  readonly path: readonly (string | number)[] | undefined
}

const nested = (levels: number, inner: unknown, wrap: (inner: unknown) => unknown): unknown =>
  levels === 0 ? inner : nested(levels - 1, wrap(inner), wrap)
const many = <Made>(amount: number, make: (index: number) => Made): Made[] =>
  Array.from({ length: amount }, (_, index) => make(index))
const names = (amount: number) => many(amount, (index) => `f${index}`)

const caps: readonly Cap[] = [
  {
    limit: 'queryText',
    what: 'query text',
    // A text of three bytes with its comma, and one to fill up.
    make: (bytes) => `filter[a][_in]=${'é,'.repeat((bytes - 16) / 3)}${'x'.repeat(((bytes - 16) % 3) + 1)}`,
    says: (most) => `The query text is longer than ${most} bytes.`,
    path: undefined,
  },
  {
    limit: 'queryText',
    what: 'URLSearchParams',
    make: (bytes) =>
      new URLSearchParams({
        'filter[a][_in]': `${'x,'.repeat((bytes - 17) / 2)}${'x'.repeat(((bytes - 17) % 2) + 1)}`,
      }),
    says: (most) => `The query text is longer than ${most} bytes.`,
    path: undefined,
  },
  {
    limit: 'pairs',
    what: 'query text',
    make: (pairs) =>
      names(pairs)
        .map((name) => `filter[a][_in][]=${name}`)
        .join('&'),
    says: (most) => `The query text has more than ${most} parameters.`,
    path: undefined,
  },
  {
    limit: 'pairs',
    what: 'URLSearchParams',
    make: (pairs) =>
      new URLSearchParams(names(pairs).map((name): [string, string] => ['filter[a][_in][]', name])),
    says: (most) => `The query text has more than ${most} parameters.`,
    path: undefined,
  },
  {
    limit: 'pairs',
    what: 'names with brackets',
    make: (pairs) => ({ 'filter[a][_in][]': names(pairs) }),
    says: (most) => `The query text has more than ${most} parameters.`,
    path: undefined,
  },
  {
    limit: 'nesting',
    what: 'typed input',
    make: (levels) => ({ filter: nested(levels, {}, (inner) => ({ _and: [inner] })) }),
    says: (most) => `The filter nests deeper than ${most} levels.`,
    path: ['filter'],
  },
  {
    limit: 'nesting',
    what: 'quantifiers',
    make: (levels) => ({ filter: nested(levels, {}, (inner) => ({ _some: inner })) }),
    says: (most) => `The filter nests deeper than ${most} levels.`,
    path: ['filter', ...many(defaultLimits.nesting + 1, () => '_some')],
  },
  {
    limit: 'nesting',
    what: 'JSON text',
    make: (levels) => ({ filter: JSON.stringify(nested(levels, {}, (inner) => ({ _and: [inner] }))) }),
    says: (most) => `A filter nests deeper than ${most} levels.`,
    path: ['filter'],
  },
  {
    limit: 'nesting',
    what: 'brackets',
    make: (levels) => `filter${'[_and][0]'.repeat(levels)}=`,
    says: (most) =>
      `The parameter "filter[_and][0][_and][0][_and][0][_and][0][_and][0][_and][0][_… nests deeper than ${most} levels.`,
    path: ['filter'],
  },
  {
    limit: 'filterLeaves',
    what: 'one field after the other',
    make: (leaves) => ({ filter: Object.fromEntries(names(leaves).map((name) => [name, 1])) }),
    says: (most) => `The filter has more than ${most} conditions.`,
    path: ['filter'],
  },
  {
    limit: 'filterLeaves',
    what: 'branches',
    make: (leaves) => ({ filter: { _or: many(leaves, () => ({ a: null })) } }),
    says: (most) => `The filter has more than ${most} conditions.`,
    path: ['filter'],
  },
  {
    limit: 'filterLeaves',
    what: 'a filter of deep',
    make: (leaves) => ({ deep: { a: { _filter: { _and: many(leaves, () => ({ a: { _in: [] } })) } } } }),
    says: (most) => `The filter has more than ${most} conditions.`,
    path: ['deep', 'a', '_filter'],
  },
  {
    limit: 'listOperand',
    what: 'a list',
    make: (length) => ({ filter: { a: { _in: many(length, (index) => index) } } }),
    says: (most) => `"_in" takes a list of at most ${most} values; this one has ${most + 1}.`,
    path: ['filter', 'a', '_in'],
  },
  {
    limit: 'textOperand',
    what: 'an operand',
    make: (bytes) => ({ filter: { a: 'x'.repeat(bytes) } }),
    says: (most) => `"_eq" takes text of at most ${most} bytes.`,
    path: ['filter', 'a'],
  },
  {
    limit: 'textOperand',
    what: 'an element of a list',
    make: (bytes) => ({ filter: { a: { _nin: ['', 'x'.repeat(bytes)] } } }),
    says: (most) => `"_nin" takes text of at most ${most} bytes.`,
    path: ['filter', 'a', '_nin', 1],
  },
  {
    limit: 'textOperand',
    what: 'a large number',
    make: (digits) => ({ filter: { a: 10n ** BigInt(digits - 1) } }),
    says: (most) => `"_eq" takes text of at most ${most} bytes.`,
    path: ['filter', 'a'],
  },
  {
    limit: 'searchOperand',
    what: 'a search',
    make: (length) => ({ search: '\u{1f600}'.repeat(length) }),
    says: (most) => `"search" takes at most ${most} characters.`,
    path: ['search'],
  },
  {
    limit: 'searchOperand',
    what: 'a search below',
    make: (length) => ({ deep: { a: { _search: 'x'.repeat(length) } } }),
    says: (most) => `"_search" takes at most ${most} characters.`,
    path: ['deep', 'a', '_search'],
  },
  ...(['_icontains', '_nistarts_with', '_iends_with'] as const).map((operator) => ({
    limit: 'searchOperand' as const,
    what: operator,
    make: (length: number) => ({ filter: { a: { [operator]: '\u{1f600}'.repeat(length) } } }),
    says: (most: number) => `"${operator}" takes at most ${most} characters.`,
    path: ['filter', 'a', operator],
  })),
  {
    limit: 'relationDepth',
    what: 'a filter',
    make: (relations) => ({ filter: nested(relations + 1, { _eq: 1 }, (inner) => ({ a: inner })) }),
    says: (most) => `The filter follows more than ${most} relations.`,
    path: ['filter', ...many(12, () => 'a')],
  },
  {
    limit: 'relationDepth',
    what: 'fields',
    make: (relations) => ({ fields: [`${'a.'.repeat(relations)}b`] }),
    says: (most) => `"${'a.'.repeat(most + 1)}b" follows more than ${most} relations.`,
    path: ['fields'],
  },
  {
    limit: 'relationDepth',
    what: 'a function of a path',
    make: (relations) => ({ sort: [`-year(${'a.'.repeat(relations)}b)`] }),
    says: (most) => `"-year(${'a.'.repeat(most + 1)}b)" follows more than ${most} relations.`,
    path: ['sort'],
  },
  {
    limit: 'relationDepth',
    what: 'deep',
    make: (relations) => ({ deep: nested(relations, { _limit: 1 }, (inner) => ({ a: inner })) }),
    says: (most) => `The query follows more than ${most} relations.`,
    path: ['deep', ...many(11, () => 'a')],
  },
  {
    limit: 'expandedFields',
    what: 'fields',
    make: (amount) => ({ fields: names(amount) }),
    says: (most) => `"fields" takes at most ${most} names.`,
    path: ['fields'],
  },
  {
    limit: 'expandedFields',
    what: 'fields in one text',
    make: (amount) => ({ fields: names(amount).join() }),
    says: (most) => `"fields" takes at most ${most} names.`,
    path: ['fields'],
  },
  {
    limit: 'sorts',
    what: 'a sort',
    make: (amount) => ({ sort: names(amount) }),
    says: (most) => `"sort" takes at most ${most} names.`,
    path: ['sort'],
  },
  {
    limit: 'sorts',
    what: 'a sort of deep',
    make: (amount) => ({ deep: { a: { _sort: names(amount) } } }),
    says: (most) => `"_sort" takes at most ${most} names.`,
    path: ['deep', 'a', '_sort'],
  },
  {
    limit: 'groups',
    what: 'groups',
    make: (amount) => ({ groupBy: names(amount).join() }),
    says: (most) => `"groupBy" takes at most ${most} names.`,
    path: ['groupBy'],
  },
  {
    limit: 'aggregates',
    what: 'aggregates',
    make: (amount) => ({ aggregate: { count: '*', sum: names(amount - 1) } }),
    says: (most) => `"aggregate" takes at most ${most} fields.`,
    path: ['aggregate'],
  },
  {
    limit: 'aliases',
    what: 'aliases',
    make: (amount) => ({ alias: Object.fromEntries(names(amount).map((name) => [name, 'a'])) }),
    says: (most) => `"alias" takes at most ${most} names.`,
    path: ['alias'],
  },
]

describe.each(caps)('the limit $limit on $what', ({ limit, make, says, path }) => {
  const most = defaultLimits[limit]

  test('lets through what just fits', () => {
    expect(() => parseQuery(make(most))).not.toThrow()
  })

  test('refuses one more, and says how many there may be', () => {
    expect(refusal(make(most + 1))).toEqual([{ path, message: says(most) }])
  })

  test('can be set', () => {
    const limits = { [limit]: most + 1 }
    expect(() => parseQuery(make(most + 1), { limits })).not.toThrow()
    expect(refusal(make(most + 2), { limits })).toHaveLength(1)
    expect(refusal(make(most), { limits: { [limit]: most - 1 } })).toHaveLength(1)
  })
})

test('bytes count as the text they become', () => {
  const most = defaultLimits.textOperand
  expect(() => parseQuery({ filter: { a: Buffer.alloc((most / 4) * 3) } })).not.toThrow()
  expect(refusal({ filter: { a: Buffer.alloc((most / 4) * 3 + 1) } })).toEqual([
    { path: ['filter', 'a'], message: `"_eq" takes text of at most ${most} bytes.` },
  ])
})

describe('the largest limit', () => {
  const limits = { maxLimit: 50 }

  test('binds the root and every level of deep', () => {
    expect(parseQuery('limit=50&deep[a][_limit]=50', { limits })).toEqual({
      limit: 50,
      deep: { a: { _limit: 50 } },
    })
    expect(refusal('limit=51&deep[a][b][_limit]=99', { limits })).toEqual([
      { path: ['limit'], message: '"limit" takes at most 50.' },
      { path: ['deep', 'a', 'b', '_limit'], message: '"_limit" takes at most 50.' },
    ])
  })

  test('is what -1 will become, so -1 may be asked', () => {
    expect(parseQuery('limit=-1', { limits })).toEqual({ limit: -1 })
  })
})

describe('limits', () => {
  test('that exist may be set, and the others keep their defaults', () => {
    expect(limitsWith({ sorts: 3 })).toEqual({ ...defaultLimits, sorts: 3 })
    expect(limitsWith()).toEqual(defaultLimits)
  })

  test('may be lifted', () => {
    expect(limitsWith({ listOperand: Number.POSITIVE_INFINITY }).listOperand).toBe(Number.POSITIVE_INFINITY)
  })

  test('that do not exist are the fault of the host', () => {
    const error = thrownBy(() => parseQuery('', { limits: { nestings: 3 } as Partial<Limits> }))
    expect(error).toMatchObject({
      code: 'INVALID_OPTIONS',
      message: 'There is no limit "nestings".',
      path: ['limits', 'nestings'],
      hint: 'Did you mean "nesting"?',
    })
  })

  test.each([-1, 1.5, Number.NaN, '5', null])('cannot be %j', (value) => {
    const limits = { nesting: value } as Partial<Limits>
    expect(thrownBy(() => parseQuery('', { limits }))).toMatchObject({
      code: 'INVALID_OPTIONS',
      message: `The limit "nesting" is a whole number of 0 or more, not ${JSON.stringify(value) === 'null' ? String(value) : JSON.stringify(value)}.`,
    })
  })
})

describe('limits from an environment', () => {
  test('are read by their names', () => {
    const environment = {
      QUERY_LIMIT_DEFAULT: '25',
      QUERY_LIMIT_MAX: ' 500 ',
      QUERY_LIMIT_FILTER_LEAVES: '40',
      QUERY_LIMIT_SORTS: '',
      PATH: '/bin',
    }
    expect(limitsFromEnvironment(environment)).toEqual({ defaultLimit: 25, maxLimit: 500, filterLeaves: 40 })
  })

  test('have a name for each limit', () => {
    for (const name of Object.keys(defaultLimits)) {
      const short = name.replace(/Limit$/, '').replace(/[A-Z]/g, (letter) => `_${letter}`)
      expect(limitsFromEnvironment({ [`QUERY_LIMIT_${short.toUpperCase()}`]: '7' })).toEqual({ [name]: 7 })
    }
  })

  test.each(['-1', '1.5', '1e3', 'many', '0x10'])('refuse %s', (text) => {
    expect(() => limitsFromEnvironment({ QUERY_LIMIT_MAX: text })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', path: ['QUERY_LIMIT_MAX'] }),
    )
  })

  test('refuse a name that is none', () => {
    expect(() => limitsFromEnvironment({ QUERY_LIMIT_MAXIMUM: '5' })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', hint: expect.stringContaining('QUERY_LIMIT_MAX') }),
    )
  })
})
