// Streams give what lists give, a few rows at a time.
import { beforeAll, describe, expect, it } from 'vitest'
import { exportItems } from '../../src/export.ts'
import { createEngine, defineSchema, type Engine, listItems, streamItems } from '../../src/index.ts'
import { insert, type OpenDatabase } from '../support/databases.ts'
import { key, many, maybeOne, number, string, text } from '../support/fields.ts'
import { lanes } from '../support/lanes.ts'

const schema = defineSchema({
  rooms: { fields: { id: key, name: string, events: many('events.room') } },
  events: {
    fields: {
      id: { type: 'bigInteger', key: true },
      name: text,
      weight: { type: 'float', nullable: true },
      rank: number,
      room: maybeOne('rooms'),
    },
  },
})

const rooms = 30
const events = 3_300

/** Beyond what a double can count, so that a page must not begin behind a rounded key. */
const firstKey = 9_007_199_254_740_992n

describe.each(lanes)('on $title', ({ open }) => {
  let opened: OpenDatabase
  let engine: Engine<typeof schema>
  beforeAll(async () => {
    opened = await open()
    const { db, run } = opened
    await run('create table rooms (id integer primary key, name text not null)')
    await run(
      'create table events (id bigint primary key, name text, weight double precision, rank integer, room integer)',
    )
    await run('create index events_room on events (room, weight)')
    const names = Array.from({ length: rooms }, (_, index) => ({ id: index + 1, name: `Room ${index % 7}` }))
    await db.insertInto('rooms').values(names).execute()
    const rows = Array.from({ length: events }, (_, index) => ({
      id: firstKey + BigInt((index * 7_919) % events),
      name: index % 5 === 0 ? null : `Event ${index % 11}`,
      weight: index % 3 === 0 ? null : ((index * 31) % 101) / 7,
      rank: index % 2 === 0 ? null : index % 13,
      room: index % 4 === 0 ? null : (index % rooms) + 1,
    }))
    for (let from = 0; from < rows.length; from += 300)
      await insert(db, 'events', rows.slice(from, from + 300))
    engine = createEngine({ db, schema })
  })

  it.each([
    ['by the key', {}],
    ['descending', { sort: '-id' }],
    ['by a value that is often null', { sort: ['name', '-weight'] }],
    ['descending by such a value', { sort: ['-rank', 'name'] }],
    ['by a value that comes before many nulls', { sort: 'rank' }],
    ['from an offset among many nulls', { sort: '-rank', offset: 300 }],
    ['by the value of a related item', { sort: ['-room.name', 'rank'] }],
    ['by the value of related items', { fields: ['id'], sort: 'room.events.weight' }],
    ['filtered and searched', { filter: { rank: { _gt: 5 } }, search: 'event 1', sort: '-weight' }],
    ['from an offset to a limit', { sort: 'name', offset: 1_700, limit: 1_200 }],
    ['with related items', { fields: ['id', 'room.name', 'room.events'], sort: 'weight', limit: 900 }],
  ] as const)('a stream gives the list %s', async (_title, query) => {
    const { data } = await listItems(engine, 'events', { limit: -1, ...query })
    const streamed: unknown[] = []
    for await (const event of streamItems(engine, 'events', query)) streamed.push(event)
    expect(streamed.length).toBeGreaterThan(100)
    expect(streamed).toEqual(data)
  })

  it('a stream has no default limit, but obeys the maximum', async () => {
    const limited = createEngine({ db: opened.db, schema, limits: { maxLimit: 1_500 } })
    expect(await count(streamItems(engine, 'events'))).toBe(events)
    expect(await count(streamItems(limited, 'events'))).toBe(1_500)
  })

  it('groups are streamed, too', async () => {
    const query = { aggregate: { count: '*' }, groupBy: 'name' } as const
    const { data } = await listItems(engine, 'events', query)
    const streamed: unknown[] = []
    for await (const group of streamItems(engine, 'events', query)) streamed.push(group)
    expect(streamed).toEqual(data)
  })

  it.each([
    ['rows', {}],
    ['groups', { groupBy: ['id'] }],
  ] as const)('everybody else has a turn between chunks of %s', async (_, query) => {
    const exported = async () => {
      const { body } = await exportItems(engine, 'events', { limit: -1, ...query }, 'ndjson')
      let size = 0
      for await (const bytes of body) size += bytes.length
      return size
    }
    for (const [all, read] of [
      [events, () => count(streamItems(engine, 'events', query))],
      [expect.any(Number), exported],
    ] as const) {
      let turns = 0
      const turn = () => {
        turns++
        next = setImmediate(turn)
      }
      let next = setImmediate(turn)
      expect(await read()).toEqual(all)
      clearImmediate(next)
      // Chunks are of a thousand.
      expect(turns).toBeGreaterThanOrEqual(3)
    }
  })

  it('a query inside a stream is answered', async () => {
    let seen = 0
    for await (const { id } of streamItems(engine, 'events', { limit: 30 })) {
      const { data } = await listItems(engine, 'events', { filter: { id } })
      expect(data[0]?.id).toBe(id)
      seen++
    }
    expect(seen).toBe(30)
  })

  it('a stream that is left early gives its connection back', async () => {
    for (let time = 0; time < 30; time++) {
      for await (const { id } of streamItems(engine, 'events')) if (id !== '') break
    }
    expect((await listItems(engine, 'rooms')).data.length).toBe(rooms)
  })

  it('a stream runs inside the transaction of a host', async () => {
    await opened.db.transaction().execute(async (transaction) => {
      await transaction.insertInto('rooms').values({ id: 99, name: 'Cellar' }).execute()
      const inside = engine.using(transaction)
      const names: string[] = []
      for await (const { name } of streamItems(inside, 'rooms', { filter: { id: 99 } })) names.push(name)
      expect(names).toEqual(['Cellar'])
      await transaction.deleteFrom('rooms').where('id', '=', 99).execute()
    })
  })

  it('a stream of an engine that was made for a transaction leaves it open', async () => {
    const work = opened.db.transaction().execute(async (transaction) => {
      await transaction.insertInto('rooms').values({ id: 99, name: 'Cellar' }).execute()
      const inside = createEngine({ db: transaction, schema })
      const names: string[] = []
      for await (const { name } of streamItems(inside, 'rooms', { filter: { id: 99 } })) names.push(name)
      expect(names).toEqual(['Cellar'])
      throw new RangeError('undone')
    })
    await expect(work).rejects.toThrow('undone')
    expect((await listItems(engine, 'rooms')).data.length).toBe(rooms)
  })

  it('a mistake in the query of a stream is told with the first item', async () => {
    await expect(
      count(streamItems(engine, 'events', { filter: { rank: { _gt: 'x' as '1' } } })),
    ).rejects.toThrow('takes a whole number')
  })
})

async function count(items: AsyncIterable<unknown>): Promise<number> {
  let seen = 0
  for await (const _ of items) seen++
  return seen
}
