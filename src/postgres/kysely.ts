import { PostgresDialect, type PostgresDialectConfig, type PostgresPool } from 'kysely'
import { nameStatements } from './statements.ts'

export interface PostgresOptions extends Omit<PostgresDialectConfig, 'pool'> {
  readonly pool: PostgresPool | (() => Promise<PostgresPool>)
  /** How many statements are named on each connection. */
  readonly statements?: number
}

/** A Kysely dialect over pg whose statements the server parses and plans once per connection.
 *  @example new Kysely({ dialect: postgresDialect({ pool: new Pool() }) }) */
export function postgresDialect({ pool, statements, ...config }: PostgresOptions): PostgresDialect {
  const options = statements === undefined ? {} : { statements }
  const naming =
    typeof pool === 'function'
      ? async () => nameStatements(await pool(), options)
      : nameStatements(pool, options)
  return new PostgresDialect({ ...config, pool: naming })
}
