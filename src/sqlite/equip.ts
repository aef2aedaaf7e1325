import { anything, checkOptions, optionNames } from '../options.ts'
import { addFunctions, type Sqlite3Database } from './functions.ts'
import { keepStatements, type PreparingDatabase } from './statements.ts'

const statementsKept = 500

/** How many statements are kept. */
export interface StatementOptions {
  readonly statements?: number
}

const statementOptions = optionNames<StatementOptions>({ statements: anything })

/** Makes a better-sqlite3 connection ready for Kysely's own SqliteDialect: with our functions, and with its statements kept.
 *  Give `createEngine` the dialect `sqlite` of `quernel/sqlite` then, so that it speaks of them.
 *  @example import { SqliteDialect } from 'kysely'
 *
 *  const dialect = new SqliteDialect({ database: equipDatabase(new Database(':memory:')) }) */
export function equipDatabase(database: Sqlite3Database, options: StatementOptions = {}): PreparingDatabase {
  checkOptions(options, statementOptions)
  addFunctions(database)
  return keepStatements(database, options.statements ?? statementsKept)
}
