// GraphQL over sockets as clients use it, and as those do who mean no good.

import { type Client, createClient } from 'graphql-ws'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import {
  createGraphQLHandler,
  createGraphQLSocket,
  type GraphQLSocketOptions,
  printGraphQLSchema,
} from '../../../src/graphql.ts'
import {
  type Access,
  createEngine,
  createItem,
  createItems,
  defineSchema,
  deleteItem,
  type Engine,
  type EngineOptions,
  updateItem,
} from '../../../src/index.ts'
import { createFeed, localSource } from '../../../src/realtime.ts'
import { SocketClient } from '../../realtime/socket-client.ts'
import { atEnd } from '../../support/at-end.ts'
import { openSqlite } from '../../support/databases.ts'
import { backToRealTime } from '../../support/fake-time.ts'
import { integer, key, many, maybeOne, text } from '../../support/fields.ts'
import { openSockets, subscribed } from './sockets.ts'

const schema = defineSchema({
  tasks: {
    fields: {
      id: { type: 'integer', key: true, generated: true },
      title: text,
      price: { type: 'decimal', nullable: true },
      owner: maybeOne('people'),
    },
  },
  people: { fields: { id: key, name: text, tasks: many('tasks.owner') } },
  places: { key: ['row', 'column'], fields: { row: integer, column: integer, note: text } },
  site: { singleton: true, fields: { id: key, title: text } },
})

const admin: Access = { admin: true }
const authenticate = (token: string | null): Access | null => (token === 'admin' ? admin : null)

async function open(
  options: Partial<GraphQLSocketOptions> = {},
  engineOptions: Pick<EngineOptions<typeof schema>, 'onQuery'> = {},
) {
  const { db, run } = await database()
  const engine = createEngine({ db, schema, ...engineOptions }) as unknown as Engine
  return { engine, run, ...(await openSockets(engine, { authenticate, ...options })) }
}

async function database() {
  const opened = await openSqlite()
  await opened.run(
    'create table people (id integer primary key, name text)',
    'create table tasks (id integer primary key, title text, price decimal(30,10), owner integer references people)',
    'create table places ("row" integer, "column" integer, note text, primary key ("row", "column"))',
    'create table site (id integer primary key, title text)',
    "insert into people values (1, 'Ada'), (2, 'Bob')",
    "insert into tasks values (1, 'one', 1.5, 1), (2, 'two', null, 2)",
    "insert into site values (1, 'ours')",
  )
  return opened
}

const clients: Client[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose()
})

function clientOf(url: string, token = 'admin'): Client {
  const client = createClient({
    url,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams: { access_token: token },
  })
  clients.push(client)
  return client
}

const ask = async (client: Client, query: string, variables?: Record<string, unknown>) => {
  for await (const answer of client.iterate({ query, ...(variables && { variables }) })) return answer
  return undefined
}

/** Returns a connection that has said who it is, and speaks frame by frame. */
async function raw(url: string, token = 'admin'): Promise<SocketClient> {
  const client = new SocketClient(url, { protocols: ['graphql-transport-ws'] })
  await client.ready
  atEnd(() => client.close())
  expect(await client.ask({ type: 'connection_init', payload: { access_token: token } })).toEqual({
    type: 'connection_ack',
  })
  return client
}

const subscribe = (id: string, query: string) => ({ id, type: 'subscribe', payload: { query } })

