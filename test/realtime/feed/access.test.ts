// Who may see what, while it is watched: rights that change, end, or are not known.
import { describe, expect, it } from 'vitest'
import { type Access, createItem, deleteItem, updateItem } from '../../../src/index.ts'
import { watchItems } from '../../../src/realtime.ts'
import { bare, next, openTasks, type schema, until } from '../tasks.ts'

type Rights = Access<typeof schema>
const of = (owner: number): Rights => ({ rules: { tasks: { read: { filter: { owner } } } } })

describe('rights', () => {
  it('that change begin anew, and those that do not change nothing', async () => {
    const { engine, feed } = await openTasks()
    let access: Rights = of(1)
    const mine = feed.as(() => access)
    const watched = watchItems(mine, 'tasks', { fields: ['title'] })
    expect(await next(watched)).toMatchObject({ items: [{ title: 'Paint' }, { title: 'Write' }] })
    access = of(1)
    await feed.recheck()
    await updateItem(engine, 'tasks', 1, { title: 'Draw' })
    expect(await bare(watched)).toMatchObject({
      kind: 'changes',
      set: [{ id: '1', item: { title: 'Draw' } }],
    })
    access = of(2)
    await feed.recheck()
    expect(await bare(watched)).toEqual({
      kind: 'changes',
      set: [{ id: '3', item: { title: 'Hide' } }],
      removed: ['1', '2'],
      order: ['3'],
    })
  })

  it('that change take away what was there, whatever has changed meanwhile', async () => {
    const { engine, feed } = await openTasks()
    let access: Rights = { rules: { tasks: { read: true } } }
    const mine = feed.as(() => access)
    const watched = watchItems(mine, 'tasks', { fields: ['title'] }, { membership: 'match' })
    await watched.next()
    await createItem(engine, 'tasks', { title: 'Late', owner: 2 })
    await updateItem(engine, 'tasks', 3, { title: 'Seek' })
    await deleteItem(engine, 'tasks', 1)
    access = of(2)
    await feed.recheck()
    // The first was told, and is gone; the fourth was not told; the third looks otherwise.
    expect(await bare(watched)).toEqual({
      kind: 'changes',
      set: [
        { id: '3', item: { title: 'Seek' } },
        { id: '4', item: { title: 'Late' } },
      ],
      removed: expect.toSatisfy((ids: string[]) => ids.toSorted().join() === '1,2'),
    })
    access = { rules: { tasks: { read: { fields: ['title'] } } } }
    await feed.recheck()
    // Ids of other kinds cannot be compared.
    expect(await next(watched)).toEqual({ kind: 'reset', reason: 'access' })
    expect(await next(watched)).toMatchObject({ kind: 'snapshot' })
  })

  it('that change while they are asked for are asked for again', async () => {
    const { feed } = await openTasks()
    const answers: ((access: Rights) => void)[] = []
    const mine = feed.as(() => new Promise<Rights>((resolve) => answers.push(resolve)))
    const watched = watchItems(mine, 'tasks', { fields: ['title'] })
    const first = next(watched)
    await until(() => answers.length === 1)
    const rechecked = feed.recheck()
    answers[0]?.(of(1))
    await until(() => answers.length === 2)
    answers[1]?.(of(2))
    await rechecked
    expect(await first).toMatchObject({ kind: 'snapshot', items: [{ title: 'Hide' }] })
  })

  it('that are taken while hooks are told let nothing be told, either', async () => {
    const { engine, feed } = await openTasks()
    let access: Rights | null = of(1)
    engine.on(
      'items.read',
      async () => {
        access = null
        await feed.recheck()
      },
      { when: 'after' },
    )
    const mine = feed.as(() => access)
    const watched = watchItems(mine, 'tasks', { fields: ['title'] })
    await expect(watched.next()).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('that are taken while nobody watches are asked for again', async () => {
    const { feed } = await openTasks()
    let access = of(1)
    const mine = feed.as(() => access)
    const before = watchItems(mine, 'tasks', { fields: ['title'] })
    await before.next()
    await before.return()
    access = of(2)
    await feed.recheck()
    const watched = watchItems(mine, 'tasks', { fields: ['title'] })
    expect(await next(watched)).toMatchObject({ items: [{ title: 'Hide' }] })
  })

  it('that change twice before it is told begin anew where the ids are of another kind', async () => {
    let during = () => {}
    const { feed } = await openTasks({}, { onQuery: () => during() })
    const withoutKey: Rights = { rules: { tasks: { read: { fields: ['title'], filter: { owner: 2 } } } } }
    let access: Rights = of(1)
    const mine = feed.as(() => access)
    const watched = watchItems(mine, 'tasks', { fields: ['title'] })
    await watched.next()
    access = of(2)
    await feed.recheck()
    during = () => {
      access = withoutKey
      void feed.recheck()
      during = () => {}
    }
    expect(await next(watched)).toEqual({ kind: 'reset', reason: 'access' })
    expect(await next(watched)).toMatchObject({ kind: 'snapshot', items: [{ title: 'Hide' }] })
  })

  it('that are asked for again concern those who are meant', async () => {
    const { feed } = await openTasks()
    let calls = 0
    const mine = (user: number) =>
      feed.as(() => {
        calls++
        return { ...of(user), user }
      })
    const [one, two] = [watchItems(mine(1), 'tasks'), watchItems(mine(2), 'tasks')]
    await Promise.all([one.next(), two.next()])
    expect(calls).toBe(2)
    await feed.recheck(({ user }) => user === 2)
    expect(calls).toBe(3)
  })

  it('that depend on rows are those of the rows', async () => {
    const { engine, feed } = await openTasks()
    const mine = feed.as({
      user: 1,
      rules: { tasks: { read: { filter: { title: { _eq: '$CURRENT_USER.name' } } } } },
    })
    const watched = watchItems(mine, 'tasks', { fields: ['id'] })
    expect(await next(watched)).toMatchObject({ items: [] })
    await updateItem(engine, 'people', 1, { name: 'Hide' })
    expect(await next(watched)).toMatchObject({ kind: 'changes', set: [{ id: '3' }] })
    await updateItem(engine, 'people', 1, { name: 'Ada' })
    expect(await next(watched)).toMatchObject({ kind: 'changes', removed: ['3'] })
  })
})

describe('hooks on reads', () => {
  it('are asked at the beginning and again, and hear of what was told', async () => {
    const { engine, feed } = await openTasks({ recheckMs: 40 })
    let owner = 1
    let heard = 0
    engine.on('items.read', 'tasks', ({ query }) => ({ ...query, filter: { owner } }), { when: 'before' })
    engine.on(
      'items.read',
      'tasks',
      ({ items }) => {
        heard += items?.length ?? 0
      },
      { when: 'after' },
    )
    const watched = watchItems(feed.as({ admin: true }), 'tasks', { fields: ['title'] })
    expect(await next(watched)).toMatchObject({ items: [{ title: 'Paint' }, { title: 'Write' }] })
    expect(heard).toBe(2)
    owner = 2
    expect(await next(watched)).toMatchObject({ kind: 'changes', set: [{ id: '3' }], removed: ['1', '2'] })
    expect(heard).toBe(3)
  })
})

it('tells the order of a page to whoever has other rights by the time at which it would be told', async () => {
  const { engine, feed } = await openTasks()
  let access: Access<typeof schema> = { rules: { tasks: { read: true } } }
  const query = { fields: ['title'], sort: ['title'] } as const
  const changing = feed.as(() => access)
  const mine = watchItems(changing, 'tasks', query)
  const other = watchItems(feed.as({ rules: { tasks: { read: true } } }), 'tasks', query)
  expect(await next(mine)).toMatchObject({ ids: ['3', '1', '2'] })
  await next(other)
  await updateItem(engine, 'tasks', 3, { title: 'Zip' })
  expect(await next(other)).toMatchObject({ order: ['1', '2', '3'] })
  access = { rules: { tasks: { read: { fields: ['id', 'title'] } } } }
  await feed.recheck()
  expect(await next(mine)).toMatchObject({ kind: 'changes', order: ['1', '2', '3'] })
})
