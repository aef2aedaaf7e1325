import { anything, checkOptions, optionNames } from '../../errors/check-options.ts'
import { addFunctions, type Sqlite3Database } from './sql-functions.ts'
import { keepStatements, type PreparingDatabase } from './statements.ts'

const statementsKept = 500

/** How many statements are kept. */
export interface SqliteStatementOptions {
  readonly statements?: number
}

const statementOptions = optionNames<SqliteStatementOptions>({ statements: anything })

/** Makes a better-sqlite3 connection ready for Kysely's own SqliteDialect: with our functions, and with its statements kept.
 *  Give `createEngine` the dialect `sqlite` of `quernel/sqlite` then, so that it speaks of them.
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
