// Lists that look at views, whose rows change with the tables behind them.
import { afterEach, beforeEach, describe, it } from 'vitest'
import { createEngine, defineSchema, type Engine, listItems, updateItem } from '../../../src/index.ts'
import { createFeed, type Feed, localSource, watchItems } from '../../../src/realtime.ts'
import { databases } from '../../support/databases.ts'
import { key, many, maybeOne, number, text } from '../../support/fields.ts'
import { Replica } from '../replica.ts'
import { until } from '../tasks.ts'

const schema = defineSchema({
  users: { fields: { id: key, name: text, is_active: number, actives: many('actives.user') } },
  actives: { fields: { id: key, user: maybeOne('users') } },
  first_actives: { fields: { id: key } },
})

describe.each(databases)('on $name', ({ open }) => {
  let engine: Engine<typeof schema>
  let feed: Feed<typeof schema>
  let end: () => Promise<void>
  beforeEach(async () => {
    const { db, close, run } = await open()
    await run(
      'create table users (id integer primary key, name text, is_active integer)',
      'create view actives as select id, id as "user" from users where is_active = 1',
      'create view first_actives as select id from actives where id < 10',
      `insert into users values (1, 'Ada', 1), (2, 'Bob', 0)`,
    )
    engine = createEngine({ db, schema })
    const views = { actives: ['users'], first_actives: ['actives'] }
    feed = createFeed(engine, { source: localSource(), settleMs: 1, views })
    end = close
  })
  afterEach(async () => {
    await feed.stop()
    await end()
  })

  it.each([
    ['users', { fields: ['name', 'actives.id'] }],
    ['users', { fields: ['name'], filter: { actives: { _some: { id: { _gt: 0 } } } } }],
    ['actives', {}],
    ['first_actives', {}],
  ] as const)('of %s %j hold what is there when a table behind a view changes', async (name, query) => {
    const replica = new Replica()
    const watched = watchItems(feed.as({ admin: true }), name, query as object)
    replica.apply((await watched.next()).value ?? { kind: 'reset', reason: 'host' })
    const over = (async () => {
      for await (const message of watched) replica.apply(message)
    })()
    await updateItem(engine, 'users', 2, { is_active: 1 })
    const { data } = await listItems(engine, name, query as object)
    await until(() => JSON.stringify(replica.data) === JSON.stringify(data))
    await watched.return()
    await over
  })
})
