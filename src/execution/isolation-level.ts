// Which state of the database a transaction looks at. Ours look at what is committed when each statement begins: what is locked and then read
// is read as it is. Where the role wants more, or the host does, they are serializable, and are repeated when the database ends them.
import { CompiledQuery } from 'kysely'
import type { HostDatabase } from '../dialects/host.ts'
import { render } from '../dialects/sql.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import { serverOf } from './server-version.ts'

/** Lets a transaction of ours that has just begun be as ours are. */
export async function isolate(connection: Connection, database: Database): Promise<void> {
  const { dialect, home } = database
  const { isolation } = dialect
  if (!isolation) return
  const begun = serverOf(home)?.isolation
  const wanted = database.isolation ?? (begun === 'serializable' ? begun : 'read committed')
  if (wanted !== begun)
    await connection.executeQuery(CompiledQuery.raw(render(isolation.become(wanted), dialect).sql))
}

/** Transactions that hosts have begun as they like. */
const hosts = new WeakSet<HostDatabase>()

export function noteHosts<Transaction extends HostDatabase>(transaction: Transaction): Transaction {
  hosts.add(transaction)
  return transaction
}

export const isHosts = ({ db }: Pick<Database, 'db'>): boolean => hosts.has(db)
