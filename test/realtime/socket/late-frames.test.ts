// Frames that wait for a reader who takes nothing, while his rights are taken: none of them goes out once `recheck` has returned.
import { describe, expect, it } from 'vitest'
import { createHandler } from '../../../src/http.ts'
import { createItem, updateItem } from '../../../src/index.ts'
import { realtime } from '../../../src/realtime.ts'
import { databases } from '../../support/databases.ts'
import { EventReader } from '../event-reader.ts'
import type { TaskAccess } from '../socket-server.ts'
import { openLife, turns } from '../sockets-by-hand.ts'
import { openTasks, until } from '../tasks.ts'

const of = (owner: number, fields = '*'): TaskAccess => ({
  user: owner,
  rules: { tasks: { read: { fields: [fields as '*'], filter: { owner } } } },
})

/** What the rights become, and what is told then. */
const others: Readonly<Record<string, readonly [() => TaskAccess | null, string]>> = {
  'another owner': [() => of(2), 'Hide'],
  'no title': [() => of(1, 'id'), '"id":1'],
  'another collection': [() => ({ user: 1, rules: { people: { read: true } } }), '"reset":"access"'],
  nobody: [() => null, 'AUTH_FAILED'],
  'those of one whose time is over': [() => ({ ...of(1), expiresAt: 1 }), 'TOKEN_EXPIRED'],
  'not known': [
    () => {
      throw new Error('no directory')
    },
    'SERVICE_UNAVAILABLE',
  ],
}

/** What an event stream tells then. */
const ofStreams = {
  'another owner': '"Hide"',
  'no title': '{"id":1}',
  'another collection': 'NOT_FOUND',
  nobody: 'FORBIDDEN',
  'not known': 'SERVICE_UNAVAILABLE',
}

const lists = {
  events: {},
  'events with counts': { query: { meta: ['*'] } },
  'a page': { membership: 'page' },
  'all that match': { membership: 'match' },
} as const

describe.each(databases)('on $name', (database) => {
  async function open() {
    const rights = { now: (): TaskAccess | null => of(1) }
    const world = await openLife(
      { authenticate: (token) => (token === 'other' ? of(2) : rights.now()) },
      {},
      database,
    )
    const quiet = async () => {
      await until(() => world.feed.status().oldest === 0)
      await turns()
    }
    /** A socket of somebody who takes nothing, while rows with secrets are told. */
    const stalled = async (...messages: readonly object[]) => {
      const socket = world.open()
      socket.send({ type: 'auth', access_token: 'x' })
      for (const message of messages) socket.send(message)
      await until(() => socket.frames.length === 1 + messages.length)
      socket.connection.buffered = 1_000_000
      await updateItem(world.engine, 'tasks', 1, { title: 'secret' })
      await createItem(world.engine, 'tasks', { title: 'secret', owner: 1 })
      await quiet()
      expect(socket.frames).toHaveLength(1 + messages.length)
      const drain = () => {
        socket.connection.buffered = 0
        socket.socket.drained()
      }
      return { ...socket, drain, later: () => JSON.stringify(socket.frames.slice(1 + messages.length)) }
    }
    return { ...world, rights, quiet, stalled }
  }

  const kinds = Object.entries(lists).flatMap(([kind, more]) =>
    Object.keys(others).map((name) => ({ kind, more, name })),
  )
  it.each(kinds)('$kind: $name', async ({ more, name }) => {
    const [now, tells] = others[name] ?? [() => null, '']
    const { rights, feed, stalled, quiet } = await open()
    const { drain, later } = await stalled(
      { type: 'subscribe', collection: 'tasks', uid: 1, ...more },
      { type: 'subscribe', collection: 'tasks', uid: 2, ...more },
    )
    rights.now = now
    await feed.recheck()
    drain()
    await until(() => later().includes(tells))
    await quiet()
    expect(later()).not.toContain('secret')
  })

  it.each(Object.entries(lists))('%s: somebody else', async (_, more) => {
    const { stalled, quiet } = await open()
    const { send, drain, later } = await stalled({ type: 'subscribe', collection: 'tasks', ...more })
    send({ type: 'auth', access_token: 'other' })
    await quiet()
    drain()
    await until(() => later().includes('Hide'))
    await quiet()
    expect(later()).not.toContain('secret')
    // The counts are those of the one who hears them.
    for (const { meta } of JSON.parse(later()))
      if (meta) expect(meta).toEqual({ total_count: 1, filter_count: 1 })
  })

  it('rights that are the same let them go out, and so does a doubt that is over', async () => {
    const { feed, stalled } = await open()
    const { drain, later } = await stalled({ type: 'subscribe', collection: 'tasks' })
    await feed.recheck()
    drain()
    await until(() => later().includes('secret'))
    expect(later()).not.toContain('reset')
  })

  it.each([
    [{ action: 'read' }, { hint: 'Ask again.' }],
    [{ action: 'update', id: 2, data: { title: 'secret' } }, { mayBeStored: true }],
  ])('an answer: %j', async (message, told) => {
    const { rights, feed, open: openSocket, errors } = await open()
    rights.now = () => ({ ...of(1), rules: { tasks: { read: { filter: { owner: 1 } }, update: true } } })
    const { socket, send, frames, connection } = openSocket()
    send({ type: 'auth', access_token: 'x' })
    await until(() => frames.length === 1)
    const stall = { looks: 0, get: () => (stall.looks += 1_000_000) }
    Object.defineProperty(connection, 'buffered', { get: stall.get, set: () => {}, configurable: true })
    send({ type: 'items', collection: 'tasks', uid: 'a', ...message })
    // It waits from here on.
    await until(() => stall.looks > 0)
    rights.now = () => of(2)
    await feed.recheck()
    Object.defineProperty(connection, 'buffered', { value: 0 })
    socket.drained()
    await until(() => frames.length === 2)
    expect(frames[1]).toMatchObject({
      type: 'items',
      uid: 'a',
      error: { code: 'SERVICE_UNAVAILABLE', ...told },
    })
    expect(errors).toEqual([])
  })

  it.each(Object.entries(ofStreams))('an event stream: %s', async (name, tells) => {
    const [now] = others[name] ?? [() => null]
    const { engine, feed } = await openTasks({}, {}, database)
    let access = (): TaskAccess | null => of(1)
    const mounts = [realtime(feed)]
    const handler = createHandler(engine, { authenticate: () => access(), mounts })
    await updateItem(engine, 'tasks', 1, { title: 'secret' })
    // The first message waits for the reader.
    const events = new EventReader(await handler(new Request('http://localhost/live/tasks')))
    access = now
    await feed.recheck()
    const heard: unknown[] = []
    for (let count = 0; count < 2; count++) heard.push(await events.next())
    await events.cancel()
    expect(JSON.stringify(heard)).not.toContain('secret')
    expect(JSON.stringify(heard)).toContain(tells)
  })
})

