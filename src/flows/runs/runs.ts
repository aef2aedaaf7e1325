// The runs of the flows of an engine, as they are kept: what is running here.
import { sql } from '../../dialects/sql.ts'
import { internalsOf } from '../../engine/engine.ts'
import { fault, quote } from '../../errors/errors.ts'
import { lacksTransactions } from '../../execution/transaction/transaction.ts'
import { hashOf } from '../chain/chain.ts'
import { type CheckContext, worksWithoutTransactions } from '../check/check-context.ts'
import type { FlowEngine } from '../flow-engine.ts'
import type { RunOptions } from '../flow-options.ts'
import type { RunAnswer, StartRequest } from '../outside/starts.ts'
import type { FlowStep } from '../run/keeper.ts'
import { findRun, stepsOf } from './find-run.ts'
import { KeptDefinitions } from './kept-definitions.ts'
import { isOnlyStored, originOf, QueuedRuns } from './queued-runs.ts'
import { RunNews } from './run-news.ts'
import { RunTables } from './run-tables.ts'
import { RunEnds, type RunsContext } from './runs-context.ts'
import { cancelRun, retryRun } from './steer-runs.ts'
import { Upkeep } from './upkeep.ts'
import { Worker } from './worker.ts'
import { WorkerRow } from './worker-row.ts'

const defaultLeaseMs = 30_000
const defaultConcurrency = 10
const defaultWaitMs = 10_000

export class Runs {
  readonly queued: QueuedRuns
  readonly #context: RunsContext
  readonly #upkeep: Upkeep
  #worker: Worker | undefined
  #beginning: Promise<void> | undefined
  #isOver = false

  constructor(flowEngine: FlowEngine, check: CheckContext) {
    const { leaseMs = defaultLeaseMs, clock } = flowEngine.options
    const tables = new RunTables(flowEngine.internals, clock)
    const news = new RunNews(tables)
    this.#context = {
      flowEngine,
      tables,
      definitions: new KeptDefinitions(tables, check),
      ends: new RunEnds(),
      news,
      leaseMs,
      report: flowEngine.outage.report,
      wake: () => (this.#worker ? this.#worker.wake() : news.others.wake()),
    }
    this.queued = new QueuedRuns(this.#context)
    this.#upkeep = new Upkeep(this.#context, () => this.#worker?.foreign ?? new Set())
  }

  /** Takes note of other flows than before. */
  changed(): void {
    if (!this.#worker) return
    this.#storeFlows().catch(this.#context.report)
    this.#upkeep.schedule(0)
  }

  #storeFlows(): Promise<void> {
    const { flowEngine, definitions } = this.#context
    return definitions.store([...flowEngine.flows.values()].map(({ flow }) => flow))
  }

  get unrunnable(): number {
    return this.#upkeep.unrunnable
  }

  begin(concurrency = this.#context.flowEngine.options.perProcess ?? defaultConcurrency): Promise<void> {
    this.#beginning ??= this.#begin(concurrency).catch((error: unknown) => {
      // It may be tried again.
      this.#beginning = undefined
      throw error
    })
    return this.#beginning
  }

  async #begin(concurrency: number): Promise<void> {
    const { tables, leaseMs } = this.#context
    await this.#requireTransactions()
    await tables.requireInstalled()
    await this.#storeFlows()
    const row = new WorkerRow(tables, leaseMs)
    await this.#context.news.lookWith(row)
    // Meanwhile it was stopped.
    if (this.#isOver) return row.leave()
    this.#worker = new Worker(this.#context, row, concurrency)
    this.#worker.start()
    this.#upkeep.begin()
  }

  async end(drainMs: number): Promise<void> {
    this.#isOver = true
    this.#upkeep.end()
    // A failure has already rejected the promise of the call that started them.
    await Promise.allSettled([this.#beginning])
    await this.#worker?.stop(drainMs)
  }

  readonly start = ({ caller, ...request }: StartRequest): Promise<RunAnswer> =>
    this.queued.start({ ...request, origin: { caller } })

  async install(): Promise<void> {
    await this.#requireTransactions()
    await this.#context.flowEngine.engine.install()
  }

  /** Refuses a database in which a step and its record cannot be one. */
  async #requireTransactions(): Promise<void> {
    const { tables } = this.#context
    try {
      await tables.atomic((inside) => inside.query(sql`select 1`))
    } catch (cause) {
      if (!lacksTransactions(tables.engine.home)) throw cause
      const says = 'The driver of this database has no transactions, so no runs are kept.'
      throw fault('INVALID_OPTIONS', says, { hint: worksWithoutTransactions, cause })
    }
  }

  async runForHost(
    name: string,
    payload: unknown,
    { access, key, waitMs = defaultWaitMs }: RunOptions,
  ): Promise<RunAnswer & { readonly steps?: readonly FlowStep[] }> {
    const { flowEngine, tables, report } = this.#context
    const { bound, trigger, engine } = flowEngine.called(name, payload, access)
    const request =
      key === undefined ? undefined : { key: hashOf(['host', name, key]), body: hashOf(trigger.value) }
    const origin = originOf(internalsOf(engine))
    const start = { bound, trigger, origin, request, waitMs: this.#worker ? waitMs : 0 }
    const answer = await this.queued.start(start)
    // The run is stored, and its caller needs its id.
    const steps = isOnlyStored(start) ? [] : await stepsOf(tables, answer.id).catch(report)
    return { ...answer, ...(steps && { steps }) }
  }

  readonly find = async (id: string): Promise<RunAnswer | undefined> =>
    isRunId(id) ? findRun(this.#context.tables, id) : undefined

  async cancel(id: string): Promise<boolean> {
    if (!isRunId(id)) return false
    const { tables, ends, wake } = this.#context
    const cancelled = await cancelRun(tables, id)
    for (const one of cancelled) {
      this.#worker?.abandon(one)
      ends.tell(one)
    }
    wake()
    return cancelled.length > 0
  }

  async retry(id: string, from: string | undefined): Promise<void> {
    if (!isRunId(id)) throw fault('NOT_FOUND', `There is no run ${quote(id)}.`)
    await retryRun(this.#context.tables, id, from)
    this.#context.wake()
  }
}

const runId = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i
const isRunId = (id: unknown): id is string => typeof id === 'string' && runId.test(id)
