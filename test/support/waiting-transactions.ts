// Transactions of PostgreSQL that wait for each other.
import { sql, type Transaction } from 'kysely'
import type { AnyTables, OpenDatabase } from './databases.ts'

/** Waits until another transaction waits for this one. */
export async function blocks(transaction: Transaction<AnyTables>, { db }: OpenDatabase): Promise<false> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction)
  const pid = rows[0]?.pid
  for (let tries = 0; tries < 2_000; tries++) {
    const waiting =
      await sql`select 1 from pg_stat_activity where ${pid}::integer = any (pg_blocking_pids(pid))`.execute(
        db,
      )
    if (waiting.rows.length > 0) return false
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error('Nobody waits.')
}
