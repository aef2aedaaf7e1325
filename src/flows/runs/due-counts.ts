// Counts the runs that are due: too many stop further starts, or are reported to the host.
import { type Sql, sql } from '../../dialects/sql.ts'
import { fault } from '../../errors/errors.ts'
import { numberIn } from './run-row.ts'
import type { RunTables } from './run-tables.ts'

/** Greatest number of due runs, of all flows and of one, with which a request still begins another one. */
const mostDue = 100_000
export const mostDueOfFlow = 10_000

const goodForMs = 1_000

export class DueCounts {
  readonly #tables: RunTables
  readonly #report: (error: unknown) => void
  /** Counts of flows, and of all together. */
  readonly #counts = new Map<string | undefined, { readonly at: number; readonly count: Promise<number> }>()
  #known = 0
  #isTold = false

  constructor(tables: RunTables, report: (error: unknown) => void) {
    this.#tables = tables
    this.#report = report
  }

  /** True if the last known number of due runs has reached its maximum. */
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
    const [all, own] = await Promise.all([this.all(), this.#count(flow)])
    return all < mostDue && own < mostDueOfFlow
  }

  /** Returns the number of due runs, up to one more than there may be. */
  async all(): Promise<number> {
    this.#known = await this.#count(undefined)
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

  #count(flow: string | undefined): Promise<number> {
    const at = performance.now()
    const known = this.#counts.get(flow)
    if (known && at - known.at <= goodForMs) return known.count
    const tables = this.#tables
    const count =
      flow === undefined
        ? countDue(tables, sql``, mostDue + 1)
        : countDue(tables, sql` and ${tables.column('flow')} = ${sql.val(flow)}`, mostDueOfFlow + 1)
    if (this.#counts.size > 1_000) this.#counts.clear()
    this.#counts.set(flow, { at, count })
    // A look that has failed says nothing about the next second.
    count.catch(() => this.#counts.delete(flow))
    return count
  }
}

/** Returns the number of due runs, of those that meet a condition. */
export async function countDue(tables: RunTables, isCounted: Sql, most?: number): Promise<number> {
  const { runs, now, column: c } = tables
  const limit = most === undefined ? sql`` : sql` limit ${sql.val(most)}`
  const [row] = await tables.query(
    sql`select count(*) as ${c('count')} from (select 1 from ${runs} where ${c('state')} = 'ready' and ${c('due')} <= ${now}${isCounted}${limit}) as d`,
  )
  return row ? numberIn(row, 'count') : 0
}

export const queueIsFull = () =>
  fault('SERVICE_UNAVAILABLE', 'Too many runs are due, so no more are started.', {
    extensions: { retryAfter: 5 },
  })
