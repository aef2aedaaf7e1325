// Keeps one run: its operations run in transactions that hold what they write together with the record of it.
import type { Engine } from '../../engine/engine.ts'
import { requireOpen } from '../../execution/transaction/transaction.ts'
import type { CompiledOperation } from '../check/compiled.ts'
import type { RunRights } from '../flow-rights.ts'
import { ownTypes } from '../operations/operation-types.ts'
import { chosenError, isFinal, mayPass, rejectionOf } from '../reject.ts'
import { type FlowStep, Parked, type RunEnd, type RunKeeper, type StartedFlow } from '../run/keeper.ts'
import { pauseBefore } from '../run/retry.ts'
import type { RunningFlow } from '../run/run-start.ts'
import { childRun } from './new-run.ts'
import { isOver } from './record-run.ts'
import { type Recorded, RunRecorder } from './run-recorder.ts'
import type { ClaimedRun } from './run-row.ts'
import type { RunsContext } from './runs-context.ts'
import type { WorkerRow } from './worker-row.ts'

export interface RunKeeping {
  readonly context: RunsContext
  /** Aborted when the run has another worker, or is cancelled. */
  readonly signal: AbortSignal
  readonly row: WorkerRow
  isStopping(): boolean
  /** Called when runs will be due, in some milliseconds. */
  due(inMs: number): void
  /** Called when the run goes on behind a record. Others have their turn meanwhile. */
  recorded(): Promise<void>
}

/** Findings of the attempts before this one. */
export interface RunAttempt {
  /** Number of times that the operation has failed at which the run goes on. */
  readonly failures: number
  /** True if each operation gets a transaction of its own, so that a failure is known to be its own. */
  readonly isAlone: boolean
  /** The error with which the next operation fails, since it has none of its own. */
  readonly failing: { readonly error: unknown } | undefined
}

const recordedIterations = 100

/** A run that is kept, and what keeps it. `step`: number of its next one. */
interface KeptRun {
  readonly run: ClaimedRun
  readonly running: RunningFlow
  readonly keeping: RunKeeping
  readonly attempt: RunAttempt
  readonly step: number
}

export class DatabaseKeeper implements RunKeeper {
  readonly #kept: KeptRun
  readonly #recorder: RunRecorder
  readonly #claimedAt = performance.now()
  #failing: RunAttempt['failing']
  #rights: RunRights | undefined
  #failures: number
  #sleepMs: number | undefined
  #iterations = 0
  #calls = 0
  /** When the step began that is kept next, in milliseconds of the database. */
  #started = 0
  /** True if something outside of the database has happened that is not recorded yet. */
  #hasActed = false

  constructor(kept: KeptRun) {
    this.#kept = kept
    this.#recorder = new RunRecorder(kept.run, kept.keeping.context, kept.step)
    this.#failures = kept.attempt.failures
    this.#failing = kept.attempt.failing
  }

  async engineFor(): Promise<Engine> {
    const { engine } = this.#recorder
    return this.#rights?.(engine) ?? engine
  }

