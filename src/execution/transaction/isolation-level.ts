// The isolation level of transactions. The engine's own are read committed: rows that are locked and then read
// are read in their current state. Where the role or the host wants more, they are serializable, and are
// retried when the database aborts them.
import { CompiledQuery } from 'kysely'
import type { HostDatabase } from '../../dialects/host.ts'
import { render } from '../../dialects/sql.ts'
import type { Connection } from '../connection.ts'
import type { Database } from '../database.ts'
import { serverOf } from '../server-version.ts'

/** Sets the isolation level of a transaction of the engine that has just begun. */
export async function isolate(connection: Connection, database: Database): Promise<void> {
  const text = isolationText(database)
  if (text !== undefined) await connection.executeQuery(CompiledQuery.raw(text))
}

/** Returns the statement that sets the isolation level. Undefined where transactions have it as they begin. */
export function isolationText(database: Database): string | undefined {
  const { dialect, home } = database
  const { isolation } = dialect
  if (!isolation) return undefined
  const begun = serverOf(home)?.isolation
  const wanted = database.isolation ?? (begun === 'serializable' ? begun : 'read committed')
  return wanted === begun ? undefined : render(isolation.become(wanted), dialect).sql
}

/** Transactions begun by the host, with an isolation level of its choice. */
const hosts = new WeakSet<HostDatabase>()

export function noteHosts<Transaction extends HostDatabase>(transaction: Transaction): Transaction {
  hosts.add(transaction)
  return transaction
}

export const isHosts = ({ db }: Pick<Database, 'db'>): boolean => hosts.has(db)
