// Nothing is left behind, at whatever moment subscriptions and feeds end; and what a stranger can make a feed keep, which is bounded.
import { setImmediate as turned } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { internalsOf } from '../../../src/engine/engine.ts'
import { createItem, deleteItem, updateItem } from '../../../src/index.ts'
import { createFeed, localSource, type WatchedItems, watchItems } from '../../../src/realtime.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { isLong } from '../../support/long-runs.ts'
import { admin, openTasks, pause, until } from '../tasks.ts'
import { countTimers } from '../timers.ts'

const timers = countTimers()
/** How many are stopped. */
const feeds = isLong ? 1_000 : 300

describe(`(QUERNEL_SEED=${fuzzSeed})`, () => {
  it(
    'a feed that stops at any moment ends all and leaves nothing',
    timers.of(async () => {
      const queries: string[] = []
      const { engine, feed: other } = await openTasks({}, { onQuery: ({ sql }) => queries.push(sql) })
      await other.stop()
      const random = new Random(fuzzSeed)
      const before = timers.count()
      const outcomes = { ended: 0, told: 0, refused: 0 }
      for (let turn = 0; turn < feeds; turn++) {
        const feed = createFeed(engine, {
          source: localSource(),
          settleMs: random.below(2),
          graceMs: random.one([0, 1, 10_000]),
          recheckMs: random.one([1, 60_000]),
        })
        const rules = { tasks: { read: true } } as const
        const callers = [feed.as(admin), feed.as(async () => ({ rules })), feed.as({ rules })]
        const open = random.many(1, 4, () =>
          watchItems(
            random.one(callers),
            'tasks',
            { limit: 1 + random.below(3) },
            { membership: random.one(['page', 'match']) },
          ),
        )
        const waiting = open.map((watched) => watched.next())
        const steps: Readonly<Record<string, () => unknown>> = {
          write: () => updateItem(engine, 'tasks', 1, { title: `turn ${turn}` }),
          'write and go on': () => void updateItem(engine, 'tasks', 2, { title: `turn ${turn}` }),
          read: () => Promise.race([waiting[0], pause(2)]),
          leave: () => open[0]?.return(),
          recheck: () => void feed.recheck(),
          reset: () => feed.reset(),
          turn: () => turned(),
          wait: () => pause(1),
          moment: () => Promise.resolve(),
        }
        for (const step of random.many(0, 5, () => random.one(Object.keys(steps)))) await steps[step]?.()
        waiting.push(...open.map((watched) => watched.next()))
        for (const _moment of random.many(0, 9, () => 0)) await Promise.resolve()
        await feed.stop(random.chance(0.5) ? {} : { drainMs: 0 })
        for (const outcome of await Promise.allSettled(waiting)) {
          if (outcome.status === 'rejected') {
            expect(outcome.reason).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
            outcomes.refused += 1
          } else outcomes[outcome.value.done ? 'ended' : 'told'] += 1
        }
        expect((await open[0]?.next())?.done).toBe(true)
        expect(feed.status()).toMatchObject({ subscriptions: 0, lists: 0, items: 0 })
        expect(internalsOf(engine).hooks.listeners.isEmpty).toBe(true)
      }
      await until(() => timers.count() - before <= 1)
      const asked = queries.length
      await pause(20)
      expect(queries.length).toBe(asked)
      expect(outcomes.ended).toBeGreaterThan(feeds / 2)
      // How many come to be told depends on the machine.
      expect(outcomes.told).toBeGreaterThan(feeds / 10)
    }),
  )

  it(
    'subscriptions that come and go leave no list, no timer, no listener and no statement',
    timers.of(async () => {
      const queries: string[] = []
      const { engine, feed } = await openTasks({ graceMs: 0 }, { onQuery: ({ sql }) => queries.push(sql) })
      // What a table is asked once is asked here.
      const { id } = await createItem(engine, 'tasks', { title: 'soon gone' })
      await deleteItem(engine, 'tasks', id)
      const before = timers.count()
      const random = new Random(fuzzSeed)
      const open = new Set<WatchedItems<unknown>>()
      for (let turn = 0; turn < 1_000; turn++) {
        const access = random.one([admin, () => admin, { ...admin, expiresAt: Date.now() + 60_000 }])
        const signal = new AbortController()
        const watched = watchItems(
          feed.as(access),
          'tasks',
          { limit: 1 + random.below(20) },
          { signal: signal.signal, membership: random.one(['page', 'match']) },
        )
        open.add(watched)
        const first = watched.next()
        if (random.chance(0.7)) await first
        if (random.chance(0.3)) void watched.next()
        if (random.chance(0.1)) await updateItem(engine, 'tasks', 1, { title: `${turn}` })
        if (random.chance(0.2)) signal.abort()
        if (random.chance(0.9))
          for (const one of random.some([...open], 3)) if (open.delete(one)) await one.return()
      }
      for (const one of open) await one.return()
      await until(() => feed.status().lists === 0)
      await until(() => timers.count() <= before + 1)
      expect(feed.status()).toMatchObject({ subscriptions: 0, items: 0, oldest: 0 })
      const asked = queries.length
      await createItem(engine, 'tasks', { title: 'unseen' })
      await deleteItem(engine, 'tasks', 1)
      await pause(20)
      expect(queries.slice(asked).filter((statement) => !/insert|delete/i.test(statement))).toEqual([])
      expect(internalsOf(engine).hooks.listeners.want('items.create', 'tasks')).toBe(false)
    }),
  )
})

describe('a stranger', () => {
  it('keeps no more lists, whatever their filters, than are set', async () => {
    const { engine, feed } = await openTasks({ limits: { idle: 20, subscriptions: 50 } })
    const mine = feed.as({ rules: { tasks: { read: true } } })
    for (let number = 0; number < 200; number++) {
      const watched = watchItems(mine, 'tasks', { filter: { id: { _neq: number } } })
      await watched.next()
      await watched.return()
    }
    expect(feed.status().lists).toBe(20)
    const open = Array.from({ length: 60 }, (_, number) => {
      const watched = watchItems(mine, 'tasks', { filter: { id: { _neq: -number } } })
      return watched.next().then(
        () => 'told',
        ({ code }) => String(code),
      )
    })
    const outcomes = await Promise.all(open)
    expect(outcomes.filter((outcome) => outcome === 'told')).toHaveLength(50)
    expect(outcomes.filter((outcome) => outcome === 'SERVICE_UNAVAILABLE')).toHaveLength(10)
    expect(feed.status().lists).toBeLessThanOrEqual(70)
    await updateItem(engine, 'tasks', 1, { title: 'still there' })
  })

  it.each([
    [
      'a filter of many values',
      { filter: { title: { _in: Array.from({ length: 100_000 }, (_, at) => `${at}`) } } },
    ],
    [
      'a filter of many conditions',
      { filter: { _or: Array.from({ length: 10_000 }, (_, id) => ({ id: { _eq: id } })) } },
    ],
    ['a search without end', { search: 'x'.repeat(1_000_000) }],
  ])('is refused %s, at the call', async (_what, query) => {
    const { feed } = await openTasks()
    const mine = feed.as({ rules: { tasks: { read: true } } })
    expect(() => watchItems(mine, 'tasks', query as object)).toThrow(
      expect.objectContaining({ code: 'INVALID_QUERY' }),
    )
    expect(feed.status()).toMatchObject({ subscriptions: 0, lists: 0 })
  })
})