describe('a client', () => {
  it('asks for items, writes them, and hears of what happens to them', async () => {
    const { url, feed, engine, errors } = await open()
    const client = clientOf(url)
    expect(await ask(client, '{ tasks { id title } }')).toEqual({
      data: {
        tasks: [
          { id: '1', title: 'one' },
          { id: '2', title: 'two' },
        ],
      },
    })
    const events = client.iterate({
      query:
        'subscription { tasks_mutated { __typename key kind: event data { title by: owner { name } } again: data { id } } }',
    })
    const first = events.next()
    await subscribed(feed, 1)
    const create = 'mutation { create_tasks_item(data: { title: "new", owner: { id: 1 } }) { id } }'
    expect(await ask(client, create)).toEqual({ data: { create_tasks_item: { id: '3' } } })
    const told = (key: string, kind: string, title: string | null, name = 'Ada') => ({
      value: {
        data: {
          tasks_mutated: {
            ...{ __typename: 'tasks_mutated', key, kind },
            data: title === null ? null : { title, by: { name } },
            again: title === null ? null : { id: key },
          },
        },
      },
      done: false,
    })
    expect(await first).toEqual(told('3', 'create', 'new'))
    await updateItem(engine, 'tasks', 2, { title: 'second' })
    expect(await events.next()).toEqual(told('2', 'update', 'second', 'Bob'))
    await deleteItem(engine, 'tasks', 1)
    expect(await events.next()).toEqual(told('1', 'delete', null))
    await events.return?.()
    expect(errors).toEqual([])
  })

  it('hears of one kind of event, and of items that meet a filter, which may come and go', async () => {
    const { url, feed, engine } = await open()
    const client = clientOf(url)
    const query =
      'subscription ($name: String) { tasks_mutated(filter: { owner: { name: { _eq: $name } } }) { key event } }'
    const ofAda = client.iterate({ query, variables: { name: 'Ada' } })
    const created = client.iterate({ query: 'subscription { tasks_mutated(event: create) { key } }' })
    const [first, new_] = [ofAda.next(), created.next()]
    await subscribed(feed, 2)
    await updateItem(engine, 'tasks', 2, { title: 'not hers' })
    await updateItem(engine, 'tasks', 2, { owner: 1 })
    const event = (key: string, kind: string) => ({
      value: { data: { tasks_mutated: { key, event: kind } } },
      done: false,
    })
    expect(await first).toEqual(event('2', 'update'))
    await updateItem(engine, 'people', 1, { name: 'Eve' })
    expect([await ofAda.next(), await ofAda.next()]).toEqual([event('1', 'delete'), event('2', 'delete')])
    await createItem(engine, 'tasks', { title: 'new' })
    expect(await new_).toEqual({ value: { data: { tasks_mutated: { key: '3' } } }, done: false })
  })

  it('gets exact numbers, keys of several parts and the only item of a singleton', async () => {
    const { url, feed, engine } = await open()
    const client = await raw(url)
    client.send(subscribe('p', 'subscription { places_mutated { key event data { row note } } }'))
    client.send(subscribe('s', 'subscription { site_mutated { key data { title } } }'))
    client.send(subscribe('n', '{ tasks_by_id(id: 1) { price } }'))
    await subscribed(feed, 2)
    await client.heard(3, 10_000)
    await createItem(engine, 'places', { row: 1, column: 2, note: 'here' })
    await client.heard(4, 10_000)
    await updateItem(engine, 'site', 1, { title: 'yours' })
    await client.heard(5, 10_000)
    expect(client.frames.slice(1)).toEqual([
      { id: 'n', type: 'next', payload: { data: { tasks_by_id: { price: 1.5 } } } },
      { id: 'n', type: 'complete' },
      {
        ...{ id: 'p', type: 'next' },
        payload: {
          data: { places_mutated: { key: '1,2', event: 'create', data: { row: 1, note: 'here' } } },
        },
      },
      {
        ...{ id: 's', type: 'next' },
        payload: { data: { site_mutated: { key: '1', data: { title: 'yours' } } } },
      },
    ])
  })

  it('gets the fields that the host computes, and their errors where they stand', async () => {
    const { url, feed, engine } = await open({
      extend: {
        fields: {
          tasks: {
            shout: {
              type: 'String',
              needs: ['title'],
              resolve: ({ title }: { title: string }) => `${title}!`,
            },
            broken: {
              type: 'String',
              needs: ['title'],
              resolve: () => {
                throw new Error('broken')
              },
            },
          },
        },
      } as never,
    })
    const client = await raw(url)
    client.send(subscribe('1', 'subscription { tasks_mutated { it: data { shout broken } } }'))
    await subscribed(feed, 1)
    await updateItem(engine, 'tasks', 1, { title: 'loud' })
    await client.heard(2, 10_000)
    expect(client.frames[1]).toMatchObject({
      payload: {
        data: { tasks_mutated: { it: { shout: 'loud!', broken: null } } },
        errors: [{ path: ['tasks_mutated', 'it', 'broken'], extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
      },
    })
  })

  it('shares what others hear: the reads of an event do not grow with its listeners', async () => {
    const queries: string[] = []
    const { url, feed, engine } = await open({}, { onQuery: ({ sql }) => queries.push(sql) })
    const client = await raw(url)
    for (let id = 0; id < 50; id++)
      client.send(subscribe(`${id}`, 'subscription { tasks_mutated { key data { title owner { name } } } }'))
    await subscribed(feed, 50)
    queries.length = 0
    await updateItem(engine, 'tasks', 1, { title: 'shared' })
    await client.heard(51, 10_000)
    expect(client.frames.length).toBe(51)
    expect(queries.filter((sql) => /^select/i.test(sql)).length).toBeLessThan(8)
  })
})

describe('rules', () => {
  const rules = {
    tasks: { read: { filter: { owner: { _eq: '$CURRENT_USER' } }, fields: ['id', 'title'] } },
  } as const
  const asUser: Partial<GraphQLSocketOptions> = {
    authenticate: (token) => (token ? { user: Number(token), rules } : null),
  }

  it('decide what is told, and what is in it', async () => {
    const { url, feed, engine } = await open(asUser)
    const [ada, bob] = [await raw(url, '1'), await raw(url, '2')]
    for (const client of [ada, bob])
      client.send(subscribe('1', 'subscription { tasks_mutated { key event data { title } } }'))
    await subscribed(feed, 2)
    await updateItem(engine, 'tasks', 1, { title: 'hers' })
    await ada.heard(2, 10_000)
    await updateItem(engine, 'tasks', 1, { owner: 2, title: 'his' })
    await ada.heard(3, 10_000)
    await bob.heard(2, 10_000)
    const told = (event: string, data: unknown) => ({
      ...{ id: '1', type: 'next' },
      payload: { data: { tasks_mutated: { key: '1', event, data } } },
    })
    expect(ada.frames.slice(1)).toEqual([told('update', { title: 'hers' }), told('delete', null)])
    expect(bob.frames.slice(1)).toEqual([told('update', { title: 'his' })])
  })

  it('decide what may be subscribed: a hidden field, collection or key is none', async () => {
    const { url } = await open(asUser)
    const client = await raw(url, '1')
    const refused = async (id: string, query: string) => {
      const { type, payload } = await client.ask(subscribe(id, query))
      expect(type).toBe('error')
      return Object(payload)[0].message
    }
    expect(await refused('1', 'subscription { people_mutated { key } }')).toMatch(/Cannot query field/)
    expect(await refused('2', 'subscription { tasks_mutated { data { price } } }')).toMatch(/Cannot query/)
    expect(
      await refused('3', 'subscription { tasks_mutated(filter: { price: { _eq: 1 } }) { key } }'),
    ).toMatch(/"price" is not defined|unknown field "price"/)
    const noKeys = { rules: { tasks: { read: { fields: ['title'] } } } }
    const blind = await open({ authenticate: () => noKeys })
    const other = await raw(blind.url)
    const { payload } = await other.ask(subscribe('1', 'subscription { tasks_mutated { key } }'))
    expect(Object(payload)[0].message).toBe('There are no subscriptions, or you may not use them.')
  })

  it('that change are followed: what is hidden now is told no more', async () => {
    let fields = ['id', 'title', 'price']
    const { url, feed, engine } = await open({
      authenticate: () => ({ user: 1, rules: { tasks: { read: { fields } } } }),
    })
    const client = await raw(url)
    client.send(subscribe('1', 'subscription { tasks_mutated { key data { price } } }'))
    await subscribed(feed, 1)
    fields = ['id', 'title']
    await feed.recheck()
    await updateItem(engine, 'tasks', 1, { price: 777 })
    await client.heard(2, 10_000)
    expect(client.frames[1]).toMatchObject({ id: '1', type: 'error' })
    expect(JSON.stringify(client.frames[1])).not.toContain('777')
  })

  it('that are lost close the socket, and so does an access that ends', async () => {
    let access: Access | null = { user: 1, rules }
    const { url, feed } = await open({ authenticate: () => access })
    const client = await raw(url)
    client.send(subscribe('1', 'subscription { tasks_mutated { key } }'))
    await subscribed(feed, 1)
    access = null
    await feed.recheck()
    expect(await client.end()).toBe(4403)
    access = { user: 1, rules, expiresAt: Date.now() + 300 }
    const short = await raw(url)
    expect(await short.end()).toBe(4403)
    expect(short.frames).toEqual([{ type: 'connection_ack' }])
  })

  it('that are given anew before they end let it go on', async () => {
    const { url, feed, engine } = await open({
      authenticate: () => ({ user: 1, rules, expiresAt: Date.now() + 200 }),
    })
    const client = await raw(url)
    client.send(subscribe('1', 'subscription { tasks_mutated { key data { title } } }'))
    await subscribed(feed, 1)
    await new Promise((resolve) => setTimeout(resolve, 700))
    await updateItem(engine, 'tasks', 1, { title: 'still' })
    await client.heard(2, 10_000)
    expect(client.frames[1]).toMatchObject({
      payload: { data: { tasks_mutated: { key: '1', data: { title: 'still' } } } },
    })
    expect(client.closed).toBeUndefined()
  })

  it('that cannot be known close the socket, and the host hears why', async () => {
    let isKnown = true
    const { url, feed, errors } = await open({
      authenticate: () => {
        if (!isKnown) throw new Error('no directory')
        return admin
      },
    })
    const client = await raw(url)
    client.send(subscribe('1', 'subscription { tasks_mutated { key } }'))
    await subscribed(feed, 1)
    isKnown = false
    await feed.recheck()
    expect(await client.end()).toBe(1013)
    expect(errors.length).toBeGreaterThan(0)
  })
})

describe('the end', () => {
  it('of a subscription is silent: nothing comes after it, and its id may be used at once', async () => {
    const { url, feed, engine } = await open()
    const client = await raw(url)
    const query = 'subscription { tasks_mutated(event: create) { key } }'
    for (let round = 0; round < 50; round++) {
      client.send(subscribe('1', query))
      client.send({ id: '1', type: 'complete' })
    }
    client.send(subscribe('1', query))
    await subscribed(feed, 1)
    await createItem(engine, 'tasks', { title: 'new' })
    await client.heard(2, 10_000)
    client.send({ id: '1', type: 'complete' })
    client.send({ id: 'unknown', type: 'complete' })
    await subscribed(feed, 0)
    await createItem(engine, 'tasks', { title: 'newer' })
    await client.heard(3, 100)
    expect(client.frames.slice(1)).toEqual([
      { id: '1', type: 'next', payload: { data: { tasks_mutated: { key: '3' } } } },
    ])
    expect(client.closed).toBeUndefined()
  })

  it('of what may have been missed is an error: events cannot be made whole', async () => {
    const { url, feed } = await open()
    const client = await raw(url)
    client.send(subscribe('1', 'subscription { tasks_mutated { key } }'))
    await subscribed(feed, 1)
    feed.reset()
    await client.heard(2, 10_000)
    expect(client.frames[1]).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }],
    })
    await subscribed(feed, 0)
  })

  it('of the feed closes the socket', async () => {
    const { url, feed } = await open()
    const client = await raw(url)
    client.send(subscribe('1', 'subscription { tasks_mutated { key } }'))
    await subscribed(feed, 1)
    await feed.stop()
    expect(await client.end()).toBe(1001)
    expect(client.frames.length).toBe(1)
  })

  it('of a socket that the server closes leaves no timer', async () => {
    const [set, clear] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')]
    try {
      const client = await raw((await open()).url)
      client.send('hello')
      expect(await client.end()).toBe(4400)
      await vi.waitFor(() => {
        const timers = set.mock.results.filter((_, call) => set.mock.calls[call]?.[1] === 5_000)
        expect(timers.length).toBe(1)
        expect(clear.mock.calls.map(([timer]) => timer)).toContain(timers[0]?.value)
      }, 60_000)
    } finally {
      set.mockRestore()
      clear.mockRestore()
    }
  })

  it('of a socket leaves no subscription, in whatever moment it comes', async () => {
    const { url, feed, engine, errors } = await open()
    for (let round = 0; round < 40; round++) {
      const client = await raw(url)
      client.send(subscribe('1', 'subscription { tasks_mutated { key data { title } } }'))
      client.send(subscribe('2', '{ tasks { title } }'))
      if (round % 3 === 0) await new Promise((resolve) => setTimeout(resolve, round % 7))
      if (round % 2 === 0) await createItems(engine, 'tasks', [{ title: 'a' }, { title: 'b' }])
      client.terminate()
    }
    await subscribed(feed, 0)
    expect(errors).toEqual([])
  })
})

