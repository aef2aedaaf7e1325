// Claims runs for a worker: those that are due, and those whose worker is gone. Runs are postponed under which workers crashed, to see whether
// workers crash without them.
import { claimed } from '../../dialects/own-tables.ts'
import { type Sql, sql } from '../../dialects/sql.ts'
import { runningIndex } from '../../engine/install-tables.ts'
import { fault, isEngineError } from '../../errors/errors.ts'
import { pause } from '../../writes/context/retry.ts'
import { failRun, held } from './record-run.ts'
import { type ClaimedRun, claimedColumns, readRow, textsIn } from './run-row.ts'
import type { RunTables } from './run-tables.ts'
import { acquit, type Deaths, deathsUnder, otherHasDied, type WorkerRow } from './worker-row.ts'

export interface Claiming {
  readonly leaseMs: number
  readonly most: number
  /** Number of those of them whose worker is gone. They go before those that are due. */
  readonly mostLost: number
  /** Hashes of definitions that this worker cannot run. */
  readonly except: readonly string[]
}

/** Greatest number of runs that are claimed at once. */
export const mostClaimed = 10
/** Greatest number of them that are of one flow, as long as others are due. */
const mostOfOne = mostClaimed / 2

const mostLooks = 5

const byDue = ['due', 'number'] as const

/** Claims runs, in the order in which they are due; of one flow at most half of them, as long as those of others are due. */
export async function claimRuns(
  tables: RunTables,
  claiming: Claiming,
  flows: readonly string[],
): Promise<{ readonly runs: readonly ClaimedRun[]; readonly back: readonly ClaimedRun[] }> {
  const runs = await claimBy(tables, () => claimLostAndDue(tables, claiming))
  const greedy = greedyFlow(runs)
  const names = flows.filter((name) => name !== greedy)
  if (greedy === undefined || names.length === 0) return { runs, back: [] }
  const fewer = { ...claiming, most: mostOfOne }
  const others = await claimBy(tables, () => claimOf(names, tables, fewer))
  const kept: ClaimedRun[] = []
  const back: ClaimedRun[] = []
  for (const run of runs)
    (run.flow === greedy && kept.length >= mostClaimed - others.length ? back : kept).push(run)
  return { runs: [...others, ...kept], back }
}

/** Claims by a statement. If another worker has claimed a run of the same lane meanwhile, the index of lanes refuses all of the claim: once it is
 *  refused, the next look sees the run that the other one has. */
async function claimBy(tables: RunTables, statement: () => Sql): Promise<readonly ClaimedRun[]> {
  for (let look = 1; look <= mostLooks; look++) {
    try {
      const runs = (await tables.write(statement())).map((row) => readRow(claimedColumns, row))
      // Those that were lost stand before the others.
      return runs.sort((one, other) => other.deaths - one.deaths || one.number - other.number)
    } catch (error) {
      if (!isEngineError(error) || error.code !== 'RECORD_NOT_UNIQUE') throw error
      await pause(look, undefined)
    }
  }
  return []
}

/** Claims a run that is set aside; undefined if it is not any more. */
async function claimAside(tables: RunTables, leaseMs: number, id: string): Promise<ClaimedRun | undefined> {
  const { column: c } = tables
  const aside = sql`select ${c('id')} from ${tables.runs} where ${c('id')} = ${sql.val(id)} and ${c('state')} = 'waiting' and ${c('waits')} = 'aside'`
  const [row] = await tables.write(takeOver(tables, { leaseMs }, aside))
  return row && readRow(claimedColumns, row)
}

/** The flow with more claimed runs than allowed while others are due; undefined if there is no such flow. */
function greedyFlow(runs: readonly ClaimedRun[]): string | undefined {
  if (runs.length < mostClaimed) return undefined
  const counts = new Map<string, number>()
  for (const { flow } of runs) counts.set(flow, (counts.get(flow) ?? 0) + 1)
  return [...counts].find(([, count]) => count > mostOfOne)?.[0]
}

/** Returns runs that are due. `most`: how many of them at most. `order`: the columns of an index, in whose order they are found. */
function dueRuns(
  tables: RunTables,
  { except }: Claiming,
  { isDue, order, most }: { readonly isDue: Sql; readonly order: readonly string[]; readonly most: Sql },
): Sql {
  const { runs, column: c } = tables
  const known = except.length === 0 ? sql`` : sql` and ${c('definition')} not in (${tables.list(except)})`
  return claimed(
    sql`select ${tables.columns('id', 'due', 'number')} from ${runs} as r where ${c('state')} = 'ready' and ${isDue}${known} and (${c('lane')} is null or (${isFirst(tables)})) order by ${tables.columns(...order)} limit ${most}`,
    tables.engine.dialect,
  )
}

