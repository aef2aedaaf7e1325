// Lists of a collection whose key has several parts: a written row is matched, and read alone, as one with a key of one part.
import { describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  defineSchema,
  deleteItem,
  listItems,
  updateItem,
} from '../../../src/index.ts'
import { createFeed, localSource, type Source, watchItems } from '../../../src/realtime.ts'
import { databases } from '../../support/databases.ts'
import { integer, number, string } from '../../support/fields.ts'
import { countWork } from '../counted.ts'
import { Replica } from '../replica.ts'
import { pause, until } from '../tasks.ts'

const schema = defineSchema({
  seats: { key: ['line', 'place'], fields: { line: integer, place: string, guest: number } },
})

describe.each(databases)('on $name', ({ open }) => {
  it.each(['match', 'page'] as const)('membership %s', async (membership) => {
    const { db, run } = await open()
    await run(
      'create table seats (line integer not null, place varchar(9) not null, guest integer, primary key (line, place))',
      `insert into seats values (1, 'a', 1), (1, 'b', 2), (2, 'a', 1), (2, 'b', null)`,
    )
    const engine = createEngine({ db, schema })
    const told: ((keys: readonly (string | number)[][]) => void)[] = []
    const foreign: Source = {
      async *read() {
        yield { position: 1, changes: [] }
        for (let position = 2; ; position++) {
          const keys = await new Promise<readonly (string | number)[][]>((resolve) => void told.push(resolve))
          yield { position, changes: [{ collection: 'seats', keys }] }
        }
      },
    }
    const query = {
      filter: { guest: 1 },
      sort: ['line', 'place'],
      limit: membership === 'page' ? 2 : -1,
    } as const
    const counts = new Map<string, number>()
    const stopCounting = countWork(counts, 'seats')
    const reads = () => [counts.get('read by keys') ?? 0, counts.get(`${membership} read as a whole`) ?? 0]
    const ends: (() => Promise<unknown>)[] = []
    const watching = async (source: Source) => {
      const feed = createFeed(engine, { source, settleMs: 1 })
      const replica = new Replica()
      const messages = watchItems(feed.as({ admin: true }), 'seats', query, { membership })
      const first = await messages.next()
      if (first.value) replica.apply(first.value)
      ends.push(() => feed.stop())
      const over = (async () => {
        for await (const message of messages) replica.apply(message)
      })()
      return async (act: () => Promise<unknown>) => {
        const [byKeys = 0, whole = 0] = reads()
        await act()
        await pause(30)
        const { data } = await listItems(engine, 'seats', query)
        const sorted = (items: readonly unknown[]) =>
          JSON.stringify(items.map((item) => JSON.stringify(item)).toSorted())
        await until(() => sorted(replica.data) === sorted(data))
        const [byKeysNow = 0, wholeNow = 0] = reads()
        void over
        return { byKeys: byKeysNow - byKeys, whole: wholeNow - whole }
      }
    }
    const isRead = membership === 'match' ? { byKeys: 1, whole: 0 } : { byKeys: 0, whole: 1 }
    const readFor = await watching(localSource())
    expect(await readFor(() => updateItem(engine, 'seats', [2, 'b'], { guest: 5 }))).toEqual({
      byKeys: 0,
      whole: 0,
    })
    expect(await readFor(() => updateItem(engine, 'seats', [1, 'b'], { guest: 1 }))).toEqual(isRead)
    expect(await readFor(() => updateItem(engine, 'seats', [1, 'b'], { guest: null }))).toEqual(isRead)
    expect(await readFor(() => deleteItem(engine, 'seats', [1, 'a']))).toEqual(isRead)
    expect(await readFor(() => createItem(engine, 'seats', { line: 0, place: 'z', guest: 1 }))).toEqual(
      isRead,
    )
    if (membership === 'page')
      expect(await readFor(() => createItem(engine, 'seats', { line: 9, place: 'z', guest: 1 }))).toEqual({
        byKeys: 0,
        whole: 0,
      })
    for (const end of ends.splice(0)) await end()

    // A key that cannot be read may mean any item, also beside one that can.
    const readForForeign = await watching(foreign)
    await until(() => told.length > 0)
    const unknown = async () => {
      await run('update seats set guest = 7 where line = 0')
      told.at(-1)?.([
        [2, 'b'],
        ['no line', 'b'],
      ])
    }
    expect(await readForForeign(unknown)).toEqual({ byKeys: 0, whole: 1 })
    for (const end of ends) await end()
    stopCounting()
  })
})
