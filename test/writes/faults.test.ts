// Whatever fails, at whatever step: the database is as it was or as it was to be, never between.
import BetterSqlite from 'better-sqlite3'
import { type Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  createItems,
  deleteByQuery,
  deleteItem,
  deleteItems,
  isEngineError,
  updateByQuery,
  updateItem,
  updateItems,
  updateSingleton,
} from '../../src/index.ts'
import { inSeconds, type OpenPool, openPool } from '../items/connections.ts'
import { type AnyTables, databases } from '../support/databases.ts'
import { failing, type Steps } from './failing-driver.ts'
import { createLibrary, type Library, restoreLibrary, schema, shelf } from './library.ts'

const verbs: Readonly<Record<string, (engine: Library) => Promise<unknown>>> = {
  createItem: (engine) =>
    createItem(engine, 'books', {
      title: 'New',
      author: { name: 'Dee' },
      chapters: [{ heading: 'a' }, { heading: 'b' }],
      subjects: [{ subject: { name: 'new' } }],
    }),
  createItems: (engine) => createItems(engine, 'books', [{ title: 'a' }, { title: 'b', author: 1 }]),
  updateItem: (engine) =>
    updateItem(engine, 'books', 1, { title: 'Uno', chapters: { create: [{ heading: 'c' }], delete: [1] } }),
  updateItems: (engine) =>
    updateItems(engine, 'books', [
      { id: 1, title: 'Uno' },
      { id: 2, title: 'Due' },
    ]),
  updateByQuery: (engine) =>
    updateByQuery(engine, 'books', { filter: { id: { _gt: 0 } } }, { title: 'x', subjects: [] }),
  updateSingleton: (engine) => updateSingleton(engine, 'settings', { name: 'x' }),
  deleteItem: (engine) => deleteItem(engine, 'books', 1),
  deleteItems: (engine) => deleteItems(engine, 'books', [1, 3]),
  deleteByQuery: (engine) => deleteByQuery(engine, 'books', { filter: { id: { _gt: 0 } } }),
}
/** Verbs that take one statement where nobody is asked before, on one of the databases at least. */
const lone: ReadonlySet<string> = new Set(['deleteItem', 'deleteItems'])
const cases = Object.entries(verbs).map(([verb, call]) => ({ verb, call, isOneStatement: lone.has(verb) }))

const among = (...verbs: readonly string[]) => cases.filter(({ verb }) => verbs.includes(verb))
/** What is one statement. */
const unheard = { sqlite: among('deleteItem'), postgres: among('deleteItem', 'deleteByQuery') }

interface Failing {
  readonly db: Kysely<AnyTables>
  readonly steps: Steps
  close(): Promise<void>
}

const open: Readonly<Record<'sqlite' | 'postgres', () => Promise<Failing>>> = {
  sqlite: async () => {
    const { db, steps } = failing(new SqliteDialect({ database: new BetterSqlite(':memory:') }))
    return { db, steps, close: () => db.destroy() }
  },
  postgres: async () => {
    const opened: OpenPool = await openPool(2)
    const { db, steps } = failing(new PostgresDialect({ pool: opened.pool }))
    return { db, steps, close: () => opened.close() }
  },
}

/** Errors as drivers make them. */
const coded = (code: string) => () => Object.assign(new Error(`the driver says ${code}`), { code })
const passing = {
  sqlite: ['SQLITE_BUSY', 'SQLITE_LOCKED'],
  postgres: ['40001', '40P01'],
} as const

