import { sql } from '../sql.ts'
import type { WriteLockPhrases } from '../transaction-phrases.ts'
import { resultOf } from './result-codes.ts'

/** One connection writes at a time. A transaction begins without the lock, and once it has read it cannot wait for it any more: others may
 *  have written since. */
export const writeLock: WriteLockPhrases = {
  take: (table) => sql`delete from ${table} where 0`,
  // Selected from the pragma like from a table, it would hold the file to be read.
  patience: 'pragma busy_timeout',
  setPatience: (milliseconds) => `pragma busy_timeout = ${milliseconds}`,
  isTaken: (error) => /^SQLITE_BUSY/.test(nameOf(error)),
  isRefused: (error) => /^SQLITE_(ERROR|READONLY|AUTH)/.test(nameOf(error)),
}

const nameOf = (error: unknown) => resultOf(error).name ?? ''
