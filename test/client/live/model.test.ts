// The model of live lists: rows are written, connections break at any byte, clients sleep, servers start anew and rights are taken; at the end each client holds the list.
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect as connectTo, createServer as createRelay, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { connect, liveList } from '../../../src/client.ts'
import { createHandler, toNode } from '../../../src/http.ts'
import { type Access, createItem, deleteByQuery, listItems, updateByQuery } from '../../../src/index.ts'
import { createFeed, createSocketHandler, localSource, realtime, toWs } from '../../../src/realtime.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { admin, openTasks, pause, type schema } from '../../realtime/tasks.ts'
import { atEnd } from '../../support/at-end.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { portOf } from '../../support/listening.ts'

const queries = [
  { fields: ['title', 'owner.name'], sort: ['title', 'id'] },
  { fields: ['title'], sort: '-title', limit: 3 },
  { fields: ['title'], filter: { title: { _gte: 'm' } }, sort: ['title', 'id'] },
  { aggregate: { count: '*' }, groupBy: 'owner', sort: 'owner' },
] as const
const narrow: Access<typeof schema> = {
  rules: { tasks: { read: { filter: { owner: { _eq: 1 } } } }, people: { read: true } },
}

/** A server that can be started anew, and a way to it that breaks each connection behind some bytes. */
async function open(database: TestDatabase, random: Random) {
  const { engine, feed: first } = await openTasks({}, {}, database)
  const who: { access: Access<typeof schema> } = { access: admin }
  const authenticate = () => who.access
  let feed = first
  let listener: RequestListener
  let close: () => void = () => undefined
  const server = createServer((request, response) => void listener(request, response))
  const start = async () => {
    listener = toNode(createHandler(engine, { authenticate, mounts: [realtime(feed)] }))
    close = (await toWs(createSocketHandler(feed, { authenticate }), server)).close
  }
  await start()
  const port = await portOf(server)
  const breaking = { is: true }
  const sleeping = { is: false }
  const connections = new Set<Socket>()
  const relay = createRelay((near) => {
    const far = connectTo(port, '127.0.0.1')
    let left = 1 + random.below(6_000)
    far.on('data', (chunk) => {
      if (sleeping.is) far.pause()
      near.write(breaking.is ? chunk.subarray(0, left) : chunk)
      left -= chunk.length
      if (breaking.is && left <= 0) near.destroy()
    })
    near.on('data', (chunk) => far.write(chunk))
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      connections.add(one)
      one.on('error', () => undefined)
      one.on('close', () => {
        connections.delete(one)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  atEnd(async () => {
    for (const one of connections) one.destroy()
    relay.close()
    await feed.stop()
  })
  const restart = async () => {
    close()
    await feed.stop()
    feed = createFeed(engine, { source: localSource(), settleMs: 1 })
    await start()
  }
  /** Lets nothing through to clients, as to a tab that sleeps, or all again. */
  const sleep = (is = !sleeping.is) => {
    sleeping.is = is
    if (!is) for (const one of connections) one.resume()
  }
  const url = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`
  return { engine, who, restart, url, breaking, sleep, recheck: () => feed.recheck() }
}

describe.each(databases)(`on $name (QUERNEL_SEED=${fuzzSeed})`, (database) => {
  it.each([['event streams', false] as const, ['a socket', WebSocket] as const])(
    'a client over %s holds the list',
    async (_, socket) => {
      const random = new Random(fuzzSeed + (socket ? 7 : 0))
      const { engine, who, restart, url, breaking, sleep, recheck } = await open(database, random)
      const api = connect<typeof schema>(url, { token: 'any', socket })
      const lists = queries.map((query) => liveList(api, 'tasks', query as object))
      const states = new Set<string>()
      for (const list of lists) atEnd(list.subscribe(() => states.add(list.getSnapshot().state)))
      const title = () => String.fromCharCode(97 + random.below(26)).repeat(1 + random.below(40))
      const steps = [
        () => createItem(engine, 'tasks', { title: title(), owner: 1 + random.below(2) }),
        () => createItem(engine, 'tasks', { title: title(), owner: 1 }),
        () => updateByQuery(engine, 'tasks', { sort: 'title', limit: 2 }, { title: title() }),
        () => updateByQuery(engine, 'tasks', { limit: 1 }, { owner: 1 + random.below(2) }),
        () => deleteByQuery(engine, 'tasks', { sort: '-title', limit: 1 }),
        async () => {
          who.access = who.access === admin ? narrow : admin
          await recheck()
        },
        () => pause(20 * random.below(20)),
        () => sleep(),
      ] as const
      for (let number = 0; number < 60; number++) {
        await steps[random.below(steps.length)]?.()
        if (number % 20 === 19) await restart()
        await pause(random.below(30))
      }
      who.access = narrow
      await recheck()
      breaking.is = false
      sleep(false)
      for (const [index, query] of queries.entries()) {
        const { data } = await listItems(engine.as(narrow), 'tasks', query as object)
        await expect.poll(() => lists[index]?.getSnapshot()).toMatchObject({ state: 'live', items: data })
      }
      expect(states).toContain('late')
      expect(states).not.toContain('failed')
    },
  )
})
