// Who is asked before something is written, and who is told afterwards.

import { beforeEach, describe, expect, it } from 'vitest'
import { internalsOf } from '../../src/engine/engine.ts'
import {
  createEngine,
  createItem,
  createItems,
  deleteByQuery,
  deleteItem,
  deleteItems,
  EngineError,
  type EngineOptions,
  getItem,
  type ItemChange,
  listItems,
  updateByQuery,
  updateItem,
  updateItems,
  updateSingleton,
} from '../../src/index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { createLibrary, type Library, schema, shelf } from './library.ts'

const refusal = new Error('not today')
const refuse = () => {
  throw refusal
}
const events = ['items.create', 'items.update', 'items.delete'] as const

/** Calls of every verb, and what they are about. */
const writes: readonly { readonly title: string; readonly call: (engine: Library) => Promise<unknown> }[] = [
  { title: 'createItem', call: (engine) => createItem(engine, 'books', { title: 'New' }) },
  {
    title: 'createItem of a nested one',
    call: (engine) => createItem(engine, 'chapters', { heading: 'New', book: { title: 'New' } }),
  },
  {
    title: 'createItems',
    call: (engine) => createItems(engine, 'books', [{ title: 'New' }, { title: 'Newer' }]),
  },
  { title: 'updateItem', call: (engine) => updateItem(engine, 'books', 1, { title: 'New' }) },
  { title: 'updateItems', call: (engine) => updateItems(engine, 'books', [1, 2], { title: 'New' }) },
  {
    title: 'updateItems of a nested one',
    call: (engine) =>
      updateItems(engine, 'authors', [{ id: 1, name: 'New', books: [{ id: 1, title: 'New' }] }]),
  },
  {
    title: 'updateByQuery',
    call: (engine) => updateByQuery(engine, 'books', { filter: { id: { _gt: 0 } } }, { title: 'New' }),
  },
  { title: 'updateSingleton', call: (engine) => updateSingleton(engine, 'settings', { name: 'New' }) },
  { title: 'deleteItem', call: (engine) => deleteItem(engine, 'books', 1) },
  { title: 'deleteItems', call: (engine) => deleteItems(engine, 'books', [1, 2]) },
  {
    title: 'deleteByQuery',
    call: (engine) => deleteByQuery(engine, 'books', { filter: { id: { _gt: 0 } } }),
  },
  {
    title: 'updateItem that takes a child out',
    call: (engine) => updateItem(engine, 'books', 1, { chapters: [] }),
  },
]

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let engine: Library
  let told: string[]
  const ready = (options: Partial<EngineOptions<typeof schema>> = {}) =>
    createEngine({ db: opened.db, schema, ...options })
  const listen = (to: Library) => {
    for (const event of events)
      to.on(
        event,
        ({ collection, keys, payload }) => {
          told.push(`${event} ${collection} ${keys.join()} ${JSON.stringify(payload)}`)
        },
        { when: 'after' },
      )
  }
  beforeEach(async () => {
    told = []
    opened = await open()
    await createLibrary(name, opened.db)
    engine = ready()
  })

  describe('a handler before', () => {
    it('may answer another payload, and the next one is asked about that', async () => {
      engine.on('items.create', 'books', ({ payload }) => ({ ...payload, title: `${payload?.title}!` }), {
        when: 'before',
      })
      engine.on(
        'items.create',
        'books',
        async ({ payload }) => ({ ...payload, title: `${payload?.title}?` }),
        { when: 'before' },
      )
      expect(await createItem(engine, 'books', { title: 'New' }, { fields: ['title'] })).toEqual({
        title: 'New!?',
      })
    })

    it('that answers nothing leaves the payload as it is', async () => {
      engine.on('items.update', 'books', () => undefined, { when: 'before' })
      expect(await updateItem(engine, 'books', 1, { title: 'Uno' }, { fields: ['title'] })).toEqual({
        title: 'Uno',
      })
    })

    it('may nest what was not nested', async () => {
      engine.on('items.create', 'books', ({ payload }) => ({ ...payload, author: { name: 'Dee' } }), {
        when: 'before',
      })
      expect(await createItem(engine, 'books', { title: 'New' }, { fields: ['author.name'] })).toEqual({
        author: { name: 'Dee' },
      })
    })

    it('answers a payload that is checked as any other', async () => {
      engine.on('items.create', 'books', () => ({ title: null, nope: 1 }), { when: 'before' })
      await expect(createItem(engine, 'books', { title: 'New' })).rejects.toMatchObject({
        errors: [{ code: 'FORBIDDEN' }, { code: 'FAILED_VALIDATION' }],
      })
    })

    it('is asked about each item, also where it is nested, with the keys that are known', async () => {
      const asked: string[] = []
      for (const event of events)
        engine.on(
          event,
          ({ collection, keys, payload }) => {
            asked.push(`${event} ${collection} ${keys.join()} ${JSON.stringify(payload)}`)
          },
          { when: 'before' },
        )
      const author = { id: 1, name: 'Eda' }
      await updateItem(engine, 'books', 1, {
        author,
        chapters: [{ id: 1, heading: 'Go' }, { heading: 'New' }],
      })
      expect(asked).toEqual([
        `items.update books 1 ${JSON.stringify({ author, chapters: [{ id: 1, heading: 'Go' }, { heading: 'New' }] })}`,
        `items.update authors 1 {"id":1,"name":"Eda"}`,
        `items.update chapters 1 {"id":1,"heading":"Go"}`,
        `items.create chapters  {"heading":"New"}`,
        'items.delete chapters 2 undefined',
      ])
    })

    it('is asked about all that a deletion means at once', async () => {
      const asked: unknown[] = []
      engine.on('items.delete', ({ keys }) => asked.push(keys), { when: 'before' })
      await deleteByQuery(engine, 'books', { filter: { id: { _gt: 1 } } })
      expect(asked).toEqual([[2, 3]])
    })

    it.each(writes)(
      'that refuses undoes $title, and its error reaches the caller as it is',
      async ({ call }) => {
        const before = await shelf(engine)
        for (const event of events) engine.on(event, 'chapters', refuse, { when: 'before' })
        for (const event of events) engine.on(event, 'books', refuse, { when: 'before' })
        for (const event of events) engine.on(event, 'settings', refuse, { when: 'before' })
        listen(engine)
        expect(await call(engine).catch((error: unknown) => error)).toBe(refusal)
        expect(await shelf(engine)).toBe(before)
        expect(told).toEqual([])
      },
    )

    it.each(writes)(
      'writes with the engine of the transaction of $title, and is undone with it',
      async ({ call }) => {
        const before = await shelf(engine)
        const seen: unknown[] = []
        for (const event of events)
          engine.on(
            event,
            async (happening) => {
              if (happening.collection === 'subjects') return
              const made = await createItem(happening.engine, 'subjects', { name: `of ${seen.length}` })
              seen.push(await getItem(happening.engine, 'subjects', made?.id ?? 0, { fields: ['name'] }))
              if (seen.length === 2) throw refusal
            },
            { when: 'before' },
          )
        listen(engine)
        const error = await call(engine).catch((caught: unknown) => caught)
        expect(seen[0]).toEqual({ name: 'of 0' })
        if (seen.length < 2) {
          expect(told.some((one) => one.startsWith('items.create subjects'))).toBe(true)
          return
        }
        expect(error).toBe(refusal)
        expect(await shelf(engine)).toBe(before)
        expect(told).toEqual([])
      },
    )

    it('is not asked by a dry run, nor about what hangs already where it is to hang', async () => {
      for (const event of events) engine.on(event, 'chapters', refuse, { when: 'before' })
      await deleteByQuery(engine, 'chapters', { filter: { id: { _gt: 0 } } }, { dryRun: true })
      await updateItem(engine, 'books', 2, { chapters: { update: [] } })
      expect(await updateItem(engine, 'books', 1, { chapters: [1, 2] }, { fields: ['chapters'] })).toEqual({
        chapters: [1, 2],
      })
    })

    it('is asked once about all that are hung on an item, and once about all that are taken off', async () => {
      const heard: unknown[] = []
      const hear = ({ event, collection, keys, payload }: ItemChange) => {
        heard.push([event, collection, keys, payload])
      }
      for (const event of events) engine.on(event, 'chapters', hear, { when: 'before' })
      for (const event of events) engine.on(event, 'books', hear, { when: 'before' })
      await updateItem(engine, 'books', 2, { chapters: [1, 2] })
      await updateItem(engine, 'books', 2, { chapters: [] })
      await updateItem(engine, 'authors', 1, { books: [] })
      expect(heard).toEqual([
        ['items.update', 'books', [2], { chapters: [1, 2] }],
        ['items.update', 'chapters', [1, 2], { book: 2 }],
        ['items.update', 'books', [2], { chapters: [] }],
        ['items.delete', 'chapters', [1, 2], undefined],
        ['items.update', 'books', [1, 2], { author: null }],
      ])
    })

    it('may change what is hung, but not where', async () => {
      engine.on('items.update', 'chapters', () => ({ heading: 'Moved', book: 1 }), { when: 'before' })
      const query = { fields: ['chapters.heading'] } as const
      expect(await updateItem(engine, 'books', 2, { chapters: [1] }, query)).toEqual({
        chapters: [{ heading: 'Moved' }],
      })
    })

    it('of another collection or another event is not asked', async () => {
      engine.on('items.create', 'authors', refuse, { when: 'before' })
      engine.on('items.delete', 'books', refuse, { when: 'before' })
      await createItem(engine, 'books', { title: 'New' })
    })

    it('is asked no more once it was taken off', async () => {
      const off = engine.on('items.create', refuse, { when: 'before' })
      off()
      await createItem(engine, 'books', { title: 'New' })
    })
  })

  describe('a handler after', () => {
    it('is told in the order in which things were done, with keys and payloads', async () => {
      listen(engine)
      await createItem(engine, 'books', {
        title: 'New',
        author: { name: 'Dee' },
        chapters: [{ heading: 'a' }],
        subjects: [{ subject: 1 }],
      })
      await updateItem(engine, 'books', 1, { title: 'Uno', chapters: { delete: [1] } })
      await deleteItems(engine, 'chapters', [2])
      expect(told.map((one) => one.replace(/ (\{.*|undefined)$/, ''))).toEqual([
        'items.create authors 3',
        'items.create books 4',
        'items.create chapters 3',
        'items.create books_subjects 2',
        'items.update books 1',
        'items.delete chapters 1',
        'items.delete chapters 2',
      ])
      expect(told[0]).toBe('items.create authors 3 {"name":"Dee"}')
      expect(told[4]).toBe('items.update books 1 {"title":"Uno","chapters":{"delete":[1]}}')
    })

    it('is told of the payload that handlers before have made', async () => {
      engine.on('items.create', 'books', () => ({ title: 'Other' }), { when: 'before' })
      listen(engine)
      await createItem(engine, 'books', { title: 'New' })
      expect(told).toEqual(['items.create books 4 {"title":"Other"}'])
    })

    it('is told when and by whom', async () => {
      const at = new Date('2024-03-01T12:00:00Z')
      const timed = ready({ clock: () => at })
      let happening: ItemChange | undefined
      timed.on(
        'items.create',
        (given) => {
          happening = given
        },
        { when: 'after' },
      )
      await createItem(timed, 'books', { title: 'New' })
      expect(happening).toMatchObject({
        event: 'items.create',
        collection: 'books',
        keys: [4],
        at,
        user: undefined,
      })
    })

    it.each([
      {
        title: 'a transaction',
        within: (work: (inside: Library) => Promise<unknown>) => engine.transaction(work),
      },
      {
        title: "a host's transaction",
        within: async (work: (inside: Library) => Promise<unknown>) => {
          const committed = await opened.db.transaction().execute(async (transaction) => {
            const inside = engine.using(transaction)
            await work(inside)
            return () => inside.committed()
          })
          await committed()
        },
      },
    ])('has the engine of whoever wrote in $title, outside of it', async ({ within }) => {
      const seen: unknown[] = []
      const look = async ({ engine: given, user }: { engine: Library; user: unknown }) => {
        seen.push([
          user,
          internalsOf(given).unit,
          (await listItems(given, 'subjects', { fields: ['name'] })).data,
        ])
      }
      engine.on('items.create', 'subjects', look, { when: 'after' })
      const rules = {
        subjects: {
          read: { fields: ['id', 'name'], filter: { name: { _starts_with: 'A' } } },
          create: true,
        },
      } as const
      await within(async (inside) => {
        await createItem(inside.as({ user: 1, rules }), 'subjects', { name: 'Ale' })
        await createItem(inside, 'subjects', { name: 'Beer' })
      })
      expect(seen).toEqual([
        [1, undefined, [{ name: 'Ale' }]],
        [undefined, undefined, [{ name: 'tea' }, { name: 'Ale' }, { name: 'Beer' }]],
      ])
    })

    it('sees with its engine what was committed, and may write', async () => {
      const seen: unknown[] = []
      engine.on(
        'items.create',
        'books',
        async (happening) => {
          seen.push(
            await getItem(happening.engine, 'books', Number(happening.keys[0]), { fields: ['title'] }),
          )
          await createItem(engine, 'subjects', { name: 'after' })
        },
        { when: 'after' },
      )
      await createItem(engine, 'books', { title: 'New' })
      expect(seen).toEqual([{ title: 'New' }])
      expect((await listItems(engine, 'subjects', { fields: ['name'] })).data).toEqual([
        { name: 'tea' },
        { name: 'after' },
      ])
    })

    it.each([
      {
        title: 'a validation',
        // @ts-expect-error a chapter needs a title, which the engine finds out for itself
        call: () => createItem(engine, 'books', { title: 'New', chapters: [{}] }),
      },
      {
        title: 'the database',
        call: () => createItems(engine, 'subjects', [{ name: 'new' }, { name: 'tea' }]),
      },
      { title: 'an unknown key', call: () => deleteItems(engine, 'chapters', [1, 99]) },
    ])('is told of nothing that $title refused', async ({ call }) => {
      listen(engine)
      await expect(call()).rejects.toMatchObject({ status: expect.any(Number) })
      expect(told).toEqual([])
    })

    it('that fails is reported to onError, and the others and the caller are answered all the same', async () => {
      const reports: unknown[] = []
      const reporting = ready({ onError: (error, context) => reports.push([error, context?.collection]) })
      reporting.on('items.create', refuse, { when: 'after' })
      listen(reporting)
      expect(await createItem(reporting, 'books', { title: 'New' }, { fields: ['id'] })).toEqual({ id: 4 })
      expect(reports).toEqual([[refusal, 'books']])
      expect(told).toHaveLength(1)
    })

    it.each([
      [
        'throws',
        () => {
          throw new Error('worse')
        },
      ],
      [
        'rejects',
        async () => {
          throw new Error('worse')
        },
      ],
    ])('whose failure meets an onError that %s undoes nothing', async (_, onError) => {
      const failing = ready({ onError })
      failing.on('items.create', refuse, { when: 'after' })
      const warned = new Promise((resolve) => process.once('warning', resolve))
      expect(await createItem(failing, 'books', { title: 'New' }, { fields: ['id'] })).toEqual({ id: 4 })
      expect(await warned).toMatchObject({ message: 'worse' })
    })

    it('that nobody hears of is a warning, with the cause behind one of ours', async () => {
      const failing = ready({})
      const below = new Error('below it')
      const ours = new EngineError('INTERNAL_SERVER_ERROR', 'Fixed.', { cause: below })
      failing.on('items.create', () => Promise.reject(ours), { when: 'after' })
      const warned = new Promise((resolve) => process.once('warning', resolve))
      await createItem(failing, 'books', { title: 'New' })
      expect(await warned).toMatchObject({ message: 'Fixed.', detail: expect.stringContaining('below it') })
    })

    it('is told of every key of a deletion that is too large to answer its keys', async () => {
      const many = Array.from({ length: 10_500 }, (_, index) => ({ name: `subject ${index}` }))
      await createItems(engine, 'subjects', many, { fields: ['id'] })
      const keys: unknown[] = []
      engine.on('items.delete', 'subjects', (happening) => keys.push(...happening.keys), { when: 'after' })
      expect(
        await deleteByQuery(engine, 'subjects', { filter: { name: { _starts_with: 'subject' } } }),
      ).toEqual({ deleted: 10_500 })
      expect(new Set(keys).size).toBe(10_500)
    })
  })

  it.each([
    ['an unknown event', ['items.make', 'books', refuse, { when: 'before' }]],
    ['an unknown collection', ['items.create', 'boks', refuse, { when: 'before' }]],
    ['no time', ['items.create', 'books', refuse, {}]],
    ['no handler', ['items.create', 'books', { when: 'before' }]],
  ])('a handler for %s is refused', (_, given) => {
    const on: (...all: never[]) => unknown = engine.on
    expect(() => on(...(given as never[]))).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }))
  })
})
