// A connection that nobody has. To get it by the way that everybody takes costs more than a small statement does.
import type { DatabaseConnection } from 'kysely'
import type { HostDatabase } from './host.ts'

/** Under this property a Kysely adapter of ours lends the only connection of its database, while nobody has it. */
export const lend: unique symbol = Symbol.for('quernel.lend')

/** A connection that is nobody else's until it is given back. */
export interface Loan {
  readonly connection: DatabaseConnection
  readonly giveBack: () => void
}

/** The connection of a database, if it can be had at once. */
export function borrow(db: HostDatabase): Loan | undefined {
  const adapter: object = db.getExecutor().adapter
  return isLender(adapter) ? adapter[lend]() : undefined
}

interface Lender {
  readonly [lend]: () => Loan | undefined
}

const isLender = (adapter: object): adapter is Lender => lend in adapter
