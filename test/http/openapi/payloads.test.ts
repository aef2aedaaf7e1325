// What the schemas of payloads refuse, the handler refuses; and the other way round, but for what a schema cannot say.

import { beforeAll, describe, expect, it } from 'vitest'
import { describeApi } from '../../../src/http.ts'
import { fuzzSeed } from '../../property/seeded-random.ts'
import { isLong, oneIn } from '../../support/long-runs.ts'
import { Checker } from '../openapi-checking.ts'
import { openWorld, type World } from '../openapi-collections.ts'

let world: World
let checker: Checker

beforeAll(async () => {
  world = await openWorld()
  checker = new Checker(describeApi(world.engine))
  await world.ask('POST', '/items/articles', { title: 'Tea', comments: [{ text: 'good' }] })
  await world.ask('POST', '/items/heroes', { headline: 'Hero' })
})

/** Whether both take a payload: the schema first. */
async function verdicts(collection: string, action: 'create' | 'update', payload: unknown) {
  const isDescribed = checker.problemBy(`${collection}.${action}`, payload) === undefined
  const path = `/items/${collection}${action === 'update' ? '/1' : ''}`
  const response = await world.ask(action === 'update' ? 'PATCH' : 'POST', path, payload)
  expect([payload, [200, 400, 403, 404].includes(response.status)]).toEqual([payload, true])
  return [isDescribed, response.status === 200] as const
}

const ring = [
  [0, 0],
  [4, 0],
  [4, 4],
  [0, 0],
]
const uuid = '00000000-0000-4000-8000-00000000000a'

/** Values of every sort, given to fields of every type. */
const values: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    '',
    ' ',
    'true',
    'false',
    '0',
    '1',
    'on',
    'off',
    'ON',
    'abc',
    'abcd',
    'é💚x',
    'a,b',
    '**********',
  ],
  ...[
    0,
    1,
    -1,
    7,
    1.5,
    -0.25,
    1e21,
    2 ** 31 - 1,
    2 ** 31,
    -(2 ** 31),
    -(2 ** 31) - 1,
    2 ** 53,
    -(2 ** 53),
    2 ** 62,
    2 ** 63,
    -(2 ** 63),
    1e300,
    9007199254740991,
  ],
  ...[
    '7',
    '+7',
    '-7.0',
    '7.',
    '.0',
    '.5',
    '1.5',
    '1e3',
    '0x10',
    '1_000',
    '--1',
    '9007199254740991',
    'Infinity',
    'NaN',
  ],
  ...[
    '2024-02-29',
    '2024-02-29T08:30:00Z',
    '2024-02-29 08:30',
    '2024-02-29T08:30:00.123456+02:00',
    '08:30',
    '08:30:00.5',
  ],
  ...['2024-2-9', '20240229', '8:30', '08:30Z', '2024-02-29T', '2024-02-29T08', 'yesterday'],
  ...[uuid, uuid.toUpperCase(), uuid.replaceAll('-', ''), `${uuid}0`],
  ...['AQID', 'AQ==', 'AQ', 'A', 'A===', '!!!!'],
  ...[
    [],
    {},
    [1, 2],
    [1, null],
    ['a', 'b'],
    ['a,b'],
    [''],
    ['', ''],
    [[1]],
    [{}],
    { a: 1 },
    ['2024-02-29'],
    ['1.5'],
  ],
  ...['x\u0000y', 'x\ud800y', ['x\u0000y']],
  { type: 'Point', coordinates: [1, 2] },
  { type: 'Point', coordinates: [1, 2, 3] },
  { type: 'Point', coordinates: [] },
  { type: 'Point', coordinates: [1] },
  { type: 'Point', coordinates: ['1', '2'] },
  { type: 'Point' },
  { type: 'LineString', coordinates: [[1, 2]] },
  { type: 'LineString', coordinates: ring },
  { type: 'LineString', coordinates: [] },
  { type: 'Polygon', coordinates: [ring] },
  { type: 'Polygon', coordinates: [ring.slice(0, 3)] },
  { type: 'MultiPoint', coordinates: ring },
  { type: 'MultiLineString', coordinates: [ring] },
  { type: 'MultiPolygon', coordinates: [[ring]] },
  { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [1, 2] }] },
  { type: 'GeometryCollection', geometries: [{ type: 'Point' }] },
  { type: 'Circle', coordinates: [1, 2] },
]

