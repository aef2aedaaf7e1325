// Feeds over the change log: what anybody writes is told, and what the log cannot tell is refused.

import { describe, expect, it } from 'vitest'
import { createEngine, createItem, updateItem } from '../../../src/index.ts'
import { watchEveryMs } from '../../../src/realtime/change-log/logged-tables.ts'
import {
  type ChangeLogSourceOptions,
  changeLogSource,
  createFeed,
  type Feed,
  installChangeLog,
  removeChangeLog,
  watchItems,
} from '../../../src/realtime.ts'
import { atEnd } from '../../support/at-end.ts'
import { databases } from '../../support/databases.ts'
import { type Logged, logged, openTables, schema, until } from './tables.ts'

const admin = { admin: true } as const

function feedOver(
  engine: Logged,
  options: ChangeLogSourceOptions = {},
): { readonly feed: Feed<typeof schema>; readonly errors: { readonly message: string }[] } {
  const errors: { readonly message: string }[] = []
  const often = { everyMs: 10, [watchEveryMs]: 50, ...options }
  const feed = createFeed(engine, {
    source: changeLogSource(often),
    settleMs: 1,
    onError: (error) => errors.push(error as Error),
  })
  atEnd(() => feed.stop())
  return { feed, errors }
}

describe.each(databases)('on $name', (database) => {
  it('tells what SQL of the host, triggers and cascades write', async () => {
    const { engine, run } = await openTables(database)
    await installChangeLog(engine, logged)
    const { feed, errors } = feedOver(engine)
    const query = { fields: ['id', 'title', 'owner.name'], sort: 'id' } as const
    const watched = watchItems(feed.as(admin), 'tasks', query)
    expect((await watched.next()).value).toMatchObject({ kind: 'snapshot', items: [{ id: 1 }, { id: 2 }] })
    await run(`update tasks set title = 'Draw' where id = 1`)
    expect((await watched.next()).value).toMatchObject({ set: [{ id: '1', item: { title: 'Draw' } }] })
    await run(`update people set name = 'Eva' where id = 1`)
    expect((await watched.next()).value).toMatchObject({
      set: [{ item: { owner: { name: 'Eva' } } }, { item: { owner: { name: 'Eva' } } }],
    })
    await run('delete from people where id = 1')
    expect((await watched.next()).value).toMatchObject({
      set: [{ item: { owner: null } }, { item: { owner: null } }],
    })
    await createItem(engine, 'tasks', { id: 3, title: 'Rest' })
    expect((await watched.next()).value).toMatchObject({ set: [{ id: '3' }], order: ['1', '2', '3'] })
    expect(errors).toEqual([])
    expect(feed.status().blind).toEqual([])
  })

  it('refuses a list that depends on a collection which is not logged, until it is', async () => {
    const { engine } = await openTables(database)
    await installChangeLog(engine, ['tasks'])
    const { feed, errors } = feedOver(engine)
    const query = { fields: ['owner.name'] } as const
    await expect(watchItems(feed.as(admin), 'tasks', query).next()).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.not.stringContaining('people'),
    })
    await expect(watchItems(feed.as(admin), 'tasks', query).next()).rejects.toThrow()
    expect(errors.map(({ message }) => message)).toEqual([
      'The source of a feed does not report all changes of "people", which has no triggers of the change log.',
    ])
    expect(feed.status()).toMatchObject({ blind: ['people'], isReading: true })
    expect((await watchItems(feed.as(admin), 'tasks', { fields: ['title'] }).next()).value).toMatchObject({
      kind: 'snapshot',
    })
    await installChangeLog(engine, ['people'])
    await until(() => feed.status().blind.length === 0)
    expect((await watchItems(feed.as(admin), 'tasks', query).next()).value).toMatchObject({
      kind: 'snapshot',
    })
  })

  it('refuses everything without a log, until there is one', async () => {
    const { engine, run } = await openTables(database)
    const { feed, errors } = feedOver(engine)
    await expect(watchItems(feed.as(admin), 'tasks').next()).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    })
    await installChangeLog(engine, logged)
    await until(() => feed.status().blind.length === 0)
    const watched = watchItems(feed.as(admin), 'tasks', { fields: ['title'], sort: 'id' })
    await watched.next()
    await run(`update tasks set title = 'Draw' where id = 1`)
    expect((await watched.next()).value).toMatchObject({ set: [{ id: '1', item: { title: 'Draw' } }] })
    await removeChangeLog(engine)
    expect((await watched.next()).value).toEqual({ kind: 'reset', reason: 'source' })
    await expect(watched.next()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    // A look that meets the removal itself may fail besides.
    const untold = errors.filter(({ message }) => message.includes('does not report all changes of "tasks"'))
    expect(untold).toHaveLength(2)
  })

  it('notices a table that is built anew, and tells of it once', async () => {
    const { engine, run } = await openTables(database)
    await installChangeLog(engine, logged)
    const { feed, errors } = feedOver(engine)
    const watched = watchItems(feed.as(admin), 'seats')
    await watched.next()
    await run(
      'create table other (hall varchar(40) not null, number integer not null, guest text, primary key (hall, number))',
    )
    await run('drop table seats')
    await run('alter table other rename to seats')
    await run(`insert into seats values ('A', 1, 'Ada')`)
    expect((await watched.next()).value).toEqual({ kind: 'reset', reason: 'source' })
    await expect(watched.next()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(errors).toHaveLength(1)
    expect(errors[0]?.message).toContain('"seats"')
    await installChangeLog(engine, ['seats'])
    await until(() => feed.status().blind.length === 0)
    const again = watchItems(feed.as(admin), 'seats', { fields: ['guest'] })
    expect((await again.next()).value).toMatchObject({ kind: 'snapshot', items: [{ guest: 'Ada' }] })
    await run(`update seats set guest = 'Bob'`)
    expect((await again.next()).value).toMatchObject({ set: [{ item: { guest: 'Bob' } }] })
    expect(errors).toHaveLength(1)
  })

  it('tells own changes once, and without waiting for the next look', async () => {
    const { engine } = await openTables(database)
    await installChangeLog(engine, logged)
    const { feed } = feedOver(engine, { everyMs: 600_000 })
    const watched = watchItems(feed.as(admin), 'tasks', { fields: ['title'] }, { membership: 'match' })
    await watched.next()
    for (const title of ['one', 'two', 'three']) {
      await updateItem(engine, 'tasks', 1, { title })
      expect((await watched.next()).value).toMatchObject({ set: [{ id: '1', item: { title } }] })
    }
  })

  it('asks one statement each time while nothing is written', async () => {
    const { db, engine } = await openTables(database)
    await installChangeLog(engine, logged)
    const statements: string[] = []
    const counted = createEngine({
      db,
      schema,
      onQuery: ({ sql }) => void (/quernel_|pragma/.test(sql) && statements.push(sql)),
    })
    const feed = createFeed(counted, { source: changeLogSource({ everyMs: 20 }) })
    atEnd(() => feed.stop())
    await watchItems(feed.as(admin), 'tasks', { fields: ['title'] }).next()
    const begun = performance.now()
    statements.length = 0
    await until(() => statements.length >= 40)
    const looks = (performance.now() - begun) / 20
    // Once a second the version of the schema is looked at, where there is one.
    expect(statements.length).toBeLessThanOrEqual(looks + 2 + looks / 20)
    expect(new Set(statements).size).toBeLessThanOrEqual(3)
  })
})
