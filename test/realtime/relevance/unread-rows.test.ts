// Changes of which no row is read: those of fields by which no list chooses its items, and those of lists that nobody reads.
import { describe, expect, it } from 'vitest'
import { internalsOf } from '../../../src/engine/engine.ts'
import { type Access, createItem, deleteItem, listItems, updateItem } from '../../../src/index.ts'
import { watchItems } from '../../../src/realtime.ts'
import { databases } from '../../support/databases.ts'
import { Replica } from '../replica.ts'
import { admin, next, openTasks, pause, type schema, until } from '../tasks.ts'

type Rights = Access<typeof schema>
const fields = ['id', 'title'] as const

describe.each(databases)('on $name', (database) => {
  const open = async () => {
    const statements: string[] = []
    const opened = await openTasks({ settleMs: 1 }, { onQuery: ({ sql }) => statements.push(sql) }, database)
    const { engine, feed } = opened
    /** Returns the statements of some work, and of what the feed makes of it. */
    const statementsOf = async (work: () => Promise<unknown>) => {
      await pause(30)
      statements.length = 0
      await work()
      await pause(30)
      await until(() => feed.status().oldest === 0)
      return statements.length
    }
    const listens = () => internalsOf(engine).hooks.listeners.want('items.update', 'tasks')
    return { ...opened, statementsOf, listens }
  }

  it('no row is read for fields by which no list chooses its items', async () => {
    const { engine, feed, statementsOf } = await open()
    const list = watchItems(feed.as(admin), 'tasks', { fields, filter: { owner: 1 } })
    await next(list)
    await updateItem(engine, 'tasks', 3, { title: 'Told to nobody' })
    expect(await statementsOf(() => updateItem(engine, 'tasks', 3, { title: 'Told to nobody, too' }))).toBe(1)
    await updateItem(engine, 'tasks', 2, { title: 'Read' })
    expect(await next(list)).toMatchObject({ kind: 'changes', set: [{ id: '2', item: { title: 'Read' } }] })
    expect(await statementsOf(() => updateItem(engine, 'tasks', 3, { owner: 1 }))).toBeGreaterThan(1)
    expect(await next(list)).toMatchObject({ set: [{ id: '3', item: { title: 'Told to nobody, too' } }] })
    await deleteItem(engine, 'tasks', 3)
    expect(await next(list)).toMatchObject({ removed: ['3'] })
  })

  it('one list is read by the statement of its shape, which other lists have planned', async () => {
    const texts: string[] = []
    const { engine, feed } = await openTasks(
      { settleMs: 1 },
      { onQuery: ({ sql }) => texts.push(sql) },
      database,
    )
    const rules = { tasks: { read: { filter: { owner: { _eq: '$CURRENT_USER' } } } } } as const
    const reads: string[] = []
    for (const user of [1, 2]) {
      const list = watchItems(feed.as({ user, rules }), 'tasks', { fields }, { membership: 'match' })
      await next(list)
      await updateItem(engine, 'tasks', user === 1 ? 1 : 3, { title: `Of ${user}` })
      expect(await next(list)).toMatchObject({ set: [{ item: { title: `Of ${user}` } }] })
      reads.push(texts.at(-1) ?? '')
      await list.return()
    }
    expect(reads[0]).toContain('select')
    expect(reads[1]).toBe(reads[0])
  })

  const brought: readonly (readonly [string, Rights, object, object])[] = [
    ['a filter', admin, { filter: { title: { _starts_with: 'New' } } }, { title: 'New' }],
    ['a filter for null', admin, { filter: { owner: { _null: true } } }, { owner: null }],
    ['a filter without case', admin, { filter: { title: { _icontains: 'NEW' } } }, { title: 'a new one' }],
    [
      'a filter of one of two',
      admin,
      { filter: { _or: [{ id: 1 }, { owner: { _null: true } }] } },
      { owner: null },
    ],
    ['a function in a filter', admin, { filter: { 'year(due)': 2027 } }, { due: '2027-03-01T00:00:00.000Z' }],
    [
      'a condition of the time',
      admin,
      { filter: { due: { _gt: '$NOW' } } },
      { due: '2999-01-01T00:00:00.000Z' },
    ],
    ['a filter of another collection', admin, { filter: { owner: { name: 'Ada' } } }, { owner: 1 }],
    ['a search', admin, { search: 'Searched' }, { title: 'Searched' }],
    ['an order', admin, { sort: ['title'], limit: 1 }, { title: 'AAA' }],
    [
      'an order by another collection',
      admin,
      { sort: ['-owner.name', 'title'], limit: 1 },
      { owner: 2, title: 'AAA' },
    ],
    ['rules', { rules: { tasks: { read: { filter: { title: { _eq: 'Open' } } } } } }, {}, { title: 'Open' }],
  ]
  it.each(brought)('%s lets a row come that a change brings', async (_by, access, query, change) => {
    const { engine, feed } = await open()
    await updateItem(engine, 'tasks', 3, { owner: 2, due: '2020-01-01T00:00:00.000Z' })
    await updateItem(engine, 'tasks', 2, { owner: 2 })
    for (const membership of ['page', 'match'] as const) {
      await updateItem(engine, 'tasks', 3, { title: 'Hide', owner: 2, due: '2020-01-01T00:00:00.000Z' })
      const replica = new Replica()
      const list = watchItems(feed.as(access), 'tasks', { ...query, fields } as { fields: typeof fields }, {
        membership,
      })
      const over = (async () => {
        for await (const message of list) replica.apply(message)
      })()
      await until(() => replica.token !== undefined)
      await updateItem(engine, 'tasks', 3, change)
      await until(() => JSON.stringify(replica.data).includes('"id":3'))
      await list.return()
      await over
    }
  })

  it('lists that nobody reads cost nothing after some changes, and come back with what has changed', async () => {
    const { engine, feed, listens } = await open()
    const watch = (token?: string) =>
      watchItems(feed.as(admin), 'tasks', { fields, filter: { owner: 1 } }, { token })
    const first = watch()
    const snapshot = await next(first)
    const token = snapshot?.kind === 'snapshot' ? snapshot.token : undefined
    await first.return()
    for (let turn = 0; turn < 60; turn++) await updateItem(engine, 'tasks', 3, { due: null, owner: 2 })
    await until(() => !listens())
    await updateItem(engine, 'tasks', 1, { title: 'While nobody read' })
    const second = watch(token)
    expect(await next(second)).toMatchObject({
      kind: 'changes',
      set: [{ id: '1', item: { title: 'While nobody read' } }],
    })
    expect(listens()).toBe(true)
    await updateItem(engine, 'tasks', 3, { owner: 1 })
    expect(await next(second)).toMatchObject({ kind: 'changes', set: [{ id: '3' }] })
  })

  it('a list that opens while the last one ends holds what there is', async () => {
    const { engine, feed } = await open()
    const query = { fields, filter: { owner: 1 }, sort: ['id'], limit: 200 } as const
    let end: (() => Promise<unknown>) | undefined
    for (let turn = 0; turn < 12; turn++) {
      const replica = new Replica()
      const writes = Array.from({ length: 60 }, (_, at) => async () => {
        if (at === turn * 5) void end?.()
        await createItem(engine, 'tasks', { title: `${turn} ${at}`, owner: at % 30 === 0 ? 1 : 2 })
      })
      for (const write of writes.slice(0, 55)) await write()
      const list = watchItems(feed.as(admin), 'tasks', query)
      const over = (async () => {
        for await (const message of list) replica.apply(message)
      })()
      for (const write of writes.slice(55)) await write()
      await updateItem(engine, 'tasks', 1, { title: `turn ${turn}` })
      const { data } = await listItems(engine, 'tasks', query)
      await until(() => JSON.stringify(replica.data) === JSON.stringify(data))
      await end?.()
      end = () => Promise.all([list.return(), over])
    }
    await end?.()
  })
})
