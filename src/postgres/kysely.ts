import { PostgresDialect, type PostgresDialectConfig, type PostgresPool } from 'kysely'
import { nameStatements } from './statements.ts'

/** What Kysely's PostgresDialect takes, and how many statements are named. */
export interface PostgresOptions extends Omit<PostgresDialectConfig, 'pool'> {
  readonly pool: PostgresPool | (() => Promise<PostgresPool>)
  /** How many statements are named on each connection. */
  readonly statements?: number
}

/** A Kysely dialect over pg whose statements the server parses and plans once per connection.
 *  @example import pg from 'pg'
 *
 *  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
 *  const shop = new Kysely({ dialect: postgresDialect({ pool }) }) */
export function postgresDialect({ pool, statements, ...config }: PostgresOptions): PostgresDialect {
  const options = statements === undefined ? {} : { statements }
  const naming =
    typeof pool === 'function'
      ? async () => nameStatements(await pool(), options)
      : nameStatements(pool, options)
  return new PostgresDialect({ ...config, pool: naming })
}
