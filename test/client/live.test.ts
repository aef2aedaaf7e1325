// Lists that stay true over an event stream: what a client holds is what the server lists, whatever becomes of the connection.
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  type Client,
  connect,
  type FeedMessage,
  type LiveItems,
  type LiveList,
  liveList,
  watchItems,
} from '../../src/client.ts'
import { createHandler } from '../../src/http.ts'
import { type Access, createItem, deleteItem, listItems, updateItem } from '../../src/index.ts'
import { createFeed, localSource, realtime } from '../../src/realtime.ts'
import { Replica } from '../realtime/replica.ts'
import { admin, type Opened, openTasks, type schema } from '../realtime/tasks.ts'
import { atEnd } from '../support/at-end.ts'

type Api = Client<typeof schema, undefined>
type Fetch = (request: Request) => Promise<Response>

interface Line extends Opened {
  readonly api: Api
  /** Serves it by another feed, as a server does that was started anew. */
  readonly restart: () => void
  readonly fetch: typeof globalThis.fetch
  readonly paths: string[]
  /** What the caller of now may do. */
  readonly who: { access: Access<typeof schema> | null }
  /** Ends the streams that are open. */
  readonly cut: () => void
  /** Puts something between: it gets what sends requests on. */
  readonly between: (by: (send: Fetch, request: Request) => Promise<Response>) => void
}

async function open(): Promise<Line> {
  const opened = await openTasks()
  const who: Line['who'] = { access: admin }
  const handlerOf = (feed: Opened['feed']) =>
    createHandler(opened.engine, { authenticate: () => who.access, mounts: [realtime(feed)] })
  let handler = handlerOf(opened.feed)
  let via: (send: Fetch, request: Request) => Promise<Response> = (send, request) => send(request)
  const streams = new Set<AbortController>()
  const paths: string[] = []
  const send: Fetch = async (request) => {
    paths.push(`${request.method} ${new URL(request.url).pathname}`)
    const { status, headers, body } = await handler(request)
    if (!body) return new Response(null, { status, headers })
    const broken = new AbortController()
    streams.add(broken)
    request.signal.addEventListener('abort', () => broken.abort())
    const kept = new TransformStream<Uint8Array, Uint8Array>()
    void body.pipeTo(kept.writable, { signal: broken.signal }).catch(() => undefined)
    return new Response(kept.readable, { status, headers })
  }
  const fetch: Line['fetch'] = (input, init) => via(send, new Request(input, init))
  const api = connect<typeof schema>('http://live.test', { fetch })
  return {
    ...opened,
    api,
    fetch,
    paths,
    who,
    restart: () => {
      const feed = createFeed(opened.engine, { source: localSource(), settleMs: 1 })
      atEnd(() => feed.stop())
      handler = handlerOf(feed)
      for (const stream of streams) stream.abort()
    },
    cut: () => {
      for (const stream of streams) stream.abort()
    },
    between: (by) => {
      via = by
    },
  }
}

/** Watches a store until its snapshot is as it is expected. */
function watching<Item>(list: LiveList<Item>) {
  const seen: LiveItems<Item>[] = []
  const leave = list.subscribe(() => seen.push(list.getSnapshot()))
  atEnd(leave)
  return {
    seen,
    leave,
    until: (expected: object) => expect.poll(() => list.getSnapshot()).toMatchObject(expected),
  }
}

const titles = { fields: ['title'], sort: 'title' } as const

afterEach(() => {
  vi.useRealTimers()
})

