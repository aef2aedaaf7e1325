// The life of subscriptions: slow readers, those who come back, those who leave, and what is left behind.
import { describe, expect, it } from 'vitest'
import { internalsOf } from '../../../src/engine/engine.ts'
import { createItem, createItems, deleteItem, updateItem } from '../../../src/index.ts'
import { watchItems } from '../../../src/realtime.ts'
import { admin, bare, next, openTasks, pause, until } from '../tasks.ts'

describe('a slow reader', () => {
  it('that is too far behind begins anew, once', async () => {
    const { engine, feed } = await openTasks()
    const watched = watchItems(feed.as(admin), 'tasks', { fields: ['id'] }, { membership: 'match' })
    await watched.next()
    await createItems(
      engine,
      'tasks',
      Array.from({ length: 1_001 }, () => ({ title: 'many' })),
    )
    expect(await next(watched)).toEqual({ kind: 'reset', reason: 'behind' })
    expect(await next(watched)).toMatchObject({ kind: 'snapshot' })
    await createItem(engine, 'tasks', { title: 'one' })
    expect(await next(watched)).toMatchObject({ kind: 'changes', set: [{ id: '1005' }] })
  })

  it('costs no read while it reads nothing', async () => {
    const { engine, feed } = await openTasks()
    const watched = watchItems(feed.as(admin), 'tasks')
    await watched.next()
    for (let turn = 0; turn < 20; turn++) await updateItem(engine, 'tasks', 1, { title: `${turn}` })
    await pause(20)
    expect(feed.status().oldest).toBe(0)
    expect(await next(watched)).toMatchObject({ set: [{ item: { title: '19' } }] })
  })
})

describe('who comes back', () => {
  it('goes on, even after everybody has left', async () => {
    const { engine, feed } = await openTasks()
    const mine = feed.as({ rules: { tasks: { read: { fields: ['title'] } } } })
    const watch = (token?: string) => watchItems(mine, 'tasks', { sort: 'title' }, { token })
    const first = watch()
    const snapshot = await next(first)
    if (snapshot?.kind !== 'snapshot') throw new Error('no snapshot')
    await first.return()
    await deleteItem(engine, 'tasks', 2)
    const second = watch(snapshot.token)
    // The ids mean nothing, and are the same as before.
    expect(await bare(second)).toEqual({ kind: 'changes', set: [], removed: [snapshot.ids?.[2]] })
    expect(snapshot.ids?.[2]).toMatch(/^[\w-]{22}$/)
  })

  it('while the list is being read is told what was read, at whatever moment', async () => {
    const { engine, feed } = await openTasks({ settleMs: 0 })
    const watch = (token?: string) =>
      watchItems(feed.as(admin), 'tasks', { fields: ['title'], filter: { id: 1 } }, { token })
    let watched = watch()
    let message = await next(watched)
    for (let moments = 0; moments < 60; moments++) {
      const token = message?.kind === 'reset' ? undefined : message?.token
      await updateItem(engine, 'tasks', 1, { title: `${moments}` })
      void watched.next()
      for (let moment = 0; moment < moments; moment++) await Promise.resolve()
      if (moments % 3 === 0) await new Promise((resolve) => setImmediate(resolve))
      await watched.return()
      watched = watch(token)
      message = await next(watched)
      expect(message).toMatchObject({ kind: 'changes', set: [{ item: { title: `${moments}` } }] })
    }
  })

  it('too late begins anew', async () => {
    const { feed } = await openTasks({ graceMs: 1 })
    const first = watchItems(feed.as(admin), 'tasks')
    const snapshot = await next(first)
    await first.return()
    await until(() => feed.status().lists === 0)
    const token = snapshot?.kind === 'snapshot' ? snapshot.token : ''
    expect(await next(watchItems(feed.as(admin), 'tasks', {}, { token }))).toEqual({
      kind: 'reset',
      reason: 'token',
    })
  })
})

