import { anything, checkOptions, optionNames } from '../../errors/check-options.ts'
import { isNodeDatabase, likeBetterSqlite, type NodeSqliteDatabase } from './node-database.ts'
import { addFunctions, type Sqlite3Database } from './sql-functions.ts'
import { keepStatements, type PreparingDatabase } from './statements.ts'
import { unfitDatabase } from './unfit-database.ts'

const statementsKept = 500

/** Options of `equipDatabase`: the maximum number of cached statements. */
export interface SqliteStatementOptions {
  readonly statements?: number
}

const statementOptions = optionNames<SqliteStatementOptions>({ statements: anything })

/** Prepares a connection of better-sqlite3 or node:sqlite for Kysely's own SqliteDialect: with our functions, and with a cache of statements. Pass the
 *  dialect `sqlite` of `quernel/sqlite` to `createEngine` then, so that it uses them.
 *  @example import { SqliteDialect } from 'kysely'
 *
 *  const dialect = new SqliteDialect({ database: equipDatabase(new Database(':memory:')) }) */
export function equipDatabase(
  database: Sqlite3Database | NodeSqliteDatabase,
  options: SqliteStatementOptions = {},
): PreparingDatabase {
  checkOptions(options, statementOptions)
  const fitting = requireFunctions(database)
  addFunctions(fitting)
  return keepStatements(fitting, options.statements ?? statementsKept)
}

/** Returns the database with one interface for both drivers; refuses those that take no functions. */
function requireFunctions(database: Sqlite3Database | NodeSqliteDatabase): Sqlite3Database {
  const missing = methods.find((name) => typeof Object(database)[name] !== 'function')
  if (missing !== undefined) throw unfitDatabase(`${missing}()`)
  return isNodeDatabase(database) ? likeBetterSqlite(database) : database
}

const methods = ['prepare', 'close', 'function', 'aggregate'] as const
