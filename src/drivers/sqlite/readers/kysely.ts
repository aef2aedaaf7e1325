import { type Dialect, type Driver, SqliteAdapter, SqliteDialect } from 'kysely'
import { phraseBook } from '../../../dialects/detect.ts'
import { anything, checkOptions } from '../../../errors/check-options.ts'
import { fault, unreachable } from '../../../errors/errors.ts'
import { type PoolAccess, poolKey } from '../../../execution/connection.ts'
import { isCalledByKysely } from '../../kysely-internals.ts'
import { sqlite } from '../equipped-dialect.ts'
import type { ReadersDriver } from './driver.ts'
import type { PoolSettings } from './messages.ts'
import { inMemory, type ReaderThreads, threadOptions } from './options.ts'

/** Options of `sqliteReaders`. */
export interface SqliteReaderOptions extends ReaderThreads {
  /** Path of a file in WAL mode. */
  readonly path: string
  /** Maximum number of prepared statements that each thread keeps. */
  readonly statements?: number
}

const readerOptions = new Map([...threadOptions, ['path', anything], ['statements', anything]])

/** Creates a Kysely dialect that only reads: each statement runs in a thread with a read-only connection of its own, and the process goes on
 *  meanwhile. An engine takes it as `reads`.
 *  @example const threads = new Kysely({ dialect: sqliteReaders({ path: 'shop.db', threads: 2 }) }) */
export function sqliteReaders(options: SqliteReaderOptions): SqliteDialect {
  checkOptions(options, readerOptions)
  const { path, threads = 2, ...settings } = options
  if (typeof path !== 'string' || path === '' || path === ':memory:')
    throw fault('INVALID_OPTIONS', inMemory, { path: ['path'] })
  return new ReadersDialect({ ...settings, path, threads, places: places() })
}

/** Returns the files from which a driver is looked for. A bundler may leave no address of this file, or one of the machine that it ran on. */
function places(): readonly string[] {
  const own: unknown = import.meta.url
  return [own, process.argv[1], `${process.cwd()}/readers.js`].filter((place) => typeof place === 'string')
}

class ReadersDialect extends SqliteDialect implements Dialect {
  readonly #settings: PoolSettings
  /** The driver, from the first read on. */
  readonly #opened: { driver?: ReadersDriver } = {}

  constructor(settings: PoolSettings) {
    // Kysely opens no database of it, as the driver is another one.
    super({ database: () => Promise.reject(unreachable('readers open no database here')) })
    this.#settings = settings
  }

  override createDriver(): Driver {
    return loaded(this.#settings, this.#opened)
  }

  override createAdapter(): SqliteAdapter {
    return new ReadersAdapter(this.#opened)
  }
}

/** A driver whose module is loaded when Kysely opens it. */
function loaded(settings: PoolSettings, opened: { driver?: ReadersDriver }): Driver {
  // Kysely opens a driver before it uses it.
  const own = () => opened.driver as Omit<Driver, 'init'>
  return {
    init: async () => {
      const { ReadersDriver: Loaded } = await import('./driver.ts')
      opened.driver = new Loaded(settings)
    },
    acquireConnection: () => {
      if (opened.driver) opened.driver.isOutermost ??= isCalledByKysely('acquireConnection')
      return own().acquireConnection()
    },
    beginTransaction: (connection, settings) => own().beginTransaction(connection, settings),
    commitTransaction: (connection) => own().commitTransaction(connection),
    rollbackTransaction: (connection) => own().rollbackTransaction(connection),
    releaseConnection: (connection) => own().releaseConnection(connection),
    destroy: () => own().destroy(),
  }
}

class ReadersAdapter extends SqliteAdapter {
  readonly [phraseBook] = sqlite
  readonly [poolKey]: PoolAccess | undefined

  constructor(opened: { readonly driver?: ReadersDriver }) {
    super()
    Object.defineProperties(this, {
      [poolKey]: { get: () => opened.driver },
      // From 0.29 on Kysely would lend one thread at a time, and stop lending after one that could not begin. Older types lack the member.
      supportsMultipleConnections: { value: true },
    })
  }
}
