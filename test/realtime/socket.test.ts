// Sockets over real connections: what is refused, what is bounded, and what a caller may see.
import { request as httpRequest } from 'node:http'
import { connect as connectTcp } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createItem, deleteItem, updateItem } from '../../src/index.ts'
import { createSocketHandler, toWs } from '../../src/realtime.ts'
import type { Frame } from './socket-client.ts'
import { openSockets } from './socket-server.ts'
import { admin, openTasks, pause, until } from './tasks.ts'

const tasks = { type: 'subscribe', collection: 'tasks', query: { fields: ['id', 'title'] } } as const

/** A frame without the text of its error. */
const coded = ({ error, ...frame }: Frame) => ({
  ...frame,
  ...(error !== undefined && { code: Object(error).code }),
})

describe('who a socket is', () => {
  it.each([
    [{ type: 'ping' }],
    [{ type: 'subscribe', collection: 'tasks' }],
    [{ type: 'auth' }],
    [{ type: 'auth', access_token: 'nobody' }],
    [{ type: 'auth', email: 'ada@example.com', password: 'x' }],
    ['{'],
    ['[]'],
  ])('is said by the first message, and not by %j', async (message) => {
    const { connect, sockets } = await openSockets()
    const client = await connect()
    expect(coded(await client.ask(message))).toMatchObject({
      type: 'auth',
      status: 'error',
      code: 'AUTH_FAILED',
    })
    expect(await client.end()).toBe(1008)
    expect(sockets.status()).toEqual({ sockets: 0, unnamed: 0 })
  })

  it('is asked at the upgrade where the mode says so', async () => {
    const strict = await openSockets({ mode: 'strict' })
    expect((await strict.connect()).refused?.status).toBe(401)
    expect((await strict.connect({ headers: { authorization: 'Bearer nobody' } })).refused?.status).toBe(401)
    const ada = await strict.connect({ headers: { authorization: 'Bearer ada' } })
    expect(await ada.ask(tasks)).toMatchObject({ event: 'init', data: [{ id: 1 }, { id: 2 }] })
    // Nobody is somebody where the host says so.
    const open = await openSockets({ mode: 'public' })
    expect((await open.connect()).refused?.status).toBe(401)
    open.who[''] = { rules: { tasks: { read: { fields: ['id'] } } } }
    const nobody = await open.connect()
    expect(await nobody.ask({ ...tasks, query: { limit: 1 } })).toMatchObject({ data: [{ id: 1 }] })
    expect(await nobody.ask({ type: 'auth', access_token: 'bob' })).toMatchObject({ status: 'ok' })
    // The list of before is that of another caller now.
    expect(await nobody.next()).toMatchObject({ event: 'delete', data: ['1', '2'] })
    expect(await nobody.next()).toMatchObject({ event: 'update', data: [{ id: 3, title: 'Hide' }] })
    expect(coded(await nobody.ask({ type: 'auth', access_token: 'wrong' }))).toMatchObject({
      code: 'AUTH_FAILED',
    })
    expect(await nobody.next()).toMatchObject({ event: 'update', data: [{ id: 1 }, { id: 2 }, { id: 3 }] })
    expect(await nobody.ask({ type: 'ping', uid: 'still here' })).toMatchObject({ uid: 'still here' })
  })

  it('takes a token of the URL only where that is allowed, and shows it to nobody', async () => {
    const seen: string[] = []
    const authenticate = (token: string | null, { url }: Request) => {
      seen.push(url)
      return token === 'admin' ? admin : null
    }
    const not = await openSockets({ mode: 'strict', authenticate })
    expect((await not.connect({ path: '/websocket?access_token=admin' })).refused?.status).toBe(401)
    const taken = await openSockets({ mode: 'strict', urlTokens: true, authenticate })
    const client = await taken.connect({ path: '/websocket?access_token=admin&x=1' })
    expect(await client.ask({ type: 'ping' })).toEqual({ type: 'pong' })
    expect(seen.every((url) => !url.includes('admin'))).toBe(true)
    expect(seen.at(-1)).toMatch(/\/websocket\?x=1$/)
  })

  it('takes a login where the host has one, and answers its tokens', async () => {
    const { connect } = await openSockets({
      login: (credentials) =>
        'email' in credentials && credentials.password === 'good'
          ? { access_token: 'ada', refresh_token: 'next' }
          : null,
    })
    const client = await connect()
    expect(await client.ask({ type: 'auth', email: 'a@b.c', password: 'good', uid: 1 })).toEqual({
      type: 'auth',
      status: 'ok',
      refresh_token: 'next',
      uid: 1,
    })
    expect(coded(await client.ask({ type: 'auth', email: 'a@b.c', password: 'bad' }))).toMatchObject({
      code: 'AUTH_FAILED',
    })
    expect(await client.end()).toBe(1008)
  })

  it('ends the socket of whoever is nobody any more', async () => {
    const { as, who, feed, sockets } = await openSockets()
    const client = await as('ada')
    await client.ask(tasks)
    who.ada = null
    await feed.recheck()
    expect(coded(await client.next())).toEqual({ type: 'auth', status: 'error', code: 'AUTH_FAILED' })
    expect(await client.end()).toBe(1008)
    expect(sockets.status().sockets).toBe(0)
    expect(feed.status().subscriptions).toBe(0)
  })

  it('empties the list of whoever may not see the collection any more, and of no other', async () => {
    const { as, who, feed, engine } = await openSockets()
    const client = await as('ada')
    await client.ask({ ...tasks, uid: 'mine' })
    who.ada = { user: 1, rules: { people: { read: true } } }
    await client.ask({ type: 'ping' })
    await feed.recheck()
    expect(await client.next()).toEqual({
      type: 'subscription',
      event: 'init',
      data: [],
      reset: 'access',
      uid: 'mine',
    })
    await updateItem(engine, 'tasks', 1, { title: 'hidden' })
    expect(await client.ask({ type: 'ping' })).toEqual({ type: 'pong' })
    expect(feed.status().subscriptions).toBe(0)
  })
})

