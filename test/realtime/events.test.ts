// Lists that stay true as server-sent events.
import { createServer, get } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createHandler, type Handler, type HandlerOptions, toNode } from '../../src/http.ts'
import { type Access, createItem, deleteItem, updateItem } from '../../src/index.ts'
import { createFeed, localSource, realtime } from '../../src/realtime.ts'
import { atEnd } from '../support/at-end.ts'
import { portOf } from '../support/listening.ts'
import { EventReader } from './event-reader.ts'
import { admin, type Opened, openTasks, pause, type schema, until } from './tasks.ts'

type Callers = Readonly<Record<string, Access<typeof schema> | null>>

const callers: Callers = {
  admin,
  ada: { user: 1, rules: { tasks: { read: { filter: { owner: '$CURRENT_USER' } } } } },
  bob: { user: 2, rules: { tasks: { read: { filter: { owner: '$CURRENT_USER' } } } } },
}

interface World extends Opened {
  readonly handler: Handler
  readonly who: Record<string, Access<typeof schema> | null>
  readonly watch: (path: string, init?: RequestInit) => Promise<Response>
}

async function openWorld(
  options: Parameters<typeof openTasks>[0] = {},
  handlerOptions: Partial<HandlerOptions<typeof schema>> = {},
): Promise<World> {
  const opened = await openTasks(options)
  const who = { ...callers }
  const handler = createHandler(opened.engine, {
    authenticate: (token) => who[token ?? ''] ?? null,
    mounts: [realtime(opened.feed)],
    ...handlerOptions,
  })
  const watch = (path: string, init: RequestInit = {}) =>
    handler(
      new Request(`http://localhost${path}`, {
        ...init,
        headers: { authorization: 'Bearer admin', ...init.headers },
      }),
    )
  return { ...opened, who, handler, watch }
}

const as = (token: string, more: Record<string, string> = {}) => ({
  headers: { authorization: `Bearer ${token}`, ...more },
})

describe('the stream', () => {
  it('that goes on where nothing has changed begins all the same', async () => {
    const { engine, watch } = await openWorld()
    const first = new EventReader(await watch('/live/tasks?fields=title'))
    await first.next()
    const id = first.lastEventId
    await first.cancel()
    const response = await watch('/live/tasks?fields=title', as('admin', { 'last-event-id': id }))
    expect(response.status).toBe(200)
    const reader = new EventReader(response)
    await createItem(engine, 'tasks', { title: 'Cook' })
    expect(await reader.next()).toMatchObject({ event: 'changes' })
    await reader.cancel()
    const refused = await watch('/live/nothing', as('admin', { 'last-event-id': id }))
    expect(refused.status).toBe(404)
  })

  it('tells a list, its changes and the tokens between them', async () => {
    const { engine, watch } = await openWorld()
    const response = await watch('/live/tasks?fields=title&sort=title&limit=2')
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      vary: 'Authorization, Cookie',
    })
    const events = new EventReader(response)
    expect(await events.next()).toMatchObject({
      event: 'snapshot',
      data: { items: [{ title: 'Hide' }, { title: 'Paint' }], ids: ['3', '1'] },
    })
    expect(events.retry).toBeGreaterThan(1_000)
    const first = events.lastEventId
    await createItem(engine, 'tasks', { title: 'Ask', owner: 1 })
    expect(await events.next()).toMatchObject({
      event: 'changes',
      data: { set: [{ id: '4', item: { title: 'Ask' } }], removed: ['1'], order: ['4', '3'] },
    })
    expect(events.lastEventId).not.toBe(first)
    await events.cancel()
  })

  it('shows a caller what the rules show, and ends when they show nothing any more', async () => {
    const { engine, feed, watch, who } = await openWorld()
    const events = new EventReader(await watch('/live/tasks?membership=match&fields=title', as('bob')))
    expect(await events.next()).toMatchObject({ event: 'snapshot', data: { items: [{ title: 'Hide' }] } })
    await updateItem(engine, 'tasks', 3, { owner: 1 })
    expect(await events.next()).toMatchObject({ event: 'changes', data: { set: [], removed: ['3'] } })
    who.bob = null
    await feed.recheck(({ user }) => user === 2)
    expect(await events.next()).toMatchObject({
      event: 'failed',
      data: { errors: [{ extensions: { code: 'FORBIDDEN' } }] },
    })
    expect(await events.next()).toBeUndefined()
    expect(feed.status().subscriptions).toBe(0)
    expect((await watch('/live/tasks', as('bob'))).status).toBe(401)
  })

  it('goes on where another has ended, and says so where it cannot', async () => {
    const { engine, watch } = await openWorld()
    const path = '/live/tasks?fields=title&sort=id'
    const before = new EventReader(await watch(path))
    await before.next()
    await before.cancel()
    await updateItem(engine, 'tasks', 1, { title: 'Draw' })
    const after = new EventReader(await watch(path, as('admin', { 'last-event-id': before.lastEventId })))
    expect(await after.next()).toMatchObject({
      event: 'changes',
      data: { set: [{ id: '1', item: { title: 'Draw' } }], removed: [] },
    })
    await after.cancel()
    for (const token of ['x', `${'A'.repeat(12)}.1.${'B'.repeat(12)}`]) {
      const foreign = new EventReader(await watch(path, as('admin', { 'last-event-id': token })))
      expect(await foreign.next()).toEqual({ event: 'reset', data: { reason: 'token' }, lastEventId: '' })
      expect(await foreign.next()).toMatchObject({ event: 'snapshot', data: { ids: ['1', '2', '3'] } })
      await foreign.cancel()
    }
  })

  it('forgets the id at a reset, so that nobody goes on from what was forgotten', async () => {
    const { feed, watch } = await openWorld()
    const events = new EventReader(await watch('/live/tasks'))
    await events.next()
    expect(events.lastEventId).not.toBe('')
    feed.reset()
    expect(await events.next()).toMatchObject({ event: 'reset', lastEventId: '' })
    expect(await events.next()).toMatchObject({ event: 'snapshot' })
    await events.cancel()
  })

  it('tells groups whole, and the item of a singleton', async () => {
    const { engine, watch } = await openWorld()
    const counted = new EventReader(await watch('/live/tasks?aggregate[count]=*'))
    expect(await counted.next()).toMatchObject({ event: 'snapshot', data: { items: [{ count: 3 }] } })
    await deleteItem(engine, 'tasks', 3)
    expect(await counted.next()).toMatchObject({ event: 'snapshot', data: { items: [{ count: 2 }] } })
    await counted.cancel()
    const site = new EventReader(await watch('/live/site'))
    expect(await site.next()).toMatchObject({ event: 'snapshot', data: { items: [], ids: [] } })
    await site.cancel()
  })

  it('takes a query of any length by SEARCH', async () => {
    const { engine, watch } = await openWorld()
    const body = JSON.stringify({
      membership: 'match',
      query: { fields: ['title'], filter: { id: { _in: [1, 2, ...Array(900).fill(77)] } } },
    })
    const init = { method: 'SEARCH', body, headers: { 'content-type': 'application/json' } }
    const events = new EventReader(await watch('/live/tasks', init))
    expect(await events.next()).toMatchObject({ data: { items: [{ title: 'Paint' }, { title: 'Write' }] } })
    await deleteItem(engine, 'tasks', 2)
    expect(await events.next()).toMatchObject({ data: { set: [], removed: ['2'] } })
    await events.cancel()
  })

  it('watches nothing for HEAD, and refuses what GET refuses', async () => {
    const { feed, watch } = await openWorld()
    const response = await watch('/live/tasks', { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect(response.body).toBeNull()
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(feed.status()).toMatchObject({ subscriptions: 0, lists: 0 })
    expect((await watch('/live/tasks?page=2', { method: 'HEAD' })).status).toBe(400)
  })
})

