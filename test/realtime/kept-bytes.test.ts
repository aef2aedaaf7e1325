// The memory of lists: what a feed keeps at most, and what each of its callers may have it keep.
import { describe, expect, it } from 'vitest'
import { createHandler } from '../../src/http.ts'
import { type Access, createItem, createItems, updateItem } from '../../src/index.ts'
import { realtime, watchItems } from '../../src/realtime.ts'
import { databases } from '../support/databases.ts'
import { openSockets } from './socket-server.ts'
import { admin, next, openTasks, type schema } from './tasks.ts'

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
