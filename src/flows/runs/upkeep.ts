// Upkeep of runs, from time to time, by each process that works on them.
import { sql } from '../../dialects/sql.ts'
import { laneIndex } from '../../engine/install-tables.ts'
import { tellWritten } from '../../writes/announce.ts'
import type { FlowsOptions } from '../flow-options.ts'
import type { BoundFlow } from '../triggers/bind-triggers.ts'
import type { NewRuns } from './new-runs.ts'
import { pruneDefinitions, pruneResults, pruneRuns } from './prune-runs.ts'
import { numberIn, type RunTables, textIn } from './run-tables.ts'
import { type KnownSchedules, runSchedules } from './schedule-runs.ts'
import { reviewAside } from './set-aside.ts'
import { pruneWorkers } from './worker-row.ts'

const sweepMs = 5_000
const pruneMs = 60_000
/** For what looks at every row. */
const wholeMs = 3_600_000
const shortestWaitMs = 10
const defaultWaitMs = 1_000

/** Parts that the upkeep works with. */
export interface UpkeepParts {
  readonly tables: RunTables
  readonly newRuns: NewRuns
  readonly flows: () => ReadonlyMap<string, BoundFlow>
  readonly options: FlowsOptions
  readonly leaseMs: number
  readonly report: (error: unknown) => void
  readonly wake: () => void
  /** Hashes of definitions with operations that are not known here. */
  readonly foreign: () => ReadonlySet<string>
}

export class Upkeep {
  readonly #parts: UpkeepParts
  readonly #timers: ReturnType<typeof setInterval>[] = []
  #next: ReturnType<typeof setTimeout> | undefined
  #isOver = false
  /** Number of due runs that have operations which are not known here, at the last look. */
  unrunnable = 0
  readonly #busy = new Set<() => Promise<void>>()
  readonly #schedules: KnownSchedules = new WeakSet()

  constructor(parts: UpkeepParts) {
    this.#parts = parts
  }

  begin(): void {
    const { tables, options, wake, foreign, leaseMs } = this.#parts
    const since = performance.now()
    const sweep = async () => {
      if ((await sweepRuns(tables)) > 0) wake()
    }
    this.#repeat(sweepMs, async () => {
      if (this.#hasLanes()) await sweep()
      if ((await reviewAside(tables, leaseMs, performance.now() - since)) > 0) wake()
      this.unrunnable = await countDue(tables, foreign())
    })
    this.#repeat(pruneMs, async () => {
      // Lanes of flows that are gone have runs, too.
      if (!this.#hasLanes()) await sweep()
      await pruneRuns(tables, options.keep)
      await pruneWorkers(tables)
    })
    this.#repeat(wholeMs, async () => {
      await pruneResults(tables, options.keep)
      await pruneDefinitions(tables, options.keep)
    })
    this.schedule(0)
  }

  #hasLanes(): boolean {
    return [...this.#parts.flows().values()].some(({ flow }) => flow.lane !== undefined)
  }

  /** Looks for ticks after some milliseconds at the latest. */
  schedule(inMs: number): void {
    if (this.#isOver) return
    clearTimeout(this.#next)
    this.#next = setTimeout(() => void this.#tick(), inMs)
    this.#next.unref?.()
  }

  async #tick(): Promise<void> {
    const { tables, flows, newRuns, report, wake, options } = this.#parts
    let waitMs = defaultWaitMs
    try {
      waitMs = await runSchedules(tables, flows().values(), newRuns, this.#schedules)
      wake()
    } catch (error) {
      report(error)
    }
    // A clock of the test's may jump at any time.
    this.schedule(
      Math.max(shortestWaitMs, options.clock ? Math.min(waitMs, options.pollMs ?? defaultWaitMs) : waitMs),
    )
  }

  end(): void {
    this.#isOver = true
    clearTimeout(this.#next)
    for (const timer of this.#timers.splice(0)) clearInterval(timer)
  }

  #repeat(everyMs: number, work: () => Promise<void>): void {
    const timer = setInterval(() => {
      // A pass that takes longer than its interval is not begun twice.
      if (this.#busy.has(work)) return
      this.#busy.add(work)
      work()
        .catch(this.#parts.report)
        .finally(() => this.#busy.delete(work))
    }, everyMs)
    timer.unref?.()
    this.#timers.push(timer)
  }
}

/** Makes runs ready for which nothing is waited any more. Returns their number. */
async function sweepRuns(tables: RunTables): Promise<number> {
  const { runs } = tables
  const c = (name: string) => tables.column(name)
  const first = sql`select min(${c('number')}) from ${tables.runsBy(laneIndex)} where ${c('lane')} is not null and ${tables.isUnfinished()} group by ${c('flow')}, ${c('lane')}`
  const begun = tables.firstBegun(sql`(r.${c('flow')}, r.${c('lane')})`)
  const rows = await tables.write(
    sql`update ${runs} as r set ${c('state')} = 'ready', ${c('waits')} = null, ${c('due')} = ${tables.now} where ${c('state')} = 'waiting' and ${c('waits')} = 'lane' and ${c('number')} in (${first}) and not exists (${begun}) returning ${tables.texts('id')}`,
  )
  tellWritten(
    tables.engine,
    'items.update',
    tables.collections.runs,
    rows.flatMap((row) => textIn(row, 'id') ?? []),
  )
  return rows.length
}

/** Returns the number of due runs of some definitions. */
async function countDue(tables: RunTables, definitions: ReadonlySet<string>): Promise<number> {
  if (definitions.size === 0) return 0
  const c = (name: string) => tables.column(name)
  const hashes = tables.list([...definitions])
  const [row] = await tables.query(
    sql`select count(*) as ${c('count')} from ${tables.runs} where ${c('state')} = 'ready' and ${c('due')} <= ${tables.now} and ${c('definition')} in (${hashes})`,
  )
  return row ? numberIn(row, 'count') : 0
}