describe('what is refused', () => {
  it.each([
    ['/live/nope', 404, 'NOT_FOUND'],
    ['/live/tasks?fields=nope', 403, 'FORBIDDEN'],
    ['/live/tasks?filter[title][_nope]=1', 400, 'INVALID_QUERY'],
    ['/live/tasks?page=2', 400, 'INVALID_QUERY'],
    ['/live/tasks?meta=*', 400, 'INVALID_QUERY'],
    ['/live/tasks?version=x', 400, 'INVALID_QUERY'],
    ['/live/tasks?export=csv', 400, 'INVALID_QUERY'],
    ['/live/tasks?membership=all', 400, 'INVALID_QUERY'],
    ['/live/tasks?membership[a]=match', 400, 'INVALID_QUERY'],
    ['/live/tasks?nope=1', 400, 'INVALID_QUERY'],
    ['/live/keyless', 400, 'INVALID_PAYLOAD'],
    ['/live/tasks?limit=20000', 400, 'INVALID_QUERY'],
  ])('GET %s is refused before the stream begins: %i %s', async (path, status, code) => {
    const { feed, watch } = await openWorld()
    const response = await watch(path)
    expect([response.status, await response.json()]).toMatchObject([
      status,
      { errors: [{ extensions: { code } }] },
    ])
    expect(feed.status().subscriptions).toBe(0)
  })

  it.each([
    ['[]', 'INVALID_PAYLOAD'],
    ['{"query":{},"nope":1}', 'INVALID_PAYLOAD'],
    ['{"query":{"page":2}}', 'INVALID_QUERY'],
    ['{"query":"x=1=["}', 'INVALID_QUERY'],
    ['{"query":7}', 'INVALID_QUERY'],
    ['{"membership":7}', 'INVALID_QUERY'],
    ['{', 'INVALID_PAYLOAD'],
  ])('SEARCH of %s is refused: %s', async (body, code) => {
    const { watch } = await openWorld()
    const init = { method: 'SEARCH', body, headers: { 'content-type': 'application/json' } }
    const response = await watch('/live/tasks', init)
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { errors: [{ extensions: { code } }] },
    ])
  })

  it('one body for a collection that is unknown and one that is not seen', async () => {
    const { watch } = await openWorld()
    const [unknown, hidden] = [await watch('/live/nope', as('ada')), await watch('/live/people', as('ada'))]
    expect(unknown.status).toBe(404)
    expect(await unknown.text()).toBe((await hidden.text()).replaceAll('people', 'nope'))
  })

  it('a user with too many subscriptions, and nobody else', async () => {
    const { watch, feed } = await openWorld({ limits: { perUser: 2 } })
    const open = [await watch('/live/tasks', as('ada')), await watch('/live/tasks', as('ada'))]
    const refused = await watch('/live/tasks', as('ada'))
    expect([refused.status, await refused.json()]).toMatchObject([
      429,
      { errors: [{ extensions: { code: 'TOO_MANY_REQUESTS' } }] },
    ])
    open.push(await watch('/live/tasks', as('bob')), await watch('/live/tasks'))
    await open[0]?.body?.cancel()
    open.push(await watch('/live/tasks', as('ada')))
    expect(feed.status().subscriptions).toBe(4)
    for (const { body } of open) await body?.cancel()
    expect(feed.status().subscriptions).toBe(0)
  })

  it('an engine that is not that of the feed', async () => {
    const [one, other] = [await openTasks(), await openTasks()]
    expect(() =>
      createHandler(one.engine, { authenticate: () => admin, mounts: [realtime(other.feed)] }),
    ).toThrow('The mount was made for another engine than the handler.')
    expect(() => realtime(one.feed.as(admin) as never)).toThrow('A feed is made by createFeed')
    expect(() => realtime({} as never)).toThrow('A feed is made by createFeed')
  })
})

