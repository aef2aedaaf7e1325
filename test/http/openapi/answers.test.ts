// Whatever the handler answers is described: every answer is held against the schema of its path, method and status.
import { beforeAll, describe, expect, it } from 'vitest'
import { describeApi } from '../../../src/http.ts'
import { Checker } from '../openapi-checking.ts'
import { type Ask, askerOf, openWorld, type World } from '../openapi-collections.ts'

let world: World
let checker: Checker
let ask: Ask

beforeAll(async () => {
  world = await openWorld()
  checker = new Checker(describeApi(world.engine))
  ask = checker.checking(world.ask)
})

const dataOf = async (response: Promise<Response>) => {
  const { data } = (await (await response).json()) as { data: Record<string, unknown> }
  return data
}
const statusOf = async (response: Promise<Response>) => (await response).status

const point = { type: 'Point', coordinates: [10, 20] }
const ring = [
  [0, 0],
  [4, 0],
  [4, 4],
  [0, 0],
]

/** A value of every type, and more than one where answers take several forms. */
const everything = {
  integer: 3,
  bigInteger: '9223372036854775807',
  float: 1.5,
  decimal: '-12.50',
  string: 'Tea',
  text: 'Green tea\n💚',
  uuid: '00000000-0000-4000-8000-00000000000A',
  boolean: true,
  date: '2024-02-29',
  time: '08:30',
  dateTime: '2024-02-29T08:30:00+02:00',
  timestamp: '2024-02-29',
  json: { deep: [1, null, { x: 'y' }] },
  csv: ['a', 'b'],
  hash: 'password',
  binary: 'AQID',
  geometry: { type: 'GeometryCollection', geometries: [point] },
  geometry_Point: point,
  geometry_LineString: { type: 'LineString', coordinates: ring },
  geometry_Polygon: { type: 'Polygon', coordinates: [ring] },
  geometry_MultiPoint: { type: 'MultiPoint', coordinates: [[1, 2, 3]] },
  geometry_MultiLineString: { type: 'MultiLineString', coordinates: [ring] },
  geometry_MultiPolygon: { type: 'MultiPolygon', coordinates: [[ring]] },
  state: 'off',
  code: 'abc',
  price: '3',
  seconds: '2024-02-29T08:30:00Z',
  numbers: [1, null, 2],
  prices: ['1.50', 2],
  moments: ['2024-02-29T08:30:00Z'],
  secret: 'nobody knows',
  size: 21,
}

