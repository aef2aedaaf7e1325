// Tables of SQLite without a key, whose rows are told apart by the numbers that the database gives to them.
import { beforeEach, describe, expect, it } from 'vitest'
import { createHandler } from '../../../src/http.ts'
import { createEngine, createItem, type Engine, listItems, updateItem } from '../../../src/index.ts'
import { introspectSchema } from '../../../src/introspect.ts'
import type { OpenDatabase } from '../../support/databases.ts'
import { lanes } from '../../support/lanes.ts'
import { requestOf } from '../../support/request-of.ts'

describe.each(lanes.filter(({ name }) => name === 'sqlite'))('on $title', ({ open }) => {
  let opened: OpenDatabase
  let engine: Engine
  let fetch: (request: Request) => Promise<Response>
  beforeEach(async () => {
    opened = await open()
    const { db, run } = opened
    await run('create table visits (page text, seen integer)', "insert into visits values ('a', 1), ('b', 2)")
    const schema = await introspectSchema(db, { override: { visits: { key: 'rowid' } } })
    engine = createEngine({ db, schema })
    fetch = createHandler(engine, { authenticate: () => ({ admin: true }) })
  })

  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(requestOf(method, `/items/visits${path}`, body, headers))
    const text = await response.text()
    const answer = text === '' ? undefined : JSON.parse(text)
    return {
      status: response.status,
      code: answer?.errors?.[0].extensions.code,
      answer,
      headers: response.headers,
    }
  }
  const all = async () => (await listItems(engine, 'visits')).data

  it('a row number is given by the database and never written', async () => {
    expect(await createItem(engine, 'visits', { page: 'c' })).toEqual({ rowid: 3, page: 'c', seen: null })
    await expect(createItem(engine, 'visits', { rowid: 9, page: 'd' })).rejects.toMatchObject({
      code: 'INVALID_PAYLOAD',
      path: ['rowid'],
    })
    await updateItem(engine, 'visits', 1, { seen: 5 })
    expect(await all()).toEqual([
      { rowid: 1, page: 'a', seen: 5 },
      { rowid: 2, page: 'b', seen: 2 },
      { rowid: 3, page: 'c', seen: null },
    ])
  })

  it('a database that numbers no rows refuses such a schema', () => {
    const { schema } = engine
    expect(() => createEngine({ db: opened.db, schema, dialect: 'postgres' })).toThrow(
      'The key of "visits" is the number of a row, and this database numbers no rows.',
    )
  })

  it.each([
    ['PATCH', '/1', { seen: 9 }],
    ['DELETE', '/1', undefined],
    ['PATCH', '', [{ rowid: 1, seen: 9 }]],
    ['PATCH', '', { keys: [1], data: { seen: 9 } }],
    ['DELETE', '', [1]],
    ['DELETE', '', { keys: [1] }],
  ])('%s%s without If-Match is refused, and nothing changes', async (method, path, body) => {
    expect(await send(method, path, body)).toMatchObject({ status: 428, code: 'PRECONDITION_REQUIRED' })
    expect(await all()).toEqual([
      { rowid: 1, page: 'a', seen: 1 },
      { rowid: 2, page: 'b', seen: 2 },
    ])
  })

  it.each(['PATCH', 'DELETE'])('%s with the ETag of the item is done', async (method) => {
    const etag = String((await send('GET', '/1')).headers.get('etag'))
    const body = method === 'PATCH' ? { seen: 9 } : undefined
    expect(await send(method, '/1', body, { 'if-match': '"other"' })).toMatchObject({ status: 412 })
    expect((await send(method, '/1', body, { 'if-match': etag })).status).toBeLessThan(300)
    expect(await all()).not.toContainEqual({ rowid: 1, page: 'a', seen: 1 })
  })

  it('items are created, and changed and deleted by a query, without it', async () => {
    expect((await send('POST', '', { page: 'c' })).status).toBe(200)
    const query = { filter: { page: 'a' } }
    expect((await send('PATCH', '', { query, data: { seen: 7 } })).status).toBe(200)
    expect((await send('DELETE', '', { query: { filter: { page: 'b' } } })).status).toBe(204)
    expect(await all()).toEqual([
      { rowid: 1, page: 'a', seen: 7 },
      { rowid: 3, page: 'c', seen: null },
    ])
  })
})
