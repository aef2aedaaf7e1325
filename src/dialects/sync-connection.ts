// The idle connection of a database. Getting it by the usual path costs more than a small statement.
import type { DatabaseConnection, QueryResult } from 'kysely'
import type { HostDatabase, HostTransaction } from './host.ts'

/** The property under which a Kysely adapter of ours has the only connection of its database, while it is idle; and under which a
 *  transaction of ours has its own. */
export const idle: unique symbol = Symbol.for('quernel.idle')

/** The property under which a Kysely adapter of ours lends the only connection of its database for a transaction. */
export const lent: unique symbol = Symbol.for('quernel.lent')

/** Runs a statement synchronously. It is valid for one statement, sent before anything else happens. */
export type AnswerNow = (sql: string, parameters: readonly unknown[]) => QueryResult<unknown>

/** The only connection of a database, which nobody else gets until it is given back. */
export interface LentConnection {
  readonly connection: DatabaseConnection
  /** Runs a statement synchronously, as long as the connection is lent. */
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
export function lentConnection(db: HostDatabase): LentConnection | undefined {
  const adapter: object = db.getExecutor().adapter
  return lends(adapter) ? adapter[lent](db) : undefined
}

interface KnowsIdle {
  readonly [idle]: () => AnswerNow | undefined
}

const knowsIdle = (owner: object): owner is KnowsIdle => idle in owner

interface Lends {
  readonly [lent]: (db: HostDatabase) => LentConnection | undefined
}

const lends = (adapter: object): adapter is Lends => lent in adapter