describe('messages', () => {
  it('are those of the feed, and the list of them is the list of the server', async () => {
    const { api, engine } = await open()
    const replica = new Replica()
    const watched = watchItems(api, 'tasks', titles)
    const next = async () => {
      const { value } = await watched.next()
      replica.apply(value as FeedMessage)
      expect(replica.data).toEqual((await listItems(engine, 'tasks', titles)).data)
    }
    await next()
    await createItem(engine, 'tasks', { title: 'Cook: "ä"\n€👩‍🚀' })
    await next()
    await updateItem(engine, 'tasks', 1, { title: 'Zap' })
    await next()
    await deleteItem(engine, 'tasks', 2)
    await next()
    expect(await watched.return()).toEqual({ done: true, value: undefined })
    expect(await watched.next()).toEqual({ done: true, value: undefined })
  })

  it('end with the signal of their reader, and with a return while they are waited for', async () => {
    const { api, paths } = await open()
    const controller = new AbortController()
    const watched = watchItems(api, 'tasks', titles, { signal: controller.signal })
    await watched.next()
    const waiting = watched.next()
    controller.abort()
    expect(await waiting).toEqual({ done: true, value: undefined })
    const other = watchItems(api, 'tasks', titles)
    await other.next()
    const last = other.next()
    await other.return()
    expect(await last).toEqual({ done: true, value: undefined })
    const never = watchItems(api, 'tasks', titles, { signal: AbortSignal.abort() })
    expect(await never.next()).toEqual({ done: true, value: undefined })
    expect(paths).toHaveLength(2)
  })

  it('of what is refused are its error', async () => {
    const { api } = await open()
    const refused = watchItems(api, 'tasks', { meta: '*' } as never)
    await expect(refused.next()).rejects.toMatchObject({ code: 'INVALID_QUERY' })
    expect(() => watchItems(api, 'tasks', titles, { membershp: 'page' } as never)).toThrow(
      'There is no option "membershp".',
    )
  })

  it('of a long query are asked for by SEARCH', async () => {
    const { api, paths } = await open()
    const filter = { title: { _in: ['Paint', ...Array.from({ length: 500 }, (_, index) => `t${index}`)] } }
    const watched = watchItems(api, 'tasks', { ...titles, filter }, { membership: 'match' })
    expect((await watched.next()).value).toMatchObject({ kind: 'snapshot', items: [{ title: 'Paint' }] })
    expect(paths).toEqual(['SEARCH /live/tasks'])
    await watched.return()
  })
})

