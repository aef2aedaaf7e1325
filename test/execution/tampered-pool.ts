// A pool of pg whose statements a test sees, and lets fail or changes on their way.
import { randomBytes } from 'node:crypto'
import { type Dialect, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { postgresDialect } from '../../src/postgres.ts'
import { atEnd } from '../support/at-end.ts'
import type { AnyTables } from '../support/databases.ts'

export interface Tampered {
  readonly db: Kysely<AnyTables>
  readonly pool: pg.Pool
  /** The texts of all statements, as they reach the clients. */
  readonly sent: string[]
  /** Another text to send in the place of one, or an error instead of sending it. */
  on: (text: string) => string | Error | undefined
  /** A connection beside the pool's, which sees the same tables. */
  readonly observer: pg.Client
}

export const doors: readonly { readonly door: string; readonly over: (pool: pg.Pool) => Dialect }[] = [
  { door: 'quernel/postgres', over: (pool) => postgresDialect({ pool }) },
  { door: "Kysely's PostgresDialect", over: (pool) => new PostgresDialect({ pool }) },
]

/** Opens an empty schema by a door. `port`: where the pool finds the server, if it is not to find it at its own. */
export async function openTampered(
  over: (pool: pg.Pool) => Dialect,
  { max = 1, port, log }: { max?: number; port?: number; log?: () => void } = {},
): Promise<Tampered> {
  const schema = `test_${randomBytes(8).toString('hex')}`
  const url = new URL(inject('postgres').c)
  const options = `-c search_path=${schema}`
  const observer = new pg.Client({ connectionString: url.href, options, application_name: 'observer' })
  await observer.connect()
  await observer.query(`create schema ${schema}`)
  if (port !== undefined) url.port = String(port)
  const pool = new pg.Pool({ connectionString: url.href, options, application_name: schema, max })
  pool.on('error', () => undefined)
  const sent: string[] = []
  const tampered = { pool, sent, observer, on: (() => undefined) as Tampered['on'] }
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown
    const tamper = (...given: unknown[]): unknown => {
      const [first, ...others] = given
      const text = typeof first === 'string' ? first : textOf(first)
      if (text === undefined) return query(...given)
      sent.push(text)
      const instead = tampered.on(text)
      if (instead === undefined) return query(...given)
      const callback = others.at(-1)
      if (instead instanceof Error) {
        if (typeof callback !== 'function') return Promise.reject(instead)
        process.nextTick(() => callback(instead))
        return undefined
      }
      return typeof callback === 'function' ? query(instead, callback) : query(instead)
    }
    Object.assign(client, { query: tamper })
  })
  const db = new Kysely<AnyTables>({ dialect: over(pool), ...(log && { log }) })
  const close = async () => {
    await db.destroy()
    await observer.query(`drop schema ${schema} cascade`)
    await observer.end()
  }
  atEnd(close)
  await sql`select 1`.execute(db)
  return Object.assign(tampered, { db })
}

function textOf(config: unknown): string | undefined {
  const { text }: { readonly text?: unknown } = Object(config)
  return typeof text === 'string' ? text : undefined
}