describe('a stranger', () => {
  const cases: Readonly<Record<string, readonly [number, (client: SocketClient) => void]>> = {
    'who sends no JSON': [4400, (client) => client.send('hello')],
    'who sends bytes': [4400, (client) => client.sendBytes(new Uint8Array([1]))],
    'who sends no object': [4400, (client) => client.send('[]')],
    'who sends an unknown type': [4400, (client) => client.send({ type: 'start' })],
    'who sends no id': [
      4400,
      (client) => client.send({ type: 'subscribe', payload: { query: '{ tasks }' } }),
    ],
    'who sends no payload': [4400, (client) => client.send({ type: 'subscribe', id: '1' })],
    'who sends too much at once': [1009, (client) => client.send(`"${'a'.repeat(65_600)}"`)],
    'who says twice who it is': [4429, (client) => client.send({ type: 'connection_init' })],
    'who floods': [
      1008,
      (client) => {
        for (let count = 0; count < 1_100; count++) client.send({ type: 'ping' })
      },
    ],
  }

  it.each(Object.entries(cases))('%s is closed', async (_name, [code, act]) => {
    const { url, errors } = await open()
    const client = await raw(url)
    act(client)
    expect(await client.end()).toBe(code)
    expect(errors).toEqual([])
  })

  it('who asks before it is known, asks wrongly or is nobody is closed', async () => {
    const { url, errors } = await open()
    const ends = async (...messages: object[]) => {
      const client = new SocketClient(url, { protocols: ['graphql-transport-ws'] })
      await client.ready
      for (const message of messages) client.send(message)
      return client.end()
    }
    expect(await ends(subscribe('1', '{ tasks { id } }'))).toBe(4401)
    const init = { type: 'connection_init', payload: { access_token: 'admin' } }
    expect(await ends(init, subscribe('1', '{ tasks { id } }'))).toBe(4401)
    expect(await ends({ type: 'connection_init', payload: { access_token: 'nobody' } })).toBe(4403)
    expect(await ends({ type: 'connection_init', payload: { access_token: 7 } })).toBe(4403)
    expect(await ends({ type: 'connection_init', payload: 'admin' })).toBe(4400)
    expect(errors).toEqual([])
  })

  it('who asks while it cannot be known who it is, or behind that, is closed and served nothing', async () => {
    const { url, errors, feed } = await open({
      authenticate: (token) => {
        if (token === null) return admin
        throw new Error('no directory')
      },
    })
    const init = { type: 'connection_init', payload: { access_token: 'x' } }
    for (const more of [[], [subscribe('1', 'subscription { tasks_mutated { key } }')]]) {
      const client = new SocketClient(url, {
        protocols: ['graphql-transport-ws'],
        headers: { cookie: 'session=admin' },
      })
      await client.ready
      for (const message of [init, ...more]) client.send(message)
      expect(await client.end()).toBe(more.length > 0 ? 4401 : 1013)
      expect(client.frames).toEqual([])
    }
    expect(errors).toMatchObject([{ code: 'SERVICE_UNAVAILABLE' }, { code: 'SERVICE_UNAVAILABLE' }])
    expect(feed.status().subscriptions).toBe(0)
  })

  it('gets at most so many operations at a time, and the others go on', async () => {
    const { url, feed, engine } = await open({ limits: { subscriptions: 3, roots: 2 } })
    const client = await raw(url)
    for (const id of ['1', '2', '3', '4'])
      client.send(subscribe(id, 'subscription { tasks_mutated { key } }'))
    await client.heard(2, 10_000)
    expect(client.frames[1]).toMatchObject({
      ...{ id: '4', type: 'error' },
      payload: [{ extensions: { code: 'TOO_MANY_REQUESTS' } }],
    })
    await subscribed(feed, 3)
    await updateItem(engine, 'tasks', 1, { title: 'x' })
    await client.heard(5, 10_000)
    expect(client.frames.slice(2).map(({ id, type }) => [id, type])).toEqual([
      ['1', 'next'],
      ['2', 'next'],
      ['3', 'next'],
    ])
    client.send({ id: '1', type: 'complete' })
    client.send(subscribe('5', '{ a: tasks { id } b: tasks { id } c: tasks { id } }'))
    await client.heard(6, 10_000)
    expect(client.frames[5]).toMatchObject({ id: '5', type: 'error' })
  })

  it('gets no event with more rows or fields in it than an answer may have', async () => {
    const { url } = await open({ limits: { rows: 100, aliases: 3 } })
    const client = await raw(url)
    const refusedFor = async (data: string) => {
      const { type, payload } = await client.ask(
        subscribe('1', `subscription { people_mutated { ${data} } }`),
      )
      expect(type).toBe('error')
      return Object(payload)[0]
    }
    expect(await refusedFor('data { tasks(limit: 1000) { id } }')).toMatchObject({
      path: ['people_mutated', 'data'],
      locations: [{ line: 1 }],
      message: 'The limits of this operation could lead to more than 100 rows.',
    })
    expect(
      await refusedFor('a: data { tasks(limit: 60) { id } } b: data { tasks(limit: 60) { title } }'),
    ).toMatchObject({ message: 'The limits of this operation could lead to more than 100 rows.' })
    expect(await refusedFor('a: key b: key c: key d: key')).toMatchObject({
      message: 'A selection has more than 3 fields under other names.',
    })
    expect(await refusedFor('data { tasks(sort: ["nope"]) { id } }')).toMatchObject({
      path: ['people_mutated', 'data'],
      extensions: { path: ['tasks', 'sort'] },
    })
  })

  it('who reads no answers holds few of them', async () => {
    const { db } = await database()
    const engine = createEngine({ db, schema }) as unknown as Engine
    const title = 'x'.repeat(100_000)
    await createItems(
      engine,
      'tasks',
      Array.from({ length: 20 }, () => ({ title })),
    )
    const feed = createFeed(engine, { source: localSource() })
    atEnd(() => feed.stop())
    let sent = 0
    const closes: number[] = []
    const socket = createGraphQLSocket(feed, { authenticate: () => admin, mode: 'public' }).open({
      request: new Request('http://x/', { headers: { 'sec-websocket-protocol': 'graphql-transport-ws' } }),
      send: (text) => {
        sent += text.length
      },
      close: (code) => closes.push(code),
      buffered: () => sent,
    })
    socket.message('{"type":"connection_init"}')
    for (let turn = 0; sent === 0 && turn < 1_000; turn++) await new Promise(setImmediate)
    for (let id = 0; id < 90; id++) socket.message(JSON.stringify(subscribe(`${id}`, '{ tasks { title } }')))
    for (let count = 0; count < 200; count++)
      socket.message(JSON.stringify({ type: 'ping', payload: { fill: 'y'.repeat(60_000) } }))
    await new Promise((resolve) => setTimeout(resolve, 500))
    // One answer has gone, and the others wait for those before them.
    expect(sent).toBeLessThan(3 * 2_100_000)
    socket.closed()
    expect(closes).toEqual([])
  })

  it('who says nothing is closed after ten seconds', async () => {
    vi.useFakeTimers()
    try {
      const { db } = await database()
      const feed = createFeed(createEngine({ db, schema }) as unknown as Engine, { source: localSource() })
      const closes: unknown[] = []
      const { open } = createGraphQLSocket(feed, { authenticate: () => admin })
      const request = new Request('http://x/graphql', {
        headers: { 'sec-websocket-protocol': 'other, graphql-transport-ws' },
      })
      const closing = (code: number, reason: string) => closes.push([code, reason])
      open({ request, send: () => undefined, close: closing, buffered: () => 0 })
      await vi.advanceTimersByTimeAsync(9_900)
      expect(closes).toEqual([])
      await vi.advanceTimersByTimeAsync(200)
      expect(closes).toEqual([[4408, 'Connection initialisation timeout']])
      await feed.stop()
    } finally {
      await backToRealTime()
    }
  })

  it('hears of bad requests what HTTP says of them', async () => {
    const { url, errors } = await open({ onlyDocuments: false })
    const client = await raw(url)
    const codes: unknown[] = []
    for (const payload of [
      {},
      { query: '{' },
      { query: '{ nope }' },
      { query: '{ tasks { id } }', variables: 'none' },
      { query: 'query ($n: Int!) { tasks(limit: $n) { id } }' },
      { query: 'subscription { tasks_mutated { key } people_mutated { key } }' },
      { query: 'subscription { __typename }' },
      {
        query: 'subscription ($no: Boolean!) { tasks_mutated @skip(if: $no) { key } }',
        variables: { no: true },
      },
      { query: 'subscription { tasks_mutated(event: destroy) { key } }' },
      { query: 'subscription { tasks_mutated(filter: { title: { _nope: 1 } }) { key } }' },
    ]) {
      const { type, payload: problems } = await client.ask({ id: '1', type: 'subscribe', payload })
      expect(type).toBe('error')
      codes.push(Object(problems)[0].extensions.code)
    }
    expect(new Set(codes)).toEqual(new Set(['INVALID_PAYLOAD', 'INVALID_QUERY']))
    expect(errors).toEqual([])
  })
})