describe('a list', () => {
  it('is connecting, live, late, and live again without an item less', async () => {
    const { api, engine, cut, between } = await open()
    const list = liveList(api, 'tasks', titles)
    expect(list.getSnapshot()).toEqual({ state: 'connecting', items: [] })
    const { until, seen } = watching(list)
    const items = [{ title: 'Hide' }, { title: 'Paint' }, { title: 'Write' }]
    await until({ state: 'live', items })
    expect(list.getSnapshot()).toBe(list.getSnapshot())
    between(() => Promise.reject(new TypeError('offline')))
    cut()
    await until({ state: 'late', items, since: expect.any(Number), error: { code: 'SERVICE_UNAVAILABLE' } })
    await createItem(engine, 'tasks', { title: 'Cook' })
    between((send, request) => send(request))
    await until({ state: 'live', items: [{ title: 'Cook' }, ...items] })
    expect(seen.map(({ items }) => items.length)).not.toContain(0)
    // It is live again where nothing has changed, too.
    cut()
    await until({ state: 'late' })
    await until({ state: 'live' })
  })

  it('that nobody watches has no stream, and goes on where it was', async () => {
    const { api, engine, paths, feed } = await open()
    const list = liveList(api, 'tasks', titles)
    const first = watching(list)
    await first.until({ state: 'live' })
    first.leave()
    first.leave()
    await expect.poll(() => feed.status().subscriptions).toBe(0)
    await deleteItem(engine, 'tasks', 1)
    const second = watching(list)
    await second.until({ state: 'live', items: [{ title: 'Hide' }, { title: 'Write' }] })
    expect(paths).toHaveLength(2)
  })

  it('has one stream for equal queries', async () => {
    const { api, paths } = await open()
    const lists = [
      liveList(api, 'tasks', titles),
      liveList(api, 'tasks', { ...titles }),
      liveList(api, 'people'),
    ]
    const all = lists.map((list) => watching(list as LiveList<unknown>))
    for (const { until } of all) await until({ state: 'live' })
    expect(paths.sort()).toEqual(['GET /live/people', 'GET /live/tasks'])
    expect(lists[0]?.getSnapshot()).toBe(lists[1]?.getSnapshot())
    const later = watching(liveList(api, 'tasks', titles))
    await later.until({ state: 'live' })
    expect(paths).toHaveLength(2)
  })

  it('goes on for all where a listener throws, whose errors are its own', async () => {
    const { api, engine } = await open()
    const thrown: unknown[] = []
    // The runner's own would fail the test.
    const others = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    process.on('unhandledRejection', (error) => thrown.push(error))
    const bad = new Error('bad')
    const leave = liveList(api, 'tasks', titles).subscribe(() => {
      throw bad
    })
    const { until } = watching(liveList(api, 'tasks', titles))
    await until({ state: 'live' })
    await deleteItem(engine, 'tasks', 1)
    await until({ state: 'live', items: [{ title: 'Hide' }, { title: 'Write' }] })
    leave()
    await until({ state: 'live' })
    process.removeAllListeners('unhandledRejection')
    for (const other of others) process.on('unhandledRejection', other)
    expect(new Set(thrown)).toEqual(new Set([bad]))
  })

  it('shows groups', async () => {
    const { api, engine } = await open()
    const { until } = watching(liveList(api, 'tasks', { aggregate: { count: '*' } }))
    await until({ items: [{ count: 3 }] })
    await deleteItem(engine, 'tasks', 1)
    await until({ items: [{ count: 2 }] })
  })

  it('is late until a server that was started anew, or begins it anew, has sent it', async () => {
    const { api, engine, restart, feed } = await open()
    const { until, seen } = watching(liveList(api, 'tasks', titles))
    await until({ state: 'live' })
    feed.reset('tasks')
    await expect.poll(() => seen.map(({ state }) => state)).toEqual(['live', 'late', 'live'])
    expect(seen[1]).toEqual({ state: 'late', items: seen[0]?.items, since: expect.any(Number) })
    restart()
    await createItem(engine, 'tasks', { title: 'Anew' })
    await until({ state: 'live', items: [{ title: 'Anew' }, {}, {}, {}] })
    const behind = seen.slice(3)
    const late = behind.filter(({ state }) => state === 'late')
    expect(behind.map(({ state }) => state)).toEqual([...late.map(() => 'late'), 'live'])
    expect(new Set(late.map(({ since }) => since)).size).toBe(1)
  })

  it('behind a proxy that holds event streams back is late, and says so', async () => {
    // One waits for the end before it answers, one sends what stands above the body at once.
    const proxies: ((response: Response) => Promise<Response>)[] = [
      async (response) => new Response(await response.arrayBuffer(), response),
      async ({ body, headers }) => {
        const held = new TransformStream({ flush: () => undefined, transform: () => undefined })
        void body?.pipeTo(held.writable).catch(() => undefined)
        return new Response(held.readable, { headers })
      },
    ]
    for (const hold of proxies) {
      const { api, between } = await open()
      between(async (send, request) => hold(await send(request)))
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
      const { until } = watching(liveList(api, 'tasks', titles))
      await vi.advanceTimersByTimeAsync(39_000)
      await until({ state: 'connecting' })
      await vi.advanceTimersByTimeAsync(1_000)
      const error = {
        code: 'OUT_OF_TIME',
        message: 'Nothing came for 40 s. Does a proxy hold event streams back?',
      }
      await until({ state: 'late', items: [], error })
      between((send, request) => send(request))
      await vi.advanceTimersByTimeAsync(2_000)
      vi.useRealTimers()
      await until({ state: 'live', items: [{}, {}, {}] })
    }
  })

  it('whose answer is none fails with an error that says so', async () => {
    const answers = [
      'event: snapshot\ndata: null\n\n',
      'event: snapshot\nid: a\ndata: {"items":[],"ids":[]}\n\n',
    ]
    answers[1] += 'event: changes\nid: b\ndata: {"set":[]}\n\n'
    for (const answer of answers) {
      const headers = { 'content-type': 'text/event-stream' }
      const api: Api = connect('http://live.test', { fetch: async () => new Response(answer, { headers }) })
      const kind = answer.includes('changes') ? 'changes' : 'snapshot'
      await watching(liveList(api, 'tasks', titles)).until({
        state: 'failed',
        items: [],
        error: {
          name: 'EngineError',
          code: 'INTERNAL_SERVER_ERROR',
          message: `This is no answer of Quernel: ${kind}.`,
        },
      })
    }
  })

  it('whose caller loses a right shows nothing of it, and fails where all is lost', async () => {
    const { api, who, feed } = await open()
    const list = liveList(api, 'tasks', titles)
    const { until } = watching(list)
    await until({ state: 'live' })
    who.access = { rules: { tasks: { read: { filter: { owner: 2 } } } } }
    await feed.recheck()
    await until({ state: 'live', items: [{ title: 'Hide' }] })
    who.access = { rules: {} }
    await feed.recheck()
    await until({ state: 'failed', items: [], error: { code: 'NOT_FOUND' } })
    who.access = admin
    const again = watching(list)
    await again.until({ state: 'live', items: [{ title: 'Hide' }, { title: 'Paint' }, { title: 'Write' }] })
  })

  it('is the list of the server, at whatever byte its stream is cut', { timeout: 120_000 }, async () => {
    const line = await open()
    const { api, engine, between } = line
    // One stream as it is sent: three changes behind a snapshot, with signs of several bytes.
    const bytes: number[] = []
    between(async (send, request) => {
      const response = await send(request)
      const kept = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          bytes.push(...chunk)
          controller.enqueue(chunk)
        },
      })
      return new Response(response.body?.pipeThrough(kept), response)
    })
    const { until, leave, seen } = watching(liveList(api, 'tasks', titles))
    await until({ state: 'live' })
    for (const change of [
      () => createItem(engine, 'tasks', { title: 'Cook: "ä"\n€👩‍🚀' }),
      () => updateItem(engine, 'tasks', 1, { title: 'Zap' }),
      () => deleteItem(engine, 'tasks', 2),
    ]) {
      await change()
      await until({ items: (await listItems(engine, 'tasks', titles)).data })
    }
    leave()
    expect(bytes.length).toBeGreaterThan(400)
    const lists = new Set(['[]', ...seen.map(({ items }) => JSON.stringify(items))])
    expect(lists.size).toBe(5)

    // Each client is cut at a byte of its own, and half of them as if all were well.
    between((send, request) => send(request))
    const cutAt = async (length: number) => {
      let isCut = false
      const fetch: typeof line.fetch = async (input, init) => {
        if (isCut) return line.fetch(input, init)
        isCut = true
        const body = new ReadableStream<Uint8Array>({
          start: (controller) => controller.enqueue(new Uint8Array(bytes.slice(0, length))),
          pull: (controller) =>
            length % 2 === 0 ? controller.close() : controller.error(new TypeError('terminated')),
        })
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
      }
      const cut = connect<typeof schema>('http://live.test', { fetch })
      return watching(liveList(cut, 'tasks', titles))
    }
    const { data: items } = await listItems(engine, 'tasks', titles)
    const cuts = await Promise.all(bytes.map((_, length) => cutAt(length)))
    for (const one of cuts) await one.until({ state: 'live', items })
    for (const one of cuts) {
      one.leave()
      for (const snapshot of one.seen) expect(lists).toContain(JSON.stringify(snapshot.items))
    }
  })
})
