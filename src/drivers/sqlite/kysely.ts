import { SqliteAdapter, SqliteDialect, type SqliteDialectConfig } from 'kysely'
import { type FindReaders, readersKey } from '../../dialects/connections/readers.ts'
import {
  type AnswerNow,
  idle,
  type ReservedConnection,
  reserved,
} from '../../dialects/connections/sync-connection.ts'
import { phraseBook } from '../../dialects/detect.ts'
import type { HostDatabase } from '../../dialects/host.ts'
import { anything, callback, checkOptions, optionNames } from '../../errors/check-options.ts'
import { WatchfulDriver } from './driver.ts'
import { equipDatabase } from './equip.ts'
import { sqlite } from './equipped-dialect.ts'
import type { NodeSqliteDatabase } from './node-database.ts'
import { pathOf, type ReaderThreads, threadCount, threadOptions } from './readers/options.ts'
import type { Sqlite3Database } from './sql-functions.ts'

/** Options of Kysely's SqliteDialect, with the number of cached statements. */
export interface SqliteOptions extends Omit<SqliteDialectConfig, 'database'> {
  /** A database of better-sqlite3 or node:sqlite, or a function that opens one. */
  readonly database: SqliteConnection | (() => Promise<SqliteConnection>)
  /** Maximum number of cached prepared statements. */
  readonly statements?: number
  /** Number of threads, from 1 to 64, for reads of a file in WAL mode that would hold the process up, or options of theirs. By default there
   *  are none. */
  readonly readers?: number | ReaderThreads
}

type SqliteConnection = Sqlite3Database | NodeSqliteDatabase

const sqliteOptions = optionNames<SqliteOptions>({
  database: anything,
  onCreateConnection: callback,
  statements: anything,
  readers: { ...threadCount, holds: (input) => typeof input === 'object' || threadCount.holds(input) },
})

/** Creates a Kysely dialect over better-sqlite3 or node:sqlite, which an engine detects by itself.
 *  @example const shop = new Kysely({ dialect: sqliteDialect({ database: new Database(':memory:') }) }) */
export function sqliteDialect(input: SqliteOptions): SqliteDialect {
  checkOptions(input, sqliteOptions)
  const { database, statements, readers: threads, ...config } = input
  const readers = typeof threads === 'number' ? { threads } : threads
  if (readers !== undefined) checkOptions(readers, threadOptions, ['readers'])
  const options = statements === undefined ? {} : { statements }
  const equipped =
    typeof database === 'function'
      ? async () => equipDatabase(await database(), options)
      : equipDatabase(database, options)
  if (readers !== undefined && typeof equipped !== 'function') pathOf(equipped)
  return new EquippedDialect({ ...config, database: equipped }, readers)
}

class EquippedDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig
  readonly #readers: ReaderThreads | undefined
  #driver: WatchfulDriver | undefined

  constructor(config: SqliteDialectConfig, readers: ReaderThreads | undefined) {
    super(config)
    this.#config = config
    this.#readers = readers
  }

  override createDriver(): WatchfulDriver {
    this.#driver = new WatchfulDriver(this.#config, this.#readers)
    return this.#driver
  }

  override createAdapter(): SqliteAdapter {
    return new EquippedAdapter(this.#driver, this)
  }
}

class EquippedAdapter extends SqliteAdapter {
  readonly [phraseBook] = sqlite
  readonly [readersKey]: FindReaders | undefined
  readonly #driver: WatchfulDriver | undefined
  readonly #dialect: SqliteDialect

  constructor(driver: WatchfulDriver | undefined, dialect: SqliteDialect) {
    super()
    this[readersKey] = driver?.findReaders
    this.#driver = driver
    this.#dialect = dialect
  }

  [reserved](db: HostDatabase): ReservedConnection | undefined {
    return this.#driver?.reserve(db, this.#dialect)
  }

  [idle](): AnswerNow | undefined {
    return this.#driver?.idle
  }
}
