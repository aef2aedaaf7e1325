// A transaction on a connection that is free at once, and responds at once: what takes a dozen promises elsewhere takes one.
import type { HostTransaction } from '../dialects/host.ts'
import { type ReservedConnection, reserveConnection } from '../dialects/sync-connection.ts'
import { nobodyWaits } from './begin.ts'
import type { Database } from './database.ts'
import { beginLocked } from './write-lock.ts'

/** Returns the connection of a database for a transaction. Undefined where it has to be waited for. */
export const reservedFor = ({ home, dialect }: Database): ReservedConnection | undefined =>
  dialect.writeLock && !dialect.interruption && !dialect.settings ? reserveConnection(home) : undefined

/** Runs work in a transaction on a connection, resolves once it is committed, and gives the connection back. */
export async function inReservedTransaction<Result>(
  reserved: ReservedConnection,
  database: Database,
  isLeft: () => boolean,
  work: (transaction: HostTransaction) => Promise<Result>,
): Promise<Result> {
  try {
    if (isLeft()) throw nobodyWaits()
    beginLocked(reserved, database)
    try {
      const result = await work(reserved.transaction)
      if (isLeft()) throw nobodyWaits()
      reserved.end('committed')
      reserved.answer('commit', [])
      return result
    } catch (error) {
      reserved.end('rolled back')
      reserved.rollback()
      throw error
    }
  } finally {
    reserved.giveBack()
  }
}
