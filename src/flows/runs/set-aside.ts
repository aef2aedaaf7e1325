// Runs that are set aside because workers died under them: do workers live without them?
import { sql } from '../../dialects/sql.ts'
import { fault } from '../../errors/errors.ts'
import { tellWritten } from '../../writes/announce.ts'
import { claimAside } from './claim-runs.ts'
import { failRun, held } from './record-run.ts'
import type { RunKeeping } from './run-keeper.ts'
import type { ClaimedRun } from './run-row.ts'
import { type RunTables, textIn } from './run-tables.ts'
import { acquit, type Deaths, deathsUnder, otherHasDied } from './worker-row.ts'

/** Number of workers that died alone with a run, from which on it is set aside after each death. */
const mostDeaths = 3
/** Number of them after which it fails, if workers live without it. */
const mostInAll = 5
const shortestAsideMs = 1_000
const longestAsideMs = 3_600_000

/** As long as its workers have lived with it at least, and twice as long each time. */
const asideMs = ({ count, livedMs }: Deaths, leaseMs: number): number =>
  Math.min(longestAsideMs, Math.max(shortestAsideMs, 2 * leaseMs, livedMs) * 2 ** (count - mostDeaths))

/** Notes that a worker tries a run alone under which others may have died. Returns false if it is set aside instead. */
export async function mayTry(run: ClaimedRun, { tables, leaseMs, row }: RunKeeping): Promise<boolean> {
  const deaths = await deathsUnder(tables, run.id)
  // After each time that it was set aside it is tried once.
  if (deaths.count < mostDeaths || deaths.count <= run.deaths) {
    await row.tries(run.id)
    return true
  }
  const c = (name: string) => tables.column(name)
  const due = tables.in(asideMs(deaths, leaseMs))
  const found = await tables.change(
    sql`update ${tables.runs} set ${c('state')} = 'waiting', ${c('waits')} = 'aside', ${c('lease')} = null, ${c('due')} = ${due}, ${c('deaths')} = ${sql.val(deaths.count)} where ${held(tables, run)}`,
  )
  if (found > 0) tellWritten(tables.engine, 'items.update', tables.collections.runs, [run.id])
  return false
}

/** Decides on the runs that have been set aside for long enough. `livedMs`: for how long this worker has lived: it has to have lived without the
 *  run for as long. Returns the number of those that go on. */
export async function reviewAside(tables: RunTables, leaseMs: number, livedMs: number): Promise<number> {
  const c = (name: string) => tables.column(name)
  const known = sql`select ${c('run')} from ${tables.workers} where ${c('run')} is not null`
  const rows = await tables.query(
    sql`select ${tables.texts('id')} from ${tables.runs} where ${isAside(tables)} and ${c('due')} <= ${tables.now} and ${c('id')} in (${known})`,
  )
  let count = 0
  for (const id of rows.flatMap((row) => textIn(row, 'id') ?? [])) {
    const deaths = await deathsUnder(tables, id)
    const isInnocent = await otherHasDied(tables, deaths.last)
    if (!isInnocent && livedMs < asideMs(deaths, leaseMs)) continue
    if (isInnocent) await acquit(tables, id)
    else if (deaths.count >= mostInAll) {
      await failAside(tables, leaseMs, id)
      continue
    }
    count += await resume(tables, id)
  }
  return count
}

const isAside = (tables: RunTables) =>
  sql`${tables.column('state')} = 'waiting' and ${tables.column('waits')} = 'aside'`

async function failAside(tables: RunTables, leaseMs: number, id: string): Promise<void> {
  const run = await claimAside(tables, leaseMs, id)
  if (!run) return
  const message = `${mostInAll} workers died at the same step of this run, each alone with it, and none without it.`
  await failRun(run, fault('SERVICE_UNAVAILABLE', message), { tables, leaseMs })
}

async function resume(tables: RunTables, id: string): Promise<number> {
  const c = (name: string) => tables.column(name)
  const found = await tables.change(
    sql`update ${tables.runs} set ${c('state')} = 'ready', ${c('waits')} = null, ${c('due')} = ${tables.now} where ${c('id')} = ${sql.val(id)} and ${isAside(tables)}`,
  )
  if (found > 0) tellWritten(tables.engine, 'items.update', tables.collections.runs, [id])
  return found
}
