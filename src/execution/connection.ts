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
  /** Whether Kysely hands a connection on as it was given: nobody before or behind it wants to do something with each. */
  readonly isUntouched: (connection: DatabaseConnection) => boolean
  /** Undefined where a connection has to be got by Kysely's way. */
  readonly lend: Lend | undefined
  /** Undefined until the pool is opened. */
  readonly room: Room | undefined
}

/** A pool, and how many connections it has at most, where it tells. */
export interface Room {
  readonly pool: object
  readonly most: number | undefined
}

/** Where the connections of a database come from. An adapter is one for all that is made of an instance of Kysely. */
export function roomOf(db: HostDatabase): Room {
  const { adapter } = db.getExecutor()
  return lenderOf(adapter)?.room ?? { pool: adapter, most: undefined }
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
  let asks = false
  const work = executor.provideConnection((connection) => {
    if (asks && lender.isUntouched(connection)) pooled.add(db)
    return use(connection)
  })
  // One that has a connection of its own, such as a transaction, asks for none.
  asks = lender.asked > asked
  return work
}

/** Those that are known to ask for a connection each time, and to use it as it is. */
const pooled = new WeakSet<HostDatabase>()

function lenderOf(adapter: object): Lender | undefined {
  return knowsLender(adapter) ? adapter[lending] : undefined
}

const knowsLender = (adapter: object): adapter is { readonly [lending]: Lender | undefined } =>
  lending in adapter
