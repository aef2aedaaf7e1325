// Knows whether runs may be due: beside runs that sleep a worker need not look for them each time.
import { writesSeen } from '../../execution/writes-seen.ts'
import type { FlowEngine } from '../flow-engine.ts'
import { OtherWorkers } from './other-workers.ts'
import type { RunTables } from './run-tables.ts'
import { lookOut, type Outlook, type WorkerRow } from './worker-row.ts'

/** Looks after news: a transaction of others may be on its way at the first one. */
const looksAfterNews = 2
/** Milliseconds between two looks for news of others, a little fewer than between two of their notifications. */
const betweenLooksMs = 200

export class RunNews {
  readonly others: OtherWorkers
  /** Grows with all that happens. Upkeep rests while nothing does. */
  activity = 1
  readonly #tables: RunTables
  #outlook: Outlook | undefined
  /** When the outlook was asked for, by two clocks: one stands still while the machine sleeps, and the other one may be set. */
  #at = { monotonic: 0, date: 0 }
  #looksLeft = looksAfterNews
  #asking: Promise<boolean> | undefined
  #isSigning = false
  #wokenAt = Number.NEGATIVE_INFINITY
  #writes: number | undefined

  constructor(tables: RunTables) {
    this.#tables = tables
    this.others = new OtherWorkers(tables)
  }

  /** Notes that runs may have been stored, or were claimed. */
  note(): void {
    this.#looksLeft = looksAfterNews
    this.activity += 1
  }

  /** Listens to other workers. `look`: called for news of theirs. */
  async listen({ pollMs, report }: FlowEngine, look: () => void): Promise<void> {
    await this.others.listen(() => {
      this.note()
      if (performance.now() - this.#wokenAt < Math.min(pollMs, betweenLooksMs)) return
      this.#wokenAt = performance.now()
      look()
    }, report)
  }

  /** True if a run may be due. It is looked for only after news. */
  isDue(): Promise<boolean> {
    this.#asking ??= this.#isDue().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  async #isDue(): Promise<boolean> {
    const isWatching = await this.#isWatching()
    if (isWatching && this.#looksLeft > 0) {
      this.activity += 1
      this.#looksLeft -= 1
      await this.#look(() => lookOut(this.#tables)).catch((error: unknown) => {
        this.note()
        throw error
      })
    }
    const isDue = !isWatching || this.#outlook === undefined || this.#outlook.next <= this.#now(this.#outlook)
    if (isDue) this.activity += 1
    return isDue
  }

  /** Looks with the sign of life of this worker, which is a row that it writes itself. */
  async lookWith(row: WorkerRow, signal?: AbortSignal): Promise<void> {
    this.#isSigning = true
    try {
      await this.#look(() => row.seen(this.others.sign(), signal))
      if (this.#writes !== undefined) this.#writes += 1
    } finally {
      this.#isSigning = false
    }
  }

  async #look(ask: () => Promise<Outlook | undefined>): Promise<void> {
    const at = { monotonic: performance.now(), date: Date.now() }
    this.#outlook = await ask()
    this.#at = at
  }

  /** True if what others write is noticed. */
  async #isWatching(): Promise<boolean> {
    if (this.others.isConnected) return true
    // Meanwhile it is unknown whose writes are counted. The sign may hang, so it is not waited for.
    if (this.#isSigning) return false
    const { engine, collections } = this.#tables
    // Of a file that is attached nothing is counted.
    const isOwn = collections.runs.dbSchema === undefined
    const writes = isOwn ? await writesSeen(engine) : undefined
    if (writes !== this.#writes) this.#looksLeft = Math.max(this.#looksLeft, 1)
    this.#writes = writes
    return writes !== undefined
  }

  /** The time of the database, in so far as it is known. */
  #now({ now }: Outlook): number {
    const { monotonic, date } = this.#at
    return this.#tables.clock?.() ?? now + Math.max(performance.now() - monotonic, Date.now() - date)
  }
}
