// The memory of lists: what a feed keeps at most, and what each of its callers may have it keep.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createGraphQLSocket } from '../../src/graphql.ts'
import { createHandler } from '../../src/http.ts'
import { type Access, createItem, createItems, updateItem } from '../../src/index.ts'
import { KeptBytes } from '../../src/realtime/bytes/kept-bytes.ts'
import { Unsent, UnsentBytes } from '../../src/realtime/bytes/unsent-bytes.ts'
import { realtime, watchItems } from '../../src/realtime.ts'
import { databases } from '../support/databases.ts'
import { backToRealTime } from '../support/fake-time.ts'
import { EventReader } from './event-reader.ts'
import { openSockets } from './socket-server.ts'
import { openLife, turns } from './sockets-by-hand.ts'
import { admin, next, openTasks, type schema, until } from './tasks.ts'

type Rights = Access<typeof schema>
const rules = { tasks: { read: true } } as const
const ada: Rights = { user: 1, rules }
const list = (index: number) => ({ fields: ['title'], filter: { id: { _gt: -1 - index } } }) as const
/** Returns the bytes of some such lists, and of a half of one. */
async function bytesOf(lists: number): Promise<number> {
  const { feed } = await openTasks()
  await watchItems(feed.as(admin), 'tasks', list(9)).next()
  return Math.floor((lists + 0.5) * feed.status().bytes)
}

const long = 'x'.repeat(40_000)

describe.each(databases)('on $name', (database) => {
  const open = (limits: object) => openTasks({ limits }, {}, database)

  it('the lists of a user, and those of all who have none, have a bound each', async () => {
    const callerBytes = await bytesOf(3)
    const { feed } = await open({ callerBytes })
    const watch = (access: Rights, index: number) => watchItems(feed.as(access), 'tasks', list(index))
    for (let index = 0; index < 3; index++) {
      await watch({ rules }, index).next()
      await watch(ada, index).next()
    }
    for (const access of [
      { rules },
      { rules, role: 'editor' },
      { rules, user: null },
      ada,
    ] satisfies Rights[])
      await expect(watch(access, 9).next()).rejects.toMatchObject({
        code: 'TOO_MANY_REQUESTS',
        message: `The lists of one caller take more than the ${callerBytes} bytes that they may.`,
        hint: expect.stringContaining('"limits.callerBytes"'),
      })
    // A list of their own counts once, and others are not held up.
    await watch(ada, 2).next()
    expect(await next(watch({ user: 2, rules }, 9))).toMatchObject({ kind: 'snapshot' })
  })

  it('lists that nobody reads any more count, and go first', async () => {
    const bytes = await bytesOf(3)
    const { feed } = await open({ bytes })
    const tokens: string[] = []
    for (let index = 0; index < 12; index++) {
      const watched = watchItems(feed.as(ada), 'tasks', list(index))
      const message = await next(watched)
      tokens.push(message?.kind === 'snapshot' ? message.token : '')
      await watched.return()
      expect(feed.status().bytes).toBeLessThanOrEqual(bytes)
    }
    expect(feed.status().lists).toBeGreaterThan(1)
    const again = watchItems(feed.as(ada), 'tasks', list(0), { token: tokens[0] })
    expect(await next(again)).toMatchObject({ kind: 'reset' })
    await again.return()
    const open4 = Array.from({ length: 4 }, (_, index) => watchItems(feed.as(ada), 'tasks', list(3 + index)))
    const answers = await Promise.allSettled(open4.map((watched) => watched.next()))
    expect(answers.filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: { code: 'SERVICE_UNAVAILABLE' } },
    ])
  })

  it.each(['page', 'match'] as const)(
    'a list (%s) that grows beyond the bound ends, and is forgotten',
    async (membership) => {
      const { engine, feed } = await open({ callerBytes: 100_000 })
      const watched = watchItems(feed.as(ada), 'tasks', { ...list(1), limit: -1 }, { membership })
      const other = watchItems(feed.as({ user: 2, rules }), 'tasks', { filter: { id: 1 } }, { membership })
      await next(watched)
      await next(other)
      const told = (async () => {
        for await (const _ of watched);
      })()
      const ended = expect(told).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
      const titles = Array.from({ length: 200 }, (_, index) => ({ title: `task ${index}` }))
      await createItems(engine, 'tasks', titles)
      await ended
      await updateItem(engine, 'tasks', 1, { title: 'on' })
      expect(await next(other)).toMatchObject({ kind: 'changes' })
      expect(feed.status()).toMatchObject({ subscriptions: 1, lists: 1 })
      expect(feed.status().bytes).toBeLessThan(50_000)
    },
  )

  it('a list of which too much is read at once is refused', async () => {
    const { engine, feed } = await open({ callerBytes: 70_000 })
    await createItem(engine, 'tasks', { title: long })
    for (const membership of ['page', 'match'] as const)
      await expect(watchItems(feed.as(admin), 'tasks', {}, { membership }).next()).rejects.toMatchObject({
        code: 'INVALID_QUERY',
      })
    expect(feed.status()).toMatchObject({ subscriptions: 0, items: 0 })
  })
})