/** True for the run of a lane whose turn it is: the one that has begun, and else the first one. One that is taken up again, or whose cause was
 *  committed late, may stand before another one that sleeps in its middle. */
function isFirst(tables: RunTables): Sql {
  const { column: c } = tables
  const isSame = sql`o.${c('flow')} = r.${c('flow')} and o.${c('lane')} = r.${c('lane')}`
  // By themselves: few are running, and very many may wait.
  const running = sql`select 1 from ${tables.runsBy(runningIndex, sql` as o`)} where o.${c('state')} = 'running' and ${isSame} and o.${c('id')} <> r.${c('id')}`
  const begun = tables.firstBegun(sql`(r.${c('flow')}, r.${c('lane')})`)
  // SQLite looks a pair of columns up by the first of them alone, and reads all lanes before this one; a value that is no column it looks up.
  const from = sql`(r.${c('flow')}, coalesce(r.${c('lane')}, ''))`
  const first = tables.firstInLanes(from, sql`o.${c('number')}`)
  return sql`r.${c('number')} = coalesce((${begun}), (${first})) and not exists (${running})`
}

/** Claims runs whose worker is gone, and as many of those that are due as are left. */
function claimLostAndDue(tables: RunTables, claiming: Claiming): Sql {
  const { runs, now, column: c } = tables
  const most = sql.val(claiming.most)
  const left = sql`${most} - (select count(*) from lost)`
  const lost = claimed(
    sql`select ${c('id')} from ${runs} where ${c('state')} = 'running' and ${c('lease')} <= ${now} order by ${c('deaths')}, ${c('lease')} limit ${sql.val(claiming.mostLost)}`,
    tables.engine.dialect,
  )
  // Of a range with two ends few are expected, whatever is known of the table, so they are read in the order of their index instead of sorted.
  const isDue = sql`${c('due')} >= 0 and ${c('due')} <= ${now}`
  const free = sql`case when ${left} > 0 then ${left} else 0 end`
  const due = dueRuns(tables, claiming, { isDue, order: byDue, most: free })
  const both = sql`select ${c('id')} from lost union all select ${c('id')} from due`
  return sql`with lost as (${lost}), due as (${due}) ${takeOver(tables, claiming, both)}`
}

/** Claims due runs of some flows. Where it can be, each is looked up by itself, in an order that one index alone has: of the flow that is not among them very
 *  many may be due. */
function claimOf(names: readonly string[], tables: RunTables, claiming: Claiming): Sql {
  const { now, column: c } = tables
  const { lateral } = tables.engine.dialect
  const most = sql.val(claiming.most)
  const due = (isDue: Sql, order: readonly string[]) => dueRuns(tables, claiming, { isDue, order, most })
  const place = tables.columns('flow', 'due')
  const between = sql`(${place}) >= (f.name, 0) and (${place}) <= (f.name, ${now})`
  const each = names.map((name) => sql`(cast(${sql.val(name)} as text))`)
  const found = lateral
    ? sql`select d.* from (values ${sql.join(each, sql`, `)}) as f (name), ${lateral}(${due(between, ['flow', ...byDue])}) as d order by ${tables.columns(...byDue)} limit ${most}`
    : due(sql`${c('due')} <= ${now} and ${c('flow')} in (${tables.list(names)})`, byDue)
  return sql`with due as (${found}) ${takeOver(tables, claiming, sql`select ${c('id')} from due`)}`
}

function takeOver(tables: RunTables, { leaseMs }: Pick<Claiming, 'leaseMs'>, ids: Sql): Sql {
  const { runs, now, column: c } = tables
  const assignments = sql`${c('deaths')} = case when ${c('state')} = 'running' and ${c('deaths')} = 0 then 1 else ${c('deaths')} end, ${c('state')} = 'running', ${c('waits')} = null, ${c('token')} = ${c('token')} + 1, ${c('lease')} = ${tables.in(leaseMs)}, ${c('started')} = coalesce(${c('started')}, ${now})`
  return sql`update ${runs} set ${assignments} where ${c('id')} in (${ids}) returning ${tables.texts(...columns)}, cast(${now} as text) as ${c('now')}`
}

const columns = Object.keys(claimedColumns).filter((name) => name !== 'now')

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