/** Right as far as a schema can tell, and wrong all the same. */
const unsaid: Readonly<Record<string, readonly unknown[]>> = {
  // What no calendar and no clock has.
  dates: ['2024-02-30', '2023-02-29T08:30:00Z', '2024-02-29T25:00', '0000-01-01', '24:00', '08:60'],
  // What digits and exponents come to.
  integer: ['2147483648', '1.5e0', '1e30'],
  wide: ['9007199254740993', '1.5e0', '1e30'],
  bigInteger: ['9223372036854775808', '1.5e0'],
  float: ['1e400'],
  // Text that is no JSON of a geometry; a ring that is not closed.
  geometry: ['abc', { type: 'Polygon', coordinates: [[...ring.slice(0, 3), [9, 9]]] }],
  // Text deep inside.
  json: [{ deep: ['x\u0000y'] }],
}

/** A text may be the JSON of a geometry, a JSON value may hold any text, numbers are counted as the text they make,
 *  and a text of digits may be too large a number. */
const isUnsaid = (field: string, value: unknown): boolean =>
  field === 'json' ||
  (field.startsWith('geometry') && typeof value === 'string') ||
  (['integer', 'size'].includes(field) && value === '9007199254740991') ||
  (field === 'code' && typeof value !== 'string')

describe('fields of every type', () => {
  it(`are refused by both, or by neither (QUERNEL_SEED=${fuzzSeed})`, async () => {
    const fields = [...(world.engine.schema.collections.get('kinds')?.fields.keys() ?? [])]
    const differing: unknown[] = []
    const seen = { both: 0, neither: 0 }
    for (const [at, field] of fields.filter((name) => name !== 'id').entries())
      for (const value of oneIn(2, values, fuzzSeed + at)) {
        const [described, accepted] = await verdicts('kinds', 'create', { [field]: value })
        seen[accepted ? 'both' : 'neither']++
        if (described !== accepted && !(described && isUnsaid(field, value)))
          differing.push([field, value, { described, accepted }])
      }
    expect(differing).toEqual([])
    expect(Math.min(seen.both, seen.neither)).toBeGreaterThan(isLong ? 500 : 200)
  })

  it.each(Object.entries(unsaid))('are wrong in ways that cannot be said: %s', async (group, wrong) => {
    const fields = group === 'dates' ? ['timestamp'] : [group]
    for (const field of fields)
      for (const value of wrong) {
        const time = typeof value === 'string' && /^\d\d:/.test(value) ? 'time' : field
        expect([value, ...(await verdicts('kinds', 'create', { [time]: value }))]).toEqual([
          value,
          true,
          false,
        ])
      }
  })

  it('are refused alike when an item is changed', async () => {
    await world.ask('POST', '/items/kinds', {})
    for (const payload of [
      { id: 1, size: 2 },
      { id: '1' },
      { id: null },
      { id: 'x' },
      { nope: 1 },
      { twice: 1 },
      { fixed: 'x' },
      { made: 'anything' },
      { secret: '**********' },
      { string: ['x'] },
      {},
      { numbers: [1, 'x'] },
      { numbers: [1, '2', null] },
    ]) {
      const [described, accepted] = await verdicts('kinds', 'update', payload)
      expect([payload, described]).toEqual([payload, accepted])
    }
  })
})

