import { sql } from 'kysely'
import type { OpenDatabase } from './databases.ts'

/** Waits until some works of one test wait for locks of PostgreSQL, or are done. `about`: what their statements hold. */
export async function waiting(
  { db }: OpenDatabase,
  works: readonly Promise<unknown>[],
  about: string,
): Promise<void> {
  let done = 0
  const end = () => void done++
  for (const work of works) work.then(end, end)
  const waits = sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where wait_event_type = 'Lock' and application_name = current_schema() and query ilike ${`%${about}%`}`
  for (;;) {
    const [row] = (await waits.execute(db)).rows
    if (done + (row?.count ?? 0) >= works.length) return
  }
}

/** Waits until something holds, while all else goes on. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1))
}
