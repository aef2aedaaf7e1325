// Pages that are left alone by rows behind their last item, and pages that are not.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Access,
  createEngine,
  createItem,
  createItems,
  defineSchema,
  deleteItem,
  type Engine,
  listItems,
  updateItem,
} from '../../../src/index.ts'
import { withoutShortcuts } from '../../../src/realtime/feed/feed-options.ts'
import { createFeed, type Feed, localSource, watchItems } from '../../../src/realtime.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { integer, key, moment, number, text } from '../../support/fields.ts'
import { countWork } from '../counted.ts'
import { Replica } from '../replica.ts'
import { pause, until } from '../tasks.ts'

const schema = defineSchema({
  games: { fields: { id: key, name: text, points: number, at: moment, secret: integer } },
})

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let engine: Engine<typeof schema>
  let feed: Feed<typeof schema>
  let stopCounting: () => void
  const counts = new Map<string, number>()

  const open10 = async (options: object = {}) => {
    opened = await open()
    const moment = name === 'sqlite' ? 'text' : 'timestamptz'
    await opened.run(
      `create table games (id integer primary key, name text, points integer, at ${moment}, secret integer not null)`,
    )
    engine = createEngine({ db: opened.db, schema })
    const rows = Array.from({ length: 10 }, (_, index) => ({
      id: index + 1,
      name: `game ${index}`,
      points: index === 9 ? null : 10 * (index + 1),
      at: `2026-01-${10 + index}T00:00:00.000Z`,
      secret: index,
    }))
    await createItems(engine, 'games', rows)
    feed = createFeed(engine, { source: localSource(), settleMs: 1, ...options })
  }
  beforeEach(() => {
    stopCounting = countWork(counts, 'games')
    counts.clear()
  })
  afterEach(async () => {
    stopCounting()
    await feed.stop()
  })

  /** Watches a page, and returns what its reads cost so far, and whether it holds what a list answers. */
  const watched = async (query: object, access: Access<typeof schema> = { admin: true }) => {
    const replica = new Replica()
    const messages = watchItems(feed.as(access), 'games', query)
    const first = await messages.next()
    if (first.value) replica.apply(first.value)
    const over = (async () => {
      for await (const message of messages) replica.apply(message)
    })()
    const reads = () => counts.get('page read as a whole') ?? 0
    const isRight = async () => {
      const { data } = await listItems(engine.as(access), 'games', query)
      await until(() => JSON.stringify(replica.data) === JSON.stringify(data))
    }
    /** Does something, and tells whether the page was read again. */
    const isReadFor = async (act: () => Promise<unknown>): Promise<boolean> => {
      // The first change of a row behind a page lets its last item be read.
      const before = reads()
      await act()
      await pause(30)
      await isRight()
      return reads() > before
    }
    const leave = async () => {
      await messages.return()
      await over
    }
    return { isReadFor, leave }
  }

  const fields = ['id', 'points'] as const
  const pages = [
    { query: { fields, sort: 'points', limit: 3 }, behind: { points: 35 }, within: { points: 25 } },
    {
      query: { fields, sort: '-at', limit: 3 },
      behind: { at: '2026-01-12T00:00:00.000Z' },
      within: { at: '2027-01-01T00:00:00.000Z' },
    },
    // Nulls come first here.
    {
      query: { fields, sort: ['-points', 'id'], limit: 3 },
      behind: { points: 70 },
      within: { points: null },
    },
    {
      query: { fields, sort: ['points'], filter: { points: { _gt: 20 } }, limit: 3 },
      behind: { points: null },
      within: { points: 21 },
    },
  ] as const

  it.each(pages)(
    'a row behind the last item of $query changes nothing',
    async ({ query, behind, within }) => {
      await open10()
      const { isReadFor, leave } = await watched(query)
      expect(await isReadFor(() => createItem(engine, 'games', { id: 50, secret: 0, ...behind }))).toBe(false)
      expect(
        await isReadFor(() => updateItem(engine, 'games', 50, { name: 'still behind', ...behind })),
      ).toBe(false)
      expect(await isReadFor(() => updateItem(engine, 'games', 50, within))).toBe(true)
      // It was an item.
      expect(await isReadFor(() => updateItem(engine, 'games', 50, behind))).toBe(true)
      expect(
        await isReadFor(() => updateItem(engine, 'games', 50, { name: 'behind again', ...behind })),
      ).toBe(false)
      expect(await isReadFor(() => deleteItem(engine, 'games', 50))).toBe(false)
      await leave()
    },
  )

  it('several changes of one moment change what they change', async () => {
    await open10()
    const { isReadFor, leave } = await watched({ fields, sort: 'points', limit: 3 })
    const together = (act: (inside: Engine<typeof schema>) => Promise<unknown>) => () =>
      engine.transaction(act)
    // The last item goes behind another one that was behind it.
    expect(
      await isReadFor(
        together(async (inside) => {
          await updateItem(inside, 'games', 4, { points: 45 })
          await updateItem(inside, 'games', 3, { points: 70 })
        }),
      ),
    ).toBe(true)
    expect(await isReadFor(together((inside) => updateItem(inside, 'games', 8, { points: 500 })))).toBe(false)
    expect(
      await isReadFor(
        together(async (inside) => {
          await createItem(inside, 'games', { id: 60, points: 1, secret: 0 })
          await createItem(inside, 'games', { id: 61, points: 900, secret: 0 })
          await deleteItem(inside, 'games', 60)
        }),
      ),
    ).toBe(false)
    for (const id of [1, 2, 4]) expect(await isReadFor(() => deleteItem(engine, 'games', id))).toBe(true)
    await leave()
  })

  const read = (partly: object) => ({ rules: { games: { read: partly } } }) as Access<typeof schema>

  it.each<[string, object, Access<typeof schema> | undefined]>([
    ['that has room', { fields, sort: 'points', limit: 20 }, undefined],
    ['with an offset', { fields, sort: 'points', limit: 3, offset: 1 }, undefined],
    ['in the order of texts', { fields, sort: 'name', limit: 3 }, undefined],
    [
      'in an order by a field that is seen on some rows only',
      { fields, sort: 'secret', limit: 3 },
      read([{ fields: ['id', 'points', 'name'] }, { filter: { id: { _lt: 100 } }, fields: ['secret'] }]),
    ],
  ])('a page %s is read again', async (_kind, query, access) => {
    await open10()
    const { isReadFor, leave } = await watched(query, access)
    const last = { points: 1_000, name: 'zzz', secret: 1_000 }
    expect(await isReadFor(() => createItem(engine, 'games', { id: 70, ...last }))).toBe(true)
    await leave()
  })

  it('without shortcuts each page is read again', async () => {
    await open10({ [withoutShortcuts]: true })
    const { isReadFor, leave } = await watched({ fields, sort: 'points', limit: 3 })
    expect(await isReadFor(() => createItem(engine, 'games', { id: 50, points: 500, secret: 0 }))).toBe(true)
    await leave()
  })
})
