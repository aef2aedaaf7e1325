// Keeps one run: its operations run in transactions that hold what they write together with the record of it.
import type { Engine } from '../../engine/engine.ts'
import { unreachable } from '../../errors/errors.ts'
import { requireOpen } from '../../execution/transaction/transaction.ts'
import type { CompiledOperation } from '../check/compiled.ts'
import type { FlowRights, RunRights } from '../flow-rights.ts'
import { ownTypes } from '../operations/operation-types.ts'
import { chosenError, isFinal, mayPass, rejectionOf } from '../reject.ts'
import { type Keeper, Parked, type StartedFlow } from '../run/keeper.ts'
import type { FlowStep } from '../run/position.ts'
import { pauseBefore } from '../run/retry.ts'
import type { FlowRun, RunEnd } from '../run/run-flow.ts'
import { isOver } from './record-run.ts'
import { type Recorded, RunRecorder } from './run-recorder.ts'
import type { ClaimedRun, NewRun } from './run-row.ts'
import type { RunTables } from './run-tables.ts'
import type { WorkerRow } from './worker-row.ts'

/** The worker around a run. */
export interface RunKeeping {
  readonly tables: RunTables
  readonly leaseMs: number
  /** Aborted when the run has another worker, or is cancelled. */
  readonly signal: AbortSignal
  isStopping(): boolean
  /** Called when runs will be due, in some milliseconds. */
  due(inMs: number): void
  /** Called when the run goes on behind a record. Others have their turn meanwhile. */
  recorded(): Promise<void>
  /** Told of errors that no call gets. */
  report(error: unknown): void
  /** Returns the run of a flow that another one starts. */
  childOf(run: ClaimedRun, started: StartedFlow): NewRun
  readonly rights: Pick<FlowRights, 'asksHost' | 'rightsForRun'>
  /** The worker, as others see it. */
  readonly row: WorkerRow
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

export class RunKeeper implements Keeper {
  readonly #run: ClaimedRun
  readonly #keeping: RunKeeping
  readonly #recorder: RunRecorder
  readonly #claimedAt = performance.now()
  readonly #isAlone: boolean
  #flow: FlowRun | undefined
  #failing: RunAttempt['failing']
  #rights: RunRights | undefined
  #failures: number
  #sleepMs: number | undefined
  #iterations = 0
  #calls = 0
  /** True if something outside of the database has happened that is not recorded yet. */
  #hasActed = false

  /** `step`: number of the next one. */
  constructor(
    run: ClaimedRun,
    keeping: RunKeeping,
    { failures, isAlone, failing }: RunAttempt,
    step: number,
  ) {
    this.#run = run
    this.#keeping = keeping
    this.#recorder = new RunRecorder(run, keeping, step)
    this.#failures = failures
    this.#isAlone = isAlone
    this.#failing = failing
  }

  /** The engine with the rights of the operation that runs. */
  get engine(): Engine {
    const { engine } = this.#recorder
    return this.#rights?.(engine) ?? engine
  }

  /** Tells which run is kept. */
  watch(flow: FlowRun): void {
    this.#flow = flow
  }

  now(): number {
    return this.#run.now + performance.now() - this.#claimedAt
  }

