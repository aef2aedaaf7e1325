// Hosts and readers that misbehave in the middle: functions that tell an access and then throw, hang or tell garbage, hooks that throw when they are
// asked again, readers that throw, and lists that become too long. Whoever is concerned ends, and the others go on.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Access, createItem, createItems, updateItem } from '../../../src/index.ts'
import { watchItems } from '../../../src/realtime.ts'
import { admin, next, openTasks, pause, reading, type schema, until } from '../tasks.ts'

const rejected: unknown[] = []
const note = (reason: unknown) => void rejected.push(reason)
beforeAll(() => void process.on('unhandledRejection', note))
afterAll(() => void process.off('unhandledRejection', note))
afterEach(() => {
  vi.restoreAllMocks()
  expect(rejected.splice(0)).toEqual([])
})

type Rights = Access<typeof schema>
const of = (owner: number): Rights => ({ rules: { tasks: { read: { filter: { owner } } } } })
const memberships = ['page', 'match'] as const

/** Lets ten seconds be as short as nothing. */
function hurry(): void {
  const { setTimeout } = globalThis
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms: number) =>
    setTimeout(work, ms === 10_000 ? 15 : ms)) as typeof setTimeout)
}

const answers: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error('no answer')
  },
  'rejects with nothing': () => Promise.reject(),
  rejects: () => Promise.reject(new Error('no answer')),
  hangs: () => new Promise(() => undefined),
  'tells undefined': () => undefined,
  'tells a text': () => 'admin',
  'tells an empty list': () => [],
  'tells unknown rules': () => ({ rules: { nowhere: { read: true } } }),
  'tells a wrong filter': () => ({ rules: { tasks: { read: { filter: { nothing: 1 } } } } }),
  'tells what throws when it is read': () => ({
    get rules() {
      throw new Error('a trap')
    },
  }),
  'tells a promise of a promise that rejects': async () => Promise.reject(new Error('late')),
}

describe.each(memberships)('a function that tells an access (%s)', (membership) => {
  const query = { fields: ['title'] } as const

  it.each(Object.keys(answers))('and then %s, is asked three times, and nothing is told', async (name) => {
    hurry()
    const { engine, feed } = await openTasks()
    const others = reading(watchItems(feed.as(of(1)), 'tasks', query, { membership }))
    let answer: () => unknown = () => of(1)
    let asked = 0
    const mine = feed.as(() => {
      asked += 1
      return answer() as Rights
    })
    const watched = reading(watchItems(mine, 'tasks', query, { membership }))
    await until(() => watched.told.length === 1 && others.told.length === 1)
    answer = answers[name] ?? answer
    asked = 0
    const rechecked = feed.recheck()
    await updateItem(engine, 'tasks', 1, { title: 'meanwhile' })
    await until(() => watched.error !== undefined)
    await rechecked
    expect(watched.error).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      ...(name === 'throws' && { cause: new Error('no answer') }),
    })
    expect([3, 6]).toContain(asked)
    expect(watched.told).toHaveLength(1)
    await until(() => others.has('meanwhile'))
    expect(feed.status().subscriptions).toBe(1)
    // It may be asked again by whoever comes back, and answers.
    answer = () => of(2)
    expect(await next(watchItems(mine, 'tasks', query, { membership }))).toMatchObject({
      items: [{ title: 'Hide' }],
    })
  })

  it('and tells it too late is not heard', async () => {
    hurry()
    const { engine, feed } = await openTasks()
    const late: ((access: Rights) => void)[] = []
    let hangs = false
    const mine = feed.as(() =>
      hangs ? new Promise<Rights>((resolve) => late.push(resolve)) : Promise.resolve(of(2)),
    )
    const watched = reading(watchItems(mine, 'tasks', query, { membership }))
    await until(() => watched.told.length === 1)
    hangs = true
    void feed.recheck()
    await until(() => late.length === 1)
    hangs = false
    await until(() => mine !== undefined && late.length === 1 && feed.status().oldest === 0)
    await pause(40)
    // By now the second attempt has told what it is.
    late[0]?.(admin)
    await createItem(engine, 'tasks', { title: 'of another', owner: 1 })
    await createItem(engine, 'tasks', { title: 'own', owner: 2 })
    await until(() => watched.has('own'))
    expect(watched.has('of another')).toBe(false)
    expect(watched.error).toBeUndefined()
  })

  it('and tells that it is nobody while a change is on its way, ends with FORBIDDEN', async () => {
    const { engine, feed } = await openTasks({ settleMs: 20 })
    let access: Rights | null = of(1)
    const mine = feed.as(() => access)
    const watched = reading(watchItems(mine, 'tasks', query, { membership }))
    await until(() => watched.told.length === 1)
    await updateItem(engine, 'tasks', 1, { title: 'never told' })
    access = null
    void feed.recheck()
    await watched.over
    expect(watched.error).toMatchObject({ code: 'FORBIDDEN' })
    expect(watched.has('never told')).toBe(false)
  })
})