  #now(): number {
    return this.#kept.run.now + performance.now() - this.#claimedAt
  }

  idempotencyKey({ key }: CompiledOperation): string {
    const { run, running } = this.#kept
    const places = running.position.frames.flatMap(({ index }) => index ?? [])
    return [run.id, this.#recorder.nextStep, ...places, key].join('/')
  }

  async before({ type: { kind }, access }: CompiledOperation): Promise<void> {
    const { run, running, keeping, attempt } = this.#kept
    if (!running.isInLoop) this.#started = this.#now()
    this.#calls = 0
    if (keeping.signal.aborted) await this.#leave()
    if (keeping.isStopping()) await this.#park({ state: 'ready' })
    const { held, hasUnrecorded, isLeased, isFull } = this.#recorder
    const { flowEngine, tables } = keeping.context
    const { rights } = flowEngine
    // The host may ask the database, whose only connection would be held.
    const isHeldUp = held && tables.engine.dialect.hasOneConnection
    const asksHeldUp = kind !== 'pure' && isHeldUp === true && rights.asksHost(access, run.origin)
    const mustRecord =
      this.#hasActed ||
      isFull ||
      asksHeldUp ||
      (kind === 'outside' && (hasUnrecorded || !isLeased)) ||
      (attempt.isAlone && held !== undefined)
    if (mustRecord) await this.#record({ state: 'running' })
    this.#rights = kind === 'pure' ? undefined : await rights.rightsForRun(access, run.origin)
  }

  async operate({ type }: CompiledOperation, work: () => Promise<unknown>): Promise<unknown> {
    const failing = this.#failing
    // It is the error of what was stored, and not of what only computes before it, or holds it.
    if (failing && (type.kind === 'database' || type.kind === 'outside')) {
      this.#failing = undefined
      throw failing.error
    }
    // It may have happened, whatever it answers.
    if (type.kind === 'outside') this.#hasActed = true
    const isOfHost = !ownTypes.has(type)
    if (type.kind === 'database') {
      // A failure without a handler fails the run, so an attempt of all operations together is worth more than savepoints between them.
      const { attempt, running } = this.#kept
      const joinsParts = !attempt.isAlone && !running.start.flow.handlesFailures
      return (await this.#recorder.open(joinsParts)).call(work, isOfHost)
    }
    const { held } = this.#recorder
    return held && type.kind === 'reads' ? held.call(work, isOfHost) : work()
  }

  async failed({ type: { kind }, retry }: CompiledOperation, error: unknown): Promise<void> {
    if (this.#kept.keeping.signal.aborted) await this.#leave()
    const { held } = this.#recorder
    if (held && (kind === 'database' || kind === 'reads')) {
      if (isFinal(error)) return this.#recorder.fail(error)
      // After a failed read it is not known whether the transaction is still open.
      try {
        await requireOpen(held.inside, {})
      } catch {
        return this.#recorder.fail(error)
      }
      return
    }
    if (!isRepeated(kind, error) || this.#failures >= retry.times) return
    await this.#park({ state: 'ready', inMs: pauseBefore(this.#failures, retry) }, this.#failures + 1)
  }

  keep(step: FlowStep): void {
    if (this.#kept.running.isInLoop) return
    const attempt = this.#failures + 1
    this.#recorder.add({ ...step, attempt, started: this.#started, ended: this.#now() })
    this.#failures = 0
  }

  async iterated(): Promise<void> {
    this.#iterations += 1
    const { held, isFull } = this.#recorder
    const isDue = held !== undefined && this.#iterations >= recordedIterations
    if (this.#hasActed || isDue || isFull) await this.#record({ state: 'running' })
  }

  sleep(milliseconds: number): undefined {
    this.#sleepMs = milliseconds
  }

  after(): Promise<void> | undefined {
    return this.#sleepMs === undefined ? undefined : this.#park({ state: 'ready', inMs: this.#sleepMs })
  }

  async start(started: StartedFlow): Promise<unknown> {
    const { run, running, keeping } = this.#kept
    const { frame } = running
    const { results, waitsFor } = frame.calls ?? { results: [], waitsFor: undefined }
    const at = this.#calls++
    if (at < results.length) return results[at]
    if (waitsFor === undefined) {
      const child = childRun(keeping.context, run, started)
      frame.calls = { results, waitsFor: child.id }
      return this.#park({ state: 'waiting', waits: child.id, child })
    }
    const ended = await this.#recorder.find(waitsFor)
    if (ended && !isOver(ended.state)) return this.#park({ state: 'waiting', waits: waitsFor })
    frame.calls = { results, waitsFor: undefined }
    if (ended?.state !== 'succeeded') throw chosenError(ended?.error ?? goneError(started.flow, ended?.state))
    frame.calls = { results: [...results, ended.result], waitsFor: undefined }
    return ended.result
  }

  async finish(end: RunEnd): Promise<void> {
    await this.#record(
      end.state === 'succeeded'
        ? { state: 'succeeded', result: end.result }
        : { state: 'failed', error: rejectionOf(end.error) },
    )
  }

  undo(): Promise<void> {
    return this.#recorder.undo()
  }

  async #leave(): Promise<never> {
    await this.undo()
    throw new Parked('This worker no longer owns the run.')
  }

  /** Records the run in a state in which no worker has it. */
  async #park(record: Recorded, failures = 0): Promise<never> {
    await this.#record(record, failures)
    throw new Parked(`The run is ${record.state}.`)
  }

  async #record(record: Recorded, failures = 0): Promise<void> {
    const { run, running, keeping } = this.#kept
    await this.#recorder.record(record, running.position, failures)
    this.#failures = failures
    this.#hasActed = false
    this.#iterations = 0
    const { state, inMs = 0, child } = record
    if (state === 'running') await keeping.recorded()
    const isAwaited = run.lane !== undefined || run.parent !== undefined
    if (state === 'ready') keeping.due(inMs)
    else if (child || (isOver(state) && isAwaited)) keeping.due(0)
  }
}

/** True for an error after which an operation is tried again. */
const isRepeated = (kind: CompiledOperation['type']['kind'], error: unknown): boolean =>
  kind === 'outside' ? mayPass(error) : kind !== 'pure' && isFinal(error)

const goneError = (flow: string, state: string | undefined) => ({
  code: 'SERVICE_UNAVAILABLE',
  status: 503,
  message: `The run of the flow "${flow}" was ${state === 'cancelled' ? 'cancelled' : 'removed before it was asked'}.`,
  extensions: {},
})
