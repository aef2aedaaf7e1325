// Sockets without a library: how they begin, fail and end, by the clock.
import { connect as connectTcp } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createItem } from '../../src/index.ts'
import { Heartbeats } from '../../src/realtime/socket/heartbeats.ts'
import { backToRealTime } from '../support/fake-time.ts'
import { openSockets, type TaskAccess } from './socket-server.ts'
import { openLife, turns } from './sockets-by-hand.ts'
import { admin, pause, until } from './tasks.ts'

const tasks = { type: 'subscribe', collection: 'tasks', query: { fields: ['id'] } } as const

afterEach(backToRealTime)

const clock = () =>
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })

describe('a socket', () => {
  it('that says nothing for ten seconds is closed', async () => {
    clock()
    const { open, sockets } = await openLife()
    const { connection, frames } = open()
    await vi.advanceTimersByTimeAsync(9_900)
    expect(connection.closed).toBeUndefined()
    await vi.advanceTimersByTimeAsync(200)
    await turns()
    expect(frames).toMatchObject([{ type: 'auth', status: 'error', error: { code: 'AUTH_FAILED' } }])
    expect(connection.closed).toBe(1008)
    expect(sockets.status()).toEqual({ sockets: 0, unnamed: 0 })
  })

  it('that takes nothing for thirty seconds is closed, and one that takes something again goes on', async () => {
    clock()
    const { open, feed } = await openLife()
    const [slow, stopped] = [open(), open()]
    for (const { send, connection } of [slow, stopped]) {
      send({ type: 'auth', access_token: 'admin' })
      await turns()
      connection.buffered = 300_000
      send({ type: 'ping', uid: 1 })
    }
    await vi.advanceTimersByTimeAsync(20_000)
    slow.connection.buffered = 0
    slow.socket.drained()
    await vi.advanceTimersByTimeAsync(11_000)
    await turns()
    expect(slow.frames.at(-1)).toEqual({ type: 'pong', uid: 1 })
    expect([slow.connection.closed, stopped.connection.closed]).toEqual([undefined, 1013])
    expect(feed.status().subscriptions).toBe(0)
  })

  it('that never reads is closed thirty seconds after the first frame beyond the bound', async () => {
    clock()
    const { open } = await openLife()
    const [silent, slow] = [open(), open()]
    for (const { send, connection } of [silent, slow]) {
      send({ type: 'auth', access_token: 'admin' })
      await turns()
      connection.send = () => {
        connection.buffered += 1_000_000
      }
      send(tasks)
      await vi.waitFor(() => expect(connection.buffered).toBe(1_000_000), 60_000)
    }
    // Nothing else is to be sent, and one of them takes what it got, as fast as it can.
    for (let count = 0; count < 4; count++) {
      await vi.advanceTimersByTimeAsync(20_000)
      slow.connection.buffered = Math.max(0, slow.connection.buffered - 270_000)
    }
    expect([silent.connection.closed, slow.connection.closed]).toEqual([1013, undefined])
  })

  it('keeps what waits as text, 64 KiB of it while nobody knows who it is, and 1 MiB then', async () => {
    const waiting: (() => void)[] = []
    const authenticate = async (): Promise<TaskAccess | null> => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      return admin
    }
    const { open } = await openLife({ authenticate })
    const { frames, send, socket } = open()
    const parse = vi.spyOn(JSON, 'parse')
    const pad = 'x'.repeat(20_000)
    send({ type: 'auth', access_token: 'x' })
    await until(() => waiting.length > 0)
    for (let uid = 0; uid < 3; uid++) send({ type: 'ping', uid, pad })
    // That which says who it is, and none of those that wait.
    expect(parse).toHaveBeenCalledTimes(1)
    send({ type: 'ping', uid: 'too much', pad })
    await until(() => frames.length === 1)
    expect(frames).toMatchObject([{ type: 'ping', error: { code: 'TOO_MANY_REQUESTS' }, uid: 'too much' }])
    waiting[0]?.()
    await until(() => frames.length === 5)
    for (let uid = 0; uid < 30; uid++) send({ type: 'ping', uid, pad })
    await until(() => frames.length === 35)
    expect(frames.slice(5).every(({ type }) => type === 'pong')).toBe(true)
    parse.mockRestore()
    socket.closed()
  })

  it('that takes nothing is not told what of it is refused', async () => {
    const { open } = await openLife({ limits: { messages: 50, messagesPerSecond: 1 } })
    const { connection, frames, send } = open()
    send({ type: 'auth', access_token: 'admin' })
    await until(() => frames.length === 1)
    // The next frame waits for a turn of its own, and would not find yet that nothing is taken.
    await turns()
    connection.buffered = 1_000_000
    const uid = 'x'.repeat(60_000)
    for (let count = 0; count < 90; count++) send({ type: 'ping', uid })
    connection.buffered = 0
    await turns(200)
    await until(() => frames.length > 10)
    // The first one was refused before the socket had taken nothing.
    expect(frames.filter(({ error }) => error).length).toBeLessThan(2)
  })

  it('has thirty seconds to say again who it is', async () => {
    clock()
    let now = 0
    const authenticate = (token: string | null): TaskAccess | null =>
      token === 'short' ? { admin: true, expiresAt: 5_000 } : null
    const { open } = await openLife({ authenticate }, { clock: () => new Date(now) })
    const { connection, frames, send } = open()
    send({ type: 'auth', access_token: 'short' })
    await turns()
    now = 5_001
    await vi.advanceTimersByTimeAsync(5_100)
    await turns()
    expect(frames.at(-1)).toMatchObject({ type: 'auth', error: { code: 'TOKEN_EXPIRED' } })
    await vi.advanceTimersByTimeAsync(30_100)
    await turns()
    expect(frames.at(-1)).toMatchObject({ type: 'auth', error: { code: 'AUTH_TIMEOUT' } })
    expect(connection.closed).toBe(1008)
    expect(frames.filter(({ error }) => Object(error).code === 'TOKEN_EXPIRED')).toHaveLength(1)
  })

  it('of which it cannot be known who it is is closed, and the host hears why', async () => {
    let isAway = false
    const authenticate = (): TaskAccess | null => {
      if (isAway) throw new Error('away')
      return admin
    }
    const { open, feed, errors } = await openLife({ authenticate })
    const { connection, frames, send } = open()
    send({ type: 'auth', access_token: 'x' })
    for (let uid = 0; uid < 3; uid++) send({ ...tasks, uid })
    await until(() => frames.length === 4)
    isAway = true
    await feed.recheck()
    await until(() => connection.closed !== undefined)
    expect(connection.closed).toBe(1013)
    expect(frames.at(-1)).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } })
    await until(() => feed.status().subscriptions === 0)
    expect(errors.length).toBeGreaterThan(0)
  })

  it('whose new token may not see the list loses it, and nothing else', async () => {
    let now = 0
    const known: Record<string, TaskAccess> = {
      first: { admin: true, expiresAt: 5_000 },
      second: { rules: { people: { read: true } } },
    }
    const authenticate = (token: string | null) => known[token ?? ''] ?? null
    const { open, feed } = await openLife({ authenticate }, { clock: () => new Date(now) })
    const { connection, frames, send } = open()
    send({ type: 'auth', access_token: 'first' })
    send({ ...tasks, uid: 'mine' })
    await until(() => frames.length === 2)
    now = 5_001
    await feed.recheck()
    await until(() => frames.length === 3)
    await turns()
    send({ type: 'auth', access_token: 'second' })
    await until(() => frames.length === 5)
    expect(frames.slice(2)).toMatchObject([
      { error: { code: 'TOKEN_EXPIRED' } },
      { type: 'auth', status: 'ok' },
      { event: 'init', data: [], reset: 'access', uid: 'mine' },
    ])
    expect(connection.closed).toBeUndefined()
    expect(feed.status().subscriptions).toBe(0)
  })

  it('that leaves while it is asked who it is watches nothing', async () => {
    const waiting: (() => void)[] = []
    let isSlow = false
    const authenticate = async (): Promise<TaskAccess | null> => {
      if (isSlow) await new Promise<void>((resolve) => waiting.push(resolve))
      return admin
    }
    const { open, feed, sockets } = await openLife({ authenticate })
    const { socket, frames, send } = open()
    send({ type: 'auth', access_token: 'x' })
    // Once it watches nothing, it is asked again before it does.
    send(tasks)
    send({ type: 'unsubscribe' })
    await until(() => frames.length === 3)
    isSlow = true
    send({ ...tasks, uid: 1 })
    send({ type: 'items', action: 'read', collection: 'tasks' })
    await until(() => waiting.length > 0)
    socket.closed()
    isSlow = false
    for (const go of waiting) go()
    await turns()
    expect(feed.status().subscriptions).toBe(0)
    expect(sockets.status()).toEqual({ sockets: 0, unnamed: 0 })
    expect(frames).toHaveLength(3)
  })

  it('whose connection throws is closed, and the host hears it', async () => {
    const { open, errors, feed, engine } = await openLife()
    const { connection, frames, send } = open()
    send({ type: 'auth', access_token: 'admin' })
    send({ ...tasks, uid: 1 })
    await until(() => frames.length === 2)
    connection.send = () => {
      throw new Error('broken pipe')
    }
    await createItem(engine, 'tasks', { title: 'x' })
    await until(() => connection.closed !== undefined)
    expect(connection.closed).toBe(1011)
    expect(errors).toMatchObject([{ message: 'broken pipe' }])
    expect(feed.status().subscriptions).toBe(0)
  })

  it('is closed where the host throws in its own callback for errors, too, and the others go on', async () => {
    const authenticate = (token: string | null): TaskAccess | null => {
      if (token === 'bad') throw new Error('away')
      return token === 'admin' ? admin : null
    }
    const { open } = await openLife({
      authenticate,
      onError: () => {
        throw new Error('worse')
      },
    })
    const [bad, good] = [open(), open()]
    bad.send({ type: 'auth', access_token: 'bad' })
    await until(() => bad.connection.closed !== undefined)
    expect(bad.connection.closed).toBe(1013)
    good.send({ type: 'auth', access_token: 'admin' })
    await until(() => good.frames.some(({ status }) => status === 'ok'))
  })

  it.each(['handshake', 'public', 'strict'] as const)(
    'that nobody has admitted is asked the same questions: %s',
    async (mode) => {
      const { open } = await openLife({ mode, authenticate: () => admin })
      const foreign = open({ origin: 'https://evil.example' })
      foreign.send({ type: 'auth', access_token: 'admin' })
      foreign.send(tasks)
      await until(() => foreign.connection.closed !== undefined)
      expect(foreign.connection.closed).toBe(1008)
      expect(foreign.frames).toMatchObject([{ error: { code: 'AUTH_FAILED' } }])
      const unnamed = open()
      unnamed.send({ type: 'ping' })
      await until(() => unnamed.frames.length > 0)
      expect(unnamed.frames[0]).toMatchObject(mode === 'public' ? { type: 'pong' } : { status: 'error' })
    },
  )
})

