// Transactions and cursors of PostgreSQL, how their statements are ended, and what a server is asked about them.

import { statementMark } from '../connections/statement-mark.ts'
import { codeOf } from '../error-codes.ts'
import { sql } from '../sql.ts'
import type {
  CursorPhrases,
  Interruption,
  IsolationPhrases,
  ServerPhrases,
  TransactionPhrases,
} from '../transaction-phrases.ts'
import { isAborted, isRaised, leavesRunning } from './driver-errors.ts'
import { rawOf } from './wire.ts'

/** After an error no statement runs until the transaction is rolled back, and `commit` rolls back silently. */
export const transactionStatus: TransactionPhrases = {
  // It fails outside of transactions, too.
  probe: 'savepoint quernel',
  isShownBy: (failure) => failure === undefined,
  isReportedByEach: true,
  isOver: (error) => isAborted(error) || codeOf(error) === '25P01',
  // Whatever the server refuses. Other errors are those of the driver.
  isEndedBy: (error) => /^[0-9A-Z]{5}$/.test(codeOf(error) ?? ''),
}

export const isolation: IsolationPhrases = {
  ofThis: sql`select current_setting('transaction_isolation') as "0"`,
  become: (level) => become[level],
}

const become = {
  'read committed': sql`set transaction isolation level read committed`,
  serializable: sql`set transaction isolation level serializable`,
} as const

/** Cursors belong to a transaction, so their names only have to be unique within it. */
export const cursor: CursorPhrases = {
  kind: 'cursor',
  begin: sql`begin read only`,
  // Nothing was written, and a failed one has nothing to commit.
  end: sql`rollback`,
  open: (name, statement) => `declare ${name} no scroll cursor for ${statement}`,
  fetch: (name, rows) => `${statementMark}fetch ${rows} from ${name}`,
  close: (name) => `close ${name}`,
}

export const server: ServerPhrases = {
  ask: sql`select version() as "0", current_setting('default_transaction_isolation') as "1"`,
  // Other databases that speak the protocol of PostgreSQL have versions of their own.
  refusal: (name) => {
    const [, version = ''] = /^PostgreSQL (\d+)(?!\S*-YB-)/.exec(name) ?? []
    return version !== '' && Number(version) < oldest
      ? `PostgreSQL ${version} is too old: version ${oldest} is the oldest that works.`
      : undefined
  },
  // Compiled to WebAssembly it runs in the calling thread, where no timer fires.
  endsStatements: (name) => !name.includes('emscripten'),
}

const oldest = 14

/** The server's own timeout, and its way to cancel the statement of another connection. */
export const interruption: Interruption = {
  // A select list is computed in order.
  begin: (milliseconds) =>
    sql`select current_setting('statement_timeout') as "timeout", ${setting(String(Math.min(Math.max(1, Math.ceil(milliseconds)), longest)))}`,
  end: (timeout) => sql`select ${setting(timeout)}`,
  process: sql`select pg_backend_pid() as "process"`,
  // A pooler in between may have given the process to another client since.
  cancel: (process, statement) =>
    sql`select pg_cancel_backend(pid) from pg_stat_activity where pid = ${sql.val(process)} and state = 'active' and query = left(${sql.val(statement)}, length(query))`,
  isInterrupted: (error) => codeOf(error) === '57014' && !isRaised(error),
  lineOf: rawOf,
  rollback: sql`rollback`,
  isInDoubt: (error) => !isRaised(error) && !refusal.test(codeOf(error) ?? ''),
  leavesRunning,
}

/** The largest timeout of the server: more than three weeks. */
const longest = 2 ** 31 - 1

/** Local to the transaction: the server itself resets it at its end, whatever happens. */
const setting = (value: string) => sql`set_config('statement_timeout', ${sql.val(value)}, true)`

/** Errors of a server that keeps running. One that is shut down during a commit, and a broken connection, leave
 *  the outcome unknown. */
const refusal = /^(?!08|57P|EPIPE)[0-9A-Z]{5}$/
