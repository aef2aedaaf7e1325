import {
  type DatabaseConnection,
  type PostgresDialectConfig,
  PostgresDriver,
  type PostgresPool,
  type PostgresPoolClient,
  type TransactionSettings,
} from 'kysely'
import { rawOf } from '../../dialects/postgres/wire.ts'
import type {
  Listen,
  LoneListener,
  PoolAccess,
  Room,
  SendAlone,
  UseConnection,
} from '../../execution/connection.ts'
import { unended } from '../../execution/transaction/uncertain-commit.ts'
import { isPromiseOf } from '../../values/guards.ts'
import { isCalledByKysely } from '../kysely-internals.ts'
import { type KnownClient, knownClients } from './clients.ts'
import { listenBeside } from './listen-beside.ts'
import { named } from './statements.ts'

/** Options of Kysely's PostgresDialect, with the number of named statements. */
export interface PostgresOptions extends Omit<PostgresDialectConfig, 'pool'> {
  /** Pool of `pg`, or a function that opens one on first use. */
  readonly pool: PostgresPool | (() => Promise<PostgresPool>)
  /** Maximum number of named statements per connection. */
  readonly statements?: number
  /** True behind a pooler that gives each transaction another connection of the server, such as PgBouncer in transaction mode: then no
   *  statement is named. */
  readonly pooled?: boolean
}

/** Kysely's own driver, which also lends connections to an engine. */
export class PooledDriver extends PostgresDriver implements PoolAccess {
  readonly #opened: Opened
  readonly #isReserving: boolean
  readonly #untouched = new Set<DatabaseConnection>()
  #requested = 0
  #isOutermost: boolean | undefined

  constructor({ pool, statements, pooled = false, ...config }: PostgresOptions) {
    const opened: Opened = typeof pool === 'function' ? {} : { pool }
    const open = async () => {
      const own = typeof pool === 'function' ? await pool() : pool
      opened.pool = own
      const known = knowing(knownClients(own, pooled ? 0 : statements), opened)
      opened.useConnection = async (use) => {
        const { connection, release } = known(await own.connect())
        try {
          return await use(connection)
        } finally {
          release()
        }
      }
      opened.sendAlone = sendingAlone(own, known)
      // Behind a pooler no connection of the server is this one's own.
      if (!pooled) opened.listen = listenBeside(own)
      return named(own, known)
    }
    super({ ...config, pool: open })
    this.#opened = opened
    this.#isReserving = [config.onCreateConnection, config.onReserveConnection].some(Boolean)
  }

  override async acquireConnection(
    // From 0.29 on there is an argument for drivers that prepare connections.
    ...options: Parameters<PostgresDriver['acquireConnection']>
  ): Promise<DatabaseConnection> {
    this.#requested++
    // A driver of the host's around this one may prepare connections, sometimes or always.
    this.#isOutermost ??= isCalledByKysely('acquireConnection')
    const connection = await super.acquireConnection(...options)
    this.#untouched.add(connection)
    // Other code on the way to the engine may run statements first. By the time of a response the connection no longer counts as untouched.
    process.nextTick(() => this.#untouched.delete(connection))
    return connection
  }

  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    await certainly(connection, () => super.beginTransaction(connection, settings))
  }

  override async rollbackTransaction(
    // From 0.29.9 on Kysely's own type of connection, which it does not export.
    connection: Parameters<PostgresDriver['rollbackTransaction']>[0],
  ): Promise<void> {
    await certainly(connection, () => super.rollbackTransaction(connection))
  }

  override async destroy(): Promise<void> {
    delete this.#opened.useConnection
    delete this.#opened.sendAlone
    delete this.#opened.listen
    await super.destroy()
  }

  get requested(): number {
    return this.#requested
  }

  isUntouched(connection: DatabaseConnection): boolean {
    if (!this.#isOutermost || !this.#untouched.has(connection)) return false
    // If the host logs statements, Kysely has overridden this method on the connection.
    return !Object.hasOwn(connection, 'executeQuery')
  }

  get countsBytes(): boolean {
    return this.#opened.countsBytes === true
  }

  get room(): Room | undefined {
    const { pool } = this.#opened
    return pool && { pool, max: mostOf(pool) }
  }

  get useConnection(): UseConnection | undefined {
    return this.#isReserving ? undefined : this.#opened.useConnection
  }

  get listen(): Listen | undefined {
    return this.#opened.listen
  }

  get sendAlone(): SendAlone | undefined {
    return this.#isReserving ? undefined : this.#opened.sendAlone
  }
}

/** Closes a connection whose state is unknown after a failure. */
async function certainly(connection: DatabaseConnection, step: () => Promise<void>): Promise<void> {
  const raw = rawOf(connection)
  try {
    await step()
  } catch (cause) {
    raw?.close(unended(cause))
    throw cause
  }
}

interface Opened {
  pool?: PostgresPool
  countsBytes?: boolean
  useConnection?: UseConnection
  sendAlone?: SendAlone
  listen?: Listen | undefined
}

/** Notes what the clients of a pool can do. */
const knowing =
  (known: (client: PostgresPoolClient) => KnownClient, opened: Opened): typeof known =>
  (client) => {
    const one = known(client)
    opened.countsBytes = one.countsBytes
    return one
  }

/** Returns the maximum number of connections of a pool, if it is one of pg. */
function mostOf(pool: PostgresPool): number | undefined {
  const { options } = pool as { readonly options?: unknown } // missing in Kysely's type
  const { max }: { readonly max?: unknown } = Object(options)
  return typeof max === 'number' && max > 0 ? max : undefined
}

// Runs single statements on connections of a pool, by callbacks from the pool to the result.

/** Pools of pg also call back, which Kysely's type omits; others may return promises only. */
type Connect = (done: (error: unknown, client?: PostgresPoolClient) => void) => unknown

function sendingAlone(pool: PostgresPool, known: (client: PostgresPoolClient) => KnownClient): SendAlone {
  const connect = pool.connect.bind(pool) as Connect
  return (statement, listener) => {
    let isCalled = false
    const got = (error: unknown, client?: PostgresPoolClient) => {
      // A pool may call back and keep its promise, too.
      if (isCalled) return
      isCalled = true
      if (!client) return listener.done(error)
      sendOn(known(client), statement, listener)
    }
    const reported = connect(got)
    if (isPromiseOf<PostgresPoolClient>(reported)) reported.then((client) => got(undefined, client), got)
  }
}

function sendOn(
  { run, release, raw }: KnownClient,
  { sql, parameters }: Parameters<SendAlone>[0],
  { begins, ended, done }: LoneListener,
): void {
  const giveBack: typeof done = (error, result) => {
    try {
      release()
    } catch (failure) {
      return done(error ?? failure)
    }
    done(error, result)
  }
  const end: typeof done = (error, result) => {
    const cancelling = ended()
    if (cancelling === undefined) giveBack(error, result)
    else cancelling.then(() => giveBack(error, result), giveBack)
  }
  // A pool hands a connection on while it takes it back: thousands of callers who have left, one inside the other, would fill the stack.
  const endLater = (error?: unknown) => queueMicrotask(() => end(error))
  try {
    // A caller who has given up got its error already.
    if (begins(raw)) run<readonly unknown[]>(sql, parameters, end)
    else endLater()
  } catch (error) {
    endLater(error)
  }
}
