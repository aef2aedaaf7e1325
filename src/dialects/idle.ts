// A connection that nobody has. To get it by the way that everybody takes costs more than a small statement does.
import type { DatabaseConnection } from 'kysely'
import type { HostDatabase } from './host.ts'

/** Under this property a Kysely adapter of ours tells the only connection of its database, while nobody has it. */
export const idle: unique symbol = Symbol.for('quernel.idle')

/** The connection of a database, while nobody has it. It is good for one statement, sent before anything else happens. */
export function idleConnection(db: HostDatabase): DatabaseConnection | undefined {
  const adapter: object = db.getExecutor().adapter
  return knowsIdle(adapter) ? adapter[idle]() : undefined
}

interface KnowsIdle {
  readonly [idle]: () => DatabaseConnection | undefined
}

const knowsIdle = (adapter: object): adapter is KnowsIdle => idle in adapter
