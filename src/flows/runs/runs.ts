// The runs of the flows of an engine, as they are kept.

import { sql } from '../../dialects/sql.ts'
import { type Engine, internalsOf } from '../../engine/engine.ts'
import { fault, quote } from '../../errors/errors.ts'
import { suggestion } from '../../errors/suggest.ts'
import { lacksTransactions } from '../../execution/transaction/transaction.ts'
import { mostChain } from '../chain/chain.ts'
import { copyPayload, isNoJson } from '../chain/json-value.ts'
import { type CheckContext, worksWithoutTransactions } from '../check/check-context.ts'
import type { FlowsOptions, RunOptions } from '../flow-options.ts'
import type { FlowRights } from '../flow-rights.ts'
import { hashOf } from '../hash-of.ts'
import type { RunAnswer, RunStarts, StartRequest } from '../outside/starts.ts'
import { badValue } from '../reject.ts'
import type { FlowStep } from '../run/position.ts'
import { redactor } from '../run/redact.ts'
import { noCause } from '../run/run-start.ts'
import type { BoundFlow } from '../triggers/bind-triggers.ts'
import type { FlowWorld } from '../world/flow-world.ts'
import { CausedRuns } from './caused-runs.ts'
import { DueCounts } from './due-counts.ts'
import { findRun, RunEnds, stepsOf } from './find-run.ts'
import { KeptDefinitions } from './kept-definitions.ts'
import { childRun, NewRuns, rowOf } from './new-runs.ts'
import { RunTables } from './run-tables.ts'
import { StartedRuns } from './started-runs.ts'
import { cancelRun, retryRun } from './steer-runs.ts'
import { Upkeep } from './upkeep.ts'
import { Worker } from './worker.ts'
import { WorkerRow } from './worker-row.ts'

const defaultLeaseMs = 30_000
const defaultPollMs = 1_000
const defaultConcurrency = 10
const defaultWaitMs = 10_000

/** Parts of the runs of an engine. */
export interface RunsParts {
  readonly engine: Engine
  readonly options: FlowsOptions
  readonly context: CheckContext
  readonly rights: FlowRights
  readonly report: (error: unknown) => void
  /** Called when the database has answered. */
  readonly answered: () => void
  readonly world: FlowWorld
  /** The flows that there are now. */
  readonly flows: () => ReadonlyMap<string, BoundFlow>
}

export class Runs implements RunStarts {
  readonly caused: CausedRuns
  readonly #parts: RunsParts
  readonly #tables: RunTables
  readonly #definitions: KeptDefinitions
  readonly #new: NewRuns
  readonly #started: StartedRuns
  readonly #ends = new RunEnds()
  readonly #upkeep: Upkeep
  #worker: Worker | undefined
  #beginning: Promise<void> | undefined
  #isOver = false

