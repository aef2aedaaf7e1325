// Numbers that are added to over HTTP, in every form of PATCH.
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { createHandler } from '../../../src/http.ts'
import { createEngine, createItems, defineSchema, deleteByQuery, type Engine } from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'
import { key, number, string } from '../../support/fields.ts'

const schema = defineSchema({ goods: { fields: { id: key, stock: number, name: string } } })
const writer = { goods: { read: { fields: ['id'] }, update: true } } as const

for (const database of databases) {
  let engine: Engine<typeof schema>
  beforeAll(async () => {
    const opened = await database.open()
    engine = createEngine({ db: opened.db, schema })
    await sql`create table goods (id integer primary key, stock integer, name text)`.execute(opened.db)
  })
  beforeEach(async () => {
    await deleteByQuery(engine, 'goods', { filter: { id: { _nnull: true } } })
    await createItems(engine, 'goods', [
      { id: 1, stock: 5, name: 'tea' },
      { id: 2, stock: null, name: 'salt' },
      { id: 3, stock: 2_147_483_647, name: 'rice' },
    ])
  })

  const ask = async (method: string, path: string, body: unknown, token = 'admin') => {
    const handler = createHandler(engine, {
      authenticate: (given) => (given === 'admin' ? { admin: true } : { rules: writer }),
    })
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const request = new Request(`http://localhost${path}`, { method, headers, body: JSON.stringify(body) })
    const response = await handler(request)
    const answer = JSON.parse(await response.text())
    const [error] = answer.errors ?? []
    return error
      ? [response.status, error.extensions.code, error.extensions.path]
      : [response.status, answer.data]
  }
  const stockOf = (id: number, stock: number | null) => expect.objectContaining({ id, stock })

  it.each([
    ['one item', '/items/goods/1', { stock: { _inc: -2 } }, stockOf(1, 3)],
    [
      'keys',
      '/items/goods',
      { keys: [1, 2], data: { stock: { _inc: 4 } } },
      [stockOf(1, 9), stockOf(2, null)],
    ],
    [
      'partial items',
      '/items/goods',
      [
        { id: 1, stock: { _inc: 1 } },
        { id: 2, name: 'sea salt' },
      ],
      [stockOf(1, 6), stockOf(2, null)],
    ],
    [
      'a query',
      '/items/goods',
      { query: { filter: { id: 1 } }, data: { stock: { _inc: 7 } } },
      [stockOf(1, 12)],
    ],
  ])(`on ${database.name} %s`, async (_, path, body, data) => {
    expect(await ask('PATCH', path, body)).toEqual([200, data])
  })

  it.each([
    ['PATCH', '/items/goods/1', { stock: { _inc: 0.5 } }, 'FAILED_VALIDATION', ['stock']],
    ['PATCH', '/items/goods/1', { stock: { _inc: 'x' } }, 'FAILED_VALIDATION', ['stock']],
    ['PATCH', '/items/goods/1', { stock: { _inc: null } }, 'FAILED_VALIDATION', ['stock']],
    ['PATCH', '/items/goods/1', { stock: { _inc: 1, x: 1 } }, 'INVALID_PAYLOAD', ['stock']],
    ['PATCH', '/items/goods/3', { stock: { _inc: 1 } }, 'VALUE_OUT_OF_RANGE', undefined],
    ['PATCH', '/items/goods/1', { id: { _inc: 1 } }, 'INVALID_PAYLOAD', ['id']],
    ['POST', '/items/goods', { name: 'oat', stock: { _inc: 1 } }, 'INVALID_PAYLOAD', ['stock']],
  ])(`on ${database.name} %s %s of %j is refused`, async (method, path, body, code, at) => {
    const [status, told, where] = await ask(method, path, body)
    expect([status, told]).toEqual([400, code])
    if (at) expect(where).toEqual(expect.arrayContaining(at))
  })

  it(`on ${database.name} a field that the caller does not read is not added to`, async () => {
    expect((await ask('PATCH', '/items/goods/1', { stock: { _inc: 1 } }, 'writer')).slice(0, 2)).toEqual([
      403,
      'FORBIDDEN',
    ])
    expect(await ask('PATCH', '/items/goods/1', { name: 'green tea' })).toEqual([200, stockOf(1, 5)])
  })
}
