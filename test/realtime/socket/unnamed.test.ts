// Sockets that have not said yet who they are: in every state but "named" nothing is served that somebody alone is served.
import { describe, expect, it } from 'vitest'
import { createItem, EngineError } from '../../../src/index.ts'
import type { SocketMode } from '../../../src/realtime.ts'
import { databases } from '../../support/databases.ts'
import type { TaskAccess } from '../socket-server.ts'
import { openLife, turns } from '../sockets-by-hand.ts'
import { admin, until } from '../tasks.ts'

const subscribe = { type: 'subscribe', collection: 'tasks', query: { fields: ['title'] } } as const
const read = { type: 'items', action: 'read', collection: 'tasks', uid: 'read' } as const
const cookie = { cookie: 'session=ada' }

/** Ways in which it stays unknown who a token is of. */
const unknowns: Readonly<Record<string, () => TaskAccess | null | Promise<TaskAccess | null>>> = {
  throws: () => {
    throw new Error('no directory')
  },
  rejects: () => Promise.reject(new Error('no directory')),
  'returns what is no access': () => ({ rules: 7 }) as never,
}

/** Says who somebody is: a token by what it does, and a request without one by its cookie. */
const authenticate =
  (ofToken: (token: string) => ReturnType<(typeof unknowns)[string]>) =>
  (token: string | null, { headers }: Request) => {
    if (token !== null) return token === 'admin' ? admin : ofToken(token)
    return headers.has('cookie') ? admin : null
  }

