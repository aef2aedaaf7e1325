// The official client of the installed base, over real connections.
import { createDirectus, realtime, staticToken } from '@directus/sdk'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createItems, updateItem } from '../../../src/index.ts'
import { openSockets, type SocketWorld } from '../socket-server.ts'
import { until } from '../tasks.ts'

interface Told {
  readonly event: string
  readonly data: readonly Readonly<Record<string, unknown>>[]
}

/** Opens a client, as its documentation tells. */
async function openClient({ url }: SocketWorld, token: string, authMode: 'handshake' | 'public' | 'strict') {
  const client = createDirectus(`http://${url}`, { globals: { WebSocket } as never })
    .with(staticToken(token))
    .with(realtime({ authMode }))
  await client.connect()
  return client
}

describe('the official client', () => {
  it.each(['handshake', 'strict'] as const)('watches a list: %s', async (mode) => {
    const world = await openSockets({ mode, urlTokens: true })
    const client = await openClient(world, 'ada', mode)
    const { subscription, unsubscribe } = await client.subscribe('tasks' as never, {
      query: { fields: ['id', 'title'], sort: ['-id'], filter: { title: { _neq: 'nothing' } } } as never,
    })
    const list = subscription as AsyncGenerator<Told>
    expect((await list.next()).value).toMatchObject({ event: 'init', data: [{ id: 2 }, { id: 1 }] })
    // It hears only what comes while it is asked for more.
    const heard = list.next()
    await updateItem(world.engine, 'tasks', 1, { title: 'Draw' })
    expect((await heard).value).toMatchObject({ event: 'update', data: [{ id: 1, title: 'Draw' }] })
    unsubscribe()
    client.disconnect()
    await until(() => world.sockets.status().sockets === 0)
  })

  it('hears of 1,000 items that are created in batches, each once', async () => {
    const world = await openSockets()
    const client = await openClient(world, 'admin', 'handshake')
    const { subscription } = await client.subscribe('tasks' as never, { query: { fields: ['id'] } as never })
    const list = subscription as AsyncGenerator<Told>
    await list.next()
    const heard: unknown[] = []
    const hearing = (async () => {
      while (heard.length < 1_000) heard.push(...((await list.next()).value as Told).data)
    })()
    for (let batch = 0; batch < 50; batch++)
      await createItems(
        world.engine,
        'tasks',
        Array.from({ length: 20 }, () => ({ title: 'x' })),
      )
    await hearing
    expect(new Set(heard.map((item) => Object(item).id)).size).toBe(1_000)
    client.disconnect()
  })

  it('comes back after its connection is lost, and watches again', async () => {
    const world = await openSockets()
    const client = await openClient(world, 'admin', 'handshake')
    const { subscription } = await client.subscribe('tasks' as never, { query: { fields: ['id'] } as never })
    const list = subscription as AsyncGenerator<Told>
    expect((await list.next()).value).toMatchObject({ event: 'init' })
    const coming = list.next()
    world.breakAll()
    expect((await coming).value).toMatchObject({ event: 'init' })
    expect(world.feed.status().subscriptions).toBe(1)
    client.disconnect()
  })
})
