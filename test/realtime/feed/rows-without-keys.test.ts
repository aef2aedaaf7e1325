// Rows whose key cannot be read: each has an id of its own, and no list ends for it.
import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createGraphQLSocket } from '../../../src/graphql.ts'
import { createEngine, defineSchema } from '../../../src/index.ts'
import { createFeed, createSocketHandler, type Source, toWs, watchItems } from '../../../src/realtime.ts'
import { subscribed } from '../../graphql/socket/sockets.ts'
import { atEnd } from '../../support/at-end.ts'
import { databases } from '../../support/databases.ts'
import { portOf } from '../../support/listening.ts'
import { SocketClient } from '../socket-client.ts'
import { bare, until } from '../tasks.ts'

const n = { type: 'integer', nullable: true } as const
const schema = defineSchema({
  marks: { fields: { id: { type: 'integer', key: true }, n } },
  seats: { key: ['line', 'place'], fields: { line: { type: 'integer' }, place: { type: 'string' }, n } },
})

describe.each(databases)('on $name', ({ open }) => {
  const openMarks = async () => {
    const { db, run } = await open()
    await run(
      'create table marks (id integer, n integer)',
      'create table seats (line integer, place varchar(9), n integer)',
      'insert into marks values (1, 1), (null, 2), (null, 3)',
      `insert into seats values (1, 'a', 1), (1, null, 2), (null, 'a', 3)`,
    )
    const engine = createEngine({ db, schema })
    const told: ((collection: string) => void)[] = []
    const source: Source = {
      async *read() {
        yield { position: 0, changes: [] }
        for (let position = 1; ; position++) {
          const collection = await new Promise<string>((resolve) => void told.push(resolve))
          yield { position, changes: [{ collection }] }
        }
      },
    }
    const feed = createFeed(engine, { source, settleMs: 1 })
    atEnd(() => feed.stop())
    const change = async (statement: string, collection = 'marks') => {
      await until(() => told.length > 0)
      const heard = told.length
      await run(statement)
      told.at(-1)?.(collection)
      await until(() => told.length > heard)
    }
    const server = createServer()
    const authenticate = () => ({ admin: true }) as const
    await toWs(createSocketHandler(feed, { authenticate, mode: 'public' }), server, { path: '/websocket' })
    await toWs(createGraphQLSocket(feed, { authenticate, mode: 'public' }), server, { path: '/graphql' })
    const port = await portOf(server)
    const connect = async (path: string, protocols: string[] = []) => {
      const client = new SocketClient(`ws://127.0.0.1:${port}${path}`, {
        protocols,
      })
      await client.ready
      atEnd(() => client.terminate())
      return client
    }
    return { feed, change, connect }
  }

  it.each(['page', 'match'] as const)('have ids of their own in a %s', async (membership) => {
    const { feed, change } = await openMarks()
    const list = watchItems(
      feed.as({ admin: true }),
      'marks',
      { fields: ['n'], sort: 'n', limit: 9 },
      { membership },
    )
    const { items, ids } = Object(await bare(list)) as { items: unknown; ids: string[] }
    expect(items).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(ids[0]).toBe('1')
    expect(new Set(ids).size).toBe(3)
    await change('update marks set n = 5 where n = 3')
    expect(await bare(list)).toMatchObject({ set: [{ id: ids[2], item: { n: 5 } }], removed: [] })
    await change('delete from marks where n = 5')
    expect(await bare(list)).toMatchObject({ set: [], removed: [ids[2]] })
  })

  it('have ids where one part of the key cannot be read', async () => {
    const { feed, change } = await openMarks()
    const list = watchItems(feed.as({ admin: true }), 'seats', { fields: ['n'], sort: 'n', limit: 9 })
    const { ids } = Object(await bare(list)) as { ids: string[] }
    expect(ids[0]).toBe('1,a')
    expect(new Set(ids).size).toBe(3)
    await change('update seats set n = 0 where line is null', 'seats')
    // Which of them is which is told by their order.
    const moved = [
      { id: ids[1], item: { n: 0 } },
      { id: ids[2], item: { n: 2 } },
    ]
    expect(await bare(list)).toEqual({
      kind: 'changes',
      set: moved,
      removed: [],
      order: [ids[1], ids[0], ids[2]],
    })
  })

  it('come and go over a socket', async () => {
    const { change, connect } = await openMarks()
    const client = await connect('/websocket')
    const asked = { type: 'subscribe', collection: 'marks', query: { fields: ['n'], sort: 'n' }, uid: 'a' }
    expect(await client.ask(asked)).toMatchObject({ event: 'init', data: [{ n: 1 }, { n: 2 }, { n: 3 }] })
    await change('delete from marks where n = 3')
    expect(await client.next()).toMatchObject({
      event: 'delete',
      data: [expect.stringMatching(/^[\w-]{22}$/)],
    })
    await change('insert into marks values (7, 7)')
    expect(await client.next()).toMatchObject({ data: [{ n: 7 }] })
  })

  it('end no subscription of GraphQL, which has no data of them', async () => {
    const { feed, change, connect } = await openMarks()
    const client = await connect('/graphql', ['graphql-transport-ws'])
    await client.ask({ type: 'connection_init' })
    const query = 'subscription { marks_mutated { key event data { n } } }'
    client.send({ id: '1', type: 'subscribe', payload: { query } })
    await subscribed(feed, 1)
    await change('update marks set n = 4 where n = 3')
    await change('insert into marks values (7, 7)')
    expect(await client.next()).toMatchObject({
      type: 'next',
      payload: { data: { marks_mutated: { key: '7', data: { n: 7 } } } },
    })
  })
})
