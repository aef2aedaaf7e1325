// Writing in transactions: the engine's own, and the host's.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  createItems,
  defineSchema,
  deleteByQuery,
  deleteItem,
  type EngineOptions,
  getItem,
  listItems,
  type QueryReport,
  updateByQuery,
  updateItem,
  updateSingleton,
} from '../../src/index.ts'
import { inSeconds } from '../items/connections.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { createLibrary, type Library, schema, shelf } from '../writes/library.ts'

const loans = defineSchema({
  loans: { fields: { id: { type: 'integer', key: true }, book: { type: 'integer' } } },
})
const patience = 60
const soon = <Result>(work: Promise<Result>) => inSeconds(patience, work)
const undone = new Error('undone')

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let engine: Library
  let told: string[]
  const ready = (options: Partial<EngineOptions<typeof schema>> = {}) => {
    const made = createEngine({ db: opened.db, schema, ...options })
    for (const event of ['items.create', 'items.update', 'items.delete'] as const)
      made.on(
        event,
        ({ collection, keys }) => {
          told.push(`${event} ${collection} ${keys.join()}`)
        },
        { when: 'after' },
      )
    return made
  }
  const names = async () =>
    (await listItems(engine, 'subjects', { fields: ['name'] })).data.map((subject) => subject.name)
  beforeEach(async () => {
    told = []
    opened = await open()
    await createLibrary(name, opened.db)
    engine = ready()
  })

  describe("a transaction of the engine's", () => {
    it('tells of everything that happened in it, in order, once it is committed', async () => {
      await engine.transaction(async (inside) => {
        await createItem(inside, 'subjects', { name: 'new' })
        await deleteItem(inside, 'chapters', 1)
        expect(told).toEqual([])
      })
      expect(told).toEqual(['items.create subjects 2', 'items.delete chapters 1'])
    })

    it('that fails leaves nothing, tells nothing, and throws what its work threw', async () => {
      const before = await shelf(engine)
      const work = engine.transaction(async (inside) => {
        await createItem(inside, 'subjects', { name: 'new' })
        await updateByQuery(inside, 'books', { filter: { id: { _gt: 0 } } }, { title: 'x' })
        throw undone
      })
      expect(await work.catch((error: unknown) => error)).toBe(undone)
      expect(await shelf(engine)).toBe(before)
      expect(told).toEqual([])
    })

    it('is answered as done where an after hook aborts its signal', async () => {
      const controller = new AbortController()
      engine.on('items.create', () => controller.abort(undone), { when: 'after' })
      const work = engine.transaction((inside) => createItem(inside, 'subjects', { name: 'new' }), {
        signal: controller.signal,
      })
      expect(await work).toMatchObject({ name: 'new' })
      expect(controller.signal.aborted).toBe(true)
      expect(await names()).toEqual(['tea', 'new'])
      expect(told).toEqual(['items.create subjects 2'])
    })

    it('goes on after a verb in it has failed', async () => {
      await engine.transaction(async (inside) => {
        await createItem(inside, 'subjects', { name: 'before' })
        await expect(
          createItems(inside, 'subjects', [{ name: 'half' }, { name: 'tea' }]),
        ).rejects.toMatchObject({ code: 'RECORD_NOT_UNIQUE' })
        await expect(createItem(inside, 'chapters', { heading: 'x', book: 99 })).rejects.toMatchObject({
          code: 'INVALID_FOREIGN_KEY',
        })
        await createItem(inside, 'subjects', { name: 'after' })
      })
      expect(await names()).toEqual(['tea', 'before', 'after'])
      expect(told.map((one) => one.replace(/ \d+$/, ''))).toEqual([
        'items.create subjects',
        'items.create subjects',
      ])
    })

    it('inside another is undone alone', async () => {
      await engine.transaction(async (outer) => {
        await createItem(outer, 'subjects', { name: 'outer' })
        const inner = outer.transaction(async (inside) => {
          await createItem(inside, 'subjects', { name: 'inner' })
          throw undone
        })
        expect(await inner.catch((error: unknown) => error)).toBe(undone)
      })
      expect(await names()).toEqual(['tea', 'outer'])
      expect(told).toEqual(['items.create subjects 2'])
    })

    it('inside another is undone with it', async () => {
      const work = engine.transaction(async (outer) => {
        await outer.transaction((inside) => createItem(inside, 'subjects', { name: 'inner' }))
        throw undone
      })
      expect(await work.catch((error: unknown) => error)).toBe(undone)
      expect(await names()).toEqual(['tea'])
      expect(told).toEqual([])
    })

    it('is not told of by hand', async () => {
      await engine.transaction(async (inside) => {
        await createItem(inside, 'subjects', { name: 'new' })
        await expect(inside.committed()).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
        expect(told).toEqual([])
      })
      await expect(engine.committed()).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
      expect(told).toEqual(['items.create subjects 2'])
    })

    it('whose commit is refused is refused as any statement', async () => {
      await opened.run(
        'create table loans (id integer primary key, book integer references books deferrable initially deferred)',
      )
      const lending = createEngine({ db: opened.db, schema: loans })
      await expect(createItem(lending, 'loans', { id: 1, book: 99 })).rejects.toMatchObject({
        code: 'INVALID_FOREIGN_KEY',
      })
      const work = lending.transaction((inside) => createItem(inside, 'loans', { id: 1, book: 99 }))
      await expect(work).rejects.toMatchObject({ code: 'INVALID_FOREIGN_KEY' })
      expect((await listItems(lending, 'loans')).data).toEqual([])
    })
  })

  describe("a transaction of the host's", () => {
    it('is told of when the host says that it was committed, once', async () => {
      const inside = await opened.db.transaction().execute(async (transaction) => {
        const inTx = engine.using(transaction)
        await createItem(inTx, 'subjects', { name: 'new' })
        await updateItem(engine.using(transaction), 'books', 1, { title: 'Uno' })
        return inTx
      })
      expect(told).toEqual([])
      await inside.committed()
      expect(told).toEqual(['items.create subjects 2', 'items.update books 1'])
      await inside.committed()
      expect(told).toHaveLength(2)
    })

    it('may be what an engine is made for', async () => {
      const inside = await opened.db.transaction().execute(async (transaction) => {
        const inTx = ready({ db: transaction })
        await createItem(inTx, 'books', { title: 'New', author: { name: 'Dee' } })
        await expect(
          createItems(inTx, 'subjects', [{ name: 'half' }, { name: 'tea' }]),
        ).rejects.toMatchObject({ code: 'RECORD_NOT_UNIQUE' })
        const part = inTx.transaction(async (deeper) => {
          await deleteByQuery(deeper, 'chapters', { filter: { id: { _gt: 0 } } })
          throw undone
        })
        expect(await part.catch((error: unknown) => error)).toBe(undone)
        await createItem(inTx, 'subjects', { name: 'kept' })
        return inTx
      })
      expect(await names()).toEqual(['tea', 'kept'])
      expect(told).toEqual([])
      await inside.committed()
      expect(told.map((one) => one.replace(/ \d+$/, ''))).toEqual([
        'items.create authors',
        'items.create books',
        'items.create subjects',
      ])
    })

    it('that is rolled back leaves nothing and tells nothing', async () => {
      const before = await shelf(engine)
      const work = opened.db.transaction().execute(async (transaction) => {
        const inTx = engine.using(transaction)
        await createItem(inTx, 'books', { title: 'New', author: { name: 'Dee' } })
        await deleteByQuery(inTx, 'chapters', { filter: { id: { _gt: 0 } } })
        await updateSingleton(inTx, 'settings', { name: 'x' })
        throw undone
      })
      expect(await work.catch((error: unknown) => error)).toBe(undone)
      expect(await shelf(engine)).toBe(before)
      expect(told).toEqual([])
    })

    it('goes on after a verb in it has failed, with what the host itself has written', async () => {
      const inside = await opened.db.transaction().execute(async (transaction) => {
        const inTx = engine.using(transaction)
        await transaction.insertInto('subjects').values({ name: 'host' }).execute()
        await expect(
          createItems(inTx, 'subjects', [{ name: 'half' }, { name: 'host' }]),
        ).rejects.toMatchObject({ code: 'RECORD_NOT_UNIQUE' })
        await expect(deleteItem(inTx, 'authors', 1)).rejects.toMatchObject({ code: 'INVALID_FOREIGN_KEY' })
        await createItem(inTx, 'subjects', { name: 'engine' })
        await transaction.insertInto('subjects').values({ name: 'more' }).execute()
        return inTx
      })
      expect(await names()).toEqual(['tea', 'host', 'engine', 'more'])
      await inside.committed()
      expect(told.map((one) => one.replace(/ \d+$/, ''))).toEqual(['items.create subjects'])
    })
  })

  it('verbs that are begun together in one transaction do not disturb each other', async () => {
    const created = await soon(
      engine.transaction((inside) =>
        Promise.allSettled(
          Array.from({ length: 12 }, (_, index) =>
            index % 3 === 0
              ? createItems(inside, 'subjects', [{ name: `half ${index}` }, { name: 'tea' }])
              : createItem(inside, 'subjects', { name: `new ${index}` }, { fields: ['name'] }),
          ),
        ),
      ),
    )
    expect(created.map(({ status }) => status)).toEqual(
      Array.from({ length: 12 }, (_, index) => (index % 3 === 0 ? 'rejected' : 'fulfilled')),
    )
    const kept = Array.from({ length: 12 }, (_, index) => index).filter((index) => index % 3 !== 0)
    expect(await names()).toEqual(['tea', ...kept.map((index) => `new ${index}`)])
    expect(told).toHaveLength(8)
  })

  describe('a call that its transaction does not await', () => {
    const book = (inside: Library) =>
      createItem(inside, 'books', { title: 'New', chapters: [{ heading: 'a' }, { heading: 'b' }] })
    const stored = async () => {
      const fields = ['title', 'chapters.heading'] as const
      return (await listItems(engine, 'books', { fields, filter: { title: 'New' } })).data
    }
    const whole = [{ title: 'New', chapters: [{ heading: 'a' }, { heading: 'b' }] }]

    it.each([0, 1, 2, 3, 5, 8, 13, 21, 34])(
      'is stored whole, or not at all, %i steps before its end',
      async (steps) => {
        const calls: Promise<unknown>[] = []
        await engine.transaction(async (inside) => {
          await createItem(inside, 'subjects', { name: 'new' })
          calls.push(book(inside).catch((error: unknown) => error))
          for (let step = 0; step < steps; step++) await undefined
        })
        const answer = await soon(Promise.all(calls))
        const isRefused = (answer[0] as { code?: unknown }).code === 'SERVICE_UNAVAILABLE'
        expect(await stored()).toEqual(isRefused ? [] : whole)
        expect(told.filter((one) => one.includes('books'))).toHaveLength(isRefused ? 0 : 1)
        await createItem(engine, 'subjects', { name: 'next' })
        await engine.transaction((inside) => createItem(inside, 'subjects', { name: 'last' }))
        expect(await names()).toEqual(['tea', 'new', 'next', 'last'])
      },
    )

    it('is stored beside one that has failed', async () => {
      await engine.transaction(async (inside) => {
        const both = [createItem(inside, 'subjects', { name: 'tea' }), book(inside)]
        await Promise.all(both).catch(() => undefined)
      })
      expect(await stored()).toEqual(whole)
    })

    it('is refused with words behind the end, and leaves nothing', async () => {
      const left: Library[] = []
      await engine.transaction(async (inside) => void left.push(inside))
      await expect(
        engine.transaction(async (inside) => {
          left.push(inside)
          throw undone
        }),
      ).rejects.toBe(undone)
      for (const inside of left) {
        await expect(soon(book(inside))).rejects.toMatchObject({
          code: 'SERVICE_UNAVAILABLE',
          message: 'The transaction of this call has ended before it, and nothing of the call is stored.',
        })
        expect(await stored()).toEqual([])
        await createItem(engine, 'subjects', { name: `next ${left.indexOf(inside)}` })
      }
      expect(await names()).toEqual(['tea', 'next 0', 'next 1'])
    })
  })

  it('verbs that are begun together on one engine do not disturb each other', async () => {
    const calls = Array.from({ length: 30 }, (_, index) =>
      createItem(
        engine,
        'books',
        { title: `${index}`, chapters: [{ heading: `of ${index}` }] },
        { fields: ['title', 'chapters.heading'] },
      ),
    )
    expect(await inSeconds(30, Promise.all(calls))).toEqual(
      calls.map((_, index) => ({ title: `${index}`, chapters: [{ heading: `of ${index}` }] })),
    )
  })

  describe('a handler before', () => {
    const within = {
      'a verb of its own': (work: (used: Library) => Promise<unknown>) => work(engine),
      'a transaction': (work: (used: Library) => Promise<unknown>) =>
        engine.transaction((inside) => work(inside)),
      "a host's transaction": (work: (used: Library) => Promise<unknown>) =>
        opened.db.transaction().execute((transaction) => work(engine.using(transaction))),
    }
    const places = Object.entries(within).map(([place, run]) => ({ place, run }))
    const hinted = { code: 'SERVICE_UNAVAILABLE', status: 503, hint: expect.stringContaining('engine') }

    // Elsewhere there are connections enough.
    it.each(name === 'sqlite' ? places : [])(
      'in $place that uses the outer engine fails at once, with a hint',
      async ({ run }) => {
        engine.on('items.create', 'books', () => createItem(engine, 'subjects', { name: 'x' }), {
          when: 'before',
        })
        const error = await inSeconds(
          2,
          run((used) => createItem(used, 'books', { title: 'New' })).catch((caught: unknown) => caught),
        )
        expect(error).toMatchObject(hinted)
        expect(await names()).toEqual(['tea'])
      },
    )

    it.each(name === 'sqlite' ? places : [])(
      'in $place that uses the outer engine only when it is awaited fails at once, with a hint',
      async ({ run }) => {
        // Such a promise asks the database when somebody waits for it, as those of some query builders do.
        const lazy = (): PromiseLike<unknown> => ({
          // biome-ignore lint/suspicious/noThenProperty: this is what is tested
          then: (resolve, reject) => getItem(engine, 'subjects', 1).then(resolve, reject),
        })
        const later = async () => {
          await Promise.resolve()
          return getItem(engine, 'subjects', 1)
        }
        // Others take theirs from a promise, or look like one.
        const disguised = () =>
          new Proxy(Promise.resolve(), { get: (_, key) => (key === 'then' ? lazy().then : Promise) })
        for (const hook of [lazy, later, disguised]) {
          const leave = engine.on('items.update', 'books', hook as () => never, { when: 'before' })
          const work = run((used) => updateItem(used, 'books', 1, { title: 'New' }))
          const caught = work.catch((error: unknown) => error)
          expect(await inSeconds(2, caught)).toMatchObject(hinted)
          leave()
        }
      },
    )

    it.each(name === 'sqlite' ? places : [])(
      'in $place that used to return at once and then uses the outer engine fails, with a hint where it waits for nothing before',
      async ({ run, place }) => {
        engine = ready({ acquireTimeoutMs: 200 })
        const later = async () => {
          await Promise.resolve()
          return getItem(engine, 'subjects', 1)
        }
        for (const nested of [() => getItem(engine, 'subjects', 1), later]) {
          let call = (): unknown => undefined
          const leave = engine.on('items.update', 'books', () => call() as never, { when: 'before' })
          const update = () => run((used) => updateItem(used, 'books', 1, { title: 'New' }))
          await update()
          await update()
          call = nested
          // The second time it is known to take its time.
          for (const isKnown of [false, true]) {
            const caught = await inSeconds(
              2,
              update().catch((error: unknown) => error),
            )
            const isFollowed = isKnown || nested !== later || place !== 'a verb of its own'
            expect(caught).toMatchObject(isFollowed ? hinted : { code: hinted.code, status: hinted.status })
          }
          leave()
        }
        engine = ready()
      },
    )

    it.each(name === 'sqlite' ? places.slice(1) : [])(
      'on reads in $place that uses the outer engine fails at once, with a hint',
      async ({ run }) => {
        engine.on('items.read', 'books', () => listItems(engine, 'subjects'), { when: 'before' })
        const caught = run((used) => listItems(used, 'books')).catch((error: unknown) => error)
        expect(await inSeconds(2, caught)).toMatchObject(hinted)
      },
    )

    it.each(places.slice(1))(
      'in $place that uses the engine around the verb fails at once, with a hint',
      async ({ run }) => {
        let around = engine
        engine.on('items.create', 'books', () => createItem(around, 'subjects', { name: 'x' }), {
          when: 'before',
        })
        const work = run((used) => {
          around = used
          return createItem(used, 'books', { title: 'New' })
        })
        expect(
          await inSeconds(
            2,
            work.catch((caught: unknown) => caught),
          ),
        ).toMatchObject(hinted)
        expect(await names()).toEqual(['tea'])
      },
    )

    it.each(places)('in $place that uses its own engine is answered', async ({ run }) => {
      engine.on(
        'items.create',
        'books',
        async (happening) => {
          await createItem(happening.engine, 'subjects', { name: 'x' })
          await Promise.all([1, 2].map((id) => getItem(happening.engine, 'books', id)))
        },
        { when: 'before' },
      )
      await soon(run((used) => createItem(used, 'books', { title: 'New' })))
      expect(await names()).toEqual(['tea', 'x'])
    })
  })

  describe('a call that is aborted', () => {
    const calls: readonly {
      readonly title: string
      readonly call: (used: Library, signal: AbortSignal) => Promise<unknown>
    }[] = [
      {
        title: 'createItem',
        call: (used, signal) =>
          createItem(used, 'books', { title: 'New', chapters: [{ heading: 'x' }] }, {}, { signal }),
      },
      {
        title: 'updateItem',
        call: (used, signal) => updateItem(used, 'books', 1, { chapters: [] }, {}, { signal }),
      },
      {
        title: 'deleteByQuery',
        call: (used, signal) => deleteByQuery(used, 'books', { filter: { id: { _gt: 0 } } }, { signal }),
      },
    ]

    it.each(calls)(
      'at any statement of $title is done or is not, and is told of only if it is',
      async ({ call }) => {
        let reports = 0
        let abortAt = 0
        let controller = new AbortController()
        const onQuery = (_: QueryReport) => {
          if (++reports === abortAt) controller.abort('enough')
        }
        let failures = 0
        for (abortAt = 1; ; abortAt++) {
          await opened.close()
          opened = await open()
          await createLibrary(name, opened.db)
          engine = ready()
          const attempt = ready({ onQuery })
          const before = await shelf(engine)
          ;[reports, told, controller] = [0, [], new AbortController()]
          const outcome = await soon(
            call(attempt, controller.signal).then(
              () => 'done',
              (error: unknown) => error,
            ),
          )
          // Whoever aborts is answered at once; the transaction ends a little later.
          await soon(engine.transaction(async () => undefined))
          const isChanged = await settled(async () => {
            const after = await shelf(engine)
            return { isChanged: after !== before, isTold: told.length > 0 }
          })
          expect(isChanged.isTold).toBe(isChanged.isChanged)
          if (outcome === 'done') {
            expect(isChanged.isChanged).toBe(true)
            if (abortAt > reports) break
          } else {
            failures++
            expect(outcome).toBe('enough')
          }
        }
        expect(failures).toBeGreaterThan(1)
      },
    )
  })
})

/** What is seen twice in a row: a transaction that goes on in the background has ended then. */
async function settled<Seen>(look: () => Promise<Seen>): Promise<Seen> {
  for (let last = await look(); ; ) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    const next = await look()
    if (JSON.stringify(next) === JSON.stringify(last)) return next
    last = next
  }
}
