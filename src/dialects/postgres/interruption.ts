import { codeOf } from '../error-codes.ts'
import { sql } from '../sql.ts'
import type { Interruption } from '../transaction-phrases.ts'
import { isRaised, leavesRunning } from './driver-errors.ts'
import { lineOf } from './wire.ts'

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
  lineOf,
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
