// Tokens that somebody has written, and what a token tells of the time in which its owner might see nothing.
import { describe, expect, it } from 'vitest'
import { createHandler } from '../../../src/http.ts'
import { type Access, createItem, deleteItem, updateItem } from '../../../src/index.ts'
import { type FeedMessage, realtime, watchItems } from '../../../src/realtime.ts'
import { databases } from '../../support/databases.ts'
import { EventReader } from '../event-reader.ts'
import { openSockets } from '../socket-server.ts'
import { next, openTasks, type schema } from '../tasks.ts'

type Rights = Access<typeof schema>
const of = (owner: number, more: Partial<Rights> = {}): Rights => ({
  rules: { tasks: { read: { filter: { owner } } } },
  ...more,
})
const memberships = ['page', 'match'] as const
const query = { fields: ['title'] } as const

const tokenOf = (message: FeedMessage | undefined): string =>
  message && message.kind !== 'reset' ? message.token : ''

/** Returns tokens of an earlier version that their reader has never had. */
const rewritten = (token: string): readonly string[] => {
  const [group = '', version = '', last = ''] = token.split('.')
  const earlier = Number(version) - 1
  return [
    `${group}.${earlier}.${last}`,
    `${group}.${earlier}.${last.slice(0, 12)}`,
    `${group}.${earlier}.${'A'.repeat(last.length)}`,
    `${group}.0${version}.${last}`,
  ]
}

describe.each(databases.flatMap((database) => memberships.map((membership) => ({ database, membership }))))(
  'on $database.name, membership $membership',
  ({ database, membership }) => {
    const open = () => openTasks({}, {}, database)

    it('a token with another version than the one that was told begins anew', async () => {
      const { engine, feed } = await open()
      const others = watchItems(feed.as(of(1)), 'tasks', query, { membership })
      await next(others)
      await createItem(engine, 'tasks', { title: 'before the right', owner: 1 })
      await next(others)
      await deleteItem(engine, 'tasks', 4)
      await next(others)
      const mine = watchItems(feed.as(of(1)), 'tasks', query, { membership })
      const token = tokenOf(await next(mine))
      for (const wrong of rewritten(token)) {
        const again = watchItems(feed.as(of(1)), 'tasks', query, { membership, token: wrong })
        expect(await next(again), wrong).toEqual({ kind: 'reset', reason: 'token' })
        await again.return()
      }
    })

    it('a token of somebody else begins anew, the same rules though these are', async () => {
      const { engine, feed } = await open()
      const others = watchItems(feed.as(of(1, { user: 1 })), 'tasks', query, { membership })
      const token = tokenOf(await next(others))
      await deleteItem(engine, 'tasks', 1)
      for (const more of [{ user: 2 }, { user: null }, {}, { role: 'editor' }]) {
        const mine = watchItems(feed.as(of(1, more)), 'tasks', query, { membership, token })
        expect(await next(mine)).toEqual({ kind: 'reset', reason: 'token' })
        await mine.return()
      }
      const again = watchItems(feed.as(of(1, { user: 1, role: 'editor' })), 'tasks', query, {
        membership,
        token,
      })
      expect(await next(again)).toMatchObject({ kind: 'changes', removed: ['1'] })
    })

    it('nothing is said to be gone that came and went while a right was lost', async () => {
      const { engine, feed } = await open()
      const others = watchItems(feed.as(of(1)), 'tasks', query, { membership })
      await next(others)
      const mine = watchItems(feed.as(of(1)), 'tasks', query, { membership })
      const token = tokenOf(await next(mine))
      await mine.return()
      // Here the right is lost, and given back later: others see what happens meanwhile, each change by itself.
      const { id } = await createItem(engine, 'tasks', { title: 'secret', owner: 1 })
      await next(others)
      await updateItem(engine, 'tasks', id, { title: 'more of it' })
      await next(others)
      await deleteItem(engine, 'tasks', id)
      await next(others)
      await deleteItem(engine, 'tasks', 2)
      await next(others)
      await updateItem(engine, 'tasks', 3, { owner: 1 })
      await next(others)
      const again = watchItems(feed.as(of(1)), 'tasks', query, { membership, token })
      const message = await next(again)
      expect(message).toMatchObject({ kind: 'changes', set: [{ id: '3' }], removed: ['2'] })
      expect(JSON.stringify(message)).not.toContain(`"${id}"`)
    })
  },
)

describe.each(memberships)('membership %s', (membership) => {
  it('over an event stream, a Last-Event-ID that was rewritten begins anew', async () => {
    const { engine, feed } = await openTasks()
    const handler = createHandler(engine, {
      authenticate: () => ({ admin: true }),
      mounts: [realtime(feed)],
    })
    const others = watchItems(feed.as({ admin: true }), 'tasks', query, { membership })
    await next(others)
    await createItem(engine, 'tasks', { title: 'came' })
    await next(others)
    await deleteItem(engine, 'tasks', 4)
    await next(others)
    const stream = async (id?: string) => {
      const url = `http://localhost/live/tasks?fields=title&membership=${membership}`
      const reader = new EventReader(
        await handler(new Request(url, { headers: id ? { 'last-event-id': id } : {} })),
      )
      const event = await reader.next()
      await reader.cancel()
      return event
    }
    const { lastEventId = '' } = (await stream()) ?? {}
    for (const wrong of rewritten(lastEventId))
      expect(await stream(wrong)).toMatchObject({ event: 'reset', data: { reason: 'token' } })
  })

  it('over a socket, a token that was rewritten, or is of another one who sees as much, begins anew', async () => {
    const { as, who, engine } = await openSockets()
    const rules = { tasks: { read: true } } as const
    who.ada = { user: 1, rules }
    who.bob = { user: 2, rules }
    const subscribe = (token?: string) => ({
      ...{ type: 'subscribe', collection: 'tasks', query, membership, uid: 'x' },
      ...(token !== undefined && { token }),
    })
    const ada = await as('ada')
    await ada.ask(subscribe())
    await createItem(engine, 'tasks', { title: 'came' })
    const token = String((await ada.next()).token)
    await ada.ask({ type: 'unsubscribe', uid: 'x' })
    const bob = await as('bob')
    for (const [client, wrong] of [
      ...rewritten(token).map((one) => [ada, one] as const),
      [bob, token] as const,
    ]) {
      expect(await client.ask(subscribe(wrong))).toMatchObject({ event: 'reset', reason: 'token' })
      expect(await client.next()).toMatchObject({ event: 'init' })
    }
    await deleteItem(engine, 'tasks', 4)
    expect((await bob.next()).removed).toEqual(['4'])
  })
})
