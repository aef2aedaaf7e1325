// The drivers of PostgreSQL that speak to a server, each with one connection through a network that a test breaks.
import { createRequire } from 'node:module'
import { type Dialect, PostgresDialect, type PostgresPool } from 'kysely'
import pg from 'pg'
import { postgresDialect } from '../../../src/postgres.ts'
import { isThere } from '../../support/drivers.ts'
import { type PostgresJsClient, postgresJsDialect } from '../../support/postgres-js.ts'
import { titled } from '../../support/titled.ts'
import { neonPool } from '../smoke/neon.ts'

export interface BrokenDriver {
  readonly title: string
  readonly needs: string
  /** True if a pool goes on after a server has closed a connection. */
  readonly goesOn: boolean
  dialect(url: string, connections: number): Promise<Dialect>
}

const poolOf = (url: string, max: number) => heard(new pg.Pool({ connectionString: url, max }))

/** Connections end here on purpose. */
function heard<Pool extends PostgresPool>(pool: Pool): Pool {
  const ignore = () => undefined
  const { on }: { readonly on?: unknown } = Object(pool)
  if (typeof on !== 'function') throw new Error('A pool of pg is an emitter.')
  on.call(pool, 'error', ignore)
  on.call(pool, 'connect', (client: { on(event: 'error', listener: () => void): void }) =>
    client.on('error', ignore),
  )
  return pool
}

const known: readonly BrokenDriver[] = titled({
  pg: {
    needs: 'pg',
    goesOn: true,
    dialect: async (url, max) => new PostgresDialect({ pool: poolOf(url, max) }),
  },
  'pg with quernel/postgres': {
    needs: 'pg',
    goesOn: true,
    dialect: async (url, max) => postgresDialect({ pool: poolOf(url, max) }),
  },
  'pg with quernel/postgres, pooled': {
    needs: 'pg',
    goesOn: true,
    dialect: async (url, max) => postgresDialect({ pool: poolOf(url, max), pooled: true }),
  },
  'postgres.js': {
    needs: 'postgres',
    goesOn: false,
    dialect: async (url, max) => {
      const load: (url: string, options: object) => PostgresJsClient = createRequire(import.meta.url)(
        'postgres',
      )
      return postgresJsDialect(load(url, { max, onnotice: () => undefined }))
    },
  },
  'Neon over WebSockets': {
    needs: '@neondatabase/serverless',
    goesOn: true,
    dialect: async (url, max) => new PostgresDialect({ pool: heard(await neonPool(url, { max })) }),
  },
})

export const brokenDrivers: readonly BrokenDriver[] = known.filter(({ needs }) => isThere(needs))