describe('every answer is as it is described', () => {
  it('of fields of every type', async () => {
    const made = await dataOf(ask('POST', '/items/kinds', everything))
    expect(made).toMatchObject({
      bigInteger: '9223372036854775807',
      twice: 42,
      secret: '**********',
      price: '3.00',
    })
    for (const value of Object.values(made).filter((one) => one !== null)) expect(value).toBeDefined()
    await ask('POST', '/items/kinds', {})
    await ask('GET', '/items/kinds?meta=*')
    await ask('GET', `/items/kinds/${made.id}`)
    await ask('PATCH', `/items/kinds/${made.id}`, { json: 3, csv: '', boolean: false, decimal: '1e3' })
    for (const json of [null, 'text', 0, [], { a: 1 }]) await ask('PATCH', '/items/kinds/1', { json })
    expect(Object.keys(made).sort()).toEqual(
      Object.keys(checker.document.components.schemas.kinds?.properties ?? {}).sort(),
    )
  })

  it('of items with relations of every kind', async () => {
    const made = await dataOf(
      ask('POST', '/items/articles?fields=*.*.*', {
        title: 'Tea',
        author: { name: 'Ada' },
        comments: [{ text: 'good' }, { text: 'bad' }],
        tags: [{ tag: { name: 'hot' } }],
        blocks: [
          { kind: 'heroes', item: { headline: 'Hero' } },
          { kind: 'quotes', item: { words: 'To be' } },
        ],
      }),
    )
    expect(made).toMatchObject({
      author: { name: 'Ada', articles: [{ title: 'Tea' }] },
      tags: [{ tag: { name: 'hot' } }],
    })
    await ask('POST', '/items/articles', [
      { title: 'Milk', views: 7 },
      { title: 'Juice', author: 1 },
    ])
    await ask('POST', '/items/articles', [])
    for (const query of [
      '',
      'fields=*.*.*',
      'fields=id',
      'fields=blocks.item:heroes.*,blocks.item,blocks.id',
      'fields=blocks.item:quotes.words',
      'fields=year(published),count(comments),when&alias[when]=published',
      'meta=*&limit=1&page=2',
      'deep[comments][_aggregate][count]=*&fields=comments.id',
      'deep[author][_filter][name]=nobody&fields=author.name',
      'aggregate[count]=*',
      'aggregate[count]=*&aggregate[max]=title,views&groupBy=author,year(published)',
      'aggregate[avg]=views&groupBy=author.name&meta=*',
      'groupBy=author.name',
      'sort=-title&search=e&filter[comments][text]=good&backlink=false',
    ])
      expect([query, await statusOf(ask('GET', `/items/articles?${query}`))]).toEqual([query, 200])
    for (const format of ['csv', 'json', 'ndjson', 'xml', 'yaml'])
      expect(await statusOf(ask('GET', `/items/articles?export=${format}`))).toBe(200)
    const one = await ask('GET', '/items/articles/1?meta=*')
    const headers = { 'if-none-match': one.headers.get('etag') }
    expect(await statusOf(ask('GET', '/items/articles/1?meta=*', undefined, headers))).toBe(304)
    expect(await statusOf(ask('GET', '/items/articles/1?fields=*.*'))).toBe(200)
  })

  it('of changes and deletions', async () => {
    await ask('PATCH', '/items/articles/1', {
      comments: { create: [{ text: 'new' }], delete: [1] },
      author: null,
    })
    await ask('PATCH', '/items/articles?fields=id,title', [{ id: 1, views: 1 }])
    await ask('PATCH', '/items/articles', { keys: [2], data: { views: 2 } })
    await ask('PATCH', '/items/articles', { query: { filter: { views: 2 } }, data: { views: 3 } })
    expect(await statusOf(ask('DELETE', '/items/comments/2'))).toBe(204)
    expect(await statusOf(ask('DELETE', '/items/articles', [2]))).toBe(204)
    expect(await statusOf(ask('DELETE', '/items/articles', { query: { filter: { id: 3 } } }))).toBe(204)
    expect(await statusOf(ask('DELETE', '/items/heroes?filter[id]=99'))).toBe(204)
  })

  it('of a singleton, before it is there and afterwards', async () => {
    for (const path of ['/items/settings', '/items/settings/singleton'])
      expect(await dataOf(ask('GET', `${path}?meta=*`))).toEqual({ id: null, name: null, motto: 'hello' })
    expect(await statusOf(ask('POST', '/items/settings', { name: 'Fish' }))).toBe(200)
    expect(await statusOf(ask('POST', '/items/settings', { name: 'Fish' }))).toBe(400)
    for (const path of ['/items/settings', '/items/settings/singleton', '/items/settings/1']) {
      expect(await statusOf(ask('PATCH', path, { name: 'Red fish' }))).toBe(200)
      expect(await statusOf(ask('GET', path))).toBe(200)
    }
  })

  it('of versions', async () => {
    const version = { collection: 'articles', item: 1, key: 'draft', delta: { title: 'Draft' } }
    const { id } = await dataOf(ask('POST', '/versions', version))
    await ask('POST', `/versions/${id}/save`, {
      comments: { create: [{ text: 'new' }] },
      author: { name: 'Bo' },
    })
    expect(await statusOf(ask('GET', '/versions?filter[collection]=articles&meta=*'))).toBe(200)
    expect(await statusOf(ask('GET', `/versions/${id}?fields=*`))).toBe(200)
    for (const query of ['version=draft&fields=*.*', 'version=draft&versionRaw=true', 'version=main'])
      expect(await statusOf(ask('GET', `/items/articles/1?${query}`))).toBe(200)
    const { mainHash } = await dataOf(ask('GET', `/versions/${id}/compare`))
    expect(await statusOf(ask('POST', `/versions/${id}/promote`, { mainHash: 'x' }))).toBe(422)
    expect(await statusOf(ask('POST', `/versions/${id}/promote`, { mainHash }))).toBe(200)
    expect(await statusOf(ask('DELETE', `/versions/${id}`))).toBe(204)
    expect(await statusOf(ask('POST', `/versions/${id}/save`, {}))).toBe(404)
  })

  it('of what goes wrong', async () => {
    const refused: [number, string, string, unknown?, object?][] = [
      [400, 'GET', '/items/articles?limt=3&filter[title][_eqq]=1'],
      [400, 'POST', '/items/articles', '{'],
      [400, 'POST', '/items/articles', { comments: [{}] }],
      [403, 'GET', '/items/articles?fields=titel'],
      [404, 'GET', '/items/articles/999'],
      [404, 'DELETE', '/items/articles/999'],
      [412, 'PATCH', '/items/articles/1', { views: 3 }, { 'if-match': '"other"' }],
      [412, 'DELETE', '/items/articles/1', undefined, { 'if-match': '"other"' }],
      [413, 'POST', '/items/articles', { title: 'x'.repeat(2_000_000) }],
      [415, 'POST', '/items/articles', 'title=x', { 'content-type': 'application/x-www-form-urlencoded' }],
    ]
    for (const [status, method, path, body, headers] of refused)
      expect([path, await statusOf(ask(method, path, body, headers))]).toEqual([path, status])
    const nobody = checker.checking(askerOf(world.engine, { authenticate: () => null }))
    expect(await statusOf(nobody('GET', '/items/articles'))).toBe(401)
  })

  it('of methods that a path does not have, and of failures of the host', async () => {
    const other = await world.ask('PUT', '/items/articles/1', {})
    expect(other.status).toBe(405)
    const broken = askerOf(world.engine, { authenticate: () => Promise.reject(new Error('no')) })
    for (const response of [other, await broken('GET', '/items/articles')])
      expect(checker.problemBy('_error', await response.json())).toBeUndefined()
    expect(checker.document.paths['/items/articles']?.get?.responses.default).toEqual({
      $ref: '#/components/responses/error',
    })
  })
})

it('the requests above met every status that is described for a kind of path', () => {
  const kinds = new Set([...checker.met].map((one) => one.replace(/\/items\/[^/ ]+/, '/items/*')))
  const met = new Set([...kinds].map((one) => one.split(' ').at(-1)))
  expect([...met].sort()).toEqual([
    '200',
    '204',
    '304',
    '400',
    '401',
    '403',
    '404',
    '412',
    '413',
    '415',
    '422',
  ])
})
