// A transaction on a connection that is free at once, and responds at once: what takes a dozen promises elsewhere takes one.
import type { HostTransaction } from '../dialects/host.ts'
import { type LentConnection, lentConnection } from '../dialects/sync-connection.ts'
import { nobodyWaits } from './begin.ts'
import type { Database } from './database.ts'
import { beginLocked } from './write-lock.ts'

/** Returns the connection of a database for a transaction. Undefined where it has to be waited for. */
export const lentFor = ({ home, dialect }: Database): LentConnection | undefined =>
  dialect.writeLock && !dialect.interruption && !dialect.settings ? lentConnection(home) : undefined

/** Runs work in a transaction on a connection, resolves once it is committed, and gives the connection back. */
export async function inLentTransaction<Result>(
  lent: LentConnection,
  database: Database,
  isLeft: () => boolean,
  work: (transaction: HostTransaction) => Promise<Result>,
): Promise<Result> {
  try {
    if (isLeft()) throw nobodyWaits()
    beginLocked(lent, database)
    try {
      const result = await work(lent.transaction)
      if (isLeft()) throw nobodyWaits()
      lent.end('committed')
      lent.answer('commit', [])
      return result
    } catch (error) {
      lent.end('rolled back')
      lent.rollback()
      throw error
    }
  } finally {
    lent.giveBack()
  }
}
