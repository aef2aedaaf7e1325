// Listeners: told of every commit that touches what they want, whoever has made it and by whatever road.
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { internalsOf } from '../../src/engine/engine.ts'
import type { CommittedChange, Wish } from '../../src/engine/listeners.ts'
import {
  createEngine,
  createItem,
  createItems,
  defineSchema,
  deleteByQuery,
  deleteItem,
  deleteItems,
  type EngineOptions,
  updateByQuery,
  updateEach,
  updateItem,
  updateItems,
  updateSingleton,
  upsertItem,
  upsertItems,
} from '../../src/index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { key } from '../support/fields.ts'
import { rowsOf } from '../support/titled.ts'
import { createLibrary, type Library, schema } from '../writes/library.ts'

type Wants = (event: string, collection: string) => Wish

const listenTo = (
  engine: Library,
  listener: (changes: readonly CommittedChange[]) => unknown,
  wants?: Wants,
) => internalsOf(engine).hooks.listeners.add(listener, wants)

const verbs: Readonly<Record<string, readonly [(to: Library) => Promise<unknown>, readonly string[]]>> = {
  createItem: [(to) => createItem(to, 'books', { title: 'New' }), ['create books 4']],
  'createItem of a tree': [
    (to) => createItem(to, 'chapters', { heading: 'N', book: { title: 'N' } }),
    ['create books 4', 'create chapters 3'],
  ],
  createItems: [
    (to) => createItems(to, 'books', [{ title: 'a' }, { title: 'b' }]),
    ['create books 4', 'create books 5'],
  ],
  updateItem: [(to) => updateItem(to, 'books', 1, { title: 'New' }), ['update books 1']],
  updateItems: [
    (to) => updateItems(to, 'books', [1, 2], { title: 'New' }),
    ['update books 1', 'update books 2'],
  ],
  updateEach: [
    (to) =>
      updateEach(to, 'books', [
        { id: 1, title: 'a' },
        { id: 2, title: 'b' },
      ]),
    ['update books 1', 'update books 2'],
  ],
  updateByQuery: [
    (to) => updateByQuery(to, 'books', { filter: { id: { _lt: 3 } } }, { title: 'New' }),
    ['update books 1', 'update books 2'],
  ],
  'updateByQuery that returns no keys': [
    (to) => updateByQuery(to, 'books', { filter: { id: { _lt: 3 } } }, { title: 'New' }, { keys: false }),
    ['update books 1', 'update books 2'],
  ],
  updateSingleton: [(to) => updateSingleton(to, 'settings', { name: 'New' }), ['create settings 1']],
  'upsertItem that creates': [
    (to) => upsertItem(to, 'subjects', { name: 'x' }, {}, { on: ['name'] }),
    ['create subjects 2'],
  ],
  'upsertItem that updates': [
    (to) => upsertItem(to, 'subjects', { id: 1, name: 'x' }),
    ['update subjects 1'],
  ],
  upsertItems: [
    (to) =>
      upsertItems(to, 'authors', [
        { id: 9, name: 'x' },
        { id: 1, name: 'y' },
      ]),
    ['create authors 9', 'update authors 1'],
  ],
  deleteItem: [(to) => deleteItem(to, 'chapters', 1), ['delete chapters 1']],
  deleteItems: [(to) => deleteItems(to, 'chapters', [1, 2]), ['delete chapters 1', 'delete chapters 2']],
  deleteByQuery: [
    (to) => deleteByQuery(to, 'chapters', { filter: { id: { _gt: 0 } } }),
    ['delete chapters 1', 'delete chapters 2'],
  ],
  'deleteByQuery that returns no keys': [
    (to) => deleteByQuery(to, 'chapters', { filter: { id: { _gt: 0 } } }, { keys: false }),
    ['delete chapters 1', 'delete chapters 2'],
  ],
  'updateItem that moves a child': [
    (to) => updateItem(to, 'books', 2, { chapters: [1] }),
    ['update books 2', 'update chapters 1'],
  ],
  'updateItem that deletes a child': [
    (to) => updateItem(to, 'books', 1, { chapters: [1] }),
    ['delete chapters 2', 'update books 1'],
  ],
}

