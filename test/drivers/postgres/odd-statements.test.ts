// Texts of hosts that answer otherwise than a statement of ours: none, several, and copies.
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { describe, expect, inject, it } from 'vitest'
import { postgresDialect } from '../../../src/postgres.ts'
import { atEnd } from '../../support/at-end.ts'
import type { AnyTables } from '../../support/databases.ts'
import { keptConnections } from '../../support/kept-connections.ts'

const dialects = { 'quernel/postgres': postgresDialect, 'that of Kysely': dialectOfKysely }
function dialectOfKysely({ pool }: { readonly pool: pg.Pool }) {
  return new PostgresDialect({ pool })
}

describe.each(Object.entries(dialects))('over %s', (_name, dialect) => {
  async function open(): Promise<Kysely<AnyTables>> {
    const name = `odd_${process.pid}_${Math.random().toString(36).slice(2)}`
    const pool = new pg.Pool({ ...keptConnections(inject('postgres').c, name), max: 1 })
    await pool.query(`create schema ${name}`)
    await pool.query(`create table ${name}.notes (id integer)`)
    const db = new Kysely<AnyTables>({ dialect: dialect({ pool }) })
    atEnd(async () => {
      await pool.query(`drop schema ${name} cascade`)
      await db.destroy()
    })
    return db
  }
  const run = async (db: Kysely<AnyTables>, text: string) =>
    sql
      .raw(text)
      .execute(db)
      .then(({ rows }) => rows)
      .catch(({ code }) => code)

  it.each([
    ['', []],
    ['-- keep alive', []],
    ['copy (select 1) to stdout', []],
    ['copy notes from stdin', '57014'],
    ['select 1 as a; select 2 as b', []],
    ['select 1 as a', [{ a: 1 }]],
  ])('%j is answered again and again, alone and as the first of a transaction', async (text, expected) => {
    const db = await open()
    const results: unknown[] = []
    for (let time = 0; time < 3; time++) {
      results.push(await run(db, text))
      await db
        .transaction()
        .execute(async (inside) => {
          results.push(await run(inside, text))
          // A failure ends the transaction.
          if (Array.isArray(results.at(-1)))
            expect(await run(inside, 'select 7 as seven')).toEqual([{ seven: 7 }])
        })
        .catch(() => undefined)
    }
    expect(results).toEqual(Array.from({ length: 6 }, () => expected))
    expect(await run(db, 'select 8 as eight')).toEqual([{ eight: 8 }])
  })
})
