import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { anything, checkOptions, optionNames } from '../../errors/check-options.ts'
import { type KnownClient, knownClients } from './clients.ts'
import { overlay } from './proxy.ts'

/** Options of `nameStatements`: the maximum number of named statements per connection. */
export interface StatementOptions {
  /** Maximum number of named statements per connection. */
  readonly statements?: number
}

const statementOptions = optionNames<StatementOptions>({ statements: anything })

/** Returns a pool whose connections name the statements that they run more than once.
 *  @example import { PostgresDialect } from 'kysely'
 *  import pg from 'pg'
 *
 *  const dialect = new PostgresDialect({ pool: nameStatements(new pg.Pool(), { statements: 100 }) }) */
export function nameStatements(pool: PostgresPool, options: StatementOptions = {}): PostgresPool {
  checkOptions(options, statementOptions)
  return named(pool, knownClients(pool, options.statements))
}

/** Returns a pool whose clients are replaced by known ones. */
export const named = (pool: PostgresPool, known: (client: PostgresPoolClient) => KnownClient): PostgresPool =>
  overlay(pool, { connect: async () => known(await pool.connect()).kyselyClient })
