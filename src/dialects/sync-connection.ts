// The idle connection of a database. Getting it by the usual path costs more than a small statement.
import type { QueryResult } from 'kysely'
import type { HostDatabase } from './host.ts'

/** The property under which a Kysely adapter of ours has the only connection of its database, while it is idle. */
export const idle: unique symbol = Symbol.for('quernel.idle')

/** Runs a statement synchronously. It is valid for one statement, sent before anything else happens. */
export type AnswerNow = (sql: string, parameters: readonly unknown[]) => QueryResult<unknown>

/** The synchronous access to the connection of a database, while it is idle. */
export function idleConnection(db: HostDatabase): AnswerNow | undefined {
  const adapter: object = db.getExecutor().adapter
  return knowsIdle(adapter) ? adapter[idle]() : undefined
}

interface KnowsIdle {
  readonly [idle]: () => AnswerNow | undefined
}

const knowsIdle = (adapter: object): adapter is KnowsIdle => idle in adapter
