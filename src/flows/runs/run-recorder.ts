// Records one run: its steps, and the state in which they leave it, together with what they have written.
import type { Engine, EngineInternals } from '../../engine/engine.ts'
import { endHooksByPart } from '../../engine/host-units.ts'
import { callHost } from '../../execution/deadlock-guard.ts'
import { Parked, type RunPosition } from '../run/keeper.ts'
import { findRun } from './find-run.ts'
import { insertRuns } from './new-run.ts'
import { insertSteps, isOver, type KeptStep, type RunRecord, recordRun, wakeWaiting } from './record-run.ts'
import type { ClaimedRun, NewRun, ShownRun } from './run-row.ts'
import type { RunTables } from './run-tables.ts'
import type { RunsContext } from './runs-context.ts'

/** Ends an attempt whose transaction is undone: nothing since the last record is stored. */
export class Undone extends Parked {
  constructor(cause: unknown) {
    super('The operations since the last record are undone.', { cause })
  }
}

/** State of a run, with the one that it waits for. */
export type Recorded = Omit<RunRecord, 'progress' | 'attempt'> & { readonly child?: NewRun }

const mostTogether = 50
const longestMs = 1_000
/** Where one writer holds the whole database. */
const longestOfOneMs = 100

export class RunRecorder {
  readonly #run: ClaimedRun
  readonly #context: RunsContext
  #held: HeldTransaction | undefined
  #step: number
  #steps: KeptStep[] = []
  #leasedUntil: number

  constructor(run: ClaimedRun, context: RunsContext, step: number) {
    this.#run = run
    this.#context = context
    this.#step = step
    this.#leasedUntil = performance.now() + context.leaseMs
  }

  get held(): HeldTransaction | undefined {
    return this.#held
  }

  get nextStep(): number {
    return this.#step + this.#steps.length
  }

  get hasUnrecorded(): boolean {
    return this.#held !== undefined || this.#steps.length > 0
  }

  /** False once the run may have another worker. */
  get isLeased(): boolean {
    return performance.now() < this.#leasedUntil
  }

  /** True if the transaction that is open shall not get longer. */
  get isFull(): boolean {
    if (!this.#held) return false
    const longest = this.#context.tables.engine.dialect.writeLock ? longestOfOneMs : longestMs
    return this.#held.count >= mostTogether || performance.now() - this.#held.since > longest
  }

  /** The engine with which an operation works: inside of the transaction that is open, if there is one. */
  get engine(): Engine {
    return this.#inside.engine.asEngine()
  }

  get #inside(): RunTables {
    const { tables } = this.#context
    return this.#held ? tables.within(this.#held.inside) : tables
  }

  /** Takes the transaction that is open: whatever becomes of it, the next operation opens another one. */
  #take(): HeldTransaction | undefined {
    const held = this.#held
    this.#held = undefined
    return held
  }

  /** Opens a transaction, unless one is. `joinsParts`: true if what fails in it shall undo all of it. */
  async open(joinsParts: boolean): Promise<HeldTransaction> {
    try {
      this.#held ??= await HeldTransaction.begin(this.#context.tables.engine, joinsParts)
      return this.#held
    } catch (error) {
      return undoneBy(error)
    }
  }

  add(step: KeptStep): void {
    this.#steps.push(step)
  }

  /** Records the run at a position. `attempt`: how often the operation there has failed. */
  async record({ child, ...state }: Recorded, position: RunPosition, attempt: number): Promise<void> {
    const { tables, leaseMs } = this.#context
    const progress = { ...position, forgotten: this.#run.progress?.forgotten }
    const steps = this.#steps
    const write = async (inside: RunTables) => {
      if (steps.length > 0) await insertSteps(inside, this.#run, steps, this.#step)
      if (child) await insertRuns(inside, [child])
      if (isOver(state.state)) await wakeWaiting(inside, this.#run)
      const lease = state.state === 'running' && { inMs: leaseMs }
      await recordRun(inside, this.#run, { ...state, progress, attempt, ...lease })
    }
    const held = this.#take()
    try {
      if (!held) await tables.atomic(write)
      else {
        await write(tables.within(held.inside))
        await held.commit()
      }
    } catch (error) {
      if (held) await this.#undoAfter(held, error)
      if (error instanceof Parked) throw error
      return undoneBy(error)
    }
    this.#step += steps.length
    this.#steps = []
    this.#leasedUntil = performance.now() + leaseMs
  }

  /** Returns another run, as it is seen from here. A look that fails is no failure of the operation: that run may have ended well. */
  async find(id: string): Promise<ShownRun | undefined> {
    try {
      return await findRun(this.#inside, id)
    } catch (error) {
      return this.fail(error)
    }
  }

  /** Ends the attempt by an error, which says more than one of the rollback. */
  async fail(error: unknown): Promise<never> {
    const held = this.#take()
    if (held) await this.#undoAfter(held, error)
    return undoneBy(error)
  }

  async #undoAfter(held: HeldTransaction, error: unknown): Promise<void> {
    try {
      await held.undo()
    } catch (worse) {
      if (worse !== error) this.#context.report(worse)
    }
  }

  async undo(): Promise<void> {
    await this.#take()?.undo()
  }
}

const undoneBy = (error: unknown): never => {
  throw new Undone(error)
}

/** Ends a transaction that is held. */
class TakenBack extends Error {}

/** A transaction that stays open from one operation to the next. */
class HeldTransaction {
  readonly inside: EngineInternals
  readonly #outcome: Promise<void>
  readonly #release: () => void
  readonly #undo: (reason: TakenBack) => void
  count = 0
  readonly since = performance.now()

  private constructor(
    inside: EngineInternals,
    outcome: Promise<void>,
    { release, undo }: { readonly release: () => void; readonly undo: (reason: TakenBack) => void },
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
            // Hooks before the commit belong to the operation that triggers them.
            endHooksByPart(inside.unit)
            inside.unit.joinsParts = joinsParts
          }
          resolve(new HeldTransaction(inside, outcome, { release, undo }))
        })
      // Where the connection is free the work begins at once, and the outcome is not there yet.
      const begin = async () => engine.atomic((inside) => Promise.resolve(inside).then(hold), {})
      const outcome = begin()
      outcome.catch(reject)
    })
  }

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

  async undo(): Promise<void> {
    const reason = new TakenBack('The operations of a run are undone.')
    this.#undo(reason)
    await this.#outcome.catch((error: unknown) => {
      if (error !== reason) throw error
    })
  }
}
