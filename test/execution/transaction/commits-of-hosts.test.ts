// A transaction of the host's on PostgreSQL that has failed, and whose error the host has caught: its commit rolls back, and only newer versions of
// Kysely's own dialect tell. What the engine knows of it, `committed()` says.
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { createEngine, createItem, type Engine, listItems } from '../../../src/index.ts'
import { type OpenPool, openPool } from '../../items/connections.ts'
import type { AnyTables } from '../../support/databases.ts'
import { createLibrary, schema } from '../../writes/library.ts'

const over = {
  code: 'SERVICE_UNAVAILABLE',
  message: expect.stringContaining('This transaction is over, and nothing of it is stored'),
}

/** The engine does not see what the host does behind a failure. */
const inDoubt = { code: 'SERVICE_UNAVAILABLE', extensions: { mayBeStored: true } }

let pool: OpenPool
let engine: Engine
let told: unknown[]
beforeEach(async () => {
  pool = await openPool(2)
  const db = new Kysely<AnyTables>({ dialect: new PostgresDialect({ pool: pool.pool }) })
  await createLibrary('postgres', db)
  await sql`drop table settings`.execute(db)
  await sql`create view settings as select 1 as id, pg_sleep(60)::text as name`.execute(db)
  await sql`alter table authors rename to writers`.execute(db)
  engine = createEngine({ db, schema })
  told = []
  engine.on('items.create', ({ payload }) => void told.push(payload?.name), { when: 'after' })
})

const caught = (error: unknown) => error
const isAborted = (error: unknown) =>
  error instanceof Error && error.constructor.name === 'AbortedTransactionError'

/** Runs the work in a transaction of the host's, and answers with the engine inside, also where Kysely tells that the commit was none. */
async function ofHost(work: (inside: Engine, transaction: Transaction<AnyTables>) => Promise<unknown>) {
  let bound = engine
  const run = engine.db.transaction().execute(async (transaction) => {
    bound = engine.using(transaction)
    await work(bound, transaction)
  })
  await run.catch((error) => expect(error).toSatisfy(isAborted))
  return bound
}

const name = (inside: Engine, text: string) => createItem(inside, 'subjects', { name: text })
const stored = async () =>
  (await listItems(engine, 'subjects', { sort: 'id' })).data.map((subject) => subject.name)

const failing: Readonly<Record<string, (inside: Engine) => Promise<unknown>>> = {
  'a read': (inside) => listItems(inside, 'authors'),
  'a read that takes long': (inside) => listItems(inside, 'settings', {}, { timeoutMs: 50 }),
  'a read whose caller leaves': async (inside) => {
    const leaving = new AbortController()
    const read = listItems(inside, 'settings', {}, { signal: leaving.signal })
    // Before it is sent, a read that nobody waits for fails nothing.
    while ((await pool.busy('settings')).length === 0);
    leaving.abort()
    await read
  },
}

it.each(Object.keys(failing))('%s that has failed makes the commit none', async (title) => {
  const inside = await ofHost(async (inside) => {
    await name(inside, 'before')
    await failing[title]?.(inside).catch(caught)
  })
  await expect(inside.committed()).rejects.toMatchObject(inDoubt)
  await expect(inside.committed()).rejects.toMatchObject(inDoubt)
  expect([await stored(), told]).toEqual([['tea'], []])
})

it('a verb that was told that the transaction is over makes the commit none', async () => {
  const inside = await ofHost(async (inside, transaction) => {
    await name(inside, 'before')
    await sql`select 1 / 0`.execute(transaction).catch(caught)
    await expect(name(inside, 'after')).rejects.toMatchObject(over)
  })
  await expect(inside.committed()).rejects.toMatchObject(over)
  expect([await stored(), told]).toEqual([['tea'], []])
})

it("a verb that works after a savepoint of the host's was rolled back to makes it one again", async () => {
  const inside = await ofHost(async (inside, transaction) => {
    await sql`savepoint own`.execute(transaction)
    await listItems(inside, 'authors').catch(caught)
    await sql`rollback to savepoint own`.execute(transaction)
    await name(inside, 'after')
  })
  await inside.committed()
  expect([await stored(), told]).toEqual([['tea', 'after'], ['after']])
})

it('a read that was never sent leaves the commit', async () => {
  const inside = await ofHost(async (inside) => {
    await name(inside, 'before')
    await listItems(inside, 'books', {}, { signal: AbortSignal.abort() }).catch(caught)
  })
  await inside.committed()
  expect([await stored(), told]).toEqual([['tea', 'before'], ['before']])
})
