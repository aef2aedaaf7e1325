// Transactions that look at an earlier state: what a set of children or a singleton promises, they keep or refuse.
import { randomBytes } from 'node:crypto'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import {
  createEngine,
  createItem,
  isEngineError,
  listItems,
  updateItem,
  updateSingleton,
} from '../../../src/index.ts'
import { postgresDialect } from '../../../src/postgres.ts'
import type { AnyTables } from '../../support/databases.ts'
import { createLibrary, type Library, schema } from '../library.ts'

const dialects = {
  plain: (pool: pg.Pool) => new PostgresDialect({ pool }),
  'quernel/postgres': (pool: pg.Pool) => postgresDialect({ pool }),
} as const
const levels = ['repeatable read', 'serializable'] as const

describe.each(Object.entries(dialects))('with the dialect of %s', (_name, dialect) => {
  let pool: pg.Pool
  let db: Kysely<AnyTables>
  let engine: Library
  let home: string

  const open = async (isolation: string) => {
    home = `test_${randomBytes(8).toString('hex')}`
    const options = `-c search_path=${home} -c default_transaction_isolation=${isolation.replace(' ', '\\ ')}`
    pool = new pg.Pool({ connectionString: inject('postgres').c, options })
    await pool.query(`CREATE SCHEMA ${home}`)
    db = new Kysely<AnyTables>({ dialect: dialect(pool) })
    await createLibrary('postgres', db)
    engine = createEngine({ db, schema, acquireTimeoutMs: 600_000 })
  }
  afterEach(async () => {
    await pool.query(`DROP SCHEMA ${home} CASCADE`)
    await db.destroy()
  })

  const chapters = async () => (await listItems(engine, 'chapters', { filter: { book: 3 } })).data
  const set = (own: Library, heading: string) => updateItem(own, 'books', 3, { chapters: [{ heading }] })

  describe.each(levels)('a transaction of the host at %s', (level) => {
    beforeEach(() => open('read committed'))

    it('refuses a whole set of children that has changed since it began to look', async () => {
      const work = db
        .transaction()
        .setIsolationLevel(level)
        .execute(async (transaction) => {
          const inside = engine.using(transaction)
          await listItems(inside, 'chapters')
          await set(engine, 'theirs')
          await set(inside, 'ours')
        })
      await expect(work).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
      expect(await chapters()).toMatchObject([{ heading: 'theirs' }])
    })

    it('sets children that nobody else has touched', async () => {
      await db
        .transaction()
        .setIsolationLevel(level)
        .execute((transaction) => set(engine.using(transaction), 'ours'))
      expect(await chapters()).toMatchObject([{ heading: 'ours' }])
    })

    it('changes a singleton that is there, and creates none', async () => {
      const write = (name: string) =>
        db
          .transaction()
          .setIsolationLevel(level)
          .execute((transaction) => updateSingleton(engine.using(transaction), 'settings', { name }))
      await expect(write('first')).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
      await createItem(engine, 'settings', { name: 'first' })
      expect(await write('second')).toMatchObject({ name: 'second' })
    })
  })

  it('transactions are serializable where the engine is to have them so, and nothing else is asked for', async () => {
    await open('read committed')
    const apart = createEngine({ db, schema, isolation: 'serializable' })
    const levelIn = (own: Library) =>
      own.transaction(async ({ db: inside }) => {
        const { rows } = await sql<{
          level: string
        }>`select current_setting('transaction_isolation') as level`.execute(inside)
        return rows[0]?.level
      })
    expect([await levelIn(engine), await levelIn(apart)]).toEqual(['read committed', 'serializable'])
    // @ts-expect-error: there is no such level here
    expect(() => createEngine({ db, schema, isolation: 'snapshot' })).toThrow(
      '"isolation" is "serializable" or left out, not "snapshot".',
    )
  })

  it.each(levels)('whole sets and singletons are whole where the role begins at %s', async (level) => {
    await open(level)
    const eight = Array.from({ length: 8 }, (_, index) => `${index}`)
    // Of serializable ones the database may end some too often; they are told so, and have done nothing.
    const outcomes = async (write: (text: string) => Promise<unknown>) =>
      new Set(await Promise.all(eight.map((text) => write(text).then(() => 'done', codeOf))))
    const allowed = level === 'serializable' ? ['done', 'SERVICE_UNAVAILABLE'] : ['done']
    for (const found of [
      await outcomes((heading) => set(engine, heading)),
      await outcomes((name) => updateSingleton(engine, 'settings', { name })),
    ])
      expect(allowed).toEqual(expect.arrayContaining([...found]))
    expect(await chapters()).toHaveLength(1)
    expect((await listItems(engine, 'settings')).data).toHaveLength(1)
    const { rows } = await sql<{
      level: string
    }>`select current_setting('default_transaction_isolation') as level`.execute(db)
    expect(rows).toEqual([{ level }])
  })
})

const codeOf = (error: unknown) => (isEngineError(error) ? error.code : String(error))
