// Lists that stay true over one socket: they are what they are over event streams, which take its place where there is none.
import { getEventListeners } from 'node:events'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { connectionOf } from '../../src/client/request.ts'
import { socketOf } from '../../src/client/socket.ts'
import {
  type Client,
  type ClientOptions,
  connect,
  type LiveList,
  liveList,
  watchItems,
} from '../../src/client.ts'
import { createItem, deleteItem, updateItem } from '../../src/index.ts'
import { openSockets } from '../realtime/socket-server.ts'
import type { schema } from '../realtime/tasks.ts'
import { atEnd } from '../support/at-end.ts'

type Api = Client<typeof schema, undefined>

async function open(options: ClientOptions = {}, sockets: Parameters<typeof openSockets>[0] = {}) {
  const world = await openSockets(sockets)
  const paths: string[] = []
  world.server.on('request', ({ method, url }) => paths.push(`${method} ${url?.split('?')[0]}`))
  const api: Api = connect<typeof schema>(`http://${world.url}`, {
    token: 'admin',
    socket: WebSocket,
    ...options,
  })
  return { ...world, api, paths }
}

function watching<Item>(list: LiveList<Item>) {
  const states: string[] = []
  const leave = list.subscribe(() => states.push(list.getSnapshot().state))
  atEnd(leave)
  return {
    states,
    leave,
    until: (expected: object) => expect.poll(() => list.getSnapshot()).toMatchObject(expected),
  }
}

const titles = { fields: ['title'], sort: 'title' } as const
const items = [{ title: 'Hide' }, { title: 'Paint' }, { title: 'Write' }]

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe('lists', () => {
  it('share one socket, which ends with the last of them', async () => {
    const { api, engine, sockets, paths } = await open()
    const all = [
      watching(liveList(api, 'tasks', titles)),
      watching(liveList(api, 'tasks', { ...titles, limit: 1 }, { membership: 'match' })),
      watching(liveList(api, 'tasks', { aggregate: { count: '*' } })),
    ] as const
    await all[0].until({ state: 'live', items })
    await all[1].until({ state: 'live', items: items.slice(0, 1) })
    await all[2].until({ state: 'live', items: [{ count: 3 }] })
    await createItem(engine, 'tasks', { title: 'Cook: "ä"\n€👩‍🚀' })
    await all[0].until({ items: [{ title: 'Cook: "ä"\n€👩‍🚀' }, ...items] })
    await all[2].until({ items: [{ count: 4 }] })
    expect(sockets.status().sockets).toBe(1)
    expect(paths).toEqual([])
    for (const { leave } of all) leave()
    await expect.poll(() => sockets.status().sockets).toBe(0)
  })

  it('are over event streams up to the fourth, and from the fifth on over a socket', async () => {
    vi.stubGlobal('WebSocket', WebSocket)
    const { api, sockets, paths, feed } = await open({ socket: undefined })
    const all = [1, 2, 3, 4, 5, 6].map((limit) => watching(liveList(api, 'tasks', { ...titles, limit })))
    for (const { until } of all) await until({ state: 'live', items: expect.any(Array) })
    expect(paths).toEqual(Array(4).fill('GET /live/tasks'))
    expect(sockets.status().sockets).toBe(1)
    // Where one has ended there is room for the next.
    all[0]?.leave()
    await expect.poll(() => feed.status().subscriptions).toBe(5)
    await watching(liveList(api, 'people')).until({ state: 'live' })
    expect(paths).toHaveLength(5)
  })

  it('are over event streams where the client wants no socket, or has no class of it', async () => {
    vi.stubGlobal('WebSocket', undefined)
    for (const socket of [false, true] as const) {
      const { api, sockets, paths } = await open({ socket })
      const all = [1, 2, 3, 4, 5].map((limit) => watching(liveList(api, 'tasks', { limit })))
      for (const { until } of all) await until({ state: 'live' })
      expect([paths.length, sockets.status().sockets]).toEqual([5, 0])
    }
  })

  it('are over event streams where the server has no socket, or it breaks before it opens', async () => {
    const { api, paths, url } = await open({
      socket: class extends WebSocket {
        constructor(address: string) {
          super(address.replace('/websocket', '/nothing'))
        }
      },
    })
    await watching(liveList(api, 'tasks', titles)).until({ state: 'live', items })
    expect(paths).toEqual(['GET /live/tasks'])
    const broken = class {
      constructor() {
        throw new SyntaxError('forbidden')
      }
    }
    const other = connect<typeof schema>(`http://${url}`, { token: 'admin', socket: broken })
    await watching(liveList(other, 'tasks', titles)).until({ state: 'live', items })
  })

  it('are late when the connection breaks, and go on where they were', async () => {
    const { api, engine, breakAll, sockets } = await open()
    const list = watching(liveList(api, 'tasks', titles))
    const people = watching(liveList(api, 'people', { fields: ['name'] }))
    await list.until({ state: 'live', items })
    await people.until({ state: 'live' })
    breakAll()
    await list.until({
      state: 'late',
      items,
      since: expect.any(Number),
      error: { code: 'SERVICE_UNAVAILABLE' },
    })
    await deleteItem(engine, 'tasks', 1)
    await list.until({ state: 'live', items: [{ title: 'Hide' }, { title: 'Write' }] })
    await people.until({ state: 'live' })
    expect(list.states).not.toContain('connecting')
    expect(sockets.status().sockets).toBe(1)
  })

  it('that are refused have the error that they have over an event stream', async () => {
    const { api } = await open()
    const refused = liveList(api, 'tasks', { filter: { nothing: 1 } } as never)
    await watching(refused).until({
      state: 'failed',
      error: { code: 'FORBIDDEN', path: ['filter', 'nothing'] },
    })
  })

  it('of callers without a token have a socket where it asks for none', async () => {
    const strict = await open({ token: null })
    strict.who[''] = { admin: true }
    await watching(liveList(strict.api, 'tasks', titles)).until({ state: 'live', items })
    expect(strict.paths).toEqual(['GET /live/tasks'])
    const open_ = await open({ token: null }, { mode: 'public' })
    open_.who[''] = { admin: true }
    await watching(liveList(open_.api, 'tasks', titles)).until({ state: 'live', items })
    expect(open_.paths).toEqual([])
  })
})

