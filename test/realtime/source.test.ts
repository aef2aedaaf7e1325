// Where changes come from: sources that end, fail, go back and tell strange things; and what a local one sees.
import { describe, expect, it } from 'vitest'
import { createItem, updateItem } from '../../src/index.ts'
import { createFeed, type Source, type SourceBatch, watchItems } from '../../src/realtime.ts'
import { admin, next, openTasks, pause, until } from './tasks.ts'

class Pushed implements Source {
  readonly after: unknown[] = []
  #queue: (SourceBatch | Error | 'end')[] = []
  #wake: (() => void) | undefined

  push(...batches: readonly (SourceBatch | Error | 'end')[]): void {
    this.#queue.push(...batches)
    this.#wake?.()
  }

  readonly read: Source['read'] = (after) => {
    this.after.push(after)
    return this.#batches()
  }

  async *#batches(): AsyncGenerator<SourceBatch> {
    for (;;) {
      const isEmpty = this.#queue.length === 0
      const batch = this.#queue.shift()
      if (batch === 'end') return
      if (batch instanceof Error) throw batch
      if (!isEmpty) yield batch as SourceBatch
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }
}

const tasks = [{ collection: 'tasks' }]

describe('a source', () => {
  it('is waited for before anything is read', async () => {
    const source = new Pushed()
    const { feed } = await openTasks({ source })
    let isTold = false
    const first = next(watchItems(feed.as(admin), 'tasks')).then((message) => {
      isTold = true
      return message
    })
    await pause(20)
    expect(isTold).toBe(false)
    source.push({ position: 1, changes: [] })
    expect(await first).toMatchObject({ kind: 'snapshot' })
  })

  it('tells what was changed by anybody', async () => {
    const source = new Pushed()
    const { feed, run } = await openTasks({ source })
    source.push({ position: 'a', changes: [] })
    const watched = watchItems(feed.as(admin), 'tasks', { fields: ['title'], limit: 1 })
    await watched.next()
    await run(`update tasks set title = 'Draw' where id = 1`)
    source.push({ position: 'b', changes: tasks })
    expect(await next(watched)).toMatchObject({
      kind: 'changes',
      set: [{ id: '1', item: { title: 'Draw' } }],
    })
  })

  it.each(['end', new Error('gone')] as const)(
    'that fails (%s) is followed again, and all begin anew',
    async (failure) => {
      const source = new Pushed()
      const { feed, errors } = await openTasks({ source })
      source.push({ position: 1, changes: [] })
      const watched = watchItems(feed.as(admin), 'tasks')
      await watched.next()
      expect(feed.status().lag).toBe(0)
      source.push(failure)
      await until(() => feed.status().lag > 0)
      source.push(failure)
      await until(() => source.after.length === 3)
      source.push({ position: 2, changes: [] })
      expect(await next(watched)).toEqual({ kind: 'reset', reason: 'source' })
      expect(await next(watched)).toMatchObject({ kind: 'snapshot' })
      expect(source.after).toEqual([undefined, 1, 1])
      expect(errors).toHaveLength(1)
      expect(feed.status().lag).toBe(0)
    },
  )

  it('that goes back, or says that it is broken, lets all begin anew', async () => {
    const source = new Pushed()
    const { feed } = await openTasks({ source })
    source.push({ position: 5, changes: [] })
    const watched = watchItems(feed.as(admin), 'tasks')
    await watched.next()
    for (const batch of [
      { position: 4, changes: [] },
      { position: 6, changes: [], isBroken: true },
    ]) {
      source.push(batch)
      expect(await next(watched)).toEqual({ kind: 'reset', reason: 'source' })
      expect(await next(watched)).toMatchObject({ kind: 'snapshot' })
    }
  })

  it('that tells an unknown collection is told of once', async () => {
    const source = new Pushed()
    const { feed, errors } = await openTasks({ source })
    const strange = { collection: 'nowhere' }
    source.push({ position: 1, changes: [] }, { position: 2, changes: [strange, strange] })
    source.push({ position: 3, changes: [strange] })
    const watched = watchItems(feed.as(admin), 'tasks')
    await watched.next()
    await until(() => errors.length > 0)
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('"nowhere"') })])
  })

  it.each([
    undefined,
    7,
    {},
    { position: 2 },
    { position: {}, changes: [] },
    { position: 2, changes: [null] },
  ])('that tells %j is told of once, and followed again', async (garbage) => {
    const source = new Pushed()
    const { feed, errors } = await openTasks({ source })
    source.push({ position: 1, changes: [] })
    const watched = watchItems(feed.as(admin), 'tasks', { limit: 1 })
    await watched.next()
    for (let turn = 0; turn < 2; turn++) source.push(garbage as never, { position: 3, changes: [] })
    await until(() => source.after.length >= 2)
    expect(await next(watched)).toEqual({ kind: 'reset', reason: 'source' })
    expect(await next(watched)).toMatchObject({ kind: 'snapshot' })
    await until(() => source.after.length >= 3)
    expect(errors).toHaveLength(1)
  })

  it.each([
    [null],
    [{ collection: 5 }],
    [{ collection: 'tasks', keys: 5 }],
    [{ collection: 'tasks', keys: [1], fields: 5 }],
    [{ collection: 'tasks', keys: [1], fields: 'title' }],
    [{ collection: 'tasks', keys: [1], before: 5 }],
  ])('that tells what is no change (%j) is told of, and all begin anew', async (strange) => {
    const source = new Pushed()
    const { feed, errors, run } = await openTasks({ source })
    source.push({ position: 1, changes: [] })
    const watched = watchItems(feed.as(admin), 'tasks', { fields: ['title'], filter: { owner: { _eq: 1 } } })
    await watched.next()
    source.push({ position: 2, changes: [strange as never] }, { position: 3, changes: [] })
    expect(await next(watched)).toEqual({ kind: 'reset', reason: 'source' })
    expect(await next(watched)).toMatchObject({ kind: 'snapshot' })
    expect(errors).toEqual([expect.objectContaining({ code: 'INVALID_OPTIONS' })])
    await run(`update tasks set title = 'Draw' where id = 1`)
    source.push({ position: 4, changes: [{ collection: 'tasks', keys: [1] }] })
    expect(await next(watched)).toMatchObject({ set: [{ id: '1', item: { title: 'Draw' } }] })
  })

  it('that tells a key that is none lets the whole list be read', async () => {
    const source = new Pushed()
    const { feed, run } = await openTasks({ source })
    source.push({ position: 1, changes: [] })
    const watched = watchItems(feed.as(admin), 'tasks', { fields: ['title'] }, { membership: 'match' })
    await watched.next()
    await run(`update tasks set title = 'Draw' where id = 2`)
    source.push({ position: 2, changes: [{ collection: 'tasks', keys: ['none', 1] }] })
    expect(await next(watched)).toMatchObject({
      kind: 'changes',
      set: [{ id: '2', item: { title: 'Draw' } }],
    })
  })

  it('that is silent holds up no end', async () => {
    const { feed } = await openTasks({ source: new Pushed() })
    const watched = watchItems(feed.as(admin), 'tasks')
    const waiting = watched.next()
    await pause(5)
    await feed.stop({ drainMs: 0 })
    expect((await waiting).done).toBe(true)
  })
})

