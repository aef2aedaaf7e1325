import { isMarked } from '../../dialects/connections/statement-mark.ts'
import { anything, checkOptions, optionNames } from '../../errors/check-options.ts'
import { type EngineError, fault } from '../../errors/errors.ts'
import { Cache } from '../../values/cache.ts'
import { isNodeDatabase, likeBetterSqlite, type NodeSqliteDatabase } from './node-database.ts'
import { addFunctions, type Sqlite3Database, type Sqlite3Statement } from './sql-functions.ts'

const statementsKept = 500

/** Options of `equipDatabase`: the maximum number of cached statements. */
export interface SqliteStatementOptions {
  /** Maximum number of statements that the connection keeps prepared. */
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

// Cache of prepared statements. Preparing takes 7 to 40 µs, which is most of the cost of a small read.

/** The part of a database that Kysely's own SQLite driver uses. */
interface PreparingDatabase {
  prepare(sql: string): Sqlite3Statement
  /** Runs a statement that is not kept. */
  once(sql: string, parameters?: readonly unknown[]): readonly unknown[]
  close(): void
  /** True if a transaction is open, where the connection reports it. */
  readonly inTransaction?: boolean | undefined
  /** True for a database in memory, which no other connection shares. */
  readonly isInMemory?: boolean
}

/** Returns the connection with a cache of the statements that were used last. */
function keepStatements(database: Sqlite3Database, most: number): PreparingDatabase {
  let kept = new Cache<Sqlite3Statement>(most)
  return {
    isInMemory: database.memory === true,
    get inTransaction() {
      return database.inTransaction
    },
    close: () => {
      kept = new Cache(most)
      database.close()
    },
    once: (sql, parameters = []) => database.prepare(sql).all(parameters),
    prepare: (sql) => {
      const known = kept.get(sql)
      // A statement whose rows are being iterated cannot be run a second time.
      if (known) return known.busy ? prepared(database, sql) : known
      const statement = prepared(database, sql)
      kept.set(sql, statement)
      return statement
    },
  }
}

function prepared(database: Sqlite3Database, sql: string): Sqlite3Statement {
  const statement = database.prepare(sql)
  // Databases of Bun have the same methods, and statements that return no arrays.
  if (typeof statement.raw !== 'function') throw unfitDatabase('statements with raw()')
  return isMarked(sql) ? statement.raw(true) : statement
}

/** Returns the error for a database of another driver, which lacks something that the functions or the cached statements need. */
const unfitDatabase = (missing: string): EngineError =>
  fault(
    'INVALID_OPTIONS',
    `The "database" of quernel/sqlite has no ${missing}: it has to be one of better-sqlite3, or of node:sqlite from Node 22.16 on.`,
    {
      path: ['database'],
      hint: 'Give any other driver to a Kysely dialect that is made for it; an engine takes it without quernel/sqlite.',
    },
  )
