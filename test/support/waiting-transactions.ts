// Transactions of PostgreSQL that wait for each other.
import { sql, type Transaction } from 'kysely'
import { expect } from 'vitest'
import type { AnyTables, OpenDatabase } from './databases.ts'

/** Runs a call that waits for rows which a rival holds, lets the rival change something meanwhile, and returns the outcome, which
 *  need not be known yet. */
export async function behindRival(
  opened: OpenDatabase,
  rival: { readonly holds: string; readonly does: string },
  call: () => Promise<unknown>,
): Promise<{ readonly outcome: Promise<unknown> }> {
  let outcome: Promise<unknown> = Promise.resolve()
  await opened.db.transaction().execute(async (transaction) => {
    await sql.raw(rival.holds).execute(transaction)
    outcome = call().catch((error: unknown) => error)
    const isEarly = await Promise.race([outcome.then(() => true), blocks(transaction, opened)])
    expect(isEarly).toBe(false)
    await sql.raw(rival.does).execute(transaction)
  })
  return { outcome }
}

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
