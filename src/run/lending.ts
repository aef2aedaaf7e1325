// Connections of a pool, by a shorter way than everybody's: Kysely's own passes a dozen promises, which is a tenth of a small read.
import type { DatabaseConnection } from 'kysely'
import type { HostDatabase } from '../dialects/host.ts'

/** Under this property a Kysely adapter of ours tells how its pool lends connections. */
export const lending: unique symbol = Symbol.for('quernel.lending')

/** What statements can be run on. */
export type Connection = Pick<DatabaseConnection, 'executeQuery'>

export type Lend = <Result>(use: (connection: Connection) => Promise<Result>) => Promise<Result>

export interface Lender {
  /** How often Kysely has asked for a connection so far. */
  readonly asked: number
  /** Undefined where a connection has to be got by Kysely's way. */
  readonly lend: Lend | undefined
}

/** Does something with a connection of a database, once there is one. */
export function withConnection<Result>(
  db: HostDatabase,
  use: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const executor = db.getExecutor()
  const lender = lenderOf(executor.adapter)
  if (!lender) return executor.provideConnection(use)
  const { lend, asked } = lender
  if (lend && pooled.has(db)) return lend(use)
  const work = executor.provideConnection(use)
  // One that has a connection of its own, such as a transaction, asks for none.
  if (lender.asked > asked) pooled.add(db)
  return work
}

/** Those that are known to ask for a connection each time. */
const pooled = new WeakSet<HostDatabase>()

function lenderOf(adapter: object): Lender | undefined {
  return knowsLender(adapter) ? adapter[lending] : undefined
}

const knowsLender = (adapter: object): adapter is { readonly [lending]: Lender | undefined } =>
  lending in adapter
