// What would be told wrongly if one thing were left out: the offset of a page, a value of several, the one moment of a read, a change beside a read.
// `npm run prove:realtime-mutants` leaves them out.
import BetterSqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createEngine, createItem, deleteItem, listItems, updateItem } from '../../../src/index.ts'
import { createFeed, type FeedMessage, type WatchedItems, watchItems } from '../../../src/realtime.ts'
import { atEnd } from '../../support/at-end.ts'
import type { AnyTables } from '../../support/databases.ts'
import { DialectBetweenReads, toldSource } from '../between-reads.ts'
import { Replica } from '../replica.ts'
import { admin, openTasks, pause, type Tasks, schema as tasksSchema, until } from '../tasks.ts'

const memberships = ['page', 'match'] as const
interface Title {
  readonly title: unknown
}
const textOf = (items: readonly unknown[]): string =>
  (items as readonly Title[])
    .map(({ title }) => String(title))
    .toSorted()
    .join()

/** Somebody who applies what is told. */
async function reading(watched: WatchedItems<unknown>) {
  const replica = new Replica()
  const states: string[] = []
  const take = (message: FeedMessage | undefined) => {
    if (!message) return
    replica.apply(message)
    if (replica.isKnown) states.push(textOf(replica.data))
  }
  take((await watched.next()).value)
  const over = (async () => {
    for await (const message of watched) take(message)
  })()
  atEnd(async () => {
    await watched.return()
    await over
  })
  /** Waits for a state, not for long: what is not told at once is told never. */
  const holds = async (expected: string) => {
    for (let turn = 0; turn < 200 && textOf(replica.data) !== expected; turn++) await pause(5)
    expect(textOf(replica.data)).toBe(expected)
  }
  return { states, holds }
}

describe('a page behind an offset', () => {
  it('moves when an item before it goes, comes, or no longer belongs there', async () => {
    const { engine, feed } = await openTasks()
    for (const title of ['Sing', 'Dance', 'Rest']) await createItem(engine, 'tasks', { title, owner: 1 })
    const query = { fields: ['title'], sort: ['id'], filter: { owner: 1 }, limit: 2, offset: 1 } as const
    const { holds } = await reading(watchItems(feed.as(admin), 'tasks', query))
    const isListed = async () => holds(textOf((await listItems(engine, 'tasks', query)).data))
    await holds('Sing,Write')
    const steps = [
      () => deleteItem(engine, 'tasks', 1),
      () => updateItem(engine, 'tasks', 3, { owner: 1 }),
      () => updateItem(engine, 'tasks', 2, { owner: null }),
    ]
    for (const step of steps) {
      await step()
      await isListed()
    }
    await holds('Dance,Sing')
  })
})

describe.each(memberships)('a list of several values (%s)', (membership) => {
  it.each([
    { owner: { _in: [1, 2] } },
    { owner: { _in: [2, 1] } },
    { _or: [{ owner: 1 }, { owner: 2 }] },
    { _or: [{ title: { _eq: 'x' } }, { owner: { _in: [2, 1] } }] },
    { _and: [{ owner: { _in: [1, 2] } }, { title: { _in: ['a', 'b', 'New'] } }] },
  ])('is told of an item by each of them: %j', async (filter) => {
    const { engine, feed } = await openTasks()
    // A list whose items come by one value alone, whoever else is watched.
    const query = { fields: ['title'], filter: { _and: [{ title: { _contains: 'N' } }, filter] } } as object
    for (const owner of [1, 2]) {
      const { holds } = await reading(watchItems(feed.as(admin), 'tasks', query, { membership }))
      await holds('')
      const { id } = await createItem(engine, 'tasks', { title: 'New', owner })
      await holds('New')
      await updateItem(engine, 'tasks', id, { owner: null })
      await holds('')
      await updateItem(engine, 'tasks', id, { owner })
      await holds('New')
      await deleteItem(engine, 'tasks', id)
      await holds('')
    }
  })
})

describe.each(memberships)('a field that is seen on some rows only (%s)', (membership) => {
  it('is null where it is not seen, whatever is stored', async () => {
    const { engine, feed } = await openTasks()
    const mine = feed.as({
      rules: { tasks: { read: [{ fields: ['id', 'owner'] }, { fields: ['title'], filter: { owner: 1 } }] } },
    })
    const query = { fields: ['title'], filter: { title: { _null: true } } } as const
    const { holds } = await reading(watchItems(mine, 'tasks', query, { membership }))
    await holds('null')
    const { id } = await createItem(engine, 'tasks', { title: 'New', owner: 2 })
    await holds('null,null')
    await updateItem(engine, 'tasks', id, { owner: 1 })
    await holds('null')
    await updateItem(engine, 'tasks', id, { owner: null })
    await holds('null,null')
  })
})

