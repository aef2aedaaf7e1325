// Whoever has left while others had their turn gets none: nothing is begun for them, and nothing rolled back.
import BetterSqlite from 'better-sqlite3'
import { PostgresDialect, SqliteDialect, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  createItems,
  deleteByQuery,
  type Engine,
  listItems,
  updateItem,
} from '../../src/index.ts'
import { inSeconds, openPool } from '../items/connections.ts'
import { databases } from '../support/databases.ts'
import { failing, type Steps } from './failing-driver.ts'
import { createLibrary, type Library, schema } from './library.ts'

interface Opened {
  readonly db: ReturnType<typeof failing>['db']
  readonly steps: Steps
  close(): Promise<void>
}

const open: Readonly<Record<'sqlite' | 'postgres', () => Promise<Opened>>> = {
  sqlite: async () => {
    const { db, steps } = failing(new SqliteDialect({ database: new BetterSqlite(':memory:') }))
    return { db, steps, close: () => db.destroy() }
  },
  postgres: async () => {
    const opened = await openPool(1)
    const { db, steps } = failing(new PostgresDialect({ pool: opened.pool }))
    return { db, steps, close: () => opened.close() }
  },
}

const calls: Readonly<Record<string, (engine: Library, signal: AbortSignal) => Promise<unknown>>> = {
  createItem: (engine, signal) => createItem(engine, 'subjects', { name: 'a' }, {}, { signal }),
  createItems: (engine, signal) =>
    createItems(engine, 'subjects', [{ name: 'a' }, { name: 'b' }], {}, { signal }),
  updateItem: (engine, signal) => updateItem(engine, 'books', 1, { chapters: [] }, {}, { signal }),
  deleteByQuery: (engine, signal) => deleteByQuery(engine, 'books', { filter: { id: 1 } }, { signal }),
  listItems: (engine, signal) => listItems(engine, 'books', {}, { signal }),
  transaction: (engine, signal) => engine.transaction(async () => undefined, { signal }),
}
const reason = new Error('the visitor has left')

describe.each(databases)('on $name', ({ name }) => {
  let opened: Opened
  let engine: Engine<typeof schema>
  beforeEach(async () => {
    opened = await open[name]()
    await createLibrary(name, opened.db)
    engine = createEngine({ db: opened.db, schema })
    await engine.transaction(async () => undefined)
  })
  afterEach(() => opened.close())

  it.each(Object.entries(calls))('%s that waits for a connection runs nothing', async (_verb, call) => {
    const controller = new AbortController()
    opened.steps.statements.length = 0
    await opened.db.transaction().execute(async () => {
      const waiting = call(engine, controller.signal)
      await new Promise((resolve) => setImmediate(resolve))
      controller.abort(reason)
      await expect(inSeconds(5, waiting)).rejects.toBe(reason)
    })
    // Whoever comes next is behind it.
    await opened.db.connection().execute(async () => undefined)
    await new Promise((resolve) => setImmediate(resolve))
    expect(opened.steps.statements).toEqual(['begin', 'commit'])
    expect(opened.steps.held).toBe(0)
  })

  it('a verb that waits for another in its transaction runs nothing', async () => {
    const controller = new AbortController()
    await engine.transaction(async (inside) => {
      let end: (value?: unknown) => void = () => undefined
      const open = new Promise((resolve) => {
        end = resolve
      })
      const first = inside.transaction(() => open)
      const second = createItems(
        inside,
        'subjects',
        [{ name: 'a' }, { name: 'b' }],
        {},
        { signal: controller.signal },
      )
      const refused = expect(inSeconds(5, second)).rejects.toBe(reason)
      await new Promise((resolve) => setImmediate(resolve))
      controller.abort(reason)
      opened.steps.statements.length = 0
      await refused
      end()
      await first
    })
    expect(opened.steps.statements.filter((text) => text.startsWith('savepoint quernel_'))).toEqual([])
  })
})

it.each(Object.entries(calls))(
  '%s that waits behind a statement of its transaction ends at once on PostgreSQL',
  async (_verb, call) => {
    const opened = await openPool(2)
    const { db, steps } = failing(new PostgresDialect({ pool: opened.pool }))
    try {
      await createLibrary('postgres', db)
      const engine = createEngine({ db, schema })
      const controller = new AbortController()
      await db.connection().execute(async (rival) => {
        await sql`select pg_advisory_lock(7)`.execute(rival)
        await db.transaction().execute(async (transaction) => {
          const blocked = sql`select pg_advisory_lock(7)`.execute(transaction)
          await new Promise((resolve) => setImmediate(resolve))
          let outcome: unknown
          const waiting = call(engine.using(transaction), controller.signal).catch((error: unknown) => {
            outcome = error
          })
          await new Promise((resolve) => setImmediate(resolve))
          steps.statements.length = 0
          controller.abort(reason)
          await new Promise((resolve) => setImmediate(resolve))
          const early = outcome
          await sql`select pg_advisory_unlock(7)`.execute(rival)
          await Promise.all([blocked, waiting])
          // Nothing of it comes later.
          await sql`select 1`.execute(transaction)
          expect(early).toBe(reason)
          expect(steps.statements).toEqual(['select pg_advisory_unlock(7)', 'select 1'])
        })
      })
    } finally {
      await db.destroy()
    }
  },
)
