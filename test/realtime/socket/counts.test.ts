// The counts that stand in the frames of sockets.
import { describe, expect, it } from 'vitest'
import { createItem, createItems, listItems } from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'
import { openLife, turns } from '../sockets-by-hand.ts'
import { until } from '../tasks.ts'

describe.each(databases)('on $name', (database) => {
  const queries: string[] = []
  const engineOptions = { onQuery: ({ sql }: { sql: string }) => void queries.push(sql) }
  const asked = {
    type: 'subscribe',
    collection: 'tasks',
    query: { fields: ['title'], filter: { title: 'Paint' }, meta: ['*'] },
  } as const

  it('are those of now for whoever subscribes later', async () => {
    const { open, engine, feed } = await openLife({}, engineOptions, database)
    const [first, later] = [open(), open()]
    for (const { send } of [first, later]) send({ type: 'auth', access_token: 'admin' })
    first.send(asked)
    await until(() => first.frames.length === 2)
    expect(first.frames[1]).toMatchObject({ event: 'init', meta: { total_count: 3, filter_count: 1 } })
    // None of them is of the list.
    await createItems(
      engine,
      'tasks',
      Array.from({ length: 10 }, (_, at) => ({ title: `other ${at}` })),
    )
    await until(() => feed.status().oldest === 0)
    await turns()
    later.send(asked)
    await until(() => later.frames.length === 2)
    const { meta } = await listItems(engine, 'tasks', { filter: { title: 'Paint' }, meta: '*', limit: 1 })
    expect(later.frames[1]).toMatchObject({
      event: 'init',
      meta: { total_count: meta?.total_count, filter_count: meta?.filter_count },
    })
    expect(meta?.total_count).toBe(13)
    // A change is told with the counts of its moment.
    await createItem(engine, 'tasks', { title: 'Paint' })
    for (const { frames } of [first, later]) {
      await until(() => frames.length === 3)
      expect(frames[2]).toMatchObject({ event: 'create', meta: { total_count: 14, filter_count: 2 } })
    }
  })

  it('are read together for all who begin at once', async () => {
    const { open } = await openLife({}, engineOptions, database)
    const { send, frames } = open()
    send({ type: 'auth', access_token: 'admin' })
    const sockets = Array.from({ length: 30 }, () => open())
    for (const socket of sockets) socket.send({ type: 'auth', access_token: 'admin' })
    await until(() => sockets.every(({ frames }) => frames.length === 1) && frames.length === 1)
    queries.length = 0
    for (const socket of sockets) socket.send(asked)
    await until(() => sockets.every(({ frames }) => frames.length === 2))
    expect(queries.filter((sql) => /count\(/i.test(sql)).length).toBeLessThan(10)
    send({ type: 'ping' })
  })
})