/** Calls by which one row changes, and as many statements as without a listener. */
const single = [
  'createItem',
  'updateItem',
  'updateItems',
  'updateByQuery',
  'upsertItem that updates',
  'deleteItem',
  'deleteByQuery',
  'createItems',
]

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let engine: Library
  let heard: CommittedChange[]
  let statements: number
  const ready = (options: Partial<EngineOptions<typeof schema>> = {}) =>
    createEngine({ db: opened.db, schema, onQuery: () => void statements++, ...options })
  beforeEach(async () => {
    opened = await open()
    await createLibrary(name, opened.db)
    if (name === 'postgres') await opened.run("select setval('settings_id_seq', 1, false)")
    engine = ready()
    heard = []
    statements = 0
  })

  const listen = (wants?: Wants, to = engine) => listenTo(to, (changes) => void heard.push(...changes), wants)
  /** What was heard, a line for each key. */
  const lines = () =>
    heard
      .flatMap(({ event, collection, keys }) =>
        (keys ?? ['all']).map((key) => `${event.slice(6)} ${collection} ${key}`),
      )
      .toSorted()

  it.each(Object.entries(verbs))(
    "%s is told, alone, in a transaction and in the host's",
    async (_, [call, told]) => {
      listen()
      const undone = engine.transaction(async (inside) => {
        await call(inside)
        throw new Error('not today')
      })
      await expect(undone).rejects.toThrow('not today')
      expect(heard).toEqual([])
      await restart()
      listen()
      await call(engine)
      expect(lines()).toEqual(told)
      await restart()
      listen()
      await engine.transaction((inside) => call(inside))
      expect(lines()).toEqual(told)
      await restart()
      listen()
      const inside = await opened.db.transaction().execute(async (transaction) => {
        const bound = engine.using(transaction)
        await call(bound)
        expect(heard).toEqual([])
        return bound
      })
      await inside.committed()
      expect(lines()).toEqual(told)
    },
  )

  /** Another database that is as the first one was. */
  async function restart() {
    await opened.close()
    opened = await open()
    await createLibrary(name, opened.db)
    engine = ready()
    heard = []
    statements = 0
  }

  it.each(Object.entries(verbs))(
    '%s is told to whoever begins to listen before the commit',
    async (_, [call, told]) => {
      await engine.transaction(async (inside) => {
        await call(inside)
        listen()
      })
      const known = lines()
      for (const line of told) {
        const all = line.replace(/ \d+$/, ' all')
        expect(known.includes(line) || known.includes(all), `${line} of ${known}`).toBe(true)
      }
    },
  )

  it.each(single)(
    '%s takes the same statements for a listener, and for one of something else',
    async (title) => {
      const [call] = verbs[title] ?? []
      if (!call) throw new Error('There is no such verb.')
      /** Asks what is asked once of each table, and forgets the rest. */
      const begin = async () => {
        await restart()
        const off = listen()
        const undone = engine.transaction(async (inside) => {
          await call(inside)
          throw new Error('not today')
        })
        await expect(undone).rejects.toThrow('not today')
        off()
        statements = 0
      }
      await begin()
      await call(engine)
      const alone = statements
      await begin()
      const off = listen((_event, collection) => collection === 'authors')
      await call(engine)
      expect(statements).toBe(alone)
      expect(heard).toEqual([])
      off()
      await begin()
      listen((event) => event !== 'items.read')
      await call(engine)
      expect(statements).toBe(alone)
      expect(heard.length).toBeGreaterThan(0)
    },
  )

  it('names the fields that an update has written, unless others may follow', async () => {
    listen()
    await updateItem(engine, 'books', 1, { title: 'New' })
    await updateItems(engine, 'books', [1, 2], { author: 2 })
    await updateByQuery(engine, 'books', { filter: { id: { _eq: 3 } } }, { title: 'x', author: 1 })
    await updateItem(engine, 'books', 1, { chapters: { create: [{ heading: 'c' }] }, title: 'y' })
    expect(heard.map(({ event, fields }) => `${event} ${fields}`)).toEqual([
      'items.update title',
      ...(heard.length === 6 ? ['items.update author', 'items.update author'] : ['items.update author']),
      'items.update title,author',
      'items.update title',
      'items.create undefined',
    ])
    await restart()
    const trigger = {
      sqlite: sql`create trigger follow after update on books begin update books set title = 'z' where id = new.id; end`,
      postgres: sql`create function follow() returns trigger language plpgsql as $$ begin new.title := 'z'; return new; end $$`,
    }[name]
    await trigger.execute(opened.db)
    if (name === 'postgres')
      await opened.run('create trigger follow before update on books for each row execute function follow()')
    listen()
    await updateItem(engine, 'books', 1, { author: 1 })
    await updateByQuery(engine, 'books', { filter: { id: { _eq: 3 } } }, { author: null })
    expect(heard.map(({ fields }) => fields).filter((fields) => fields?.includes('title') === false)).toEqual(
      [],
    )
  })

  it('names the fields that the database computes', async () => {
    await opened.run(
      'create table things (id integer primary key, name text, shout text generated always as (upper(name)) stored)',
    )
    await opened.run("insert into things (id, name) values (1, 'a'), (2, 'b')")
    const text = { type: 'string', nullable: true } as const
    const things = createEngine({
      db: opened.db,
      schema: defineSchema({
        things: { fields: { id: key, name: text, shout: { ...text, generated: true } } },
      }),
    })
    internalsOf(things).hooks.listeners.add((changes) => void heard.push(...changes))
    await updateItem(things, 'things', 1, { name: 'c' })
    await updateItems(things, 'things', [1, 2], { name: 'd' })
    await updateByQuery(things, 'things', { filter: { name: { _eq: 'd' } } }, { name: 'e' })
    await things.transaction((inside) => updateItem(inside, 'things', 1, { name: 'f' }))
    await upsertItem(things, 'things', { id: 2, name: 'g' })
    things.on('items.update', () => undefined, { when: 'before' })
    await updateEach(things, 'things', [{ id: 1, name: 'h' }])
    expect(heard.length).toBeGreaterThanOrEqual(6)
    expect(heard.filter(({ fields }) => fields?.includes('shout') === false)).toEqual([])
  })

  it.each<[string, (to: Library) => Promise<unknown>, readonly string[]]>(
    rowsOf({
      updateItem: [(to) => updateItem(to, 'books', 1, { author: 2 }), ['update 1 {"author":1}']],
      'updateItem of another field': [
        (to) => updateItem(to, 'books', 1, { title: 'x' }),
        ['update 1 {"author":1}'],
      ],
      updateItems: [
        (to) => updateItems(to, 'books', [1, 3], { author: 2 }),
        ['update 1 {"author":1}', 'update 3 {"author":null}'],
      ],
      updateEach: [
        (to) =>
          updateEach(to, 'books', [
            { id: 2, author: 2 },
            { id: 3, author: 1 },
          ]),
        ['update 2 {"author":1}', 'update 3 {"author":null}'],
      ],
      updateByQuery: [
        (to) => updateByQuery(to, 'books', { filter: { author: { _eq: 1 } } }, { author: 2 }),
        ['update 1 {"author":1}', 'update 2 {"author":1}'],
      ],
      upsertItem: [
        (to) => upsertItem(to, 'books', { id: 2, title: 'x', author: null }),
        ['update 2 {"author":1}'],
      ],
      deleteItem: [(to) => deleteItem(to, 'books', 2), ['delete 2 {"author":1}']],
      deleteByQuery: [
        (to) => deleteByQuery(to, 'books', { filter: { id: { _gt: 1 } } }),
        ['delete 2 {"author":1}', 'delete 3 {"author":null}'],
      ],
      'updateItem of the other end': [
        (to) =>
          updateItem(to, 'authors', 2, { books: { update: [1] } as never }).catch(() =>
            updateItem(to, 'authors', 2, { books: [1] }),
          ),
        ['update 1 {"author":1}'],
      ],
      'updateItem that takes children out': [
        (to) => updateItem(to, 'authors', 1, { books: [1] }),
        ['update 2 {"author":1}'],
      ],
    }),
  )('%s reads what a listener wants to know of before', async (_, call, told) => {
    for (const wrapped of [call, (to: Library) => to.transaction((inside) => call(inside))]) {
      await restart()
      listen((_event, collection) => (collection === 'books' ? ['author'] : false))
      await wrapped(engine)
      expect(
        heard
          .flatMap(({ event, keys, before }) =>
            (keys ?? []).map((key, at) => `${event.slice(6)} ${key} ${JSON.stringify(before?.[at])}`),
          )
          .toSorted(),
      ).toEqual(told)
    }
  })

  it('tells listeners before after-hooks, waits for none, and tells the next one when one throws', async () => {
    const order: string[] = []
    const errors: unknown[] = []
    engine = ready({ onError: (error) => void errors.push(error) })
    listenTo(engine, () => new Promise(() => order.push('one that never returns')))
    listenTo(engine, () => {
      throw new Error('mine')
    })
    listenTo(engine, async () => {
      throw new Error('later')
    })
    listenTo(engine, () => order.push('the last one'))
    engine.on('items.create', () => order.push('after'), { when: 'after' })
    for (const call of [
      () => createItem(engine, 'subjects', { name: 'a' }),
      () => engine.transaction((inside) => createItem(inside, 'subjects', { name: 'b' })),
    ]) {
      order.length = 0
      await call()
      expect(order).toEqual(['one that never returns', 'the last one', 'after'])
    }
    await new Promise(setImmediate)
    expect(errors.map(String)).toEqual(['Error: mine', 'Error: later', 'Error: mine', 'Error: later'])
  })

  it('keeps what it notes for late listeners within bounds', async () => {
    const names = Array.from({ length: 12_000 }, (_, at) => ({ name: `s${at}` }))
    await engine.transaction(async (inside) => {
      await createItems(inside, 'subjects', names)
      await createItem(inside, 'authors', { name: 'Cy' })
      listen()
    })
    expect(heard.map(({ collection, keys }) => `${collection} ${keys}`).toSorted()).toEqual([
      'authors 3',
      'subjects undefined',
    ])
  })
})
