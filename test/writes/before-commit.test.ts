// Hooks before the commit: once for each event, in the transaction that stores it, and able to undo it.
import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteAdapter, SqliteDriver, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { postgres } from '../../src/dialects/postgres.ts'
import {
  createEngine,
  createItem,
  createItems,
  deleteByQuery,
  deleteItem,
  type Engine,
  type EngineOptions,
  type HookEvent,
  listItems,
  type Schema,
  updateByQuery,
  updateEach,
  updateItem,
  updateItems,
  updateSingleton,
  upsertItem,
  upsertItems,
} from '../../src/index.ts'
import { type AnyTables, databases, type OpenDatabase, openSqlite } from '../support/databases.ts'
import { createLibrary, type Library, schema, shelf } from './library.ts'

const refusal = new Error('not today')

describe.each([
  ...databases.map((database) => ({ ...database, title: database.name, options: {} })),
  ...databases
    .filter(({ name }) => name === 'postgres')
    .map((database) => ({
      ...database,
      title: 'postgres without savepoints',
      options: { dialect: postgres.with({ savepoints: false }) } satisfies Partial<EngineOptions<Schema>>,
    })),
])('on $title', ({ name, title, open, options }) => {
  let opened: OpenDatabase
  let engine: Library
  let told: string[]
  const hasSavepoints = !title.endsWith('savepoints')
  beforeEach(async () => {
    opened = await open()
    await createLibrary(name, opened.db)
    engine = createEngine({ db: opened.db, schema, ...options })
    told = []
  })

  const names = async (inside: Engine = engine) =>
    (await listItems(inside, 'subjects', { fields: ['name'], sort: 'id' })).data.map((one) => one.name)
  const logged = ({ event, keys, payload }: HookEvent) => `${event} ${keys.join()} ${payload?.name ?? ''}`
  /** Writes an author for each new subject, in the transaction that creates it. */
  const follow = () => {
    engine.on(
      'items.create',
      'subjects',
      async (happening) => {
        told.push(logged(happening))
        await createItem(happening.engine, 'authors', { name: `of ${happening.payload?.name}` })
      },
      { when: 'beforeCommit' },
    )
    engine.on('items.create', 'subjects', (happening) => void told.push(`after ${logged(happening)}`), {
      when: 'after',
    })
  }
  const authors = async () =>
    (await listItems(engine, 'authors', { sort: 'id' })).data.map((one) => one.name).slice(2)
  const refuse = (event: 'items.create' | 'items.update' | 'items.delete' = 'items.create') =>
    engine.on(
      event,
      () => {
        throw refusal
      },
      { when: 'beforeCommit' },
    )

  it('runs in the transaction of a single item', async () => {
    follow()
    await expect(createItem(engine, 'subjects', { name: 'salt' })).resolves.toMatchObject({ name: 'salt' })
    expect(told).toEqual(['items.create 2 salt', 'after items.create 2 salt'])
    expect(await authors()).toEqual(['of salt'])
  })

  it('runs once for each of many', async () => {
    follow()
    await createItems(engine, 'subjects', [{ name: 'salt' }, { name: 'oil' }])
    expect(told.slice(0, 2)).toEqual(['items.create 2 salt', 'items.create 3 oil'])
    expect(told).toHaveLength(4)
    expect(await authors()).toEqual(['of salt', 'of oil'])
  })

  it('undoes the call by throwing, with what it has written', async () => {
    follow()
    refuse()
    await expect(createItem(engine, 'subjects', { name: 'salt' })).rejects.toBe(refusal)
    await expect(createItems(engine, 'subjects', [{ name: 'salt' }, { name: 'oil' }])).rejects.toBe(refusal)
    expect(await names()).toEqual(['tea'])
    expect(await authors()).toEqual([])
    expect(told.filter((text) => text.startsWith('after'))).toEqual([])
  })

  it('runs once at the end of a transaction of several calls', async () => {
    follow()
    await engine.transaction(async (inside) => {
      await createItem(inside, 'subjects', { name: 'salt' })
      await createItem(inside, 'subjects', { name: 'oil' })
      expect(told).toEqual([])
    })
    expect(told).toEqual([
      'items.create 2 salt',
      'items.create 3 oil',
      'after items.create 2 salt',
      'after items.create 3 oil',
    ])
    expect(await authors()).toEqual(['of salt', 'of oil'])
  })

  it('runs once at the end of a nested transaction, and goes with it', async () => {
    follow()
    await engine.transaction(async (outer) => {
      await createItem(outer, 'subjects', { name: 'salt' })
      await outer.transaction((inner) => createItem(inner, 'subjects', { name: 'oil' }))
      expect(told).toEqual(['items.create 3 oil'])
      if (!hasSavepoints) return
      const failing = outer.transaction(async (inner) => {
        await createItem(inner, 'subjects', { name: 'fat' })
        throw refusal
      })
      await expect(failing).rejects.toBe(refusal)
    })
    expect(told.slice(0, 2)).toEqual(['items.create 3 oil', 'items.create 2 salt'])
    expect(told.slice(2)).toEqual(['after items.create 2 salt', 'after items.create 3 oil'])
    expect(await authors()).toEqual(['of oil', 'of salt'])
  })

  it('undoes the nested transaction alone that it refuses, where that can be undone alone', async () => {
    engine.on(
      'items.create',
      ({ payload }) => {
        if (payload?.name === 'fat') throw refusal
      },
      { when: 'beforeCommit' },
    )
    const outer = engine.transaction(async (inside) => {
      await createItem(inside, 'subjects', { name: 'salt' })
      const failing = inside.transaction((inner) => createItem(inner, 'subjects', { name: 'fat' }))
      await expect(failing).rejects.toBe(refusal)
    })
    if (hasSavepoints) await outer
    else await expect(outer).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(await names()).toEqual(hasSavepoints ? ['tea', 'salt'] : ['tea'])
  })

  it('goes with a transaction that is undone', async () => {
    follow()
    const undone = engine.transaction(async (outer) => {
      await outer.transaction((inner) => createItem(inner, 'subjects', { name: 'oil' }))
      throw refusal
    })
    await expect(undone).rejects.toBe(refusal)
    expect(told).toEqual(['items.create 2 oil'])
    expect(await authors()).toEqual([])
    expect(await names()).toEqual(['tea'])
  })

  it("runs at the end of each call in a host's transaction, and commits with it", async () => {
    follow()
    await opened.db.transaction().execute(async (transaction) => {
      const inside = engine.using(transaction)
      await createItem(inside, 'subjects', { name: 'salt' })
      expect(told).toEqual(['items.create 2 salt'])
      await createItem(inside, 'subjects', { name: 'oil' })
    })
    expect(told).toEqual(['items.create 2 salt', 'items.create 3 oil'])
    expect(await authors()).toEqual(['of salt', 'of oil'])
  })

  it("goes with a host's transaction that is undone", async () => {
    follow()
    const undone = opened.db.transaction().execute(async (transaction) => {
      await createItem(engine.using(transaction), 'subjects', { name: 'salt' })
      throw refusal
    })
    await expect(undone).rejects.toBe(refusal)
    expect(told).toEqual(['items.create 2 salt'])
    expect(await authors()).toEqual([])
  })

  it("undoes its call alone in a host's transaction, where that can be undone alone", async () => {
    refuse('items.update')
    let inside: Library = engine
    await opened.db.transaction().execute(async (transaction) => {
      inside = engine.using(transaction)
      await createItem(inside, 'subjects', { name: 'salt' })
      await expect(updateItem(inside, 'subjects', 1, { name: 'oil' })).rejects.toBe(refusal)
      if (!hasSavepoints)
        await expect(listItems(inside, 'subjects')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    })
    if (hasSavepoints) await inside.committed()
    else await expect(inside.committed()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect((await names())[0]).toBe(hasSavepoints ? 'tea' : 'oil')
  })

  it('raises both events of an item that is created and deleted in one transaction, in order', async () => {
    for (const event of ['items.create', 'items.delete'] as const)
      engine.on(event, 'subjects', (happening) => void told.push(logged(happening)), { when: 'beforeCommit' })
    await engine.transaction(async (inside) => {
      await createItem(inside, 'subjects', { name: 'salt' })
      await deleteItem(inside, 'subjects', 2)
    })
    expect(told).toEqual(['items.create 2 salt', 'items.delete 2 '])
  })

  it('hears of what another hook writes, and ends a loop', async () => {
    const next = ({ engine: inside, payload }: HookEvent<Library>) =>
      createItem(inside, 'subjects', { name: `${payload?.name}'` })
    const off = engine.on(
      'items.create',
      'subjects',
      async (happening) => {
        told.push(`${happening.payload?.name}`)
        if (told.length < 4) await next(happening)
      },
      { when: 'beforeCommit' },
    )
    await createItem(engine, 'subjects', { name: 'a' })
    expect(told).toEqual(['a', "a'", "a''", "a'''"])
    off()
    engine.on('items.create', 'subjects', next, { when: 'beforeCommit' })
    const endless = {
      code: 'INTERNAL_SERVER_ERROR',
      message: expect.stringMatching(
        /caused each other 8 times in a row, the last time by items.create of "subjects"/,
      ),
    }
    await expect(createItem(engine, 'subjects', { name: 'b' })).rejects.toMatchObject(endless)
    const nested = engine.transaction((inside) =>
      inside.transaction((inner) => createItem(inner, 'subjects', { name: 'b' })),
    )
    await expect(nested).rejects.toMatchObject(endless)
    expect(await names()).toEqual(['tea', 'a', "a'", "a''", "a'''"])
  })

  it('sees rows as they are stored, and through the eyes of the caller', async () => {
    engine.on(
      'items.update',
      'books',
      async ({ engine: inside, keys }) => {
        told.push(JSON.stringify(await listItems(inside, 'books', { fields: ['id', 'title'], sort: 'id' })))
        expect(keys).toEqual([1])
      },
      { when: 'beforeCommit' },
    )
    const own = { read: { filter: { author: { _eq: 1 } } }, update: true } as const
    await updateItem(engine.as({ user: 1, rules: { books: own } }), 'books', 1, { title: 'New' })
    expect(told).toEqual(['{"data":[{"id":1,"title":"New"},{"id":2,"title":"Two"}]}'])
  })

  it('commits nothing over a statement of the host that has failed in it', async () => {
    engine.on(
      'items.create',
      'subjects',
      async ({ engine: inside }) => {
        await sql`select * from nowhere`.execute(inside.db).catch(() => told.push('failed'))
      },
      { when: 'beforeCommit' },
    )
    const made = createItem(engine, 'subjects', { name: 'salt' }).then(
      () => 'stored',
      () => 'undone',
    )
    const outcome = await made
    expect(told).toEqual(['failed'])
    expect(await names()).toEqual(outcome === 'stored' ? ['tea', 'salt'] : ['tea'])
    expect(outcome).toBe(name === 'postgres' ? 'undone' : 'stored')
  })

  it.each<[string, (to: Library) => Promise<unknown>]>([
    ['createItem', (to) => createItem(to, 'books', { title: 'New' })],
    [
      'createItem of a nested one',
      (to) => createItem(to, 'chapters', { heading: 'N', book: { title: 'N' } }),
    ],
    ['createItems', (to) => createItems(to, 'books', [{ title: 'New' }, { title: 'Newer' }])],
    ['updateItem', (to) => updateItem(to, 'books', 1, { title: 'New' })],
    ['updateItem of a relation', (to) => updateItem(to, 'books', 1, { author: null })],
    ['updateItems', (to) => updateItems(to, 'books', [1, 2], { title: 'New' })],
    [
      'updateEach',
      (to) =>
        updateEach(to, 'books', [
          { id: 1, title: 'a' },
          { id: 2, title: 'b' },
        ]),
    ],
    ['updateByQuery', (to) => updateByQuery(to, 'books', { filter: { id: { _gt: 0 } } }, { title: 'New' })],
    ['updateSingleton', (to) => updateSingleton(to, 'settings', { name: 'New' })],
    ['upsertItem that creates', (to) => upsertItem(to, 'subjects', { name: 'x' }, {}, { on: ['name'] })],
    ['upsertItem that updates', (to) => upsertItem(to, 'subjects', { id: 1, name: 'x' })],
    [
      'upsertItems',
      (to) => upsertItems(to, 'subjects', [{ name: 'x' }, { name: 'tea' }], {}, { on: ['name'] }),
    ],
    ['deleteItem', (to) => deleteItem(to, 'chapters', 1)],
    ['deleteByQuery', (to) => deleteByQuery(to, 'chapters', { filter: { id: { _gt: 0 } } })],
    ['updateItem that moves a child', (to) => updateItem(to, 'books', 2, { chapters: [1] })],
    ['updateItem that deletes a child', (to) => updateItem(to, 'books', 1, { chapters: [] })],
  ])(
    '%s raises before the commit what it raises after it, and nothing is stored that is refused',
    async (_, call) => {
      const after: string[] = []
      const events = ['items.create', 'items.update', 'items.delete'] as const
      const detailed = ({ event, collection, keys, payload }: HookEvent) =>
        `${event} ${collection} ${keys.join()} ${JSON.stringify(payload)}`
      const stored = await shelf(engine)
      const refusals = events.map((event) => refuse(event))
      await expect(call(engine)).rejects.toBe(refusal)
      expect(await shelf(engine)).toEqual(stored)
      for (const off of refusals) off()
      for (const event of events) {
        engine.on(event, (happening) => void told.push(detailed(happening)), { when: 'beforeCommit' })
        engine.on(event, (happening) => void after.push(detailed(happening)), { when: 'after' })
      }
      await call(engine)
      expect(told.length).toBeGreaterThan(0)
      expect(told).toEqual(after)
    },
  )
})

it('is refused for reads, and where it is not one of the three moments', async () => {
  const { db } = await openSqlite()
  const engine: Engine<Schema> = createEngine({ db, schema })
  const hook = () => undefined
  expect(() => engine.on('items.read', hook, { when: 'beforeCommit' })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS', path: ['when'] }),
  )
  expect(() => engine.on('items.create', hook, { when: 'later' as never })).toThrow(
    '"when" is "before", "beforeCommit" or "after", not "later".',
  )
  // As JavaScript allows.
  const on: (...input: readonly unknown[]) => unknown = engine.on as never
  for (const input of [
    ['items.create', hook],
    ['items.create', 'subjects', hook],
  ])
    expect(() => on(...input)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTIONS',
        path: ['when'],
        message: 'The options of a hook stand behind its function, and are missing.',
      }),
    )
})

it('is refused for a driver that has turned out to have no transactions, and stores nothing before', async () => {
  class Driver extends SqliteDriver {
    override async beginTransaction(): Promise<void> {
      throw new Error('Transactions are not supported yet.')
    }
  }
  const database = new BetterSqlite(':memory:')
  const db = new Kysely<AnyTables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new Driver({ database }),
      createIntrospector: (of) => new SqliteIntrospector(of),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  await createLibrary('sqlite', db)
  const engine = createEngine({ db, schema })
  const on = () => engine.on('items.create', () => undefined, { when: 'beforeCommit' })
  const off = on()
  const refused = { code: 'FORBIDDEN', message: expect.stringContaining('has no transactions') }
  await expect(createItem(engine, 'subjects', { name: 'salt' })).rejects.toMatchObject(refused)
  expect((await listItems(engine, 'subjects', { fields: ['name'] })).data).toEqual([{ name: 'tea' }])
  expect(on).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS', path: ['when'] }))
  off()
  await expect(createItem(engine, 'subjects', { name: 'salt' })).resolves.toMatchObject({ name: 'salt' })
  await db.destroy()
})
