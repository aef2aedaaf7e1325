// Runs that a worker has claimed and not begun: which is next, and what may be at work beside it.
import type { ClaimedRun } from './run-row.ts'

/** Milliseconds for which a run under which a worker may have died holds up others: it waits to be alone, and then is. Runs of hours may be at work, or it may be one. */
const mostAloneMs = 10_000

export class RunQueue {
  readonly #runs: ClaimedRun[] = []
  /** Runs under which a worker may have died: each alone, so that the next death is known to be its own, and harms no others. */
  readonly #suspects: ClaimedRun[] = []
  /** The suspect that is at work, until it has recorded something. */
  #suspect: ClaimedRun | undefined
  /** Since when a run waits to be alone, or is. */
  #aloneSince: number | undefined

  /** True if nothing may begin but suspects. */
  get isEmpty(): boolean {
    return this.#runs.length === 0
  }

  get suspects(): number {
    return this.#suspects.length
  }

  get all(): readonly ClaimedRun[] {
    return [...this.#suspects, ...this.#runs]
  }

  add(runs: readonly ClaimedRun[]): void {
    for (const run of runs) (run.deaths > 0 ? this.#suspects : this.#runs).push(run)
    this.#suspects.sort((one, other) => other.deaths - one.deaths)
  }

  /** Takes the next run to begin. `working`: number of those that are at work. */
  take(working: number): ClaimedRun | undefined {
    if (this.#suspect) return this.#holdsUp() ? undefined : this.#runs.shift()
    const [next] = this.#suspects
    if (!next) return this.#runs.shift()
    // Whatever is at work ends first, and nothing else begins.
    if (working > 0 && this.#holdsUp()) return undefined
    this.#aloneSince = undefined
    this.#suspects.shift()
    this.#suspect = next
    return next
  }

  #holdsUp(): boolean {
    this.#aloneSince ??= performance.now()
    return performance.now() - this.#aloneSince < mostAloneMs
  }

  /** Notes that a run has recorded something, or has left: others may begin. */
  clear(run: ClaimedRun): void {
    if (this.#suspect?.id !== run.id) return
    this.#suspect = undefined
    this.#aloneSince = undefined
  }

  remove(id: string): void {
    for (const runs of [this.#runs, this.#suspects]) {
      const at = runs.findIndex((run) => run.id === id)
      if (at >= 0) runs.splice(at, 1)
    }
  }

  drain(): readonly ClaimedRun[] {
    return [...this.#suspects.splice(0), ...this.#runs.splice(0)]
  }
}