/** A feed, a step between two of its reads, and a way to write what nobody tells. */
async function openBetween() {
  const database = new BetterSqlite(':memory:')
  database.exec(`
    create table people (id integer primary key, name text);
    create table tasks (id integer primary key, title text, due text, owner integer);
    insert into tasks values (1, 'one', null, 1), (2, 'two', null, 1), (3, 'three', null, 1)`)
  const between: { next: () => unknown } = { next: () => undefined }
  const afterRead = (sql: string) => {
    // A list is read, and no row whose values memory judges.
    if (!/"_q1"."title"/.test(sql)) return undefined
    const { next } = between
    between.next = () => undefined
    return next()
  }
  const db = new Kysely<AnyTables>({ dialect: new DialectBetweenReads(afterRead, database) })
  const engine: Tasks = createEngine({ db, schema: tasksSchema, variables: { $CURRENT_USER: 'people' } })
  const { source, tell } = toldSource()
  const feed = createFeed(engine, { source, settleMs: 1 })
  atEnd(() => db.destroy())
  atEnd(() => feed.stop())
  return { between, feed, tell, run: (statement: string) => void database.exec(statement) }
}

describe.each(memberships)('a read (%s)', (membership) => {
  const query = { fields: ['title'], filter: { owner: { _eq: 1 } }, sort: ['id'] } as const

  it('of a whole list is of one moment', async () => {
    const { between, feed, tell, run } = await openBetween()
    between.next = () => run(`update tasks set title = title || ' later', owner = iif(id = 2, 2, 1)`)
    const { states, holds } = await reading(watchItems(feed.as(admin), 'tasks', query, { membership }))
    expect(states).toEqual(['one,three,two'])
    tell({ collection: 'tasks' })
    await holds('one later,three later')
    expect(states).toHaveLength(2)
  })

  it('of some items is of one moment', async () => {
    const { between, feed, tell, run } = await openBetween()
    const { states, holds } = await reading(watchItems(feed.as(admin), 'tasks', query, { membership }))
    run(`update tasks set title = title || ' soon' where id < 3`)
    between.next = () =>
      run(`update tasks set title = id || ' later', owner = iif(id = 2, 2, 1) where id < 3`)
    tell({ collection: 'tasks', keys: [1, 2] })
    await holds('one soon,three,two soon')
    tell({ collection: 'tasks', keys: [1, 2] })
    await holds('1 later,three')
    expect(states).toEqual(['one,three,two', 'one soon,three,two soon', '1 later,three'])
  })

  it('that began before somebody came is not enough for them', async () => {
    const { between, feed, tell, run } = await openBetween()
    const watch = () => watchItems(feed.as(admin), 'tasks', { fields: ['title'] }, { membership })
    await reading(watch())
    for (let turn = 0; turn < 5; turn++) {
      run(`update tasks set title = 'secret' where id = 1`)
      let late: ReturnType<typeof reading> | undefined
      between.next = async () => {
        run(`update tasks set title = 'open ${turn}' where id = 1`)
        tell({ collection: 'tasks' })
        await pause(5)
        late = reading(watch())
        await pause(10)
      }
      tell({ collection: 'tasks' })
      await until(() => late !== undefined)
      expect((await late)?.states).toEqual([`open ${turn},three,two`])
    }
  })

  it.each([
    ['as a whole', undefined],
    ['by a key', [1]],
  ])('is made again for what is told %s beside it', async (_how, keys) => {
    const { between, feed, tell, run } = await openBetween()
    // No row of it is judged, so that it is marked when it is told, and not after another read.
    const all = { fields: ['title'], sort: ['id'] } as const
    const { holds } = await reading(watchItems(feed.as(admin), 'tasks', all, { membership }))
    for (let turn = 1; turn <= 5; turn++) {
      run(`update tasks set title = 'first ${turn}' where id = 1`)
      between.next = async () => {
        run(`update tasks set title = 'then ${turn}' where id = 1`)
        tell({ collection: 'tasks', keys })
        await pause(5)
      }
      tell({ collection: 'tasks', keys })
      await holds(`then ${turn},three,two`)
    }
  })
})
