import type { Interruption } from '../dialect.ts'
import { codeOf } from '../error-codes.ts'
import { sql } from '../sql.ts'

/** The server's own limit of time, and its way to cancel what another connection runs. */
export const interruption: Interruption = {
  begin: (milliseconds, isLocal) => {
    const before = sql`current_setting('statement_timeout') as "timeout", pg_backend_pid() as "process"`
    // The settings are read before the new one is made: a select list is computed in order.
    return milliseconds === undefined
      ? sql`select ${before}`
      : sql`select ${before}, ${setting(String(Math.min(Math.max(1, Math.ceil(milliseconds)), longest)), isLocal)}`
  },
  end: (timeout, isLocal) => sql`select ${setting(timeout, isLocal)}`,
  // A pooler between may have given the process to somebody else since.
  cancel: (process, statement) =>
    sql`select pg_cancel_backend(pid) from pg_stat_activity where pid = ${sql.val(process)} and state = 'active' and query = left(${sql.val(statement)}, length(query))`,
  isInterrupted: (error) => codeOf(error) === '57014',
}

/** More the server does not count: it is more than three weeks. */
const longest = 2 ** 31 - 1

const setting = (value: string, isLocal: boolean) =>
  sql`set_config('statement_timeout', ${sql.val(value)}, ${isLocal ? sql`true` : sql`false`})`