describe('what is refused', () => {
  it.each([
    [{ type: 'subscribe' }, 'INVALID_PAYLOAD', 'subscribe'],
    [{ type: 'subscribe', collection: 7 }, 'INVALID_PAYLOAD', 'subscribe'],
    [{ ...tasks, event: 'sort' }, 'INVALID_PAYLOAD', 'subscribe'],
    [{ ...tasks, event: ['create'] }, 'INVALID_PAYLOAD', 'subscribe'],
    [{ ...tasks, item: null }, 'INVALID_PAYLOAD', 'subscribe'],
    [{ ...tasks, item: {} }, 'INVALID_PAYLOAD', 'subscribe'],
    [{ ...tasks, item: 'x' }, 'FORBIDDEN', 'subscribe'],
    [{ ...tasks, item: 999 }, 'FORBIDDEN', 'subscribe'],
    [{ ...tasks, query: 'fields=id' }, 'INVALID_PAYLOAD', 'subscribe'],
    [{ ...tasks, query: { page: 2 } }, 'INVALID_QUERY', 'subscribe'],
    [{ ...tasks, query: { export: 'csv' } }, 'INVALID_QUERY', 'subscribe'],
    [{ ...tasks, query: { meta: ['page'] } }, 'INVALID_QUERY', 'subscribe'],
    [{ ...tasks, query: { fields: ['nope'] } }, 'FORBIDDEN', 'subscribe'],
    [{ ...tasks, membership: 'all' }, 'INVALID_QUERY', 'subscribe'],
    [{ ...tasks, token: 7 }, 'INVALID_PAYLOAD', 'subscribe'],
    [{ type: 'subscribe', collection: 'keyless' }, 'INVALID_PAYLOAD', 'subscribe'],
    [{ type: 'subscribe', collection: 'nope' }, 'FORBIDDEN', 'subscribe'],
    [{ type: 'items', collection: 'tasks', action: 'drop' }, 'INVALID_PAYLOAD', 'items'],
    [{ type: 'items', action: 'read' }, 'INVALID_PAYLOAD', 'items'],
    [{ type: 'items', collection: 'tasks', action: 'read', id: {} }, 'INVALID_PAYLOAD', 'items'],
    [{ type: 'items', collection: 'tasks', action: 'read', ids: 7 }, 'INVALID_PAYLOAD', 'items'],
    [{ type: 'items', collection: 'tasks', action: 'read', id: 999 }, 'FORBIDDEN', 'items'],
    [{ type: 'items', collection: 'tasks', action: 'create', data: 'x' }, 'INVALID_PAYLOAD', 'items'],
    [
      { type: 'items', collection: 'tasks', action: 'update', data: { title: 'x' } },
      'INVALID_PAYLOAD',
      'items',
    ],
    [
      { type: 'items', collection: 'tasks', action: 'update', data: { title: 'x' }, query: {} },
      'INVALID_PAYLOAD',
      'items',
    ],
    [{ type: 'items', collection: 'tasks', action: 'delete' }, 'INVALID_PAYLOAD', 'items'],
    [{ type: 'items', collection: 'tasks', action: 'delete', query: {} }, 'INVALID_PAYLOAD', 'items'],
    [{ type: 'items', collection: 'numbered', action: 'delete', id: 1 }, 'PRECONDITION_REQUIRED', 'items'],
    [{ type: 'SUBSCRIBE' }, 'INVALID_PAYLOAD', 'server'],
    [{}, 'INVALID_PAYLOAD', 'server'],
  ])('%j gets %s', async (message, code, type) => {
    const { as, engine, errors } = await openSockets()
    const client = await as('admin')
    const uid = 'e'
    expect(coded(await client.ask({ ...message, uid }))).toEqual({ type, status: 'error', code, uid })
    expect(await client.ask({ type: 'ping' })).toEqual({ type: 'pong' })
    expect(errors).toEqual([])
    expect(engine).toBeDefined()
  })

  it.each([
    ['{'],
    ['[]'],
    ['7'],
    ['"x"'],
    ['null'],
    ['{"type":"ping","uid":{}}'],
    ['{"type":"ping","uid":null}'],
  ])('what is no message: %s', async (text) => {
    const { as } = await openSockets()
    const client = await as('admin')
    expect(coded(await client.ask(text))).toEqual({
      type: 'server',
      status: 'error',
      code: 'INVALID_PAYLOAD',
    })
    client.sendBytes(Buffer.from('{"type":"ping"}'))
    expect(coded(await client.next())).toEqual({ type: 'server', status: 'error', code: 'INVALID_PAYLOAD' })
  })

  it('one body for a collection that is unknown and one that is not seen', async () => {
    const { as } = await openSockets()
    const client = await as('ada')
    const bodies = ['nope', 'people'].map((collection) =>
      client
        .ask({ type: 'subscribe', collection, uid: 1 })
        .then((frame) => JSON.stringify(frame).replaceAll(collection, '')),
    )
    const [unknown, hidden] = [await bodies[0], await bodies[1]]
    expect(unknown).toBe(hidden)
  })

  it('a message that is too long closes the socket', async () => {
    const { as } = await openSockets()
    const client = await as('admin')
    client.send({ type: 'ping', pad: 'x'.repeat(65 * 1024) })
    expect(await client.end()).toBe(1009)
  })

  it('subscription 101, and the others go on', async () => {
    const { as, engine, feed } = await openSockets()
    const client = await as('admin')
    for (let uid = 0; uid < 101; uid++) client.send({ ...tasks, uid })
    const frames: Frame[] = []
    for (let count = 0; count < 101; count++) frames.push(await client.next())
    expect(frames.slice(0, 100).every(({ event }) => event === 'init')).toBe(true)
    expect(coded(frames[100] ?? {})).toMatchObject({ code: 'TOO_MANY_REQUESTS', uid: 100 })
    expect(feed.status().subscriptions).toBe(100)
    await createItem(engine, 'tasks', { title: 'new' })
    const told = new Set<unknown>()
    for (let count = 0; count < 100; count++) told.add((await client.next()).uid)
    expect(told.size).toBe(100)
  })

  it('a hundred subscribes that are sent twice at once are all answered, and are a hundred', async () => {
    const { as, feed } = await openSockets()
    const client = await as('admin')
    for (let round = 0; round < 2; round++)
      for (let uid = 0; uid < 100; uid++) client.send({ ...tasks, uid: String(uid) })
    for (let count = 0; count < 200; count++) expect(await client.next()).toMatchObject({ event: 'init' })
    expect(feed.status().subscriptions).toBe(100)
  })

  it('more messages than may be sent at once, and in the end the socket', async () => {
    const { as } = await openSockets({ limits: { messages: 20, messagesPerSecond: 1 } })
    const client = await as('admin')
    for (let uid = 0; uid < 45; uid++) client.send({ type: 'ping', uid })
    expect(await client.end()).toBe(1008)
    const pongs = client.frames.filter(({ type }) => type === 'pong')
    const refused = client.frames.filter(({ error }) => Object(error).code === 'TOO_MANY_REQUESTS')
    expect(pongs.length).toBeLessThanOrEqual(20)
    expect(refused.length).toBeLessThanOrEqual(21)
  })

  it('another path, a body, and what is no upgrade', async () => {
    const { connect, url, server } = await openSockets()
    expect((await connect({ path: '/other' })).refused?.status).toBe(404)
    expect((await connect({ headers: { 'content-length': '5' } })).refused?.status).toBe(400)
    // Another listener answers its own paths.
    server.on('upgrade', (message, stream) => {
      if (message.url === '/theirs') stream.end('HTTP/1.1 418 Theirs\r\ncontent-length: 0\r\n\r\n')
    })
    expect((await connect({ path: '/theirs' })).refused?.status).toBe(418)
    const [, port] = url.split(':')
    const raw = connectTcp(Number(port), '127.0.0.1')
    raw.write('GET /websocket HTTP/1.1\r\nHost: a b\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    const text = await new Promise<string>((resolve) => raw.once('data', (data) => resolve(String(data))))
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    raw.destroy()
    const status = await new Promise((resolve) => {
      httpRequest({ port, path: '/websocket' }, ({ statusCode }) => resolve(statusCode)).end()
    })
    expect(status).toBe(401)
  })

  it('sockets beyond those that may be: at the upgrade', async () => {
    const { connect, as } = await openSockets({ limits: { sockets: 3, unnamed: 1 } })
    const one = await connect()
    expect((await connect()).refused?.status).toBe(503)
    await one.ask({ type: 'auth', access_token: 'admin' })
    await as('admin')
    await as('admin')
    expect((await connect()).refused?.status).toBe(503)
    await one.close()
    expect((await connect()).refused).toBeUndefined()
  })

  it('options that are none', async () => {
    const { feed } = await openTasks()
    expect(() => createSocketHandler({} as never, { authenticate: () => null })).toThrow(
      'A feed is made by createFeed',
    )
    expect(() => createSocketHandler(feed, {} as never)).toThrow('authenticate')
    expect(() => createSocketHandler(feed, { authenticate: () => null, mode: 'open' as never })).toThrow(
      '"mode"',
    )
    const sockets = createSocketHandler(feed, { authenticate: () => null })
    const { server } = await openSockets()
    await expect(toWs(sockets, server)).rejects.toThrow('has sockets already')
    await expect(toWs(sockets, server, { path: 'x' })).rejects.toThrow('begins with a slash')
    await expect(toWs({} as never, server)).rejects.toThrow('createSocketHandler')
  })
})

describe('what is told', () => {
  it('what comes, goes, leaves and changes: in one commit in this order', async () => {
    const { as, engine } = await openSockets()
    const client = await as('admin')
    const query = { fields: ['id', 'title'], filter: { title: { _neq: 'away' } } }
    await client.ask({ ...tasks, query, uid: 'x' })
    await engine.transaction(async (inside) => {
      await updateItem(inside, 'tasks', 1, { title: 'other' })
      await createItem(inside, 'tasks', { title: 'new' })
      await updateItem(inside, 'tasks', 2, { title: 'away' })
      await deleteItem(inside, 'tasks', 3)
    })
    expect([await client.next(), await client.next(), await client.next(), await client.next()]).toEqual([
      { type: 'subscription', event: 'delete', data: ['3'], uid: 'x' },
      { type: 'subscription', event: 'delete', data: ['2'], leave: true, uid: 'x' },
      { type: 'subscription', event: 'create', data: [{ id: 4, title: 'new' }], uid: 'x' },
      { type: 'subscription', event: 'update', data: [{ id: 1, title: 'other' }], uid: 'x' },
    ])
  })

  it('nothing says that an item has left whoever may not see it any more', async () => {
    const { as, engine } = await openSockets()
    const client = await as('ada')
    await client.ask({ ...tasks, uid: 'x' })
    await updateItem(engine, 'tasks', 1, { owner: 2 })
    expect(await client.next()).toEqual({ type: 'subscription', event: 'delete', data: ['1'], uid: 'x' })
  })

  it('one event alone, and an item that comes later', async () => {
    const { as, engine } = await openSockets()
    const client = await as('admin')
    expect(await client.ask({ ...tasks, event: 'create', item: 5, uid: 'x' })).toEqual({
      type: 'subscription',
      event: 'init',
      uid: 'x',
    })
    await createItem(engine, 'tasks', { title: 'another' })
    await createItem(engine, 'tasks', { title: 'it' })
    expect(await client.next()).toMatchObject({ event: 'create', data: { id: 5, title: 'it' }, uid: 'x' })
    await updateItem(engine, 'tasks', 5, { title: 'silent' })
    await pause(30)
    expect(await client.ask({ type: 'ping' })).toEqual({ type: 'pong' })
  })

  it('the messages of a feed as they are, and from where another has ended', async () => {
    const { as, engine, feed } = await openSockets()
    const query = { fields: ['title'], sort: ['title'], limit: 2 }
    const client = await as('admin')
    const asked = { ...tasks, query, membership: 'page', uid: 'p' }
    expect(await client.ask(asked)).toMatchObject({
      event: 'init',
      data: [{ title: 'Hide' }, { title: 'Paint' }],
      ids: ['3', '1'],
    })
    await createItem(engine, 'tasks', { title: 'Ask' })
    const changes = await client.next()
    expect(changes).toMatchObject({
      event: 'changes',
      set: [{ id: '4', item: { title: 'Ask' } }],
      removed: ['1'],
      order: ['4', '3'],
      uid: 'p',
    })
    client.terminate()
    await until(() => feed.status().subscriptions === 0)
    await deleteItem(engine, 'tasks', 4)
    const again = await as('admin')
    expect(await again.ask({ ...asked, token: changes.token })).toMatchObject({ event: 'subscribed' })
    expect(await again.next()).toMatchObject({ event: 'changes', removed: ['4'], order: ['3', '1'] })
    const foreign = await as('admin')
    expect(await foreign.ask({ ...asked, token: 'x' })).toEqual({
      type: 'subscription',
      event: 'reset',
      reason: 'token',
      uid: 'p',
    })
    expect(await foreign.next()).toMatchObject({ event: 'init', ids: ['3', '1'] })
  })

  it('a reset is a new beginning that says why', async () => {
    const { as, feed } = await openSockets()
    const client = await as('admin')
    await client.ask({ ...tasks, uid: 1 })
    feed.reset('tasks')
    expect(await client.next()).toMatchObject({ event: 'init', reset: 'host', data: [{}, {}, {}], uid: '1' })
  })
})

describe('the end', () => {
  it('a feed that is stopped closes its sockets', async () => {
    const { as, feed, sockets } = await openSockets()
    const client = await as('admin')
    await client.ask(tasks)
    await feed.stop()
    expect(await client.end()).toBe(1001)
    expect(sockets.status()).toEqual({ sockets: 0, unnamed: 0 })
  })

  it('a connection that breaks in the middle of anything leaves nothing', async () => {
    const { as, feed, sockets, engine, errors } = await openSockets()
    for (let round = 0; round < 40; round++) {
      const client = await as('admin')
      for (let uid = 0; uid < 5; uid++) client.send({ ...tasks, uid })
      if (round % 2 === 0) await client.next()
      client.send({ type: 'items', action: 'create', collection: 'tasks', data: { title: 'x' } })
      await updateItem(engine, 'tasks', 1, { title: String(round) })
      client.terminate()
    }
    await until(() => sockets.status().sockets === 0 && feed.status().subscriptions === 0)
    expect(errors).toEqual([])
  })
})
