// A transaction that stays open from one operation to the next.
import type { EngineInternals } from '../../engine/engine.ts'
import { endHooksByPart } from '../../engine/host-units.ts'
import { callHost } from '../../execution/deadlock-guard.ts'

class Undone extends Error {}

export class HeldTransaction {
  /** The engine inside of it. */
  readonly inside: EngineInternals
  readonly #outcome: Promise<void>
  readonly #release: () => void
  readonly #undo: (reason: Undone) => void
  /** Number of operations that were run in it. */
  count = 0
  readonly since = performance.now()

  private constructor(
    inside: EngineInternals,
    outcome: Promise<void>,
    { release, undo }: { readonly release: () => void; readonly undo: (reason: Undone) => void },
  ) {
    this.inside = inside
    this.#outcome = outcome
    this.#release = release
    this.#undo = undo
  }

  /** Begins a transaction. `joinsParts`: true if what fails in it shall end all of it, which saves a savepoint for each operation. */
  static begin(engine: EngineInternals, joinsParts: boolean): Promise<HeldTransaction> {
    return new Promise((resolve, reject) => {
      const hold = (inside: EngineInternals) =>
        new Promise<void>((release, undo) => {
          if (inside.unit) {
            // Hooks before the commit belong to the operation that they hear of.
            endHooksByPart(inside.unit)
            inside.unit.joinsParts = joinsParts
          }
          resolve(new HeldTransaction(inside, outcome, { release, undo }))
        })
      // Where the connection is free the work begins at once, and the outcome is not there yet.
      const outcome = engine.atomic((inside) => Promise.resolve(inside).then(hold), {})
      outcome.catch(reject)
    })
  }

  /** Runs an operation in it. */
  call<Result>(work: () => Promise<Result>, isOfHost: boolean): Promise<Result> {
    this.count += 1
    return isOfHost ? this.#callHost(work) : work()
  }

  /** Calls code of the host, for which the transaction waits. */
  async #callHost<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await callHost(this.inside, work)
    } finally {
      // Statements that the host ran itself may have failed.
      this.inside.unit?.state.markUnverified()
    }
  }

  async commit(): Promise<void> {
    this.#release()
    await this.#outcome
  }

  /** Undoes all of it. */
  async undo(): Promise<void> {
    const reason = new Undone('The operations of a run are undone.')
    this.#undo(reason)
    await this.#outcome.catch((error: unknown) => {
      if (error !== reason) throw error
    })
  }
}