  idempotencyKey({ key }: CompiledOperation): string {
    const places = this.#requireFlow().position.frames.flatMap(({ index }) => index ?? [])
    return [this.#run.id, this.#recorder.nextStep, ...places, key].join('/')
  }

  async before({ type: { kind }, access }: CompiledOperation): Promise<void> {
    this.#calls = 0
    if (this.#keeping.signal.aborted) await this.#leave()
    if (this.#keeping.isStopping()) await this.#park({ state: 'ready' })
    const { held, hasUnrecorded, isLeased, isFull } = this.#recorder
    const { rights, tables } = this.#keeping
    // The host may ask the database, whose only connection would be held.
    const isHeldUp = held && tables.engine.dialect.hasOneConnection
    const asksHeldUp = kind !== 'pure' && isHeldUp === true && rights.asksHost(access, this.#run)
    const mustRecord =
      this.#hasActed ||
      isFull ||
      asksHeldUp ||
      (kind === 'outside' && (hasUnrecorded || !isLeased)) ||
      (this.#isAlone && held !== undefined)
    if (mustRecord) await this.#record({ state: 'running' })
    this.#rights = kind === 'pure' ? undefined : await rights.rightsForRun(access, this.#run)
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
      // A failure that nobody handles fails the run, so an attempt of all operations together is worth more than savepoints between them.
      const joinsParts = !this.#isAlone && !this.#requireFlow().flow.handlesFailures
      return (await this.#recorder.open(joinsParts)).call(work, isOfHost)
    }
    const { held } = this.#recorder
    return held && type.kind === 'reads' ? held.call(work, isOfHost) : work()
  }

  async failed({ type: { kind }, retry }: CompiledOperation, error: unknown): Promise<void> {
    if (this.#keeping.signal.aborted) await this.#leave()
    const { held } = this.#recorder
    if (held && (kind === 'database' || kind === 'reads')) {
      if (isFinal(error)) return this.#recorder.fail(error)
      // Of a read that has failed nobody knows whether the transaction goes on.
      try {
        await requireOpen(held.inside, {})
      } catch {
        return this.#recorder.fail(error)
      }
      return
    }
    if (!isRepeated(kind, error) || this.#failures >= retry.times) return
    await this.#park({ state: 'ready', dueInMs: pauseBefore(this.#failures, retry) }, this.#failures + 1)
  }

  keep(step: FlowStep, started: number): void {
    this.#recorder.add({ ...step, attempt: this.#failures + 1, started, ended: this.now() })
    this.#failures = 0
  }

  async iterated(): Promise<void> {
    this.#iterations += 1
    const { held, isFull } = this.#recorder
    const isDue = held !== undefined && this.#iterations >= recordedIterations
    if (this.#hasActed || isDue || isFull) await this.#record({ state: 'running' })
  }

  sleep(milliseconds: number): void {
    this.#sleepMs = milliseconds
  }

  async after(): Promise<void> {
    if (this.#sleepMs === undefined) return
    await this.#park({ state: 'ready', dueInMs: this.#sleepMs })
  }

  async start(started: StartedFlow): Promise<unknown> {
    const frame = this.#requireFlow().frame
    const { results, waitsFor } = frame.calls ?? { results: [], waitsFor: undefined }
    const at = this.#calls++
    if (at < results.length) return results[at]
    if (waitsFor === undefined) {
      const child = this.#keeping.childOf(this.#run, started)
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

  /** Records the end of the run. */
  async finish(end: RunEnd): Promise<void> {
    await this.#record(
      end.state === 'succeeded'
        ? { state: 'succeeded', result: end.result }
        : { state: 'failed', error: rejectionOf(end.error) },
    )
  }

  /** Undoes what is not recorded. */
  undo(): Promise<void> {
    return this.#recorder.undo()
  }

  async #leave(): Promise<never> {
    await this.undo()
    throw new Parked('Nobody waits for this run here.')
  }

  /** Records the run in a state in which no worker has it. */
  async #park(record: Recorded, failures = 0): Promise<never> {
    await this.#record(record, failures)
    throw new Parked(`The run is ${record.state}.`)
  }

  #requireFlow(): FlowRun {
    if (!this.#flow) throw unreachable('a keeper that is told of no run')
    return this.#flow
  }

  async #record(record: Recorded, failures = 0): Promise<void> {
    await this.#recorder.record(record, this.#requireFlow().position, failures)
    this.#failures = failures
    this.#hasActed = false
    this.#iterations = 0
    const { state, dueInMs = 0, child } = record
    if (state === 'running') await this.#keeping.recorded()
    const isAwaited = this.#run.lane !== undefined || this.#run.parent !== undefined
    if (state === 'ready') this.#keeping.due(dueInMs)
    else if (child || (isOver(state) && isAwaited)) this.#keeping.due(0)
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