it('an event stream is refused with 429, and a subscription of a socket with its code', async () => {
  const { engine, feed, as } = await openSockets({}, { limits: { callerBytes: await bytesOf(3) } })
  const handler = createHandler(engine, { authenticate: () => ({ rules }), mounts: [realtime(feed)] })
  const stream = (index: number) =>
    handler(new Request(`http://localhost/live/tasks?fields=title&filter[id][_gt]=${-index}`))
  const streams = [await stream(0), await stream(1), await stream(2)]
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200])
  expect((await stream(3)).status).toBe(429)
  const socket = await as('ada')
  const subscribe = (index: number) =>
    socket.ask({ type: 'subscribe', collection: 'tasks', query: list(index), uid: index })
  for (let index = 0; index < 3; index++) expect(await subscribe(index)).toMatchObject({ event: 'init' })
  expect(await subscribe(3)).toMatchObject({ status: 'error', error: { code: 'TOO_MANY_REQUESTS' } })
  for (const { body } of streams) await body?.cancel()
})

describe('room', () => {
  afterEach(backToRealTime)

  /** Readers of callers who may take 16 MB together and 8 each, a list of 6 MB of the caller `a`, and what they hear. */
  function openRoom() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const kept = new KeptBytes<object>()
    const all = new UnsentBytes(kept, { bytes: 16e6, callerBytes: 8e6, unreadBytes: 64e6 })
    const list = {}
    kept.set(list, 6e6)
    kept.join(list, 'a')
    const heard: string[] = []
    const take = (name: string, megabytes: number, connection?: Unsent['reader']) => {
      const breakOff = () => void heard.push(`${name} is broken off`)
      const one = new Unsent(all, connection ?? { payer: name.charAt(0), breakOff })
      one.onNoRoom = (reason) => heard.push(`${name}: ${Reflect.get(reason(), 'code')}`)
      if (!one.take(megabytes * 1e6)) one.onRoom = () => heard.push(name)
      return one
    }
    return { kept, list, heard, take, wait: (seconds: number) => vi.advanceTimersByTime(seconds * 1_000) }
  }

  it.each([true, false])('of all is made by as few as it takes, given back at once: %s', (isAtOnce) => {
    const all = new UnsentBytes(new KeptBytes(), { bytes: 16e6, callerBytes: 8e6, unreadBytes: 1e6 })
    const ended: string[] = []
    const open = (payer: string) => {
      const breakOff = () => {
        if (!ended.includes(payer)) ended.push(payer)
        if (isAtOnce) one.set(0)
      }
      const one = new Unsent(all, { payer, breakOff })
      one.set(200_000)
      return one
    }
    const [a] = ['a', 'b', 'c', 'd', 'e'].map(open)
    expect(ended).toEqual([])
    // Who has taken something is not the slowest.
    a?.set(100_000)
    open('f')
    expect(ended).toEqual(['b'])
    open('g')
    expect(ended).toEqual(['b', 'c'])
  })

  it('is given to those behind one that leaves, and by lists that go', () => {
    const { kept, list, heard, take } = openRoom()
    take('a1', 1.9)
    const second = take('a2', 5)
    take('a3', 0.3)
    take('b1', 5)
    second.set(0)
    expect(heard).toEqual([])
    take('a4', 0.05)
    kept.set(list, 5.7e6)
    expect(heard).toEqual(['a3'])
    take('a5', 2)
    kept.delete(list)
    expect(heard).toEqual(['a3', 'a5'])
  })

  it('is there after a wait, and nobody is broken off for it', () => {
    const { kept, list, heard, take, wait } = openRoom()
    take('b1', 1)
    take('a1', 1.5)
    take('a2', 1.5)
    kept.delete(list)
    wait(50)
    expect(heard).toEqual(['a2'])
  })

  it('is waited for as long as others get it, small messages aside', () => {
    const { heard, take, wait } = openRoom()
    const first = take('a1', 1.9)
    take('a2', 1.9)
    take('a3', 1.9)
    wait(40)
    first.set(0)
    wait(40)
    expect(heard).toEqual(['a2'])
    for (const name of ['a4', 'a5', 'a6']) {
      take(name, 0.02)
      wait(20)
    }
    expect(heard).toEqual(['a2', 'a3: TOO_MANY_REQUESTS'])
  })

  it('is on top for 256 KiB of a connection, and not of each message', () => {
    const { heard, take, wait } = openRoom()
    take('a1', 1.9)
    const connection = { payer: 'a', breakOff: () => void heard.push('broken off') }
    const first = take('small 1', 0.2, connection)
    take('small 2', 0.2, connection)
    take('small 3', 0.05, { ...connection })
    wait(100)
    expect(heard).toEqual([])
    first.set(0)
    expect(heard).toEqual(['small 2'])
  })
})