it('an upgrade whose client leaves before it is refused harms nobody', async () => {
  const { url, connect } = await openSockets({
    mode: 'strict',
    authenticate: async () => {
      await pause(20)
      return null
    },
  })
  const [, port] = url.split(':')
  for (let round = 0; round < 20; round++) {
    const socket = connectTcp(Number(port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(
      'GET /websocket HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    await pause(round)
    socket.resetAndDestroy()
  }
  await pause(60)
  expect((await connect({ headers: { authorization: 'Bearer x' } })).refused?.status).toBe(401)
})

it('an upgrade that waits for the host counts as a socket, and for ten seconds', async () => {
  clock()
  const waiting: (() => void)[] = []
  const authenticate = () => new Promise<TaskAccess>((resolve) => waiting.push(() => resolve(admin)))
  const { sockets, errors } = await openLife({ mode: 'public', authenticate, limits: { sockets: 3 } })
  const ask = () =>
    sockets.admit(new Request('http://localhost/websocket', { headers: { host: 'localhost' } }))
  const asked = [ask(), ask(), ask()]
  expect((await ask())?.status).toBe(503)
  waiting[0]?.()
  expect(await asked[0]).toBeUndefined()
  const last = ask()
  await vi.advanceTimersByTimeAsync(10_100)
  expect([await asked[1], await asked[2], await last].map((refusal) => refusal?.status)).toEqual([
    503, 503, 503,
  ])
  expect(errors).toHaveLength(3)
  const next = ask()
  waiting.at(-1)?.()
  expect(await next).toBeUndefined()
})

it('a connection that is refused is closed, whether its client closes it or not', async () => {
  const { url } = await openSockets()
  const [, port] = url.split(':')
  const socket = connectTcp({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
  socket.write('GET /other HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  let text = ''
  socket.on('data', (data) => {
    text += String(data)
  })
  await new Promise<void>((resolve) => socket.on('end', resolve))
  expect(text).toMatch(/^HTTP\/1\.1 404 /)
  socket.on('error', () => undefined)
  socket.destroy()
})

it('an upgrade that nobody answers for ten seconds is refused, and one that another answers is not', async () => {
  const { url, server } = await openSockets()
  server.on('upgrade', (message, stream) => {
    if (message.url === '/theirs') stream.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
  })
  clock()
  const [, port] = url.split(':')
  const asked = ['/theirs', '/nobodys'].map((path) => {
    const socket = connectTcp(Number(port), '127.0.0.1')
    const got = { text: '', isOver: false, socket }
    socket.on('data', (data) => {
      got.text += String(data)
    })
    socket.on('close', () => {
      got.isOver = true
    })
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
    return got
  })
  await vi.waitFor(() => expect(asked[0]?.text).toContain('101'), 60_000)
  expect(asked[1]?.text).toBe('')
  await vi.advanceTimersByTimeAsync(10_100)
  await vi.waitFor(() => expect(asked.map(({ isOver }) => isOver)).toEqual([false, true]), 60_000)
  expect(asked[1]?.text).toMatch(/^HTTP\/1\.1 404 /)
  for (const { socket } of asked) socket.destroy()
})

it('a client that does not close its side is gone after five seconds', async () => {
  const { url, feed, server } = await openSockets()
  const [, port] = url.split(':')
  const socket = connectTcp(Number(port), '127.0.0.1')
  socket.write(
    'GET /websocket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  await new Promise((resolve) => socket.once('data', resolve))
  clock()
  let isOver = false
  const over = Promise.all([feed.stop(), new Promise((resolve) => server.close(resolve))]).then(() => {
    isOver = true
  })
  await vi.advanceTimersByTimeAsync(4_000)
  expect(isOver).toBe(false)
  await vi.advanceTimersByTimeAsync(1_500)
  await over
})

it('who does not answer two pings is gone, and nobody else', async () => {
  clock()
  const heartbeats = new Heartbeats()
  const counted = () => {
    const counts = { pings: 0, isGone: false }
    const beat = heartbeats.add({ ping: () => (counts.pings += 1), terminate: () => (counts.isGone = true) })
    return { counts, beat }
  }
  const [silent, answering] = [counted(), counted()]
  for (let second = 0; second < 95; second++) {
    await vi.advanceTimersByTimeAsync(1_000)
    answering.beat.hear()
  }
  expect(silent.counts).toEqual({ pings: 2, isGone: true })
  expect(answering.counts).toEqual({ pings: 4, isGone: false })
  silent.beat.end()
  answering.beat.end()
  expect(vi.getTimerCount()).toBe(0)
})