describe('who leaves', () => {
  it('leaves nothing: by return, by a signal, by an error in the loop, by the end of the feed', async () => {
    const { engine, feed } = await openTasks({ graceMs: 0 })
    const mine = feed.as(admin)
    const signal = new AbortController()
    const aborted = watchItems(mine, 'tasks', {}, { signal: signal.signal })
    await aborted.next()
    const waiting = aborted.next()
    signal.abort()
    expect((await waiting).done).toBe(true)
    const thrown = async () => {
      for await (const _message of watchItems(mine, 'tasks')) throw new Error('by the reader')
    }
    await expect(thrown()).rejects.toThrow('by the reader')
    const returned = watchItems(mine, 'tasks')
    await returned.next()
    const last = returned.next()
    await returned.return()
    expect((await last).done).toBe(true)
    expect((await watchItems(mine, 'tasks', {}, { signal: AbortSignal.abort() }).next()).done).toBe(true)
    await until(() => feed.status().lists === 0)
    expect(feed.status()).toMatchObject({ subscriptions: 0, items: 0 })
    expect(internalsOf(engine).hooks.listeners.want('items.create', 'tasks')).toBe(false)
    await feed.stop()
    expect(internalsOf(engine).hooks.listeners.isEmpty).toBe(true)
  })

  it('makes room: no more subscriptions than are set', async () => {
    const { feed } = await openTasks({ limits: { subscriptions: 1 } })
    const mine = feed.as(admin)
    const first = watchItems(mine, 'tasks')
    await first.next()
    await expect(watchItems(mine, 'people').next()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    await first.return()
    expect(await next(watchItems(mine, 'tasks'))).toMatchObject({ kind: 'snapshot' })
  })
})

describe('the status', () => {
  it('names the ten biggest lists, the biggest first', async () => {
    const { feed } = await openTasks()
    for (const limit of [1, 0, 3, 2, 2, 1, 3, 3, 0, 1, 2, 1])
      await watchItems(feed.as(admin), 'tasks', {
        limit,
        filter: { id: { _gt: -feed.status().lists } },
      }).next()
    const { biggest, lists, items } = feed.status()
    expect(biggest.map((list) => list.items)).toEqual([3, 3, 3, 2, 2, 2, 1, 1, 1, 1])
    expect([lists, items]).toEqual([12, 19])
  })
})

describe('a singleton', () => {
  it('is a page of at most one item', async () => {
    const { engine, feed } = await openTasks()
    const watched = watchItems(feed.as(admin), 'site', { fields: ['title'] })
    expect(await next(watched)).toMatchObject({ kind: 'snapshot', items: [], ids: [] })
    await createItem(engine, 'site', { id: 1, title: 'Home' })
    expect(await next(watched)).toMatchObject({ set: [{ id: '1', item: { title: 'Home' } }], order: ['1'] })
  })
})

describe('a change', () => {
  it('of fields of which a list does not depend lets nothing be read, and is not told', async () => {
    const queries: string[] = []
    const { engine, feed } = await openTasks({}, { onQuery: ({ sql }) => queries.push(sql) })
    const mine = feed.as({ rules: { tasks: { read: { fields: ['id', 'title'] } } } })
    for (const membership of ['page', 'match'] as const) {
      const watched = watchItems(mine, 'tasks', { fields: ['title'] }, { membership })
      await watched.next()
      const waiting = next(watched)
      await pause(10)
      queries.length = 0
      await updateItem(engine, 'tasks', 1, { owner: 2 })
      await updateItem(engine, 'tasks', 1, { owner: 1, due: '2030-01-01T00:00:00Z' })
      await pause(30)
      expect(queries.filter((statement) => /title/.test(statement) && !/\bupdate\b/.test(statement))).toEqual(
        [],
      )
      await updateItem(engine, 'tasks', 1, { title: membership })
      expect(await waiting).toMatchObject({ kind: 'changes', set: [{ id: '1' }] })
      await watched.return()
    }
  })

  it('of a member lets it alone be read, unless it may change others', async () => {
    const queries: string[] = []
    const { engine, feed } = await openTasks({}, { onQuery: ({ sql }) => queries.push(sql) })
    const readBy = async (query: object) => {
      const watched = watchItems(feed.as(admin), 'tasks', query, { membership: 'match' })
      await watched.next()
      queries.length = 0
      await updateItem(engine, 'tasks', 1, { title: `${queries.length}` })
      expect(await next(watched)).toMatchObject({ kind: 'changes', set: [{ id: '1' }] })
      await watched.return()
      return queries.filter(
        (statement) => /\bselect\b(?!.* update )/.test(statement) && /"due"/.test(statement),
      )
    }
    const [alone] = await readBy({ fields: ['due'], filter: { title: { _nnull: true } } })
    expect(alone).toMatch(/where .*"id" = /)
    // Tasks of the same person: the change of one of them may let others come and go.
    const [whole] = await readBy({
      fields: ['due'],
      filter: { owner: { tasks: { _some: { title: { _nnull: true } } } } },
    })
    expect(whole).not.toMatch(/"_q1"."id" (=|in) /)
  })

  it('of a member is told, though it looks the same, and one of a page is not', async () => {
    const { engine, feed } = await openTasks()
    const watch = (membership: 'page' | 'match') =>
      watchItems(feed.as(admin), 'tasks', { fields: ['title'] }, { membership })
    const [page, match] = [watch('page'), watch('match')]
    await Promise.all([page.next(), match.next()])
    await updateItem(engine, 'tasks', 1, { title: 'Paint' })
    expect(await bare(match)).toEqual({
      kind: 'changes',
      set: [{ id: '1', item: { title: 'Paint' } }],
      removed: [],
    })
    await updateItem(engine, 'tasks', 2, { title: 'Draw' })
    expect(await bare(page)).toEqual({
      kind: 'changes',
      set: [{ id: '2', item: { title: 'Draw' } }],
      removed: [],
    })
  })
})
