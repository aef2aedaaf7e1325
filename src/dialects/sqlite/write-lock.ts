import { sql } from '../sql.ts'
import type { WriteLockPhrases } from '../transaction-phrases.ts'
import { resultOf } from './result-codes.ts'

/** One connection writes at a time. A transaction begins without the lock, and once it has read it cannot wait
 *  for the lock any more: others may have written since. */
export const writeLock: WriteLockPhrases = {
  begin: 'begin immediate',
  take: (table) => sql`delete from ${table} where 0`,
  // Selected like a table, the pragma would keep a read lock on the file.
  busyTimeout: 'pragma busy_timeout',
  setBusyTimeout: (milliseconds) => `pragma busy_timeout = ${milliseconds}`,
  isTaken: (error) => /^SQLITE_BUSY/.test(nameOf(error)),
  isRefused: (error) => /^SQLITE_(ERROR|READONLY|AUTH)/.test(nameOf(error)),
}

const nameOf = (error: unknown) => resultOf(error).name ?? ''
