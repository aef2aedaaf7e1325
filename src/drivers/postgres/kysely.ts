import { PostgresAdapter, PostgresDialect } from 'kysely'
import { anything, callback, checkOptions, flag, optionNames } from '../../errors/check-options.ts'
import { type PoolAccess, poolKey } from '../../execution/connection.ts'
import { PooledDriver, type PostgresOptions } from './driver.ts'

/** Options of Kysely in all supported versions. Control clients for cancelling exist from 0.29.9 on. */
type KnownOptions = PostgresOptions & { readonly controlClient?: unknown }

const postgresOptions = optionNames<KnownOptions>({
  pool: anything,
  controlClient: anything,
  cursor: anything,
  onCreateConnection: callback,
  onReserveConnection: callback,
  statements: anything,
  pooled: flag,
})

/** Creates a Kysely dialect over pg whose statements the server parses and plans once per connection.
 *  @example import pg from 'pg'
 *
 *  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
 *  const shop = new Kysely({ dialect: postgresDialect({ pool }) }) */
export function postgresDialect(options: PostgresOptions): PostgresDialect {
  checkOptions(options, postgresOptions)
  return new PooledDialect(options)
}

class PooledDialect extends PostgresDialect {
  readonly #options: PostgresOptions
  #driver: PooledDriver | undefined

  constructor(options: PostgresOptions) {
    super(options)
    this.#options = options
  }

  override createDriver(): PooledDriver {
    this.#driver = new PooledDriver(this.#options)
    return this.#driver
  }

  override createAdapter(): PostgresAdapter {
    return new PooledAdapter(this.#driver)
  }
}

class PooledAdapter extends PostgresAdapter {
  readonly [poolKey]: PoolAccess | undefined

  constructor(poolAccess: PoolAccess | undefined) {
    super()
    this[poolKey] = poolAccess
  }
}
