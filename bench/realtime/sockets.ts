// R9 to R13: sockets by the thousand, whose clients are another process.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { listItems, updateItem } from 'quernel'
import { createSocketHandler, toWs } from 'quernel/realtime'
import { openFeed, pause } from './audience.ts'
import { tenantCaller } from './changes.ts'
import { type Figure, type Measuring, processorOf, share } from './figures.ts'
import { lateDuring } from './lateness.ts'
import { heap } from './memory.ts'
import { moment } from './moment.ts'
import type { Order, Reply } from './socket-clients.ts'

interface Clients {
  readonly ask: (order: Order) => Promise<Reply>
}

/** Opens a server of sockets with clients, for some work. `isShared`: all of them are one caller with one list. */
async function withClients<Result>(
  { ground, callers }: Measuring,
  isShared: boolean,
  work: (clients: Clients, url: string) => Promise<Result>,
): Promise<Result> {
  const feed = openFeed(ground.engine)
  const server = createServer()
  const sockets = createSocketHandler(feed, {
    authenticate: (token) =>
      token === null ? null : isShared ? { admin: true } : tenantCaller(Number(token), callers),
  })
  await toWs(sockets, server, { path: '/' })
  server.listen(0, '127.0.0.1', 4_096)
  await once(server, 'listening')
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const child = fork(new URL('./socket-clients.ts', import.meta.url))
  const ask = async (order: Order): Promise<Reply> => {
    child.send(order)
    // The clients answer each order by one message.
    const [reply] = (await once(child, 'message')) as [Reply]
    return reply
  }
  try {
    return await work({ ask }, url)
  } finally {
    await ask({ do: 'close' })
    child.kill()
    await feed.stop()
    server.closeAllConnections()
    server.close()
  }
}

/** Changes a ticket that the first callers of its tenant see. */
const change = ({ ground, callers }: Measuring, turn: number) =>
  updateItem(ground.engine, 'tickets', 1 + ((turn * 7_919) % callers), {
    title: `Turn ${turn}`,
    changed: moment(),
  })

const perSecond = 200

/** R9: told of changes by rules and filters of their own. */
export const measureSockets = (measuring: Measuring): Promise<readonly Figure[]> =>
  withClients(measuring, false, async ({ ask }, url) => {
    const { callers, seconds, ground } = measuring
    await ask({ do: 'open', url, first: 0, count: callers, isShared: false })
    const changes = perSecond * seconds
    const { here } = await processorOf(ground, async () => {
      const began = performance.now()
      for (let turn = 0; turn < changes; turn++) {
        const left = began + (turn * 1_000) / perSecond - performance.now()
        if (left > 0) await pause(left)
        await change(measuring, turn)
      }
      await pause(1_000)
    })
    const { ages } = await ask({ do: 'hear', frames: 1 })
    return [
      { what: 'told, p95', value: share(ages, 0.95), unit: 'ms' },
      { what: 'change', value: here / changes, unit: 'ms' },
      { what: 'frames of a change', value: ages.length / changes, unit: '×' },
    ]
  })

/** R10: one list that all watch. */
export const measureFanOut = (measuring: Measuring): Promise<readonly Figure[]> =>
  withClients(measuring, true, async ({ ask }, url) => {
    const { callers, seconds, ground } = measuring
    await ask({ do: 'open', url, first: 0, count: callers, isShared: true })
    const changes = 2 * seconds
    let late: readonly number[] = []
    const { here } = await processorOf(ground, async () => {
      late = await lateDuring(async () => {
        for (let turn = 0; turn < changes; turn++) {
          await change(measuring, turn)
          await ask({ do: 'hear', frames: callers })
        }
      })
    })
    return [
      { what: 'change', value: here / changes, unit: 'ms' },
      { what: 'late, p99.9', value: share(late, 0.999), unit: 'ms' },
    ]
  })

/** R11: what a socket and its subscription keep in memory. */
export const measureSocketMemory = (measuring: Measuring): Promise<readonly Figure[]> =>
  withClients(measuring, false, async ({ ask }, url) => {
    const { callers } = measuring
    await ask({ do: 'open', url, first: 0, count: 1, isShared: false })
    const before = heap()
    await ask({ do: 'open', url, first: 0, count: callers - 1, isShared: false })
    await pause(500)
    return [{ what: 'socket', value: (heap() - before) / (callers - 1) / 1_000, unit: 'KB' }]
  })

/** R12: all come at once, and others read meanwhile. */
export const measureReconnect = (measuring: Measuring): Promise<readonly Figure[]> =>
  withClients(measuring, false, async ({ ask }, url) => {
    const { callers, ground } = measuring
    await ask({ do: 'open', url, first: 0, count: callers, isShared: false })
    await ask({ do: 'close' })
    await pause(500)
    const reads: number[] = []
    let isOver = false
    const reading = (async () => {
      while (!isOver) {
        // Whoever asks from outside waits for the loop, too.
        const asked = performance.now() + 20
        await pause(20)
        await listItems(ground.bare, 'tickets', { limit: 10, filter: { tenant: { _eq: 1 } } })
        reads.push(performance.now() - asked)
      }
    })()
    const began = performance.now()
    await ask({ do: 'open', url, first: 0, count: callers, isShared: false })
    const ready = performance.now() - began
    isOver = true
    await reading
    return [
      { what: 'ready', value: ready, unit: 'ms' },
      { what: 'foreign read, p95', value: share(reads, 0.95), unit: 'ms' },
    ]
  })

/** Clients that stop to read, and frames until they are full. */
const [stalled, floods] = [100, 400]

/** R13: some read nothing any more. */
export const measureStalled = (measuring: Measuring): Promise<readonly Figure[]> =>
  withClients(measuring, true, async ({ ask }, url) => {
    const { ground } = measuring
    await ask({ do: 'open', url, first: 0, count: stalled, isShared: true })
    await ask({ do: 'stall' })
    const before = heap()
    for (let turn = 0; turn < floods; turn++)
      await updateItem(ground.engine, 'tickets', 1 + turn, {
        title: `${turn} `.repeat(2_000),
        changed: moment(),
      })
    await pause(1_000)
    return [{ what: 'stalled', value: (heap() - before) / 1_000, unit: 'KB' }]
  })