  constructor(parts: RunsParts) {
    const { engine, options, context, rights, report, flows } = parts
    this.#parts = parts
    this.#tables = new RunTables(internalsOf(engine), options.clock)
    this.#definitions = new KeptDefinitions(this.#tables, context)
    this.#new = new NewRuns(this.#definitions, report)
    const counts = new DueCounts(this.#tables, report)
    const wake = () => this.#worker?.wake()
    const shared = { newRuns: this.#new, counts, wake }
    this.#started = new StartedRuns({ ...shared, tables: this.#tables, ends: this.#ends, report })
    this.caused = new CausedRuns(this.#tables, { ...shared, rights })
    this.#upkeep = new Upkeep({
      tables: this.#tables,
      newRuns: this.#new,
      options,
      leaseMs: options.leaseMs ?? defaultLeaseMs,
      flows,
      report,
      foreign: () => this.#worker?.foreign ?? new Set(),
      wake,
    })
  }

  /** Takes note of other flows than before. */
  changed(): void {
    if (!this.#worker) return
    const flows = [...this.#parts.flows().values()].map(({ flow }) => flow)
    this.#definitions.store(flows).catch(this.#parts.report)
    this.#upkeep.schedule(0)
  }

  get unrunnable(): number {
    return this.#upkeep.unrunnable
  }

  flow(name: string): BoundFlow | undefined {
    return this.#parts.flows().get(name)
  }

  /** Begins to work. */
  begin(concurrency = this.#parts.options.perProcess ?? defaultConcurrency): Promise<void> {
    this.#beginning ??= this.#begin(concurrency).catch((error: unknown) => {
      // It may be tried again.
      this.#beginning = undefined
      throw error
    })
    return this.#beginning
  }

  async #begin(concurrency: number): Promise<void> {
    const { options, report, flows, answered } = this.#parts
    const { leaseMs = defaultLeaseMs } = options
    await this.#requireTransactions()
    await this.#tables.requireInstalled()
    await this.#definitions.store([...flows().values()].map(({ flow }) => flow))
    const row = new WorkerRow(this.#tables, leaseMs)
    await row.seen()
    // Meanwhile it was stopped.
    if (this.#isOver) return row.leave()
    this.#worker = new Worker(
      {
        tables: this.#tables,
        definitions: this.#definitions,
        setting: this.#setting(),
        leaseMs,
        pollMs: options.pollMs ?? defaultPollMs,
        report,
        answered,
        row,
        childOf: (run, started) => childRun(run, started, this.#new, flows()),
        flows: () => [...flows().keys()],
        left: (id) => this.#ends.tell(id),
      },
      concurrency,
    )
    this.#worker.start()
    this.#upkeep.begin()
  }

  async end(drainMs: number): Promise<void> {
    this.#isOver = true
    this.#upkeep.end()
    // An error has rejected the promise of whoever starts them.
    await Promise.allSettled([this.#beginning])
    await this.#worker?.stop(drainMs)
  }

  #setting() {
    const { options, rights, world } = this.#parts
    const { zone, negationMatchesNull, clock } = this.#tables.engine
    const secrets = options.secrets ?? {}
    return {
      secrets,
      setting: { zone, negationMatchesNull },
      now: clock,
      redact: redactor(secrets),
      world,
      rights,
    }
  }

  async start({ bound, trigger, caller, request, waitMs, signal }: StartRequest): Promise<RunAnswer> {
    return this.#started.start(bound, trigger, {
      origin: { caller, isHost: false, ...rowOf(bound), active: [] },
      request,
      waitMs,
      signal,
    })
  }

  /** Creates the tables. */
  async install(): Promise<void> {
    await this.#requireTransactions()
    await this.#parts.engine.install()
  }

  /** Refuses a database in which a step and its record cannot be one. */
  async #requireTransactions(): Promise<void> {
    const { engine } = this.#tables
    try {
      await engine.atomic((inside) => this.#tables.query(sql`select 1`, inside), {})
    } catch (error) {
      if (!lacksTransactions(engine.home)) throw error
      throw fault(
        'INVALID_OPTIONS',
        'The driver of this database has no transactions, so no runs are kept.',
        {
          hint: worksWithoutTransactions,
          cause: error,
        },
      )
    }
  }

  /** Starts a run for the host. */
  async runForHost(
    name: string,
    payload: unknown,
    { access, key, waitMs = defaultWaitMs }: RunOptions,
  ): Promise<RunAnswer & { readonly steps?: readonly FlowStep[] }> {
    const bound = this.flow(name)
    if (!bound)
      throw fault('NOT_FOUND', `There is no flow ${quote(name)}.`, {
        hint: suggestion(name, this.#parts.flows().keys()),
      })
    const trigger = copyPayload(payload, mostChain)
    if (isNoJson(trigger)) throw badValue(`The payload ${trigger.says}.`, trigger.path)
    const { engine } = this.#parts
    const answer = await this.#started.start(bound, trigger, {
      origin: this.#new.originOf(bound, internalsOf(access ? engine.as(access) : engine), noCause),
      request:
        key === undefined ? undefined : { key: hashOf(['host', name, key]), body: hashOf(trigger.value) },
      waitMs: this.#worker ? waitMs : 0,
      signal: undefined,
    })
    // The run is stored, and its id is what whoever started it needs.
    const steps = await stepsOf(this.#tables, answer.id).catch(this.#parts.report)
    return { ...answer, ...(steps && { steps }) }
  }

  async find(id: string): Promise<RunAnswer | undefined> {
    return isRunId(id) ? findRun(this.#tables, id) : undefined
  }

  async cancel(id: string): Promise<boolean> {
    if (!isRunId(id)) return false
    const cancelled = await cancelRun(this.#tables, id)
    for (const one of cancelled) {
      this.#worker?.abandon(one)
      this.#ends.tell(one)
    }
    this.#worker?.wake()
    return cancelled.length > 0
  }

  async retry(id: string, from: string | undefined): Promise<void> {
    if (!isRunId(id)) throw fault('NOT_FOUND', `There is no run ${quote(id)}.`)
    await retryRun(this.#tables, id, from)
    this.#worker?.wake()
  }
}

const runId = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i
const isRunId = (id: unknown): id is string => typeof id === 'string' && runId.test(id)
