// Connections that do not know what was prepared on them, as behind a pooler that gives each transaction another one of the server.
import { once } from 'node:events'
import { Kysely, sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { createEngine, defineSchema, getItem, updateItem } from '../../../src/index.ts'
import { postgresDialect } from '../../../src/postgres.ts'
import { key, number } from '../../support/fields.ts'

const table = `pooled_${process.pid}`
const schema = defineSchema({ pooled: { table, fields: { id: key, size: number } } })

let pool: pg.Pool
let db: Kysely<Record<string, never>>

const open = (options: { pooled?: boolean } = {}) => {
  // One connection, so that what it has prepared can be taken away.
  pool = new pg.Pool({ connectionString: inject('postgres').c, max: 1 })
  db = new Kysely({ dialect: postgresDialect({ pool, ...options }) })
}

beforeEach(async () => {
  open()
  await sql`create table ${sql.table(table)} (id int primary key, size int)`.execute(db)
  await sql`insert into ${sql.table(table)} values (1, 1)`.execute(db)
})

afterEach(async () => {
  await sql`drop table ${sql.table(table)}`.execute(db)
  await db.destroy()
})

const read = () => getItem(createEngine({ db, schema }), 'pooled', 1)

async function prepared(): Promise<{ name: string; statement: string }[]> {
  const { rows } = await pool.query<{ name: string; statement: string }>(
    'select name, statement from pg_prepared_statements order by name',
  )
  return rows
}

async function named(): Promise<{ name: string; statement: string }> {
  for (let time = 0; time < 3; time++) await read()
  const [one] = (await prepared()).filter(({ statement }) => statement.includes(table))
  if (one === undefined) throw new Error('Nothing was named.')
  return one
}

/** The next warning of naming that ends. */
async function warningOf(work: () => Promise<unknown>): Promise<Error & { readonly code?: string }> {
  const warned = once(process, 'warning')
  await work()
  const [warning] = await warned
  return warning
}

describe('a pooler that shares connections of the server', () => {
  it('ends the naming once a name is unknown, with the answer, and with a warning that says what to set', async () => {
    await named()
    await pool.query('deallocate all')
    const warning = await warningOf(async () => expect(await read()).toEqual({ id: 1, size: 1 }))
    expect(warning).toMatchObject({ code: 'QUERNEL_POOLER', detail: expect.stringContaining('pooled: true') })
    for (let time = 0; time < 3; time++) expect(await read()).toEqual({ id: 1, size: 1 })
    expect(await prepared()).toEqual([])
  })

  it('ends the naming once a name is taken', async () => {
    const { name } = await named()
    await db.destroy()
    open()
    await read()
    await pool.query(`prepare "${name}" as select 1`)
    const warning = await warningOf(async () => expect(await read()).toEqual({ id: 1, size: 1 }))
    expect(warning).toMatchObject({ code: 'QUERNEL_POOLER' })
    expect(await read()).toEqual({ id: 1, size: 1 })
    expect(await prepared()).toMatchObject([{ name }])
  })

  it('lets a transaction of the engine be repeated, and one of the host be told', async () => {
    const engine = createEngine({ db, schema })
    // Whoever is heard writes in a transaction.
    engine.on('items.update', () => undefined, { when: 'after' })
    for (let time = 0; time < 4; time++) await updateItem(engine, 'pooled', 1, { size: time })
    await pool.query('deallocate all')
    const written = warningOf(async () =>
      expect(await updateItem(engine, 'pooled', 1, { size: 9 })).toEqual({ id: 1, size: 9 }),
    )
    expect(await written).toMatchObject({ code: 'QUERNEL_POOLER' })

    const { name, statement } = await reopened()
    await pool.query('deallocate all')
    const work = warningOf(async () => {
      const told = db.transaction().execute(async (transaction) => {
        await sql.raw(statement.replace('$1', '1')).execute(transaction)
        return getItem(createEngine({ db, schema }).using(transaction), 'pooled', 1)
      })
      await expect(told).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message: expect.stringMatching(/: begin it anew\.$/),
        cause: { code: '26000' },
      })
    })
    expect(await work).toMatchObject({ code: 'QUERNEL_POOLER' })
    expect(name).toMatch(/^quernel_/)
    expect(await read()).toEqual({ id: 1, size: 9 })
  })

  it('is told in advance by "pooled", and then nothing is named', async () => {
    await db.destroy()
    open({ pooled: true })
    for (let time = 0; time < 4; time++) expect(await read()).toEqual({ id: 1, size: 1 })
    expect(await prepared()).toEqual([])
    expect(() => postgresDialect({ pool, ...{ pooled: 'yes' } } as never)).toThrow(/"pooled"/)
  })
})

/** A pool that names statements again, and one that it has named. */
async function reopened() {
  await db.destroy()
  open()
  return named()
}
