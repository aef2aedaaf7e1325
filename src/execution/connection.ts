// Connections of a pool, by a shorter path than the public one: Kysely's own passes a dozen promises, which is
// a tenth of a small read.
import type { DatabaseConnection, QueryResult } from 'kysely'
import type { RawConnection } from '../dialects/connections/wire.ts'
import type { HostDatabase } from '../dialects/host.ts'
import type { Row } from '../rows/row.ts'
import type { Done, OnLeave } from './acquire-timeout.ts'
import type { BoundStatement } from './statement.ts'

/** The property under which a Kysely adapter of ours has its lender. */
export const poolKey: unique symbol = Symbol.for('quernel.lending')

/** The property under which a connection of ours sends several statements at once. */
export const together: unique symbol = Symbol.for('quernel.together')

/** Sends statements at once, of which the server skips the rest after one that fails. Undefined if these cannot be sent so. */
export type SendTogether = (
  statements: readonly Pick<BoundStatement, 'sql' | 'parameters'>[],
  listener: FlightListener,
) => Promise<void> | undefined

export interface FlightListener {
  /** Called before anything is sent. */
  readonly sent: () => void
  readonly answered: (at: number, result: QueryResult<Row>) => void
}

export const sendTogetherOf = (connection: Connection): SendTogether | undefined =>
  sendsTogether(connection) ? connection[together] : undefined

const sendsTogether = (connection: object): connection is { readonly [together]: SendTogether } =>
  together in connection

/** A connection that statements can be run on. */
export type Connection = Pick<DatabaseConnection, 'executeQuery'>

export type UseConnection = <Result>(
  use: (connection: Connection) => Promise<Result>,
  onLeave?: OnLeave,
) => Promise<Result>

/** Runs a statement on a connection that is given back right after it. */
export type SendAlone = (
  statement: Pick<BoundStatement, 'sql' | 'parameters'>,
  listener: LoneListener,
) => void

export interface LoneListener {
  readonly onLeave: OnLeave
  /** Called once there is a connection. Returns false if nothing is to be sent any more, which is no error. */
  readonly begins: (raw: RawConnection) => boolean
  /** Called when the statement has ended. The connection is given back after what it returns. */
  readonly ended: () => Promise<void> | undefined
  /** Called when the connection was given back, so that the next statement is sent before this result is read. */
  readonly done: Done<QueryResult<Row>>
}

/** Listens on a channel by a connection of its own. `receive`: called with each text, and with undefined when the connection is lost. Returns a function
 *  that ends it. */
export type Listen = (
  channel: string,
  receive: (text: string | undefined) => void,
) => Promise<() => Promise<void>>

export interface PoolAccess {
  /** The number of connections that Kysely has requested so far. */
  readonly requested: number
  /** True if Kysely passes a connection on as it was given: no plugin before or behind it acts on each. */
  readonly isUntouched: (connection: DatabaseConnection) => boolean
  /** Lends a connection directly. Undefined where Kysely's own path has to be used. */
  readonly useConnection: UseConnection | undefined
  /** Runs a statement by callbacks, on the same connections. */
  readonly sendAlone: SendAlone | undefined
  /** Undefined where a server cannot be listened to, and until the pool is opened. */
  readonly listen: Listen | undefined
  /** True if connections count the bytes of results as they arrive. False until one is opened. */
  readonly countsBytes: boolean
  /** The pool. Undefined until it is opened. */
  readonly room: Room | undefined
}

/** A pool, and its maximum number of connections if known. */
export interface Room {
  readonly pool: object
  readonly max: number | undefined
}

/** Returns the pool of a database. All instances derived from one instance of Kysely share an adapter. */
export function roomOf(db: HostDatabase): Room {
  const { adapter } = db.getExecutor()
  return poolAccessOf(adapter)?.room ?? { pool: adapter, max: undefined }
}

/** Runs work with a connection of a database, once there is one. */
export function withConnection<Result>(
  db: HostDatabase,
  use: (connection: Connection) => Promise<Result>,
  onLeave?: OnLeave,
): Promise<Result> {
  const executor = db.getExecutor()
  const poolAccess = poolAccessOf(executor.adapter)
  if (!poolAccess) return executor.provideConnection(use)
  const { useConnection, requested } = poolAccess
  if (useConnection && pooled.has(db)) return useConnection(use, onLeave)
  let asks = false
  const work = executor.provideConnection((connection) => {
    if (asks && poolAccess.isUntouched(connection)) pooled.add(db)
    return use(connection)
  })
  // An instance with a connection of its own, such as a transaction, requests none.
  asks = poolAccess.requested > requested
  return work
}

/** True if a database may give connections of ours. Only the first use shows whether it does. */
export function mayBePooled(db: HostDatabase): boolean {
  if (pooled.has(db)) return true
  // Before the pool is opened, it cannot be known.
  if (tried.has(db) || !poolAccessOf(db.getExecutor().adapter)?.useConnection) return false
  tried.add(db)
  return true
}

/** Returns the shortest path to a connection for one statement. Undefined where another one has to be used. */
export function loneSender(db: HostDatabase): SendAlone | undefined {
  const poolAccess = pooled.has(db) ? poolAccessOf(db.getExecutor().adapter) : undefined
  return poolAccess?.sendAlone
}

/** Returns how a database is listened to; undefined where that is not possible. */
export const listenerOf = (db: HostDatabase): Listen | undefined =>
  poolAccessOf(db.getExecutor().adapter)?.listen

/** True if a driver sends the begin of a transaction with its first statement. */
export const holdsBegins = (db: HostDatabase): boolean => poolAccessOf(db.getExecutor().adapter) !== undefined

/** True if a driver counts the bytes of a result as it arrives, and refuses more than its statement may have. */
export const countsBytes = (db: HostDatabase): boolean =>
  poolAccessOf(db.getExecutor().adapter)?.countsBytes === true

/** Databases known to request a connection each time, and to use it unchanged. */
const pooled = new WeakSet<HostDatabase>()
const tried = new WeakSet<HostDatabase>()

function poolAccessOf(adapter: object): PoolAccess | undefined {
  return hasPoolAccess(adapter) ? adapter[poolKey] : undefined
}

const hasPoolAccess = (adapter: object): adapter is { readonly [poolKey]: PoolAccess | undefined } =>
  poolKey in adapter