describe('the schema', () => {
  it('has subscriptions only where the host says so', async () => {
    const { db } = await database()
    const engine = createEngine({ db, schema })
    expect(printGraphQLSchema(engine)).not.toMatch(/Subscription|_mutated|EventEnum/)
    const text = printGraphQLSchema(engine, { subscriptions: true })
    expect(text).toContain('type Subscription {')
    expect(text).toContain('tasks_mutated(event: EventEnum, filter: tasks_filter): tasks_mutated')
    expect(text).toContain('type tasks_mutated {\n  key: ID!\n  event: EventEnum\n  data: tasks\n}')
    expect(text).toContain('enum EventEnum {\n  create\n  update\n  delete\n}')
  })

  it('says over HTTP where subscriptions are answered', async () => {
    const { db } = await database()
    const engine = createEngine({ db, schema })
    const handler = createGraphQLHandler(engine, { authenticate: () => admin, subscriptions: true })
    const response = await handler(
      new Request('http://x/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: 'subscription { tasks_mutated { key } }' }),
      }),
    )
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('A subscription is answered over a socket.')
  })

  it('refuses options that are none', async () => {
    const { db } = await database()
    const feed = createFeed(createEngine({ db, schema }) as unknown as Engine, { source: localSource() })
    atEnd(() => feed.stop())
    const wrong = (options: object) => () => createGraphQLSocket(feed, options as never)
    expect(wrong({})).toThrow(/authenticate/)
    expect(wrong({ authenticate, limits: { roots: 0 } })).toThrow(/roots/)
    expect(wrong({ authenticate, limits: { sockets: -1 } })).toThrow(/sockets/)
    expect(wrong({ authenticate, nope: 1 })).toThrow(/nope/)
    expect(wrong({ authenticate, names: { rename: { nope: 'x' } } })).toThrow(/nope/)
    expect(() => createGraphQLSocket({} as never, { authenticate })).toThrow(/createFeed/)
  })
})
