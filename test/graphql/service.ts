// A database that the service made, with users of three roles, and the schema that it printed for each.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { parse, print } from 'graphql'
import { Kysely, SqliteDialect } from 'kysely'
import { createEngine, type Engine } from '../../src/index.ts'
import { readCmsAccess, readCmsSchema } from '../../src/introspect.ts'
import { type AnyTables, openedOn } from '../support/databases.ts'

const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixture', name), 'utf8')

/** Whose schemas are recorded. */
export const users = ['admin', 'user', 'writer', 'public'] as const
export type User = (typeof users)[number]

/** Returns the schema that the service printed: of some only what differs from the one of admins. */
export function recordedSchema(user: User): string {
  if (user === 'admin' || user === 'public') return fixture(`sdl-${user}.graphql`)
  // Admins' schema has a definition on each line, and the differences count the lines as they are printed.
  const whole = print(parse(fixture('sdl-admin.graphql'))).split('\n')
  let at = 0
  const lines = fixture(`sdl-${user}.differences`)
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('+')) return [line.slice(1)]
      // "=12 -2" keeps twelve lines, and leaves two out.
      return line.split(' ').flatMap((step) => {
        const from = at
        at += Number(step.slice(1))
        return step.startsWith('=') ? whole.slice(from, at) : []
      })
    })
  return lines.join('\n')
}

export interface Service {
  readonly engine: Engine
  readonly as: (user: User) => Promise<Engine>
  readonly authenticate: Awaited<ReturnType<typeof readCmsAccess>>['authenticate']
  /** Runs SQL that no engine knows of. */
  readonly run: (statement: string) => void
}

/** Opens an engine on a copy of the database. */
export async function openService(): Promise<Service> {
  const database = new BetterSqlite(':memory:')
  database.exec(fixture('service.sql'))
  const db = new Kysely<AnyTables>({ dialect: new SqliteDialect({ database }) })
  openedOn(db)
  const schema = await readCmsSchema(db)
  const { authenticate } = await readCmsAccess(db, { schema, maxAgeMs: 0 })
  const engine: Engine = createEngine({ db, schema, ...schema.options })
  return {
    engine,
    authenticate,
    as: async (user) => {
      const access = await authenticate(user === 'public' ? null : `${user}-token`)
      if (!access) throw new Error(`${user} may not come in`)
      return engine.as(access)
    },
    run: (statement) => void database.exec(statement),
  }
}
