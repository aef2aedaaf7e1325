// Items of SQLite whose keys are the numbers of their rows, inside of others and in GraphQL: over HTTP nothing names them there.
import { beforeEach, describe, expect, it } from 'vitest'
import { answerGraphQL, printGraphQLSchema } from '../../../src/graphql.ts'
import { createHandler, describeApi } from '../../../src/http.ts'
import {
  createEngine,
  createItem,
  defineSchema,
  type Engine,
  listItems,
  updateItem,
} from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'
import { key, many, maybeOne, text } from '../../support/fields.ts'
import { requestOf } from '../../support/request-of.ts'

const number = { type: 'integer', key: true, rowNumber: true } as const
const schema = defineSchema({
  orders: {
    versioned: true,
    fields: {
      id: key,
      name: text,
      last: maybeOne('visits'),
      log: many('visits.order'),
      kind: text,
      about: { type: 'any', by: 'kind', to: ['visits'], nullable: true },
    },
  },
  visits: { fields: { rowid: number, page: text, order: maybeOne('orders') } },
  settings: { singleton: true, fields: { id: key, first: maybeOne('visits') } },
})

describe.each(databases.filter(({ name }) => name === 'sqlite'))('on $name', ({ open }) => {
  let engine: Engine<typeof schema>

  beforeEach(async () => {
    const opened = await open()
    await opened.run(
      'create table orders (id integer primary key, name text, last integer, kind text, about text)',
      'create table visits (page text, "order" integer)',
      'create table settings (id integer primary key, first integer)',
      "insert into orders (id, name) values (1, 'one')",
      "insert into visits values ('a', 1), ('b', 1), ('c', null)",
    )
    engine = createEngine({ db: opened.db, schema })
    await engine.install()
  })

  const send = async (method: string, path: string, body: unknown, by: Engine = engine) => {
    const fetch = createHandler(by, { authenticate: () => ({ admin: true }) })
    const response = await fetch(requestOf(method, path, body))
    const answer = JSON.parse((await response.text()) || 'null')
    const [first] = answer?.errors ?? []
    return { status: response.status, code: first?.extensions.code, path: first?.extensions.path, answer }
  }
  const visits = async () => (await listItems(engine, 'visits', { sort: ['rowid'] })).data
  const untouched = [
    { rowid: 1, page: 'a', order: 1 },
    { rowid: 2, page: 'b', order: 1 },
    { rowid: 3, page: 'c', order: null },
  ]

  const named: readonly (readonly [object, readonly (string | number)[]])[] = [
    [{ log: { update: [{ rowid: 1, page: 'x' }] } }, ['log', 'update', 0]],
    [{ log: { delete: [2] } }, ['log', 'delete', 0]],
    [{ log: { create: [{ rowid: 3, page: 'x' }] } }, ['log', 'create', 0]],
    [{ log: [{ page: 'x' }, 1] }, ['log', 1]],
    [{ log: [{ rowid: 1, page: 'x' }] }, ['log', 0]],
    [{ last: { rowid: 1, page: 'x' } }, ['last']],
    [{ last: { page: 'new', order: { log: { delete: [1] } } } }, ['last', 'order', 'log', 'delete', 0]],
    [{ kind: 'visits', about: { rowid: 1, page: 'x' } }, ['about']],
  ]

  it.each(named)('%j is refused by every route', async (data, path) => {
    const refusal = { status: 428, code: 'PRECONDITION_REQUIRED' }
    expect(await send('PATCH', '/items/orders/1', data)).toMatchObject({ ...refusal, path })
    expect(await send('POST', '/items/orders', data)).toMatchObject({ ...refusal, path })
    expect(await send('POST', '/items/orders', [{}, data])).toMatchObject({ ...refusal, path: [1, ...path] })
    const body = { keys: [1], data }
    expect(await send('PATCH', '/items/orders', body)).toMatchObject({ ...refusal, path: ['data', ...path] })
    const byQuery = { query: { filter: { id: 1 } }, data }
    expect(await send('PATCH', '/items/orders', byQuery)).toMatchObject({
      ...refusal,
      path: ['data', ...path],
    })
    const batch = [{ id: 1, ...data }]
    expect(await send('PATCH', '/items/orders', batch)).toMatchObject({ ...refusal, path: [0, ...path] })
    const version = { collection: 'orders', item: 1, key: 'draft', name: 'Draft', delta: data }
    expect(await send('POST', '/versions', version)).toMatchObject({ ...refusal, path: ['delta', ...path] })
    const made = await send('POST', '/versions', { ...version, delta: undefined })
    expect(await send('POST', `/versions/${made.answer.data.id}/save`, data)).toMatchObject({
      ...refusal,
      path,
    })
    expect(await visits()).toEqual(untouched)
  })

  it('a singleton names none either', async () => {
    const data = { first: { rowid: 1, page: 'x' } }
    expect(await send('PATCH', '/items/settings', data)).toMatchObject({ status: 428, path: ['first'] })
    expect(await send('POST', '/items/settings', data)).toMatchObject({ status: 428, path: ['first'] })
  })

  it('new items are created inside of others, a whole set replaces one, and a column refers to a row', async () => {
    expect((await send('PATCH', '/items/orders/1', { log: { create: [{ page: 'd' }] } })).status).toBe(200)
    expect((await send('PATCH', '/items/orders/1', { last: 3 })).status).toBe(200)
    expect((await send('PATCH', '/items/orders/1', { log: [{ page: 'e' }] })).status).toBe(200)
    expect((await listItems(engine, 'orders', { fields: ['last', 'log.page'] })).data).toEqual([
      { last: 3, log: [{ page: 'e' }] },
    ])
  })

  it('what the caller may not write is not told apart', async () => {
    const narrow = createHandler(engine, {
      authenticate: () => ({ rules: { orders: { read: true, update: { fields: ['name'] } } } }),
    })
    const response = await narrow(
      new Request('http://localhost/items/orders/1', {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ log: { delete: [1] } }),
      }),
    )
    expect(response.status).toBe(403)
  })

  it('the functions of a host name them', async () => {
    await updateItem(engine, 'orders', 1, { log: { update: [{ rowid: 1, page: 'x' }], delete: [2] } })
    expect(await visits()).toMatchObject([
      { rowid: 1, page: 'x', order: 1 },
      { order: null },
      { order: null },
    ])
    await createItem(engine, 'orders', { log: [3] })
  })

  it('PUT finds none by the number of its row', async () => {
    for (const path of ['/items/visits', '/items/visits?on=rowid', '/items/visits?on=page,rowid']) {
      const { status, code } = await send('PUT', path, { rowid: 1, page: 'x' })
      expect([path, status, code]).toEqual([path, 428, 'PRECONDITION_REQUIRED'])
    }
    expect(await visits()).toEqual(untouched)
  })

  it('GraphQL has no updates and deletions of such items, and names none in payloads', async () => {
    const text = printGraphQLSchema(engine)
    expect(text.match(/^ {2}\w+visits\w*\(/gm)).toEqual(['  create_visits_items(', '  create_visits_item('])
    expect(text).not.toContain('input update_visits_input')
    expect(/input create_visits_input \{([^}]*)\}/.exec(text)?.[1]).not.toContain('rowid')
    const mutation = 'mutation ($d: update_orders_input!) { update_orders_item(id: 1, data: $d) { id } }'
    for (const [data, says] of [
      [{ log: [{ rowid: 1, page: 'x' }] }, /rowid/],
      [{ last: { rowid: 1 } }, /rowid/],
      [{ kind: 'visits', about: { rowid: 1, page: 'x' } }, /only the numbers of their rows/],
    ] as const) {
      const answer = JSON.parse(await answerGraphQL(engine, { query: mutation, variables: { d: data } }))
      expect(answer.errors[0].message).toMatch(says)
      expect(answer.data ?? null).toBeNull()
    }
    for (const field of [
      'delete_visits_item(id: 1) { id }',
      'delete_visits_items(ids: [1]) { ids }',
      'update_visits_item(id: 1, data: {}) { page }',
      'update_visits_items(ids: [1], data: {}) { page }',
      'update_visits_batch(data: []) { page }',
    ])
      expect(await answerGraphQL(engine, { query: `mutation { ${field} }` })).toContain('Cannot query field')
    expect(await visits()).toEqual(untouched)
    const created = 'mutation { update_orders_item(id: 1, data: { log: [{ page: "n" }] }) { log { page } } }'
    expect(JSON.parse(await answerGraphQL(engine, { query: created })).data).toEqual({
      update_orders_item: { log: [{ page: 'n' }] },
    })
  })

  it('OpenAPI describes none inside of others', () => {
    const { components } = describeApi(engine)
    const schemas = Object(components).schemas
    expect(schemas['orders.update'].properties.log.anyOf[1].properties).toMatchObject({
      update: { maxItems: 0 },
      delete: { maxItems: 0 },
    })
    expect(schemas['visits.nested']).toEqual({ anyOf: [{ $ref: '#/components/schemas/visits.create' }] })
  })
})
