// Runs that a worker has claimed and not begun: which is next, and which is run with nothing beside it.
import type { ClaimedRun } from './run-row.ts'

/** Number of deaths of workers from which on a run is suspect: the next one is to be known as its own. */
const suspectFrom = 2

export class RunQueue {
  /** Those that were lost once are among them: of the runs of a dead worker most had not even begun. */
  #runs: readonly ClaimedRun[] = []
  #suspects: readonly ClaimedRun[] = []
  /** The suspect that is at work, until it has recorded something. */
  #alone: ClaimedRun | undefined

  /** True if more may be claimed. */
  get isEmpty(): boolean {
    return this.#runs.length === 0 && this.#suspects.length === 0 && this.#alone === undefined
  }

  get all(): readonly ClaimedRun[] {
    return [...this.#runs, ...this.#suspects]
  }

  add(runs: readonly ClaimedRun[]): void {
    const isSuspect = ({ deaths }: ClaimedRun) => deaths >= suspectFrom
    this.#runs = [...this.#runs, ...runs.filter((run) => !isSuspect(run))]
    this.#suspects = [...this.#suspects, ...runs.filter(isSuspect)]
  }

  /** Takes the next run to begin. `working`: number of those that are at work. */
  take(working: number): ClaimedRun | undefined {
    if (this.#alone) return undefined
    const [next, ...rest] = this.#runs
    if (next) {
      this.#runs = rest
      return next
    }
    // A worker that dies under the work of several would put the blame on all of them.
    if (working > 0) return undefined
    const [suspect, ...others] = this.#suspects
    this.#suspects = others
    this.#alone = suspect
    return suspect
  }

  /** Notes that a run has recorded something, or has left: others may begin. */
  clear(run: ClaimedRun): void {
    if (this.#alone?.id === run.id) this.#alone = undefined
  }

  remove(id: string): void {
    const isOther = (run: ClaimedRun) => run.id !== id
    this.#runs = this.#runs.filter(isOther)
    this.#suspects = this.#suspects.filter(isOther)
  }

  /** Removes all of them, and returns them. */
  drain(): readonly ClaimedRun[] {
    const { all } = this
    this.#runs = []
    this.#suspects = []
    return all
  }
}