describe.each(databases)('on $name', ({ name }) => {
  let opened: Failing
  let engine: Library
  let told: number
  const restore = () => restoreLibrary(name, opened.db)
  /** Lets one step fail, the how-manieth from now on; with 0, none. */
  const arm = (failAt: number, failWith: Steps['failWith'] = () => new Error('no more')) => {
    const fails = (step: number) => step === failAt
    Object.assign(opened.steps, { fails, failWith, taken: 0 })
    opened.steps.statements.length = 0
    told = 0
  }
  beforeAll(async () => {
    opened = await open[name]()
    await createLibrary(name, opened.db)
  })
  afterAll(() => opened.close())
  beforeEach(async () => {
    arm(0)
    await restore()
    engine = createEngine({ db: opened.db, schema })
    // What is asked of a server once is asked here.
    await engine.transaction(async () => {})
    for (const event of ['items.create', 'items.update', 'items.delete'] as const)
      engine.on(event, () => told++, { when: 'after' })
  })

  it.each(cases)('$verb is done or is not, whichever step fails', async ({ call, isOneStatement }) => {
    const before = await shelf(engine)
    // What a table is asked once is asked here.
    await call(engine)
    await restore()
    arm(0)
    await call(engine)
    const steps = opened.steps.taken
    const wanted = await shelf(engine)
    expect(wanted).not.toBe(before)
    expect(steps).toBeGreaterThan(isOneStatement ? 0 : 3)
    for (let failAt = 1; failAt <= steps; failAt++) {
      await restore()
      arm(failAt)
      const error = await inSeconds(
        10,
        call(engine).catch((caught: unknown) => caught),
      )
      const where = `step ${failAt}: ${opened.steps.statements[failAt - 1]}`
      const failed = opened.steps.statements[failAt - 1]
      const rolledBack = opened.steps.held
      arm(0)
      expect(rolledBack, where).toBe(0)
      if (isReset(failed)) {
        expect(isEngineError(error), where).toBe(false)
        continue
      }
      expect(isEngineError(error) && error.code, where).toBe('INTERNAL_SERVER_ERROR')
      expect(await shelf(engine), where).toBe(before)
      expect(told, where).toBe(0)
    }
    await inSeconds(10, call(engine))
    expect(withoutKeys(await shelf(engine))).toBe(withoutKeys(wanted))
  })

  it.each(unheard[name])(
    '$verb that nobody hears takes no transaction, and is begun anew',
    async ({ call }) => {
      const silent = createEngine({ db: opened.db, schema })
      const before = await shelf(silent)
      arm(0)
      await call(silent)
      // Its own statement, and perhaps one that reads what it has written.
      expect(opened.steps.taken).toBeLessThanOrEqual(2)
      expect(opened.steps.statements).not.toContain('begin')
      const wanted = await shelf(silent)
      await restore()
      arm(1)
      await expect(call(silent)).rejects.toMatchObject({ code: 'INTERNAL_SERVER_ERROR' })
      expect(await shelf(silent)).toBe(before)
      arm(1, coded(passing[name][0]))
      await call(silent)
      expect(withoutKeys(await shelf(silent))).toBe(withoutKeys(wanted))
    },
  )

  it('a deletion by query that may have to be taken back takes a transaction', async () => {
    const silent = createEngine({ db: opened.db, schema })
    const before = await shelf(silent)
    arm(0)
    const deletion = deleteByQuery(silent, 'books', { filter: { id: { _gt: 0 } } }, { maxAffected: 1 })
    await expect(deletion).rejects.toMatchObject({ code: 'INVALID_PAYLOAD' })
    expect(opened.steps.statements[0]).toBe('begin')
    expect(await shelf(silent)).toBe(before)
  })

  describe.each(passing[name])('an error %s that passes', (code) => {
    it.each(cases)('is met by doing $verb once more', async ({ call }) => {
      arm(0)
      await call(engine)
      const [steps, wanted] = [opened.steps.taken, await shelf(engine)]
      const middle = Math.ceil(steps / 2)
      for (const failAt of [1, isReset(opened.steps.statements[middle - 1]) ? middle + 1 : middle, steps]) {
        await restore()
        arm(failAt, coded(code))
        await inSeconds(10, call(engine))
        expect(opened.steps.taken).toBeGreaterThan(steps)
        expect(told).toBeGreaterThan(0)
        arm(0)
        expect(withoutKeys(await shelf(engine))).toBe(withoutKeys(wanted))
      }
    })

    it('is told at once by an engine that was made for a transaction', async () => {
      const work = opened.db.transaction().execute(async (transaction) => {
        const inside = createEngine({ db: transaction, schema })
        arm(1, coded(code))
        await createItem(inside, 'subjects', { name: 'host' })
      })
      await expect(work).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', cause: { code } })
    })

    it.each([
      { when: 'before', first: /^begin$/ },
      { when: 'after', first: /delete from "books"/ },
    ] as const)('is told when it does not pass, after a few attempts, with hooks $when', async (hooks) => {
      const impatient = createEngine({ db: opened.db, schema, acquireTimeoutMs: 60 })
      impatient.on('items.delete', () => told++, { when: hooks.when })
      arm(0, coded(code))
      opened.steps.fails = () => true
      const error = await inSeconds(
        10,
        deleteItem(impatient, 'books', 1).catch((caught: unknown) => caught),
      )
      expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 })
      expect([...new Set(opened.steps.statements)]).toEqual([expect.stringMatching(hooks.first)])
      // Who finds the database locked comes back for as long as one may wait for a connection.
      const attempts = code === 'SQLITE_BUSY' ? expect.any(Number) : 5
      expect(opened.steps.statements.length).toEqual(attempts)
    })

    it("is the host's to meet in a transaction of the host's", async () => {
      const work = opened.db.transaction().execute(async (transaction) => {
        arm(2, coded(code))
        return deleteItem(engine.using(transaction), 'books', 1)
      })
      await expect(work).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
      const statements = [...opened.steps.statements]
      arm(0)
      expect(statements.filter((text) => /^savepoint/.test(text))).toHaveLength(1)
    })
  })
})

/** Takes a setting back, which changes nothing of what was done. */
const isReset = (statement = '') => /^pragma busy_timeout = [1-9]/.test(statement)

/** A database may count keys on that were given to what is gone. */
const withoutKeys = (text: string) => text.replaceAll(/"(id|book|author|subject)":\d+/g, '"$1":0')
