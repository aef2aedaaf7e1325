// Leases of claimed runs: as long as one is extended, its run has no other worker.
import { sql } from '../../dialects/sql.ts'
import { tellWritten } from '../../writes/announce.ts'
import { held } from './record-run.ts'
import type { ClaimedRun } from './run-row.ts'
import { type RunTables, textIn } from './run-tables.ts'

interface Release {
  readonly inMs: number
  readonly attempt?: number
}

/** Releases a run as it was recorded last. What another worker has claimed meanwhile stays as it is. */
export async function releaseRun(
  tables: RunTables,
  run: ClaimedRun,
  { inMs, attempt = run.attempt }: Release,
): Promise<void> {
  const c = (name: string) => tables.column(name)
  const found = await tables.change(
    sql`update ${tables.runs} set ${c('state')} = 'ready', ${c('lease')} = null, ${c('due')} = ${tables.in(inMs)}, ${c('attempt')} = ${sql.val(attempt)} where ${held(tables, run)}`,
  )
  if (found > 0) tellWritten(tables.engine, 'items.update', tables.collections.runs, [run.id])
}

/** Extends the leases of claimed runs. Returns the ids of those that are still held. */
export async function extendLeases(
  tables: RunTables,
  runs: readonly Pick<ClaimedRun, 'id' | 'token'>[],
  leaseMs: number,
): Promise<ReadonlySet<string>> {
  const some = sql.join(
    runs.map((run) => sql`(${held(tables, run)})`),
    sql` or `,
  )
  const rows = await tables.write(
    sql`update ${tables.runs} set ${tables.column('lease')} = ${tables.in(leaseMs)} where ${some} returning ${tables.texts('id')}`,
  )
  return new Set(rows.flatMap((row) => textIn(row, 'id') ?? []))
}
