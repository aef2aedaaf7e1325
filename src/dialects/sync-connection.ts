// A connection that nobody has. To get it by the way that everybody takes costs more than a small statement does.
import type { QueryResult } from 'kysely'
import type { HostDatabase } from './host.ts'

/** Under this property a Kysely adapter of ours tells the only connection of its database, while nobody has it. */
export const idle: unique symbol = Symbol.for('quernel.idle')

/** Runs a statement, and has its answer without waiting. It is good for one statement, sent before anything else happens. */
export type AnswerNow = (sql: string, parameters: readonly unknown[]) => QueryResult<unknown>

/** How the connection of a database answers, while nobody has it. */
export function idleConnection(db: HostDatabase): AnswerNow | undefined {
  const adapter: object = db.getExecutor().adapter
  return knowsIdle(adapter) ? adapter[idle]() : undefined
}

interface KnowsIdle {
  readonly [idle]: () => AnswerNow | undefined
}

const knowsIdle = (adapter: object): adapter is KnowsIdle => idle in adapter