describe('items as a whole', () => {
  const whole = { title: 'Tea', meta: {}, pin: '1234' }

  it.each([
    [whole],
    [{}],
    [{ ...whole, title: undefined }],
    [{ ...whole, title: null }],
    [{ ...whole, meta: null }],
    [{ ...whole, meta: false }],
    [{ ...whole, pin: '**********' }],
    [{ ...whole, id: null }],
    [{ ...whole, id: uuid }],
    [{ ...whole, id: 'x' }],
    [{ ...whole, views: null }],
    [{ ...whole, views: '3' }],
    [{ ...whole, changed: false }],
    [{ ...whole, other: 1 }],
    [[]],
    ['text'],
  ])('%j', async (payload) => {
    const sent: unknown = JSON.parse(JSON.stringify(payload))
    // A list is several items, of which there may be none.
    const [described, accepted] = Array.isArray(sent)
      ? [checker.problemBy('strict.create', sent) === undefined, false]
      : await verdicts('strict', 'create', sent)
    expect(described).toBe(accepted)
  })
})

describe('nested items', () => {
  const payloads: readonly object[] = [
    { author: null },
    { author: 77 },
    { author: 'x' },
    { author: { name: 'Ada' } },
    { author: {} },
    { author: { name: 'Ada', nope: 1 } },
    { author: [] },
    { comments: [] },
    { comments: null },
    { comments: [{ text: 'x' }] },
    { comments: [{}] },
    { comments: [{ text: null }] },
    { comments: [null] },
    { comments: {} },
    { comments: { create: [{ text: 'x' }], update: [], delete: [] } },
    { comments: { create: null } },
    { comments: { create: [{}] } },
    { comments: { create: ['x'] } },
    { comments: { update: [{ text: 'x' }] } },
    { comments: { delete: [{}] } },
    { comments: { remove: [] } },
    { comments: 'x' },
    { tags: [{ tag: { name: 'hot' } }] },
    { tags: [{ tag: { label: 'no key' } }] },
    { tags: [{}] },
    { blocks: [{ kind: 'heroes', item: { headline: 'x' } }] },
    { blocks: [{ kind: 'heroes', item: 1 }] },
    { blocks: [{ kind: 'nothing', item: 1 }] },
    { blocks: [{ item: { headline: 'x' } }] },
    { blocks: [{ kind: null, item: null }] },
    { blocks: [{ item: null }] },
  ]

  it.each(payloads.map((payload) => [payload]))('%j', async (payload) => {
    const [described, accepted] = await verdicts('articles', 'create', { title: 'Tea', ...payload })
    expect(described).toBe(accepted)
  })
})

it('what a handler fills in is not asked for', async () => {
  const { engine } = await openWorld()
  engine.on('items.create', 'strict', ({ payload }) => ({ title: 'Tea', meta: {}, pin: '1', ...payload }), {
    when: 'before',
  })
  const asked = new Checker(describeApi(engine))
  expect(asked.problemBy('strict.create', {})).toBeUndefined()
  expect(checker.problemBy('strict.create', {})).toContain('required')
  expect(asked.problemBy('articles.create', {})).toContain('required')
  await engine.db.destroy()
})

describe('bodies of bulk verbs', () => {
  const bodies: readonly (readonly [string, unknown])[] = [
    ['DELETE', []],
    ['DELETE', [99999]],
    ['DELETE', { keys: [] }],
    ['DELETE', { keys: 'x' }],
    ['DELETE', { keys: [], query: {} }],
    ['DELETE', { query: { filter: { id: 99999 } } }],
    ['DELETE', { query: { filter: { id: { _eqq: 1 } } } }],
    ['DELETE', { query: { filter: { nope: 1 } } }],
    ['DELETE', { query: { page: 1, filter: { id: 99999 } } }],
    ['PATCH', [{ views: 1 }]],
    ['PATCH', { keys: [], data: {} }],
    ['PATCH', { keys: [] }],
    ['PATCH', { query: { filter: { id: 99999 } }, data: { views: 1 } }],
    ['PATCH', { query: { filter: { id: 1 } }, data: { views: 'x' } }],
  ]

  it.each(bodies)('%s %j', async (method, body) => {
    const place = [
      'paths',
      '/items/articles',
      method.toLowerCase(),
      'requestBody',
      'content',
      'application/json',
      'schema',
    ]
    const isDescribed = checker.problem(place, body) === undefined
    const { status } = await world.ask(method, '/items/articles', body)
    // That an item with a key is there, no schema can say.
    expect(status < 300 || status === 404).toBe(isDescribed)
  })
})
