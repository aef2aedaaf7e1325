import { anything, checkOptions, optionNames } from '../../errors/check-options.ts'
import { addFunctions, type Sqlite3Database } from './sql-functions.ts'
import { keepStatements, type PreparingDatabase } from './statements.ts'

const statementsKept = 500

/** Options of `equipDatabase`: the maximum number of cached statements. */
export interface SqliteStatementOptions {
  readonly statements?: number
}

const statementOptions = optionNames<SqliteStatementOptions>({ statements: anything })

/** Prepares a better-sqlite3 connection for Kysely's own SqliteDialect: with our functions, and with a cache of statements. Pass the
 *  dialect `sqlite` of `quernel/sqlite` to `createEngine` then, so that it uses them.
 *  @example import { SqliteDialect } from 'kysely'
 *
 *  const dialect = new SqliteDialect({ database: equipDatabase(new Database(':memory:')) }) */
export function equipDatabase(
  database: Sqlite3Database,
  options: SqliteStatementOptions = {},
): PreparingDatabase {
  checkOptions(options, statementOptions)
  addFunctions(database)
  return keepStatements(database, options.statements ?? statementsKept)
}
