// Transactions of SQLite, and the lock of the one that writes.
import { sql } from '../sql.ts'
import type { TransactionPhrases, WriteLockPhrases } from '../transaction-phrases.ts'
import { resultOf } from './result-codes.ts'

/** A full disk, `on conflict rollback` and others end a transaction. The only sign is that another one can begin then. */
export const transactionStatus: TransactionPhrases = {
  probe: 'begin',
  isShownBy: (failure) => says(failure, /^cannot start a transaction within a transaction$/),
  undo: 'rollback',
  isReportedByEach: false,
  isOver: (error) => says(error, /^no such savepoint: /),
}

const says = (error: unknown, words: RegExp): boolean => words.test(resultOf(error).sentence)

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
