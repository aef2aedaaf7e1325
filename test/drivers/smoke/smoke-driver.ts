// The drivers that the smoke runs over, and what each of them does otherwise than its model. The documentation is printed from this.

import { titled } from '../../support/titled.ts'
import type { DatabaseName } from './check.ts'

/** What a driver does otherwise than its model. */
export interface Difference {
  /** Checks by `group: title`, or whole groups. */
  readonly of: readonly string[]
  /** The code of the error that is the answer; absent where the answer is another. */
  readonly code?: 'FORBIDDEN' | 'INVALID_QUERY' | 'VALUE_OUT_OF_RANGE'
  /** A sentence for the documentation. */
  readonly because: string
  /** True where it depends on the version. */
  readonly isPossible?: true
}

export interface SmokeDriver {
  readonly title: string
  readonly database: DatabaseName
  /** The module without which it is not run. */
  readonly needs: string
  /** How a project opens it, for the documentation. */
  readonly opened: string
  readonly differences: readonly Difference[]
}

const noTransactions = [
  'types of values: hash',
  'writes of one row: items are deleted by a query',
  'writes of several rows and tables',
  'transactions: a transaction is committed',
  'transactions: a transaction is rolled back',
  'transactions: what fails inside of a transaction is undone alone',
  'transactions: calls at the same time do not get in the way of each other',
  'streams and exports: transactions behind sorted streams',
  'versions',
  'errors: one of several items, and all of them with it',
]

export const smokeDrivers: readonly SmokeDriver[] = titled({
  'better-sqlite3': {
    database: 'sqlite',
    needs: 'better-sqlite3',
    opened: '`SqliteDialect` of Kysely',
    differences: [],
  },
  'better-sqlite3 with quernel/sqlite': {
    database: 'sqlite',
    needs: 'better-sqlite3',
    opened: '`sqliteDialect` of `quernel/sqlite`',
    differences: [],
  },
  'node:sqlite': {
    database: 'sqlite',
    needs: 'node:sqlite',
    opened: '`sqliteDialect` of `quernel/sqlite`, from Node 22.16 on',
    differences: [
      {
        of: ['types of values: float'],
        because:
          'The SQLite of Node 22 (up to 3.51 tried) writes a fraction such as 1e300 inside of nested lists with a wrong last digit.',
        isPossible: true,
      },
    ],
  },
  libSQL: {
    database: 'sqlite',
    needs: '@libsql/client',
    opened: 'a Kysely dialect over `@libsql/client`, such as `@libsql/kysely-libsql`',
    differences: [],
  },
  'sql.js': {
    database: 'sqlite',
    needs: 'sql.js',
    opened: '`SqliteDialect` of Kysely over a few lines of your own; `pragma foreign_keys = on`',
    differences: [],
  },
  'Bun, bun:sqlite': {
    database: 'sqlite',
    needs: 'bun',
    opened: '`SqliteDialect` of Kysely over a few lines of your own; `pragma foreign_keys = on`',
    differences: [],
  },
  'Bun, node:sqlite': {
    database: 'sqlite',
    needs: 'bun',
    opened: '`sqliteDialect` of `quernel/sqlite`',
    differences: [],
  },
  'D1, in a Worker': {
    database: 'sqlite',
    needs: 'miniflare',
    opened: '`D1Dialect` of `kysely-d1`',
    differences: [
      {
        of: noTransactions,
        code: 'FORBIDDEN',
        because:
          'D1 has no transactions. What is one statement works; the rest is refused, and nothing of it is stored.',
      },
      {
        of: ["transactions: the host's own transaction"],
        because: 'A transaction that you begin yourself fails with the error of the driver.',
      },
      {
        of: ['filters: _icontains of many letters'],
        code: 'INVALID_QUERY',
        because:
          'D1 takes patterns of 50 bytes. Letters beyond ASCII take several each where case is ignored.',
      },
      {
        of: ['types of values: bigInteger'],
        code: 'VALUE_OUT_OF_RANGE',
        because: 'D1 binds no integer beyond 2^53.',
      },
      {
        of: ['types of values: float'],
        because:
          'The SQLite of D1 may write a fraction such as 1e300 inside of nested lists with a wrong last digit.',
        isPossible: true,
      },
    ],
  },
  pg: {
    database: 'postgres',
    needs: 'pg',
    opened: '`PostgresDialect` of Kysely',
    differences: [],
  },
  'pg with quernel/postgres': {
    database: 'postgres',
    needs: 'pg',
    opened: '`postgresDialect` of `quernel/postgres`',
    differences: [],
  },
  'postgres.js': {
    database: 'postgres',
    needs: 'postgres',
    opened: 'a Kysely dialect over `postgres`, such as `kysely-postgres-js`',
    differences: [],
  },
  'Neon over WebSockets': {
    database: 'postgres',
    needs: '@neondatabase/serverless',
    opened: '`PostgresDialect` of Kysely with a `Pool` of `@neondatabase/serverless`',
    differences: [],
  },
  PGlite: {
    database: 'postgres',
    needs: '@electric-sql/pglite',
    opened: "a Kysely dialect over `@electric-sql/pglite`; `set time zone 'UTC'`",
    differences: [],
  },
})