describe('a local source', () => {
  it('names the watched collections in which the database itself changes rows', async () => {
    const { feed, errors, run } = await openTasks()
    await run('create trigger t after insert on people begin update tasks set title = title; end')
    await watchItems(feed.as(admin), 'tasks', { fields: ['title'] }).next()
    expect(feed.status().blind).toEqual([])
    await watchItems(feed.as(admin), 'parts', { fields: ['task.owner.name'] }).next()
    await watchItems(feed.as(admin), 'parts', { fields: ['id'] }).next()
    expect(feed.status().blind).toEqual(['parts', 'people'])
    expect(errors.map((error) => (error instanceof Error ? error.message : ''))).toEqual([
      expect.stringMatching(/"(parts|people)".*local source does not see/),
      expect.stringMatching(/"(parts|people)".*local source does not see/),
    ])
  })

  it('tells of a transaction that began before anybody watched', async () => {
    const { engine, feed } = await openTasks()
    const watched = watchItems(feed.as(admin), 'tasks', { fields: ['title'], sort: 'title' })
    let first: Promise<unknown> | undefined
    await engine.transaction(async (inside) => {
      await createItem(inside, 'tasks', { title: 'Aim' })
      first = next(watched)
      await pause(20)
    })
    const told = await first
    if (JSON.stringify(told).includes('Aim')) return
    expect(await next(watched)).toMatchObject({ kind: 'changes', set: [{ item: { title: 'Aim' } }] })
  })

  it('is one of several over the same engine', async () => {
    const { engine, feed } = await openTasks()
    const source = new Pushed()
    const other = createFeed(engine, { source })
    source.push({ position: 1, changes: [] })
    const [one, two] = [feed, other].map((each) => watchItems(each.as(admin), 'tasks', { limit: 1 }))
    await Promise.all([one?.next(), two?.next()])
    await updateItem(engine, 'tasks', 1, { title: 'Draw' })
    expect(one && (await next(one))).toMatchObject({ kind: 'changes' })
    await other.stop()
    expect((await two?.next())?.done).toBe(true)
  })
})