describe('messages on their way', () => {
  const large = 'x'.repeat(400_000)
  const all = { type: 'subscribe', collection: 'tasks', query: { fields: ['title'] } }
  const ids = { type: 'subscribe', collection: 'tasks', query: { fields: ['id'] } }

  /** Sockets that take nothing, over a list of 1.2 MB: what all without a name are sent has room for two of them. */
  async function openUnread(limits: object = { callerBytes: 2_500_000 }) {
    const who: Record<string, Rights | null> = { nobody: { rules }, ada }
    const world = await openLife(
      { authenticate: (token) => who[token ?? 'nobody'] ?? null, mode: 'public' },
      {},
      undefined,
      { limits },
    )
    for (const id of [1, 2, 3]) await updateItem(world.engine, 'tasks', id, { title: large })
    const open = async (message: object, token?: string) => {
      const opened = world.open(token === undefined ? {} : { authorization: `Bearer ${token}` })
      const { connection, frames } = opened
      connection.send = (text) => {
        frames.push(JSON.parse(text))
        connection.buffered += text.length
      }
      opened.send(message)
      await calm()
      const read = async () => {
        connection.buffered = 0
        opened.socket.drained()
        await calm()
      }
      return { ...opened, read }
    }
    const calm = async () => {
      await turns()
      await until(() => world.feed.status().oldest === 0)
      await turns()
    }
    return { ...world, who, open, calm }
  }
  const inits = (sockets: readonly { readonly frames: readonly object[] }[]) =>
    sockets.map(({ frames }) => frames.map((frame) => Reflect.get(frame, 'event')).join())

  it.each([
    ['match', 2],
    ['page', 1],
  ] as const)('a large list (%s) waits until others of its caller are read', async (membership, most) => {
    const { engine, feed, open, calm } = await openUnread()
    const sockets = [1, 2, 3, 4].map(() => open({ ...all, membership }))
    const [first, ...others] = await Promise.all(sockets)
    expect(inits([first, ...others].filter((one) => one !== undefined))).toEqual([
      'init',
      most === 2 ? 'init' : '',
      '',
      '',
    ])
    expect(feed.status().bytes).toBeGreaterThan(1_200_000 * most)
    // Small lists, and callers of their own, are not held up.
    expect(inits([await open(ids), await open(all, 'ada')])).toEqual(['init', 'init'])
    // What happens meanwhile is in the list.
    await updateItem(engine, 'tasks', 1, { title: 'new' })
    await calm()
    const last = others.pop()
    others[1]?.socket.closed()
    await first?.read()
    await others[0]?.read()
    await calm()
    expect(last?.frames.map(({ event }) => event)).toEqual(['init'])
    expect(JSON.stringify(last?.frames)).toContain('"new"')
    expect(inits(others).at(-1)).toBe('')
    for (const { socket } of [first, last, ...others].filter((one) => one !== undefined)) socket.closed()
    await calm()
    expect(feed.status().bytes).toBeLessThan(1_200_000 * 3)
  })

  it.each([
    ['are over', null, 'AUTH_FAILED'],
    ['are others', { rules: { tasks: { read: { filter: { id: 9 } } } } }, '"data":[]'],
  ] as const)('whoever waits is told that their rights %s', async (_, rights, told) => {
    const { feed, who, open, calm } = await openUnread()
    await Promise.all([open(all, 'ada'), open(all, 'ada')])
    who.other = ada
    const waiting = await open(all, 'other')
    expect(waiting.frames).toEqual([])
    who.other = rights
    await feed.recheck()
    await calm()
    expect(JSON.stringify(waiting.frames)).toContain(told)
  })

  it('a list larger than the bound is told to whoever reads', async () => {
    const { open } = await openUnread({ callerBytes: 2_500_000, bytes: 1_000_000 })
    const [one, other] = [await open(all), await open(all, 'ada')]
    expect(inits([one, other])).toEqual(['init', ''])
    await one.read()
    expect(inits([one, other])).toEqual(['init', 'init'])
  })

  it('whatever all connections leave unread has a bound: who has taken nothing for the longest is ended', async () => {
    const { engine, feed, open, calm } = await openUnread({ unreadBytes: 1_500_000 })
    for (const id of [1, 2, 3]) await updateItem(engine, 'tasks', id, { title: 'x'.repeat(70_000) })
    // Each has 210,000 bytes, for which no message waits.
    const sockets: Awaited<ReturnType<typeof open>>[] = []
    const others = async (count: number) => {
      for (const until = sockets.length + count; sockets.length < until; ) {
        sockets.push(await open(all, sockets.length % 2 ? 'ada' : undefined))
        expect(feed.status().bytes).toBeLessThan(2_000_000)
      }
    }
    const ended = () => sockets.flatMap(({ connection }, at) => (connection.closed === 1013 ? [at] : []))
    await others(4)
    expect(ended()).toEqual([])
    await sockets[0]?.read()
    await updateItem(engine, 'tasks', 1, { title: 'y'.repeat(70_000) })
    await calm()
    await others(5)
    expect(ended().length).toBeGreaterThan(2)
    expect(ended()).not.toContain(0)
    expect(ended()).toContain(1)
    expect(sockets.map(({ connection }) => connection.isTerminated)).toEqual(
      sockets.map((_, at) => ended().includes(at)),
    )
  })

  it('an answer beyond the bound is refused, and says so of a write', async () => {
    const { open } = await openUnread()
    await Promise.all([open(all), open(all)])
    const items = { type: 'items', action: 'read', collection: 'tasks', query: { fields: ['title'] } }
    const { frames } = await open(items)
    expect(frames).toMatchObject([{ status: 'error', error: { code: 'TOO_MANY_REQUESTS' } }])
  })

  it('event streams wait alike, and are handed over in parts of whole signs', async () => {
    const { engine, feed } = await openTasks({ limits: { callerBytes: 2_500_000 } })
    const title = `x${'\u{1f600}'.repeat(100_000)}`
    for (const id of [1, 2, 3]) await updateItem(engine, 'tasks', id, { title })
    const handler = createHandler(engine, { authenticate: () => ({ rules }), mounts: [realtime(feed)] })
    const live = (fields: string) => handler(new Request(`http://localhost/live/tasks?fields=${fields}`))
    const first = await live('title')
    const answered: string[] = []
    const second = live('title').then((response) => {
      answered.push('second')
      return response
    })
    await (await live('id')).body?.cancel()
    expect(answered).toEqual([])
    const { data } = (await new EventReader(first).next()) ?? {}
    expect(data).toMatchObject({ items: [{ title }, { title }, { title }] })
    await first.body?.cancel().catch(() => undefined)
    await feed.recheck()
    void second
  })

  it('many small messages on a connection that takes nothing wait, too', async () => {
    const { engine, feed, open, calm } = await openUnread()
    for (const id of [1, 2, 3]) await updateItem(engine, 'tasks', id, { title: 'x'.repeat(70_000) })
    const { connection, frames, send, read, socket } = await open({ ...all, uid: 0 })
    for (let uid = 1; uid < 16; uid++) send({ ...all, uid })
    while (frames.length < 16) await read()
    connection.buffered = 300_000
    for (const id of [1, 2, 3]) await updateItem(engine, 'tasks', id, { title: 'y'.repeat(70_000) })
    await calm()
    // They were 6.7 MB. A message counts beside its text, until that is handed over.
    expect(feed.status().bytes).toBeLessThan(2 * 2_500_000)
    while (frames.length < 32) await read()
    socket.closed()
    await calm()
    expect(feed.status().bytes).toBeLessThan(300_000)
  })

  it('events of GraphQL wait for room', async () => {
    const { engine, feed } = await openTasks({ limits: { callerBytes: 2_500_000 } })
    const sockets = createGraphQLSocket(feed, { authenticate: () => ({ rules }), mode: 'public' })
    const open = async () => {
      const connection = { frames: [] as string[], buffered: 0 }
      const socket = sockets.open({
        request: new Request('http://x/', { headers: { 'sec-websocket-protocol': 'graphql-transport-ws' } }),
        send: (text) => {
          connection.frames.push(text)
          connection.buffered += text.length
        },
        close: () => undefined,
        buffered: () => connection.buffered,
      })
      const query = 'subscription { tasks_mutated { key event data { title } } }'
      socket.message(JSON.stringify({ type: 'connection_init' }))
      await until(() => connection.frames.length === 1)
      socket.message(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }))
      return { connection, socket }
    }
    const all = [await open(), await open(), await open()]
    await until(() => feed.status().lists === 1 && feed.status().subscriptions === 3)
    await turns()
    await updateItem(engine, 'tasks', 1, { title: 'x'.repeat(1_200_000) })
    const told = () => all.filter(({ connection }) => connection.frames.length > 1)
    for (const count of [1, 2, 3]) {
      await until(() => told().length > 0)
      await turns()
      expect(told()).toHaveLength(count)
      for (const { connection, socket } of told()) {
        connection.buffered = 0
        socket.drained()
      }
      await turns()
    }
  })
})
