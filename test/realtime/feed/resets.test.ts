// Hosts that let all begin anew, for changes that no source tells: once, all the time, and while nobody reads.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createItem, deleteItem, listItems, updateItem } from '../../../src/index.ts'
import { type FeedMessage, type WatchedItems, watchItems } from '../../../src/realtime.ts'
import { Replica } from '../replica.ts'
import { admin, next, type Opened, openTasks, pause, until } from '../tasks.ts'

const memberships = ['page', 'match'] as const

const rejected: unknown[] = []
const note = (reason: unknown) => void rejected.push(reason)
beforeEach(() => {
  rejected.length = 0
  process.on('unhandledRejection', note)
})
afterEach(() => {
  process.off('unhandledRejection', note)
})

/** Somebody who reads all messages, and waits a little after each. */
function reading(watched: WatchedItems<unknown>, pauseMs = 0) {
  const replica = new Replica()
  const counts = { snapshot: 0, changes: 0, reset: 0 }
  const over = (async () => {
    for await (const message of watched) {
      replica.apply(message)
      counts[message.kind] += 1
      if (pauseMs > 0) await pause(pauseMs)
    }
  })()
  return { replica, counts, over, leave: () => watched.return() }
}

const held = ({ data }: Replica): string =>
  JSON.stringify(data.map((item) => JSON.stringify(item)).toSorted())
const query = { fields: ['id', 'title'], limit: -1 } as const

const isRight = async ({ engine }: Opened, replicas: readonly Replica[]) => {
  const { data } = await listItems(engine, 'tasks', query)
  const expected = JSON.stringify(data.map((item) => JSON.stringify(item)).toSorted())
  await until(() => replicas.every((replica) => replica.isKnown && held(replica) === expected))
}

// What is counted is kept: without a collection it would be whatever the other tests of the process have left.
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void // the flag puts it there

describe('a thousand resets', () => {
  it.each([
    ['of a collection', 'tasks'],
    ['of all', undefined],
  ] as const)('%s beside writes leave each reader with what there is', async (_what, collection) => {
    const opened = await openTasks({ settleMs: 0 })
    const { engine, feed, errors, run } = opened
    const readers = memberships.flatMap((membership) =>
      [0, 0, 3].map((pauseMs) =>
        reading(watchItems(feed.as(admin), 'tasks', query, { membership }), pauseMs),
      ),
    )
    // One that reads nothing between its snapshot and the end.
    const silent = watchItems(feed.as(admin), 'tasks', query, { membership: 'match' })
    await silent.next()
    await until(() => readers.every(({ replica }) => replica.isKnown))
    for (let turn = 0; turn < 1_000; turn++) {
      feed.reset(collection)
      if (turn % 5 === 0) await updateItem(engine, 'tasks', 1, { title: `turn ${turn}` })
      // What no source tells.
      if (turn % 7 === 0) await run(`update tasks set title = 'raw ${turn}' where id = 2`)
      if (turn % 50 === 0) await deleteItem(engine, 'tasks', (await createItem(engine, 'tasks', {})).id)
      if (turn % 100 === 0) await pause(1)
    }
    await run(`update tasks set title = 'the last' where id = 3`)
    feed.reset(collection)
    await isRight(
      opened,
      readers.map(({ replica }) => replica),
    )
    const told: FeedMessage[] = []
    for (const kind of ['reset', 'snapshot']) {
      const message = await next(silent)
      expect(message?.kind).toBe(kind)
      if (message) told.push(message)
    }
    expect(JSON.stringify(told)).toContain('the last')
    // Each reset that is told has its snapshot, and many are told as one.
    for (const { counts } of readers) {
      expect(counts.snapshot).toBe(counts.reset + 1)
      expect(counts.reset).toBeGreaterThan(0)
    }
    expect(feed.status()).toMatchObject({ subscriptions: 7, lists: 2, oldest: 0, lag: 0 })
    for (const { leave, over } of readers) {
      await leave()
      await over
    }
    expect([errors, rejected]).toEqual([[], []])
  })

  it('keep nothing of themselves', async () => {
    const opened = await openTasks({ settleMs: 0 })
    const { engine, feed } = opened
    const readers = Array.from({ length: 20 }, (_, at) =>
      reading(watchItems(feed.as(admin), 'tasks', query, { membership: memberships[at % 2] })),
    )
    const storm = async (turns: number) => {
      for (let turn = 0; turn < turns; turn++) {
        feed.reset()
        if (turn % 10 === 0) await updateItem(engine, 'tasks', 1, { title: `turn ${turn}` })
      }
      await isRight(
        opened,
        readers.map(({ replica }) => replica),
      )
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    await storm(2_000)
    const before = await storm(2_000)
    const after = await storm(20_000)
    expect((after - before) / 1e6).toBeLessThan(30)
    for (const { leave } of readers) await leave()
    expect(rejected).toEqual([])
  })
})

describe.each(memberships)('a reset while nobody reads (%s)', (membership) => {
  it('is told to whoever comes back, whatever else was written', async () => {
    const { engine, feed, run } = await openTasks()
    const watch = (token?: string) =>
      watchItems(feed.as(admin), 'tasks', { fields: ['title'], limit: -1 }, { membership, token })
    const first = watch()
    const snapshot = await next(first)
    await first.return()
    await run(`update tasks set title = 'unseen' where id = 3`)
    feed.reset('tasks')
    await updateItem(engine, 'tasks', 1, { title: 'Draw' })
    await until(() => feed.status().oldest === 0)
    const { replica, leave } = reading(watch(snapshot?.kind === 'snapshot' ? snapshot.token : undefined))
    if (snapshot) replica.apply(snapshot)
    await until(() => JSON.stringify(replica.data).includes('Draw'))
    expect(JSON.stringify(replica.data)).toContain('unseen')
    await leave()
  })

  it('is no matter of lists of other collections', async () => {
    const { engine, feed } = await openTasks()
    const people = watchItems(feed.as(admin), 'people', { fields: ['name'] }, { membership })
    await people.next()
    const waiting = next(people)
    feed.reset('tasks')
    await updateItem(engine, 'people', 1, { name: 'Eve' })
    expect(await waiting).toMatchObject({ kind: 'changes', set: [{ id: '1', item: { name: 'Eve' } }] })
  })
})
