// Lists of members without a limit: the default limit of lists is none of theirs.
import { describe, expect, it } from 'vitest'
import { createItem, createItems } from '../../../src/index.ts'
import { watchItems } from '../../../src/realtime.ts'
import { databases } from '../../support/databases.ts'
import { openSockets } from '../socket-server.ts'
import { admin, next, openTasks } from '../tasks.ts'

const titles = (count: number) => Array.from({ length: count }, (_, index) => ({ title: `task ${index}` }))

describe.each(databases)('on $name', (database) => {
  it('a list of members without a limit is whole, also where it begins anew', async () => {
    const { engine, feed } = await openTasks({}, {}, database)
    const watched = watchItems(feed.as(admin), 'tasks', { fields: ['id'] }, { membership: 'match' })
    await next(watched)
    await createItems(engine, 'tasks', titles(127))
    expect(await next(watched)).toMatchObject({ kind: 'changes', set: { length: 127 } })
    feed.reset('tasks')
    expect(await next(watched)).toMatchObject({ kind: 'reset' })
    expect(await next(watched)).toMatchObject({ kind: 'snapshot', items: { length: 130 } })
    const limited = watchItems(feed.as(admin), 'tasks', { limit: 5 }, { membership: 'match' })
    expect(await next(limited)).toMatchObject({ items: { length: 5 } })
  })

  it('one that has, or gets, more than 10,000 is refused, unless it has a limit', async () => {
    const { engine, feed, run } = await openTasks({}, {}, database)
    await run(
      `insert into tasks (id, title) with recursive n(i) as (select 1000 union all select i + 1 from n where i < 10996)
       select i, 'task' from n`,
    )
    const watch = (query: object) => watchItems(feed.as(admin), 'tasks', query, { membership: 'match' })
    const grows = watch({ fields: ['id'] })
    expect(await next(grows)).toMatchObject({ items: { length: 10_000 } })
    await createItem(engine, 'tasks', { title: 'one more' })
    await expect(grows.next()).rejects.toMatchObject({ code: 'INVALID_QUERY' })
    await expect(watch({ fields: ['id', 'title'] }).next()).rejects.toMatchObject({ code: 'INVALID_QUERY' })
    expect(await next(watch({ fields: ['id'], limit: 0 }))).toMatchObject({ kind: 'snapshot', items: [] })
  })
})

it('a socket is told all of them at the start', async () => {
  const { engine, as } = await openSockets()
  await createItems(engine, 'tasks', titles(127))
  const client = await as('admin')
  const init = await client.ask({ type: 'subscribe', collection: 'tasks', query: { fields: ['id'] }, uid: 1 })
  expect(init).toMatchObject({ event: 'init', data: { length: 130 } })
})
