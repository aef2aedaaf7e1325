// Whoever reads a list once and then follows its events holds what the list answers, whenever nothing changes.

import { describe, expect, it } from 'vitest'
import {
  type Access,
  createEngine,
  createItem,
  defineSchema,
  deleteByQuery,
  deleteItem,
  type Engine,
  listItems,
  updateByQuery,
  updateItem,
} from '../../../src/index.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { SocketClient } from '../../realtime/socket-client.ts'
import { atEnd } from '../../support/at-end.ts'
import { databases } from '../../support/databases.ts'
import { key, number, text } from '../../support/fields.ts'
import { isLong } from '../../support/long-runs.ts'
import { openSockets, subscribed } from './sockets.ts'

const schema = defineSchema({
  notes: { fields: { id: key, owner: number, rank: number, text, secret: text } },
})

const accessOf = (user: number): Access => ({
  user,
  rules: { notes: { read: { filter: { owner: { _eq: '$CURRENT_USER' } }, fields: ['id', 'rank', 'text'] } } },
})
const callers: readonly Access[] = [accessOf(1), accessOf(2), { admin: true }]

const steps = isLong ? 3_000 : 150

describe.each(databases)('on $name', ({ open }) => {
  it(`events keep replicas true (QUERNEL_SEED=${fuzzSeed})`, async () => {
    const random = new Random(fuzzSeed)
    const database = await open()
    await database.run(
      'create table notes (id integer primary key, owner integer, rank integer, text varchar(80), secret varchar(80))',
    )
    const engine = createEngine({ db: database.db, schema }) as unknown as Engine
    const { url, feed, errors } = await openSockets(engine, {
      authenticate: (token) => callers[Number(token)] ?? null,
    })
    const filters = [undefined, { rank: { _gte: 5 } }]
    const followers = await Promise.all(
      callers.flatMap((_, caller) =>
        filters.map(async (filter) => {
          const client = new SocketClient(url, { protocols: ['graphql-transport-ws'] })
          await client.ready
          atEnd(() => client.close())
          await client.ask({ type: 'connection_init', payload: { access_token: String(caller) } })
          const argument = filter ? '(filter: { rank: { _gte: 5 } })' : ''
          const query = `subscription { notes_mutated${argument} { key event data { id rank text } } }`
          client.send({ id: '1', type: 'subscribe', payload: { query } })
          return { client, filter, access: callers[caller] ?? {}, held: new Map<string, unknown>(), read: 1 }
        }),
      ),
    )
    await subscribed(feed, followers.length)
    const values = () => ({
      owner: random.one([1, 2, null]),
      rank: random.below(10),
      text: `text ${random.below(1_000)}`,
      secret: `secret ${random.below(1_000)}`,
    })
    const some = () => Object.fromEntries(random.some(Object.entries(values()), 2))
    const key = () => 1 + random.below(30)
    /** Looks at which something had changed: how many events that took depends on how fast they are read. */
    let moved = 0
    for (let step = 0; step < steps; step++) {
      const write = random.one([
        () => createItem(engine, 'notes', { id: key(), ...values() }),
        () => updateItem(engine, 'notes', key(), some()),
        () => updateItem(engine, 'notes', key(), some()),
        () => deleteItem(engine, 'notes', key()),
        () =>
          updateByQuery(engine, 'notes', { filter: { rank: { _eq: random.below(10) } }, limit: -1 }, some()),
        () => deleteByQuery(engine, 'notes', { filter: { rank: { _eq: random.below(10) } }, limit: 2 }),
      ])
      // Keys that are there already, or not there, are refused.
      await write().catch(() => undefined)
      if (step % 25 !== 24) continue
      await subscribed(feed, followers.length)
      const before = followers.map(({ read }) => read)
      for (const follower of followers) {
        const { client, filter, access, held } = follower
        const list = await listItems(engine.as(access), 'notes', {
          fields: ['id', 'rank', 'text'],
          limit: -1,
          ...(filter && { filter }),
        })
        const expected = new Map(list.data.map((item) => [String(Object(item).id), bare(item)]))
        const end = performance.now() + 60_000
        for (;;) {
          for (const frame of client.frames.slice(follower.read)) {
            expect(frame.type, JSON.stringify(frame)).toBe('next')
            const { key: id, event, data } = Object(frame.payload).data.notes_mutated
            if (event === 'delete') held.delete(id)
            else held.set(id, bare(data))
            follower.read += 1
          }
          if (JSON.stringify([...held].sort()) === JSON.stringify([...expected].sort())) break
          if (performance.now() > end) expect(held).toEqual(expected)
          await client.heard(follower.read + 1, 50)
        }
      }
      if (followers.some(({ read }, at) => read !== before[at])) moved += 1
    }
    // A few steps may leave nothing that anybody sees.
    expect(moved).toBeGreaterThanOrEqual(steps / 50)
    expect(errors).toEqual([])
  })
})

/** Returns an item with its id as text, as GraphQL has it, and its members in one order. */
function bare(item: unknown): unknown {
  const { id, rank, text } = Object(item)
  return { id: String(id), rank, text }
}