it('an answer that waits for the next turn of the loop does not go out once rights were taken', async () => {
  let rights = of(1)
  const { feed, open } = await openLife({ authenticate: () => rights })
  const { send, frames } = open()
  send({ type: 'auth', access_token: 'x' })
  await until(() => frames.length === 1)
  await turns()
  // The pong takes this turn, and the answer is read in it.
  send({ type: 'ping' })
  send({ type: 'items', collection: 'tasks', action: 'read', uid: 'a' })
  for (let at = 0; at < 200; at++) await Promise.resolve()
  expect(frames).toHaveLength(2)
  rights = of(2)
  await feed.recheck()
  expect(frames).toHaveLength(2)
  await until(() => frames.length === 3)
  expect(frames[2]).toMatchObject({ uid: 'a', error: { code: 'SERVICE_UNAVAILABLE', hint: 'Ask again.' } })
  await feed.stop()
})

it('a subscription whose token ends while its counts are read goes on by the next token, and ends with its socket', async () => {
  for (let at = 4; at < 12; at++) {
    let [now, looks] = [1_000, Number.NEGATIVE_INFINITY]
    const clock = () => {
      // The time is over at this look at the clock.
      if (looks++ === at) now = 3_000
      return new Date(now)
    }
    const authenticate = (token: string | null) => ({
      ...of(1),
      expiresAt: token === 'other' ? 9_000 : 2_000,
    })
    const { engine, feed, open } = await openLife({ authenticate }, { clock })
    const { send, frames, socket } = open()
    send({ type: 'auth', access_token: 'x' })
    send({ type: 'subscribe', collection: 'tasks', query: { meta: ['*'] } })
    await until(() => frames.length === 2)
    looks = 0
    await updateItem(engine, 'tasks', 1, { title: 'told' })
    await until(() => frames.length > 2 && feed.status().oldest === 0)
    send({ type: 'auth', access_token: 'other' })
    await until(() => frames.some(({ status }, index) => index > 2 && status === 'ok'))
    await turns()
    expect(feed.status().subscriptions).toBeLessThan(2)
    socket.closed()
    expect(feed.status().subscriptions).toBe(0)
    await feed.stop()
  }
})
