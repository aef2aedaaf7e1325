// The idle connection of a database. Getting it by the usual path costs more than a small statement.
import type { DatabaseConnection, QueryResult } from 'kysely'
import type { HostDatabase, HostTransaction } from '../host.ts'

/** The property under which a Kysely adapter of ours has the only connection of its database, while it is idle; and under which a
 *  transaction of ours has its own. */
export const idle: unique symbol = Symbol.for('quernel.idle')

/** The property under which a Kysely adapter of ours reserves the only connection of its database for a transaction. */
export const reserved: unique symbol = Symbol.for('quernel.reserved')

/** Runs a statement synchronously. It is valid for one statement, sent before anything else happens. */
export type AnswerNow = (sql: string, parameters: readonly unknown[]) => QueryResult<unknown>

/** The only connection of a database, reserved until it is given back. */
export interface ReservedConnection {
  readonly connection: DatabaseConnection
  /** Runs a statement synchronously, as long as the connection is reserved. */
  readonly answer: AnswerNow
  /** True if no other connection can hold the write lock of its database. */
  readonly isAlone: boolean
  /** The transaction as Kysely has it. Nothing has been sent for it. */
  readonly transaction: HostTransaction
  /** Ends the transaction for everyone who still has it. */
  readonly end: (how: 'committed' | 'rolled back') => void
  /** Rolls back, unless the database has done that by itself. */
  readonly rollback: () => void
  readonly giveBack: () => void
}

/** Returns the synchronous access to the connection of a database or a transaction, while it is idle. */
export function idleConnection(db: HostDatabase): AnswerNow | undefined {
  if (knowsIdle(db)) return db[idle]()
  const adapter: object = db.getExecutor().adapter
  return knowsIdle(adapter) ? adapter[idle]() : undefined
}

/** Takes the connection of a database for a transaction, if it is idle. */
export function reserveConnection(db: HostDatabase): ReservedConnection | undefined {
  const adapter: object = db.getExecutor().adapter
  return reserves(adapter) ? adapter[reserved](db) : undefined
}

const knowsIdle = (owner: object): owner is { readonly [idle]: () => AnswerNow | undefined } => idle in owner

interface Reserves {
  readonly [reserved]: (db: HostDatabase) => ReservedConnection | undefined
}

const reserves = (adapter: object): adapter is Reserves => reserved in adapter
