// Databases whose drivers note each statement as it is sent.
import { randomBytes } from 'node:crypto'
import BetterSqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { tablesOf } from '../../../bench/forms/tables.ts'
import { postgresDialect } from '../../../src/postgres.ts'
import { sqliteDialect } from '../../../src/sqlite.ts'
import type { AnyTables } from '../../support/databases.ts'
import { keptConnections } from '../../support/kept-connections.ts'

/** A database of the forms by our own drivers. Those that were sent together are one text, joined by `+`. */
export interface CountedDatabase {
  readonly db: Kysely<AnyTables>
  readonly sent: string[]
  close(): Promise<void>
}

export const countedDatabases = {
  sqlite: async (notes: number): Promise<CountedDatabase> => {
    const sent: string[] = []
    const database = new BetterSqlite(':memory:', {
      verbose: (text) => {
        const word = wordOf(String(text))
        // How long a statement waits for other processes is set around those that come alone, which depends on the time.
        if (word !== 'pragma') sent.push(word)
      },
    })
    for (const statement of tablesOf('sqlite', notes)) database.exec(statement)
    const db = new Kysely<AnyTables>({ dialect: sqliteDialect({ database }) })
    return { db, sent, close: () => db.destroy() }
  },
  postgres: async (notes: number): Promise<CountedDatabase> => {
    const sent: string[] = []
    const schema = `test_${randomBytes(8).toString('hex')}`
    const pool = new pg.Pool(keptConnections(inject('postgres').c, schema))
    await pool.query(`create schema ${schema}; ${tablesOf('postgres', notes).join(';')}`)
    await pool.query('analyze notes, traced, people, members, comments')
    await pool.end()
    const counted = new pg.Pool(keptConnections(inject('postgres').c, schema))
    counted.on('connect', (client) => watch(client, sent))
    const db = new Kysely<AnyTables>({ dialect: postgresDialect({ pool: counted }) })
    const close = async () => {
      await counted.query(`drop schema ${schema} cascade`)
      await db.destroy()
    }
    return { db, sent, close }
  },
} as const

/** The part of pg's connections by which statements are sent. */
interface Wire {
  parse(message: { readonly name?: string; readonly text: string }, ...more: unknown[]): unknown
  bind(message: { readonly statement?: string }, ...more: unknown[]): unknown
  query(text: string): unknown
  execute(...input: unknown[]): unknown
  sync(): unknown
}

/** Notes what a client sends: a round trip for each message after which the server says that it is ready. */
function watch(client: object, sent: string[]): void {
  const { connection } = client as { readonly connection: Wire } // missing in the types of pg
  const { parse, bind, query, execute, sync } = connection
  const texts = new Map<string, string>()
  let bound = ''
  let trip: string[] = []
  Object.assign(connection, {
    parse: (message: Parameters<Wire['parse']>[0], ...more: unknown[]) => {
      texts.set(message.name ?? '', message.text)
      return parse.call(connection, message, ...more)
    },
    bind: (message: Parameters<Wire['bind']>[0], ...more: unknown[]) => {
      bound = texts.get(message.statement ?? '') ?? ''
      return bind.call(connection, message, ...more)
    },
    execute: (...input: unknown[]) => {
      trip.push(wordOf(bound))
      return execute.apply(connection, input)
    },
    sync: () => {
      if (trip.length > 0) sent.push(trip.join('+'))
      trip = []
      return sync.call(connection)
    },
    query: (text: string) => {
      sent.push(wordOf(text))
      return query.call(connection, text)
    },
  } satisfies Wire)
}

/** A statement in a word: what it does first. One that locks rows and answers them is a `lock`. */
export function wordOf(text: string): string {
  const statement = text.replace(/^\s*(?:\/\*.*?\*\/\s*)+/s, '').toLowerCase()
  const [word = ''] = /^[a-z]+/.exec(statement) ?? []
  if (word === 'rollback' && / to /.test(statement)) return 'undo'
  return word === 'select' && /\bfor (no key )?(update|share|key share)\b/.test(statement) ? 'lock' : word
}