describe.each(memberships)('a hook on reads (%s)', (membership) => {
  it.each(['before', 'after'] as const)('(%s) that throws when it is asked again', async (when) => {
    const { engine, feed, run } = await openTasks({ recheckMs: 30 })
    let isBroken = false
    let thrown = 0
    engine.on(
      'items.read',
      'tasks',
      () => {
        if (!isBroken) return
        thrown += 1
        throw new Error('the hook is out of order')
      },
      { when },
    )
    const watched = reading(watchItems(feed.as(admin), 'tasks', { fields: ['title'] }, { membership }))
    const people = reading(watchItems(feed.as(admin), 'people', { fields: ['name'] }, { membership }))
    await until(() => watched.told.length === 1 && people.told.length === 1)
    isBroken = true
    await run(`update tasks set title = 'Draw' where id = 1`)
    feed.reset('tasks')
    // One that only hears of what was read has no say in it.
    if (when === 'after') await until(() => watched.has('Draw'))
    else await until(() => watched.error !== undefined)
    expect(thrown).toBeGreaterThan(0)
    await updateItem(engine, 'people', 1, { name: 'Eve' })
    await until(() => people.has('Eve'))
    if (when === 'before') expect(String(watched.error)).toContain('out of order')
    expect(feed.status().subscriptions).toBe(when === 'before' ? 1 : 2)
  })

  it('that hangs holds up nobody else, and no end', async () => {
    const { engine, feed } = await openTasks()
    engine.on('items.read', 'tasks', () => new Promise<undefined>(() => undefined), { when: 'before' })
    const watched = watchItems(feed.as(admin), 'tasks', {}, { membership })
    const waiting = watched.next()
    expect(await next(watchItems(feed.as(admin), 'people', {}, { membership }))).toMatchObject({
      kind: 'snapshot',
    })
    await watched.return()
    expect((await waiting).done).toBe(true)
    expect(feed.status().subscriptions).toBe(1)
  })
})

it('a reader that throws leaves, and those beside it go on', async () => {
  const { engine, feed, errors } = await openTasks({ graceMs: 0 })
  const throwing = (access: Rights, at: number) =>
    (async () => {
      let count = 0
      for await (const _message of watchItems(feed.as(access), 'tasks', { fields: ['title'] })) {
        count += 1
        if (count === at) throw new Error('by the reader')
      }
    })()
  const thrown = [throwing(of(1), 1), throwing(of(1), 2), throwing(of(2), 2)].map((run) =>
    run.catch((error: unknown) => String(error)),
  )
  const other = reading(watchItems(feed.as(of(1)), 'tasks', { fields: ['title'] }))
  await until(() => feed.status().subscriptions === 3)
  for (const [id, title] of [
    [1, 'Draw'],
    [3, 'Seek'],
  ] as const)
    await updateItem(engine, 'tasks', id, { title })
  expect(await Promise.all(thrown)).toEqual(Array(3).fill('Error: by the reader'))
  await until(() => other.has('Draw'))
  await until(() => feed.status().lists === 1)
  expect(feed.status()).toMatchObject({ subscriptions: 1, lists: 1, items: 2 })
  expect(errors).toEqual([])
})

it('item 10,001 of a page without limit ends it, and no other', async () => {
  const { engine, feed } = await openTasks()
  await createItems(
    engine,
    'tasks',
    Array.from({ length: 9_997 }, () => ({ owner: 1 })),
  )
  const query = { fields: ['id'], limit: -1 } as const
  const page = reading(watchItems(feed.as(admin), 'tasks', query))
  const others = [
    reading(watchItems(feed.as(admin), 'tasks', { ...query, limit: 10_000 })),
    reading(watchItems(feed.as(admin), 'tasks', query, { membership: 'match' })),
    reading(watchItems(feed.as(of(2)), 'tasks', query)),
  ]
  await until(() => [page, ...others].every(({ told }) => told.length === 1))
  expect(page.told[0]).toMatchObject({ kind: 'snapshot', items: { length: 10_000 } })
  await createItem(engine, 'tasks', { owner: 2 })
  await until(() => page.error !== undefined)
  expect(page.error).toMatchObject({ code: 'INVALID_QUERY' })
  await until(() => others.slice(1).every(({ told }) => told.length === 2))
  expect(others.map(({ error }) => error)).toEqual([undefined, undefined, undefined])
  // Whoever comes now is told at once.
  await expect(next(watchItems(feed.as(admin), 'tasks', query))).rejects.toMatchObject({
    message: 'A page that is watched has at most 10000 items.',
  })
  await expect(async () => watchItems(feed.as(admin), 'tasks', { limit: 10_001 })).rejects.toMatchObject({
    code: 'INVALID_QUERY',
  })
})
