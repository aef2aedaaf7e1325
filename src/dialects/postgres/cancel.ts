import { codeOf } from '../error-codes.ts'
import { sql } from '../sql.ts'
import type { Interruption } from '../transaction-phrases.ts'
import { lineOf } from './wire.ts'

/** The server's own limit of time, and its way to cancel what another connection runs. */
export const interruption: Interruption = {
  // A select list is computed in order.
  begin: (milliseconds) =>
    sql`select current_setting('statement_timeout') as "timeout", ${setting(String(Math.min(Math.max(1, Math.ceil(milliseconds)), longest)))}`,
  end: (timeout) => sql`select ${setting(timeout)}`,
  process: sql`select pg_backend_pid() as "process"`,
  // A pooler between may have given the process to somebody else since.
  cancel: (process, statement) =>
    sql`select pg_cancel_backend(pid) from pg_stat_activity where pid = ${sql.val(process)} and state = 'active' and query = left(${sql.val(statement)}, length(query))`,
  isInterrupted: (error) => codeOf(error) === '57014',
  lineOf,
  rollback: sql`rollback`,
  isInDoubt: (error) => !refusal.test(codeOf(error) ?? ''),
}

/** More the server does not count: it is more than three weeks. */
const longest = 2 ** 31 - 1

/** For the transaction alone: the server itself takes it back then, whatever happens. */
const setting = (value: string) => sql`set_config('statement_timeout', ${sql.val(value)}, true)`

/** What a server says that goes on. One that is ended while it commits, and a connection that breaks off, say nothing of it. */
const refusal = /^(?!08|57P|EPIPE)[0-9A-Z]{5}$/
