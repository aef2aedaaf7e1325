// Runs that are postponed because workers crashed while running them, to see whether workers crash without them.
import { sql } from '../../dialects/sql.ts'
import { fault } from '../../errors/errors.ts'
import { claimAside } from './claim-runs.ts'
import { failRun, held } from './record-run.ts'
import { type ClaimedRun, textsIn } from './run-row.ts'
import type { RunTables } from './run-tables.ts'
import { acquit, type Deaths, deathsUnder, otherHasDied, type WorkerRow } from './worker-row.ts'

/** Number of crashes of workers that ran only this run, from which on each further one postpones it. */
const mostDeaths = 3
/** Number of them after which it fails, if workers live without it. */
const mostInAll = 5
const shortestAsideMs = 1_000
const longestAsideMs = 3_600_000

/** As long as its workers have lived with it at least, and twice as long each time. */
const asideMs = ({ count, livedMs }: Deaths, leaseMs: number): number =>
  Math.min(longestAsideMs, Math.max(shortestAsideMs, 2 * leaseMs, livedMs) * 2 ** (count - mostDeaths))

/** Notes that a worker tries a run alone under which others may have died. Returns false if it is set aside instead. */
export async function mayTry(
  run: ClaimedRun,
  { tables, leaseMs }: { readonly tables: RunTables; readonly leaseMs: number },
  row: WorkerRow,
): Promise<boolean> {
  const deaths = await deathsUnder(tables, run.id)
  // After each time that it was set aside it is tried once.
  if (deaths.count < mostDeaths || deaths.count <= run.deaths) {
    await row.tries(run.id)
    return true
  }
  const { column: c } = tables
  const due = tables.in(asideMs(deaths, leaseMs))
  const aside = sql`${c('state')} = 'waiting', ${c('waits')} = 'aside', ${c('lease')} = null, ${c('due')} = ${due}, ${c('deaths')} = ${sql.val(deaths.count)}`
  await tables.update(aside, held(tables, run))
  return false
}

/** Decides on the runs that have been set aside for long enough. `livedMs`: for how long this worker has lived: it has to have lived without the
 *  run for as long. Returns the number of those that go on. */
export async function reviewAside(tables: RunTables, leaseMs: number, livedMs: number): Promise<number> {
  const { column: c } = tables
  const known = sql`select ${c('run')} from ${tables.workers} where ${c('run')} is not null`
  const rows = await tables.query(
    sql`select ${tables.texts('id')} from ${tables.runs} where ${c('state')} = 'waiting' and ${c('waits')} = 'aside' and ${c('due')} <= ${tables.now} and ${c('id')} in (${known})`,
  )
  let count = 0
  for (const id of textsIn(rows)) {
    const deaths = await deathsUnder(tables, id)
    const isInnocent = await otherHasDied(tables, deaths.last)
    if (!isInnocent && livedMs < asideMs(deaths, leaseMs)) continue
    if (isInnocent) await acquit(tables, id)
    else if (deaths.count >= mostInAll) {
      await failAside(tables, leaseMs, id)
      continue
    }
    const resumed = await tables.ready(sql`${c('id')} = ${sql.val(id)} and ${c('waits')} = 'aside'`)
    count += resumed.length
  }
  return count
}

async function failAside(tables: RunTables, leaseMs: number, id: string): Promise<void> {
  const run = await claimAside(tables, leaseMs, id)
  if (!run) return
  const message = `${mostInAll} workers died at the same step of this run, each alone with it, and none without it.`
  await failRun(tables, run, fault('SERVICE_UNAVAILABLE', message))
}