describe('a token', () => {
  it('that is not taken is asked for once more', async () => {
    const tokens = ['old', 'admin']
    const { api, sockets, paths } = await open({ token: () => tokens.shift() ?? null })
    const all = [1, 2, 3].map((limit) => watching(liveList(api, 'tasks', { ...titles, limit })))
    for (const { until } of all) await until({ state: 'live' })
    expect([tokens, paths, sockets.status().sockets]).toEqual([[], [], 1])
  })

  it('that is never taken fails the list', async () => {
    const { api } = await open({ token: 'mallory' })
    await watching(liveList(api, 'tasks', titles)).until({ state: 'failed', error: { status: 401 } })
  })

  it('that expires is renewed without a gap', async () => {
    const tokens = ['short', 'admin']
    const { api, who, engine, feed, sockets } = await open({ token: () => tokens.shift() ?? null })
    const short = { admin: true, expiresAt: new Date(Date.now() + 400) } as const
    who.short = short
    const list = watching(liveList(api, 'tasks', titles))
    await list.until({ state: 'live', items })
    await expect.poll(() => tokens).toEqual([])
    await feed.recheck()
    await updateItem(engine, 'tasks', 1, { title: 'Zap' })
    await list.until({ state: 'live', items: [{ title: 'Hide' }, { title: 'Write' }, { title: 'Zap' }] })
    expect(sockets.status().sockets).toBe(1)
    expect(new Set(list.states)).toEqual(new Set(['live']))
  })
})

/** A socket whose server is the test. */
class Fake {
  static readonly made: Fake[] = []
  onopen: (() => void) | undefined
  onmessage: ((event: { data: string }) => void) | undefined
  onclose: (() => void) | undefined
  readonly sent: Readonly<Record<string, unknown>>[] = []
  isClosed = false
  constructor() {
    Fake.made.push(this)
  }
  send(text: string) {
    this.sent.push(JSON.parse(text))
  }
  close() {
    this.isClosed = true
  }
  hear(frame: object) {
    this.onmessage?.({ data: JSON.stringify(frame) })
  }
}