describe.each(databases)('on $name', (database) => {
  it.each(Object.entries(unknowns))('an `authenticate` that %s', async (_, ofToken) => {
    const { open, errors, feed, engine, sockets } = await openLife(
      { authenticate: authenticate(ofToken) },
      {},
      database,
    )
    for (const headers of [{}, cookie]) {
      errors.length = 0
      const { connection, frames, send } = open(headers)
      send({ type: 'auth', access_token: 'x', uid: 1 })
      for (const message of [{ ...subscribe, uid: 'list' }, subscribe, read]) send(message)
      await until(() => connection.closed !== undefined)
      send(subscribe)
      await createItem(engine, 'tasks', { title: 'later' })
      await turns()
      expect(frames).toMatchObject([{ type: 'auth', error: { code: 'SERVICE_UNAVAILABLE' }, uid: 1 }])
      expect(connection.closed).toBe(1013)
      expect(errors).toMatchObject([{ code: 'SERVICE_UNAVAILABLE' }])
      expect(sockets.status()).toEqual({ sockets: 0, unnamed: 0 })
      expect(feed.status().subscriptions).toBe(0)
    }
  })

  it('a `login` that throws', async () => {
    const login = () => {
      throw new Error('no directory')
    }
    const { open, errors, feed } = await openLife({ authenticate: () => admin, login }, {}, database)
    const { connection, frames, send } = open(cookie)
    send({ type: 'auth', email: 'a@b.c', password: 'x' })
    send(subscribe)
    await until(() => connection.closed !== undefined)
    expect(frames).toMatchObject([{ type: 'auth', error: { code: 'SERVICE_UNAVAILABLE' } }])
    expect(connection.closed).toBe(1013)
    expect(errors).toMatchObject([{ message: 'no directory' }])
    expect(feed.status().subscriptions).toBe(0)
  })

  it.each<SocketMode>(['handshake', 'public', 'strict'])(
    'a second `auth` of which it cannot be known who it is (%s)',
    async (mode) => {
      const { open, errors, feed, engine } = await openLife(
        { mode, authenticate: authenticate(unknowns.throws ?? (() => null)) },
        {},
        database,
      )
      const { connection, frames, send } = open(cookie)
      send({ type: 'auth', access_token: 'admin' })
      send({ ...subscribe, uid: 'list' })
      await until(() => frames.length === 2)
      send({ type: 'auth', access_token: 'x' })
      for (const message of [subscribe, read]) send(message)
      await until(() => connection.closed !== undefined)
      await createItem(engine, 'tasks', { title: 'later' })
      await turns()
      expect(frames.slice(2)).toMatchObject([{ type: 'auth', error: { code: 'SERVICE_UNAVAILABLE' } }])
      expect(connection.closed).toBe(1013)
      expect(errors).toHaveLength(1)
      expect(feed.status().subscriptions).toBe(0)
    },
  )

  it('what the request of the upgrade shows names nobody who has to say who they are', async () => {
    const asked: (string | null)[] = []
    const waiting: (() => void)[] = []
    const slow = async (token: string | null): Promise<TaskAccess | null> => {
      asked.push(token)
      await new Promise<void>((resolve) => waiting.push(resolve))
      return token === null || token === 'header' ? admin : null
    }
    const { open } = await openLife({ authenticate: slow }, {}, database)
    const { connection, frames, send } = open({ ...cookie, authorization: 'Bearer header' })
    send({ type: 'auth', access_token: 'nobody' })
    for (let uid = 0; uid < 20; uid++) send({ ...subscribe, uid })
    await until(() => waiting.length > 0)
    await turns()
    expect(frames).toEqual([])
    for (const go of waiting) go()
    await until(() => connection.closed !== undefined)
    expect(frames).toMatchObject([{ type: 'auth', error: { code: 'AUTH_FAILED' } }])
    expect(asked).toEqual(['nobody'])
  })

  describe('a token that `authenticate` calls expired', () => {
    const over = (token: string | null): TaskAccess | null => {
      if (token === 'old') throw new EngineError('TOKEN_EXPIRED', 'Over.')
      return token === 'admin' ? admin : null
    }
    const expired = { type: 'auth', error: { code: 'TOKEN_EXPIRED' } }

    it('is told so, and may be replaced', async () => {
      const login = () => {
        throw new EngineError('TOKEN_EXPIRED', 'Over.')
      }
      const { open, errors, feed, sockets } = await openLife({ authenticate: over, login }, {}, database)
      const { connection, frames, send } = open(cookie)
      send({ type: 'auth', access_token: 'old', uid: 1 })
      for (const message of [{ ...subscribe, uid: 2 }, read]) send(message)
      send({ type: 'auth', refresh_token: 'old', uid: 3 })
      await until(() => frames.length === 4)
      expect(frames).toMatchObject([
        { ...expired, uid: 1 },
        { type: 'subscribe', error: { code: 'TOKEN_EXPIRED' }, uid: 2 },
        { type: 'items', error: { code: 'TOKEN_EXPIRED' }, uid: 'read' },
        { ...expired, uid: 3 },
      ])
      expect([sockets.status().unnamed, feed.status().subscriptions]).toEqual([1, 0])
      send({ type: 'auth', access_token: 'admin' })
      send(subscribe)
      // Who is somebody stays who it is.
      send({ type: 'auth', access_token: 'old' })
      send(read)
      await until(() => frames.length === 8)
      expect(frames.slice(4)).toMatchObject([
        { type: 'auth', status: 'ok' },
        { event: 'init' },
        expired,
        { type: 'items', data: [{}, {}, {}] },
      ])
      expect(connection.closed).toBeUndefined()
      expect(errors).toEqual([])
    })

    it.each<SocketMode>(['handshake', 'public'])(
      'later ends what is told until another comes (%s)',
      async (mode) => {
        let isOver = false
        const authenticate = (token: string | null): TaskAccess | null =>
          over(isOver && token === 'admin' ? 'old' : (token ?? 'admin').replace('new', 'admin'))
        const { open, engine, feed, errors } = await openLife({ authenticate, mode }, {}, database)
        const { connection, frames, send } = open()
        send({ type: 'auth', access_token: 'admin' })
        send(subscribe)
        await until(() => frames.length === 2)
        isOver = true
        // A message finds it out before the list is asked again.
        send(read)
        await until(() => frames.length === 4)
        await createItem(engine, 'tasks', { title: 'later' })
        await feed.recheck()
        await turns()
        expect(frames.slice(2)).toMatchObject([expired, { type: 'items', error: { code: 'TOKEN_EXPIRED' } }])
        send({ type: 'auth', access_token: 'new' })
        isOver = false
        await until(() => JSON.stringify(frames).includes('later'))
        expect(connection.closed).toBeUndefined()
        expect(errors).toEqual([])
      },
    )
  })
})
