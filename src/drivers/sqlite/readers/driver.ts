// The driver of the dialect for readers, loaded with the first read. It lends threads as connections.
import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely'
import { abandon } from '../../../dialects/connections/abandoned-statement.ts'
import type { OnLeave } from '../../../execution/acquire-timeout.ts'
import type { PoolAccess, SendAlone } from '../../../execution/connection.ts'
import type { PoolSettings } from './messages.ts'
import { ReaderPool } from './pool.ts'
import type { ReaderThread } from './reader-thread.ts'

export class ReadersDriver implements Omit<Driver, 'init'>, PoolAccess {
  readonly #pool: ReaderPool
  /** True if no driver of the host's is around this one. */
  isOutermost: boolean | undefined
  requested = 0
  readonly listen = undefined
  readonly countsBytes = false
  readonly room = undefined
  useConnection: PoolAccess['useConnection']
  sendAlone: SendAlone | undefined

  constructor(settings: PoolSettings) {
    const pool = new ReaderPool(settings)
    this.#pool = pool
    this.sendAlone = sendingAlone(pool)
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
    return this.isOutermost === true && !Object.hasOwn(connection, 'executeQuery')
  }

  async acquireConnection(): Promise<ReaderConnection> {
    this.requested++
    return this.#take()
  }

  #take(onLeave?: OnLeave): Promise<ReaderConnection> {
    return new Promise((resolve, reject) => {
      const leave = this.#pool.take((error, own) =>
        own ? resolve(new ReaderConnection(own)) : reject(error),
      )
      onLeave?.(leave)
    })
  }

  async releaseConnection({ thread, isOpen }: ReaderConnection): Promise<void> {
    // The next statement would read what was there when the transaction began.
    if (isOpen) thread.close()
    this.#pool.giveBack(thread)
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
    this.#pool.close()
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
