// Upkeep of runs, from time to time, by each process that works on them.
import { sql } from '../../dialects/sql.ts'
import { laneIndex } from '../../engine/install-tables.ts'
import { later, repeat } from '../../realtime/timers.ts'
import { reviewAside } from './claim-runs.ts'
import { countDue } from './due-counts.ts'
import { pruneDefinitions, pruneResults, pruneRuns } from './prune-runs.ts'
import type { RunTables } from './run-tables.ts'
import type { RunsContext } from './runs-context.ts'
import { type KnownSchedules, runSchedules } from './schedule-runs.ts'
import { pruneWorkers } from './worker-row.ts'

const sweepMs = 5_000
const pruneMs = 60_000
/** For what looks at every row. */
const wholeMs = 3_600_000
const shortestWaitMs = 10
const defaultWaitMs = 1_000

export class Upkeep {
  readonly #context: RunsContext
  readonly #foreign: () => ReadonlySet<string>
  readonly #endTimers: (() => void)[] = []
  #forgetNext: (() => void) | undefined
  #isOver = false
  /** Number of due runs that have operations which are not known here, at the last look. */
  unrunnable = 0
  readonly #schedules: KnownSchedules = new WeakSet()

  /** `foreign`: hashes of definitions with operations that are not known here. */
  constructor(context: RunsContext, foreign: () => ReadonlySet<string>) {
    this.#context = context
    this.#foreign = foreign
  }

  begin(): void {
    const { tables, flowEngine, wake, leaseMs } = this.#context
    const { keep } = flowEngine.options
    const since = performance.now()
    const sweep = async () => {
      if ((await sweepRuns(tables)).length > 0) wake()
    }
    this.#repeat(sweepMs, async () => {
      if (this.#hasLanes()) await sweep()
      if ((await reviewAside(tables, leaseMs, performance.now() - since)) > 0) wake()
      const foreign = [...this.#foreign()]
      const isForeign = sql` and ${tables.column('definition')} in (${tables.list(foreign)})`
      this.unrunnable = foreign.length > 0 ? await countDue(tables, isForeign) : 0
    })
    this.#repeat(pruneMs, async () => {
      // Lanes of flows that are gone have runs, too.
      if (!this.#hasLanes()) await sweep()
      await pruneRuns(tables, keep)
    })
    this.#repeat(wholeMs, async () => {
      // Runs grow older while nothing happens.
      this.#context.news.activity += 1
      await pruneWorkers(tables)
      await pruneResults(tables, keep)
      await pruneDefinitions(tables, keep)
    })
    this.schedule(0)
  }

  #hasLanes(): boolean {
    return [...this.#context.flowEngine.flows.values()].some(({ flow }) => flow.lane !== undefined)
  }

  /** Looks for ticks after some milliseconds at the latest. */
  schedule(inMs: number): void {
    if (this.#isOver) return
    this.#forgetNext?.()
    this.#forgetNext = later(inMs, () => void this.#tick())
  }

  async #tick(): Promise<void> {
    const { flowEngine, report } = this.#context
    let waitMs = defaultWaitMs
    try {
      waitMs = await runSchedules(this.#context, this.#schedules)
    } catch (error) {
      report(error)
    }
    // A clock of the test's may jump at any time.
    const isTest = flowEngine.options.clock !== undefined
    this.schedule(Math.max(shortestWaitMs, isTest ? Math.min(waitMs, flowEngine.pollMs) : waitMs))
  }

  end(): void {
    this.#isOver = true
    this.#forgetNext?.()
    for (const end of this.#endTimers.splice(0)) end()
  }

  #repeat(everyMs: number, work: () => Promise<void>): void {
    const { news } = this.#context
    let before = 0
    const end = repeat(everyMs, async () => {
      // None is begun while nothing happens that would be due more often than each hour.
      if (everyMs < wholeMs && news.activity === before) return
      before = news.activity
      await work().catch(this.#context.report)
    })
    this.#endTimers.push(end)
  }
}

/** Makes runs ready for which nothing is waited any more. Returns their ids. */
function sweepRuns(tables: RunTables): Promise<readonly string[]> {
  const { column: c } = tables
  const first = sql`select min(${c('number')}) from ${tables.runsBy(laneIndex)} where ${c('lane')} is not null and ${tables.isUnfinished()} group by ${c('flow')}, ${c('lane')}`
  const begun = tables.firstBegun(sql`(r.${c('flow')}, r.${c('lane')})`)
  return tables.ready(sql`${c('waits')} = 'lane' and ${c('number')} in (${first}) and not exists (${begun})`)
}
