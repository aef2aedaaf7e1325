import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
} from 'kysely'
import { abandon } from '../../../dialects/connections/abandoned-statement.ts'
import { phraseBook } from '../../../dialects/detect.ts'
import { anything, checkOptions, type OptionKind, optionNames, text } from '../../../errors/check-options.ts'
import { fault, unreachable } from '../../../errors/errors.ts'
import type { OnLeave } from '../../../execution/acquire-timeout.ts'
import { type PoolAccess, poolKey, type SendAlone } from '../../../execution/connection.ts'
import { isCalledByKysely } from '../../kysely-internals.ts'
import { sqlite } from '../equipped-dialect.ts'
import type { PoolSettings } from './messages.ts'
import type { ReaderPool } from './pool.ts'
import type { ReaderThread } from './reader-thread.ts'

/** Threads that read. */
export interface ReaderThreads {
  /** Number of threads, from 1 to 64. By default 2. Each takes some 9 MB once it is needed. */
  readonly threads?: number
  /** Folder of the package `better-sqlite3`, where a bundler or an installer has put it elsewhere: threads load it by themselves. */
  readonly driver?: string
}

/** Options of `sqliteReaders`. */
export interface SqliteReaderOptions extends ReaderThreads {
  /** Path of a file in WAL mode. */
  readonly path: string
  /** Maximum number of prepared statements that each thread keeps. */
  readonly statements?: number
}

/** A number of threads. */
export const threadCount: OptionKind = {
  says: 'is a whole number from 1 to 64',
  holds: (input) => typeof input === 'number' && Number.isInteger(input) && input >= 1 && input <= 64,
}

export const threadOptions = optionNames<ReaderThreads>({ threads: threadCount, driver: text })

const readerOptions = new Map([...threadOptions, ['path', anything], ['statements', anything]])

/** Creates a Kysely dialect that only reads: each statement runs in a thread with a read-only connection of its own, and the process goes on
 *  meanwhile. An engine takes it as `reads`.
 *  @example const threads = new Kysely({ dialect: sqliteReaders({ path: 'shop.db', threads: 2 }) }) */
export function sqliteReaders(options: SqliteReaderOptions): SqliteDialect {
  checkOptions(options, readerOptions)
  const { path, threads = 2, ...settings } = options
  if (typeof path !== 'string' || path === '' || path === ':memory:')
    throw fault('INVALID_OPTIONS', '"path" is that of a file: no thread can read a database in memory.', {
      path: ['path'],
    })
  return new ReadersDialect({ ...settings, path, threads, places: places() })
}

/** Returns the files from which a driver is looked for. A bundler may leave no address of this file, or one of the machine that it ran on. */
function places(): readonly string[] {
  const own: unknown = import.meta.url
  return [own, process.argv[1], `${process.cwd()}/readers.js`].filter((place) => typeof place === 'string')
}

class ReadersDialect extends SqliteDialect implements Dialect {
  readonly #settings: PoolSettings
  #driver: ReadersDriver | undefined

  constructor(settings: PoolSettings) {
    // Kysely opens no database of it, as the driver is another one.
    super({ database: () => Promise.reject(unreachable('readers open no database here')) })
    this.#settings = settings
  }

  override createDriver(): Driver {
    this.#driver = new ReadersDriver(this.#settings)
    return this.#driver
  }

  override createAdapter(): SqliteAdapter {
    return new ReadersAdapter(this.#driver)
  }
}

class ReadersAdapter extends SqliteAdapter {
  readonly [phraseBook] = sqlite
  readonly [poolKey]: PoolAccess | undefined

  constructor(poolAccess: PoolAccess | undefined) {
    super()
    this[poolKey] = poolAccess
    // From 0.29 on Kysely would lend one thread at a time, and stop lending after one that could not begin. Older types lack the member.
    Object.defineProperty(this, 'supportsMultipleConnections', { value: true })
  }
}

class ReadersDriver implements Driver, PoolAccess {
  readonly #settings: PoolSettings
  #pool: ReaderPool | undefined
  #isOutermost: boolean | undefined
  requested = 0
  readonly listen = undefined
  readonly countsBytes = false
  readonly room = undefined
  useConnection: PoolAccess['useConnection']
  sendAlone: SendAlone | undefined

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  /** The module that begins threads, loaded with the first read. */
  async init(): Promise<void> {
    const { ReaderPool: Pool } = await import('./pool.ts')
    this.#pool = new Pool(this.#settings)
    this.sendAlone = sendingAlone(this.#pool)
    this.useConnection = async (use, onLeave) => {
      const connection = await this.#take(onLeave)
      try {
        return await use(connection)
      } finally {
        await this.releaseConnection(connection)
      }
    }
  }

  /** False for a connection on which the host logs statements, or that a driver of the host's around this one has. */
  isUntouched(connection: DatabaseConnection): boolean {
    return this.#isOutermost === true && !Object.hasOwn(connection, 'executeQuery')
  }

  async acquireConnection(): Promise<ReaderConnection> {
    this.requested++
    this.#isOutermost ??= isCalledByKysely('acquireConnection')
    return this.#take()
  }

  #take(onLeave?: OnLeave): Promise<ReaderConnection> {
    const pool = this.#pool
    if (!pool) throw unreachable('Kysely opens a driver before it takes a connection')
    return new Promise((resolve, reject) => {
      const leave = pool.take((error, own) => (own ? resolve(new ReaderConnection(own)) : reject(error)))
      onLeave?.(leave)
    })
  }

  async releaseConnection({ thread, isOpen }: ReaderConnection): Promise<void> {
    // The next statement would read what was there when the transaction began.
    if (isOpen) thread.close()
    this.#pool?.giveBack(thread)
  }

  async beginTransaction(connection: ReaderConnection): Promise<void> {
    connection.isOpen = true
    await connection.executeQuery(CompiledQuery.raw('begin'))
  }

  async commitTransaction(connection: ReaderConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
    connection.isOpen = false
  }

  async rollbackTransaction(connection: ReaderConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback'))
    connection.isOpen = false
  }

  async destroy(): Promise<void> {
    this.sendAlone = undefined
    this.useConnection = undefined
    this.#pool?.close()
  }
}

/** A thread, lent for some statements. */
class ReaderConnection implements DatabaseConnection {
  readonly thread: ReaderThread
  /** True in a transaction. */
  isOpen = false

  constructor(thread: ReaderThread) {
    this.thread = thread
  }

  executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    return this.thread.run<Row>({ sql, parameters })
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query)
  }

  [abandon](reason: unknown): void {
    this.thread.abandon(reason)
  }
}

/** Runs single statements by callbacks: the promises of Kysely cost a part of a small read. */
const sendingAlone =
  (pool: ReaderPool): SendAlone =>
  (statement, { onLeave, begins, ended, done }) =>
    onLeave(
      pool.take((failure, thread) => {
        const end: typeof done = (error, result) => {
          void ended()
          if (thread) pool.giveBack(thread)
          done(error, result)
        }
        if (thread && begins(thread)) thread.send(statement, end)
        else end(failure)
      }),
    )