it('an engine for each tenant has a feed for each, with equal keys and equal rules', async () => {
  const tenants = { one: await openTasks(), two: await openTasks() }
  const feeds = new Map<unknown, ReturnType<typeof createFeed>>()
  const handler = createHandler(
    (request) => tenants[request.headers.get('x-tenant') === 'two' ? 'two' : 'one'].engine,
    {
      authenticate: () => callers.ada ?? null,
      mounts: [
        realtime((engine) => {
          const feed = createFeed(engine, { source: localSource(), settleMs: 1 })
          feeds.set(engine, feed)
          atEnd(() => feed.stop())
          return feed
        }),
      ],
    },
  )
  const open = async (tenant: string) => {
    const request = new Request('http://localhost/live/tasks?fields=title', {
      headers: { 'x-tenant': tenant },
    })
    const events = new EventReader(await handler(request))
    await events.next()
    return events
  }
  const [one, two] = [await open('one'), await open('two')]
  await updateItem(tenants.two.engine, 'tasks', 1, { title: 'of two' })
  expect(await two.next()).toMatchObject({ data: { set: [{ item: { title: 'of two' } }] } })
  await updateItem(tenants.one.engine, 'tasks', 1, { title: 'of one' })
  expect(await one.next()).toMatchObject({ data: { set: [{ item: { title: 'of one' } }] } })
  expect(feeds.size).toBe(2)
  await one.cancel()
  await two.cancel()
})

describe('over a server', () => {
  const serve = ({ handler }: World) => portOf(createServer(toNode(handler)))

  it('a client that leaves leaves nothing', async () => {
    const world = await openWorld()
    const port = await serve(world)
    const request = get({ port, path: '/live/tasks', headers: { authorization: 'Bearer admin' } })
    await new Promise<void>((resolve) =>
      request.on('response', (response) => response.once('data', () => resolve())),
    )
    expect(world.feed.status().subscriptions).toBe(1)
    request.destroy()
    await until(() => world.feed.status().subscriptions === 0)
    expect(world.errors).toEqual([])
  })

  it('stops with the handler, at once', async () => {
    const world = await openWorld()
    const port = await serve(world)
    const response = await fetch(`http://127.0.0.1:${port}/live/tasks`, as('admin'))
    const events = new EventReader(response)
    await events.next()
    // One that waited for streams to end would wait for an hour.
    await world.handler.stop({ drainMs: 3_600_000 })
    expect(await events.next()).toBeUndefined()
    expect(world.feed.status().subscriptions).toBe(0)
  })

  it('takes a cookie, for a browser sends no header', async () => {
    const world = await openWorld(
      {},
      { token: (request) => /who=(\w+)/.exec(request.headers.get('cookie') ?? '')?.[1] },
    )
    const port = await serve(world)
    const response = await fetch(`http://127.0.0.1:${port}/live/tasks?fields=title`, {
      headers: { cookie: 'who=bob' },
    })
    const events = new EventReader(response)
    expect(await events.next()).toMatchObject({ data: { items: [{ title: 'Hide' }] } })
    await events.cancel()
  })
})

it('ends the stream of a feed that is stopped', async () => {
  const { feed, watch } = await openWorld()
  const events = new EventReader(await watch('/live/tasks'))
  await events.next()
  await feed.stop()
  expect(await events.next()).toBeUndefined()
  expect((await watch('/live/tasks')).status).toBe(503)
  await pause(0)
})
