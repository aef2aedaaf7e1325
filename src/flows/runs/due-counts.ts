// Counts the runs that are due: so many that no more are begun, or that somebody should know.
import { sql } from '../../dialects/sql.ts'
import { fault } from '../../errors/errors.ts'
import { numberIn, type RunTables } from './run-tables.ts'

/** Greatest number of due runs, of all flows and of one, with which a request still begins another one. */
export const mostDue = 100_000
export const mostDueOfFlow = 10_000

/** Milliseconds for which a count is good. */
const goodForMs = 1_000

interface Count {
  readonly at: number
  readonly count: Promise<number>
}

export class DueCounts {
  readonly #tables: RunTables
  readonly #report: (error: unknown) => void
  readonly #byFlow = new Map<string, Count>()
  #all: Count | undefined
  #known = 0
  #isTold = false

  constructor(tables: RunTables, report: (error: unknown) => void) {
    this.#tables = tables
    this.#report = report
  }

  /** True if, as far as is known, as many runs are due as may be. */
  get isFull(): boolean {
    return this.#known >= mostDue
  }

  /** Notes runs that have begun. */
  grow(count: number): void {
    this.#known += count
    // Nothing waits for it: what has caused the runs goes on.
    if (this.#known > mostDue / 2) void this.all().catch(this.#report)
  }

  /** True if a request may begin another run of a flow. */
  async mayBegin(flow: string): Promise<boolean> {
    const [all, own] = await Promise.all([this.all(), this.#ofFlow(flow)])
    return all < mostDue && own < mostDueOfFlow
  }

  /** Returns the number of due runs, up to one more than there may be. */
  async all(): Promise<number> {
    const now = performance.now()
    if (!this.#all || now - this.#all.at > goodForMs) this.#all = { at: now, count: this.#count() }
    const { count } = this.#all
    this.#known = await count
    if (!this.isFull) this.#isTold = false
    else if (!this.#isTold) {
      this.#isTold = true
      this.#report(
        fault('SERVICE_UNAVAILABLE', `More than ${mostDue.toLocaleString('en')} runs of flows are due.`, {
          hint: 'Start more workers, or look for the flow that starts so many.',
        }),
      )
    }
    return this.#known
  }

  #ofFlow(flow: string): Promise<number> {
    const now = performance.now()
    const known = this.#byFlow.get(flow)
    if (known && now - known.at <= goodForMs) return known.count
    const count = this.#count(flow)
    if (this.#byFlow.size > 1_000) this.#byFlow.clear()
    this.#byFlow.set(flow, { at: now, count })
    return count
  }

  async #count(flow?: string): Promise<number> {
    const { runs, now } = this.#tables
    const c = (name: string) => this.#tables.column(name)
    const ofFlow = flow === undefined ? sql`` : sql` and ${c('flow')} = ${sql.val(flow)}`
    const most = flow === undefined ? mostDue : mostDueOfFlow
    const [row] = await this.#tables.query(
      sql`select count(*) as ${c('count')} from (select 1 from ${runs} where ${c('state')} = 'ready' and ${c('due')} <= ${now}${ofFlow} limit ${sql.val(most + 1)}) as d`,
    )
    return row ? numberIn(row, 'count') : 0
  }
}

export const queueIsFull = () =>
  fault('SERVICE_UNAVAILABLE', 'Too many runs are due, so no more are started.', {
    extensions: { retryAfter: 5 },
  })