describe('a socket', () => {
  const faked = (token: ClientOptions['token'] = 'admin') => {
    Fake.made.length = 0
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'Date'] })
    const requests: string[] = []
    const api: Api = connect<typeof schema>('http://live.test/api', {
      token,
      socket: Fake,
      fetch: async (url) => {
        requests.push(String(url))
        return Promise.reject(new TypeError('offline'))
      },
    })
    return { api, requests }
  }
  const made = async (number: number) => {
    await vi.waitUntil(() => Fake.made.length === number)
    return Fake.made[number - 1] as Fake // it was just made
  }

  /** Opens the socket of a number, and returns it when a list was asked for over it. */
  const served = async (number: number) => {
    const socket = await made(number)
    socket.onopen?.()
    socket.hear({ type: 'auth', status: 'ok' })
    await vi.waitUntil(() => socket.sent.length === 2)
    return socket
  }
  const init = { type: 'subscription', event: 'init', data: [], ids: [], token: 't1', uid: '1' }

  it('that ends at each subscription is opened after longer and longer pauses', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    const { api } = faked()
    const list = liveList(api, 'tasks', titles)
    const { leave } = watching(list)
    let socket = await served(1)
    socket.hear(init)
    await vi.waitUntil(() => list.getSnapshot().state === 'live')
    let since: number | undefined
    for (const [index, pauseMs] of [1_000, 2_000, 4_000, 8_000].entries()) {
      await vi.advanceTimersByTimeAsync(100)
      since ??= Date.now()
      socket.hear({ type: 'pong' })
      await vi.advanceTimersByTimeAsync(100)
      socket.onclose?.()
      await vi.advanceTimersByTimeAsync(0)
      // What shows that the first socket is alive is behind its list; what shows it of the others is not.
      expect(list.getSnapshot()).toMatchObject({ state: 'late', since })
      await vi.advanceTimersByTimeAsync(pauseMs - 1)
      expect(Fake.made).toHaveLength(index + 1)
      await vi.advanceTimersByTimeAsync(1)
      socket = await served(index + 2)
    }
    leave()
  })

  it('leaves a list late until it has said what holds of it', async () => {
    const { api } = faked()
    const list = liveList(api, 'tasks', titles)
    const { leave, states } = watching(list)
    const first = await served(1)
    first.hear(init)
    await vi.waitUntil(() => states.length === 1)
    first.onclose?.()
    await vi.advanceTimersByTimeAsync(1_000)
    const second = await served(2)
    second.hear({ type: 'pong' })
    second.hear({ type: 'subscription', event: 'reset', reason: 'token', uid: '1' })
    await vi.waitUntil(() => states.length === 3)
    second.hear({ type: 'pong' })
    second.hear(init)
    await vi.waitUntil(() => states.length === 4)
    expect(states).toEqual(['live', 'late', 'late', 'live'])
    leave()
  })

  it('whose list ended while it opened ends, and keeps no process running', async () => {
    const { api } = faked()
    const intervals = vi.spyOn(globalThis, 'setInterval')
    const { leave } = watching(liveList(api, 'tasks', titles))
    const socket = await made(1)
    expect(intervals.mock.results.map(({ value }) => value.hasRef())).toEqual([false])
    leave()
    socket.onopen?.()
    socket.hear({ type: 'auth', status: 'ok' })
    await vi.advanceTimersByTimeAsync(2_000)
    expect([socket.isClosed, socket.sent.length]).toEqual([true, 1])
  })

  it('whose token is refused as soon as it was taken ends', async () => {
    let count = 0
    const { api } = faked(() => `token${++count}`)
    const list = liveList(api, 'tasks', titles)
    const { leave } = watching(list)
    const socket = await served(1)
    socket.hear(init)
    await vi.waitUntil(() => list.getSnapshot().state === 'live')
    for (let number = 0; number < 10; number++) {
      socket.hear({ type: 'auth', status: 'error' })
      await vi.advanceTimersByTimeAsync(1)
      socket.hear({ type: 'auth', status: 'ok' })
    }
    expect([count, socket.isClosed, list.getSnapshot().state]).toEqual([2, true, 'late'])
    leave()
  })

  it('whose messages are none of ours fails the list with an error that says so', async () => {
    for (const frame of [
      { ...init, data: null },
      { ...init, event: 'changes', set: [] },
    ]) {
      const { api } = faked()
      const list = liveList(api, 'tasks', titles)
      watching(list)
      const socket = await served(1)
      socket.hear(frame)
      await vi.waitUntil(() => list.getSnapshot().state === 'failed')
      expect(list.getSnapshot().error).toMatchObject({
        code: 'INTERNAL_SERVER_ERROR',
        message: expect.stringMatching(/^This is no answer of Quernel: (snapshot|changes)\.$/),
      })
    }
  })

  it('leaves no listener on the signal of a list that has waited for it', async () => {
    const { api } = await open()
    const { signal } = new AbortController()
    const opened = await socketOf(connectionOf(api as Client), api.url, signal)
    expect(opened).toBeDefined()
    await expect.poll(() => getEventListeners(signal, 'abort')).toEqual([])
  })

  it('that does not open makes room for an event stream', async () => {
    const { api, requests } = faked()
    const { leave } = watching(liveList(api, 'tasks'))
    const socket = await made(1)
    await vi.advanceTimersByTimeAsync(5_000)
    expect([socket.isClosed, requests]).toEqual([true, ['http://live.test/api/live/tasks']])
    leave()
  })

  it('that falls silent is given up', async () => {
    const { api } = faked()
    const list = liveList(api, 'tasks', titles)
    const { leave } = watching(list)
    const socket = await made(1)
    socket.onopen?.()
    expect(socket.sent).toEqual([{ type: 'auth', access_token: 'admin' }])
    socket.hear({ type: 'auth', status: 'ok' })
    await vi.waitUntil(() => socket.sent.length === 2)
    expect(socket.sent[1]).toEqual({
      type: 'subscribe',
      uid: '1',
      collection: 'tasks',
      query: titles,
      membership: 'page',
    })
    socket.hear({ type: 'subscription', event: 'init', data: [], ids: [], token: 't1', uid: '1' })
    await vi.advanceTimersByTimeAsync(30_000)
    expect(list.getSnapshot().state).toBe('live')
    expect(socket.sent.slice(2)).toEqual([{ type: 'ping' }, { type: 'ping' }])
    socket.hear({ type: 'pong' })
    await vi.advanceTimersByTimeAsync(46_500)
    expect(socket.isClosed).toBe(true)
    expect(list.getSnapshot()).toMatchObject({ state: 'late', items: [] })
    const next = await made(2)
    next.onopen?.()
    next.hear({ type: 'auth', status: 'ok' })
    await vi.waitUntil(() => next.sent.length === 2)
    expect(next.sent[1]).toMatchObject({ type: 'subscribe', token: 't1' })
    next.hear({ type: 'subscription', event: 'subscribed', uid: '1' })
    await vi.waitUntil(() => list.getSnapshot().state === 'live')
    leave()
  })

  it('does not keep more than a thousand frames for a slow reader', async () => {
    const { api } = faked()
    const watched = watchItems(api, 'tasks', titles)
    const first = watched.next()
    const socket = await made(1)
    socket.onopen?.()
    socket.hear({ type: 'auth', status: 'ok' })
    await vi.waitUntil(() => socket.sent.length === 2)
    socket.hear({ type: 'subscription', event: 'init', data: [], ids: [], token: 't0', uid: '1' })
    expect((await first).value).toEqual({ kind: 'snapshot', items: [], ids: [], token: 't0' })
    for (let number = 1; number < 2_000; number++)
      socket.hear({
        type: 'subscription',
        event: 'changes',
        set: [],
        removed: [],
        token: `t${number}`,
        uid: '1',
      })
    expect(socket.sent.at(-1)).toEqual({ type: 'unsubscribe', uid: '1' })
    for (let number = 1; number <= 1_001; number++) await watched.next()
    const next = watched.next()
    await vi.advanceTimersByTimeAsync(1_000)
    await vi.waitUntil(() => Fake.made.at(-1)?.sent.some(({ token }) => token === 't1001'))
    await watched.return()
    await next
  })
})
