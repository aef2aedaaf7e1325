// What cannot be watched, and what a feed cannot be made of.
import { describe, expect, it } from 'vitest'
import { deleteItem, EngineError, listItems } from '../../../src/index.ts'
import { createFeed, localSource, watchItems } from '../../../src/realtime.ts'
import { refusalOf } from '../../support/outcome.ts'
import { admin, next, openTasks } from '../tasks.ts'

// Names and options that the types refuse.
type Loose = (
  mine: unknown,
  collection: string,
  query?: object,
  options?: object,
) => AsyncIterator<never, undefined>
const watch = watchItems as unknown as Loose

describe('watchItems', () => {
  it.each([
    [{ page: 2 }, '"limit" and an "offset"'],
    [{ meta: '*' }, 'no metadata'],
    [{ export: 'csv' }, 'becomes a file'],
    [{ version: 'draft' }, 'cannot be watched'],
    [{ limit: 10_001 }, 'at most 10000 items, and not 10001'],
  ])('refuses %j when it is called', async (query, says) => {
    const { feed } = await openTasks()
    const error = refusalOf(() => watch(feed.as(admin), 'tasks', query))
    expect(error).toMatchObject({ code: 'INVALID_QUERY' })
    expect([error, ...(error.errors ?? [])].map(({ message }) => message).join()).toContain(says)
  })

  it.each([
    ['tasks', { fields: ['titel'] }],
    ['tasks', { filter: { title: { _nope: 1 } } }],
    ['nowhere', {}],
    ['tasks', { sort: 'owner.nope' }],
  ])('refuses what a list of %s refuses: %j', async (collection, query) => {
    const { engine, feed } = await openTasks()
    const list = listItems as unknown as (
      engine: unknown,
      collection: string,
      query: object,
    ) => Promise<unknown>
    const expected = await list(engine, collection, query).catch((error: unknown) => error)
    expect(expected).toBeInstanceOf(EngineError)
    expect(refusalOf(() => watch(feed.as(admin), collection, query))).toEqual(expected)
  })

  it.each(['keyless', 'numbered'])('refuses a list of %s, and watches its aggregates', async (collection) => {
    const { feed } = await openTasks()
    expect(refusalOf(() => watch(feed.as(admin), collection))).toMatchObject({
      code: 'INVALID_PAYLOAD',
      message: `"${collection}" has no key.`,
    })
    const counted = watch(feed.as(admin), collection, { aggregate: { count: '*' } })
    expect(await next(counted)).toMatchObject({ kind: 'snapshot', items: [{ count: 0 }] })
  })

  it('keeps the query as it was when it was called, and refuses one without end', async () => {
    const { feed } = await openTasks()
    const query = { fields: ['title'], filter: { id: { _eq: 1 } } }
    const watched = watch(feed.as(admin), 'tasks', query)
    query.filter.id._eq = 2
    query.fields[0] = 'due'
    expect(await next(watched)).toMatchObject({ items: [{ title: 'Paint' }] })
    const endless: Record<string, unknown> = {}
    endless._and = [endless]
    expect(
      refusalOf(() =>
        watch(
          feed.as(() => admin),
          'tasks',
          { filter: endless },
        ),
      ),
    ).toMatchObject({ code: 'INVALID_QUERY' })
  })

  it('judges each query by its own limit and offset, whoever asked for another page before', async () => {
    const { engine, feed } = await openTasks()
    const mine = feed.as(admin)
    const ids = async (query: object, membership: 'page' | 'match') => {
      const message = await next(watch(mine, 'tasks', { fields: ['id'], ...query }, { membership }))
      return message?.kind === 'snapshot' && message.ids
    }
    expect(refusalOf(() => watch(mine, 'tasks', { limit: 20_000 }))).toMatchObject({ code: 'INVALID_QUERY' })
    await next(watch(mine, 'tasks', { limit: 200 }))
    expect(refusalOf(() => watch(mine, 'tasks', { limit: 20_000 }))).toMatchObject({ code: 'INVALID_QUERY' })
    expect(await ids({ limit: 3 }, 'match')).toEqual(['1', '2', '3'])
    expect(await ids({ limit: 2 }, 'match')).toEqual(['1', '2'])
    expect(await ids({ limit: 3, offset: 1 }, 'match')).toEqual(['2', '3'])
    expect(await ids({ limit: 1, offset: 2 }, 'match')).toEqual(['3'])
    expect(await ids({ limit: 1, offset: 1 }, 'page')).toEqual(['2'])
    const second = watch(mine, 'tasks', { fields: ['id'], limit: 1, offset: 2 })
    await next(second)
    await deleteItem(engine, 'tasks', 1)
    expect(await next(second)).toMatchObject({ removed: ['3'] })
  })

  it('refuses options and callers that are none', async () => {
    const { engine, feed } = await openTasks()
    const mine = feed.as(admin)
    expect(
      refusalOf(() => watch(mine, 'tasks', {}, { membership: 'all' })).errors?.[0] ??
        refusalOf(() => watch(mine, 'tasks', {}, { membership: 'all' })),
    ).toMatchObject({
      message: expect.stringContaining('"membership" is "page" or "match"'),
    })
    expect(refusalOf(() => watch(feed, 'tasks'))).toMatchObject({
      message: expect.stringContaining('made by feed.as'),
      hint: expect.stringContaining('admin'),
    })
    expect(refusalOf(() => watch(engine, 'tasks'))).toMatchObject({ code: 'INVALID_OPTIONS' })
    expect(refusalOf(() => feed.as('nobody' as never))).toMatchObject({ code: 'INVALID_OPTIONS' })
  })

  it('refuses a view, unless it is known what it reads', async () => {
    const { feed } = await openTasks()
    await expect(next(watch(feed.as(admin), 'open_tasks'))).rejects.toMatchObject({
      code: 'INVALID_QUERY',
      message: expect.stringContaining('is a view'),
    })
    const known = await openTasks({ views: { open_tasks: ['tasks'] } })
    const seen = watch(known.feed.as(admin), 'open_tasks', { fields: ['title'] })
    expect(await next(seen)).toMatchObject({ kind: 'snapshot', items: [{}, {}, {}] })
  })

  it('refuses versions to whoever has rules', async () => {
    const { feed } = await openTasks()
    const mine = feed.as({ rules: { tasks: { read: true } } })
    expect(refusalOf(() => watch(mine, 'versions'))).toMatchObject({ code: 'INVALID_QUERY' })
  })
})

