// postgres.js hands on a connection as it gets it back: in the middle of a statement, or closed. Neither may come to the next call.
import { createRequire } from 'node:module'
import { Kysely, sql } from 'kysely'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { inSeconds } from '../../items/connections.ts'
import { isThere } from '../../support/drivers.ts'
import { type PostgresJsClient, postgresJsDialect } from '../../support/postgres-js.ts'

const processOf = async (db: Kysely<unknown>) =>
  (await sql<{ readonly pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid

describe.runIf(isThere('postgres'))('a connection of postgres.js', () => {
  let db: Kysely<unknown>
  const open = (max: number) => {
    const connect: (url: string, options: object) => PostgresJsClient = createRequire(import.meta.url)(
      'postgres',
    )
    const client = connect(inject('postgres').c, { max, onnotice: () => undefined })
    db = new Kysely({ dialect: postgresJsDialect(client) })
  }
  afterEach(() => db.destroy())

  it('that the server has closed fails what uses it, and ends no process', async () => {
    open(2)
    const before = await processOf(db)
    await expect(
      db
        .transaction()
        .execute((inside) => sql`select pg_terminate_backend(pg_backend_pid())`.execute(inside)),
    ).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    const after = await inSeconds(10, processOf(db))
    expect(after).toBeTypeOf('number')
    expect(after).not.toBe(before)
  })

  it('goes back once its statements have ended, though nobody waits for them', async () => {
    open(1)
    const done: string[] = []
    await db.connection().execute(async (own) => {
      await sql`select 1`.execute(own)
      void sql`select ${'first'}::text, pg_sleep(0.2)`.execute(own).then(() => done.push('first'))
    })
    await inSeconds(10, sql`select ${'second'}::text`.execute(db))
    expect([...done, 'second']).toEqual(['first', 'second'])
  })

  it('stays in use after a statement that was never sent', async () => {
    open(1)
    const before = await processOf(db)
    const unsent = sql`select ${sql.val(undefined)}`.execute(db)
    await expect(unsent).rejects.toMatchObject({ code: 'UNDEFINED_VALUE' })
    expect(await inSeconds(10, processOf(db))).toBe(before)
  })
})