describe('createFeed', () => {
  it('wants a source', async () => {
    const { engine } = await openTasks()
    const create = createFeed as unknown as (engine: unknown, options: object) => unknown
    expect(refusalOf(() => create(engine, {}))).toMatchObject({
      code: 'INVALID_OPTIONS',
      path: ['source'],
      hint: expect.stringContaining('localSource()'),
    })
    for (const options of [
      { settleMs: -1 },
      { limits: { pending: 0 } },
      { relist: { perMinute: 1 } },
      { views: { nowhere: ['tasks'] } },
      { views: { open_tasks: ['nowhere'] } },
      { views: { open_tasks: 'tasks' } },
      { recheck: 1 },
    ])
      expect(refusalOf(() => create(engine, { source: localSource(), ...options }))).toMatchObject({
        code: 'INVALID_OPTIONS',
      })
  })

  it('wants the engine itself, outside of transactions', async () => {
    const { engine } = await openTasks()
    const options = { source: localSource() }
    expect(refusalOf(() => createFeed(engine.as({}), options)).message).toContain('not of one of its callers')
    await engine.transaction(async (inside) => {
      expect(refusalOf(() => createFeed(inside, options)).message).toContain('outlives a transaction')
    })
  })

  it('refuses what comes after its end, and unknown collections', async () => {
    const { feed } = await openTasks()
    const before = watch(feed.as(admin), 'tasks')
    expect(refusalOf(() => feed.reset('nowhere'))).toMatchObject({ code: 'INVALID_OPTIONS' })
    await feed.stop()
    await expect(next(before)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })
})
