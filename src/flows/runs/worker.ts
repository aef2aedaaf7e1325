// A worker: claims runs that are due, and runs as many at once as it may.
import { setImmediate as turn } from 'node:timers/promises'
import { isEngineError } from '../../errors/errors.ts'
import { every, later, repeat } from '../../realtime/timers.ts'
import { type Claiming, claimRuns, mostClaimed } from './claim-runs.ts'
import type { RunKeeping } from './database-keeper.ts'
import { runKept } from './kept-run.ts'
import { extendLeases, failRun, releaseRun, tryLater } from './record-run.ts'
import { RunQueue } from './run-queue.ts'
import type { ClaimedRun } from './run-row.ts'
import type { RunsContext } from './runs-context.ts'
import type { WorkerRow } from './worker-row.ts'

/** The longest time between two looks for what comes without a notification. */
const longestRestMs = 10_000

interface Working {
  readonly run: ClaimedRun
  readonly controller: AbortController
  readonly done: Promise<void>
}

export class Worker {
  readonly #context: RunsContext
  readonly #row: WorkerRow
  readonly #concurrency: number
  readonly #working = new Map<string, Working>()
  readonly #queue = new RunQueue()
  /** Hashes of definitions whose operations are not known here. */
  readonly #foreign = new Set<string>()
  #endTimers: readonly (() => void)[] = []
  readonly #wakes = new Set<() => void>()
  #claiming: Promise<void> | undefined
  #isWanted = false
  #isStopping = false

  /** `row`: the worker, as others see it. */
  constructor(context: RunsContext, row: WorkerRow, concurrency: number) {
    this.#context = context
    this.#row = row
    this.#concurrency = concurrency
  }

  get foreign(): ReadonlySet<string> {
    return this.#foreign
  }

  start(): void {
    const { flowEngine, leaseMs, news } = this.#context
    this.#endTimers = [
      every(flowEngine.pollMs, this.#look),
      repeat(Math.min(leaseMs / 3, longestRestMs), () => this.#extend()),
    ]
    void news.listen(flowEngine, this.#look)
    this.wake()
  }

  /** True if it takes whatever is due. */
  get takesAll(): boolean {
    return !this.#isStopping && this.#hasRoom && this.#foreign.size === 0
  }

  /** Takes runs that have become due, or leaves them to others. */
  wake(): void {
    const { news } = this.#context
    news.note()
    if (!this.takesAll) news.others.wake()
    this.#claimSoon()
  }

  #claimSoon(): void {
    if (this.#isStopping) return
    this.#isWanted = true
    this.#claiming ??= this.#claimAll().finally(() => {
      this.#claiming = undefined
      // More are due than this worker takes.
      if (this.#isWanted && !this.#hasRoom) this.#context.news.others.wake()
    })
  }

  /** Claims runs if some may be due. */
  readonly #look = (): void => {
    // A run that waits to be alone does not wait for ever.
    this.#next()
    if (this.#isStopping || !this.#hasRoom) return
    const { news, report } = this.#context
    news.isDue().then((isDue) => isDue && this.#claimSoon(), report)
  }

  /** Looks for runs once more, at a time before the next look. */
  wakeIn(milliseconds: number): void {
    const { news, flowEngine } = this.#context
    news.note()
    // If this worker dies meanwhile, others know of the run.
    if (milliseconds > 0 && milliseconds < longestRestMs) news.others.wake()
    if (this.#isStopping || milliseconds >= flowEngine.pollMs) return
    const forget = later(milliseconds, () => {
      this.#wakes.delete(forget)
      this.wake()
    })
    this.#wakes.add(forget)
  }

  /** Ends a run here that this worker no longer owns. */
  abandon(id: string): void {
    this.#working.get(id)?.controller.abort()
    this.#queue.remove(id)
  }

  /** Lets runs come to their next record, as long as that may take, and gives them back. */
  async stop(drainMs: number): Promise<void> {
    this.#isStopping = true
    for (const forget of this.#wakes) forget()
    await this.#claiming
    await Promise.all(this.#queue.drain().map((run) => this.#release(run)))
    const all = Promise.all([...this.#working.values()].map(({ done }) => done))
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, drainMs)
    })
    await Promise.race([all, late])
    clearTimeout(timer)
    // Until here their leases are extended.
    for (const end of this.#endTimers) end()
    // A run without a record by then is left to the end of its lease.
    for (const { controller } of this.#working.values()) controller.abort()
    const { others } = this.#context.news
    await Promise.all([others.close(), others.wakeNow()])
    await this.#row.leave().catch(this.#context.report)
  }

  async #claimAll(): Promise<void> {
    try {
      while (this.#isWanted && !this.#isStopping && this.#hasRoom) {
        this.#isWanted = false
        // Over a driver that answers at once, runs that are due would never let anything else have its turn.
        await turn()
        if (this.#isStopping) return
        const most = this.#mostClaimed
        const runs = await this.#claim(most)
        this.#context.flowEngine.outage.end()
        if (runs.length > 0) this.#context.news.note()
        this.#queue.add(runs)
        this.#next()
        // As many as may be claimed at once: more may be due.
        if (runs.length >= most) this.#isWanted = true
      }
    } catch (error) {
      this.#context.report(error)
    }
  }

  get #hasRoom(): boolean {
    return this.#queue.isEmpty && this.#working.size < this.#concurrency
  }

  /** Number of runs to claim. While suspects wait for each other, it is as many as begin at once: the next death would make all of them suspect. */
  get #mostClaimed(): number {
    return this.#queue.suspects > 0 ? this.#concurrency - this.#working.size : mostClaimed
  }

  async #claim(most: number): Promise<readonly ClaimedRun[]> {
    const { tables, leaseMs, flowEngine } = this.#context
    const claiming: Claiming = {
      leaseMs,
      most,
      mostLost: Math.max(0, mostClaimed - this.#queue.suspects),
      except: [...this.#foreign],
    }
    const { runs, back } = await claimRuns(tables, claiming, [...flowEngine.flows.keys()])
    await Promise.all(back.map((run) => this.#release(run)))
    return runs
  }

  /** Begins runs of the queue, as many as may run at once. */
  #next(): void {
    while (this.#working.size < this.#concurrency) {
      const run = this.#queue.take(this.#working.size)
      if (!run) break
      // Of a run that was lost and claimed again, what is left of the first claim ends.
      this.#working.get(run.id)?.controller.abort()
      const controller = new AbortController()
      const done = this.#work(run, controller.signal).finally(() => {
        if (this.#working.get(run.id)?.run === run) this.#working.delete(run.id)
        this.#queue.clear(run)
        this.#context.ends.tell(run.id)
        this.#context.news.note()
        this.#next()
      })
      this.#working.set(run.id, { run, controller, done })
    }
    // The last one of the queue has begun, and there is room for more.
    if (this.#isWanted && this.#hasRoom) this.wake()
  }

  async #work(run: ClaimedRun, signal: AbortSignal): Promise<void> {
    const { tables, definitions, news, report } = this.#context
    const row = this.#row
    const keeping: RunKeeping = {
      context: this.#context,
      signal,
      row,
      isStopping: () => this.#isStopping,
      due: (inMs) => this.wakeIn(inMs),
      recorded: async () => {
        await row.clear(run.id)
        this.#queue.clear(run)
        this.#next()
        // Over a driver that answers at once a long run would never let anything else have its turn.
        return turn()
      },
    }
    try {
      const found = await definitions.find(run.flow, run.definition, run.origin)
      if (found === 'foreign') {
        this.#foreign.add(run.definition)
        await releaseRun(tables, run)
        news.others.wake()
      } else if (isEngineError(found)) await failRun(tables, run, found)
      else await runKept(run, found, keeping)
    } catch (error) {
      report(error)
      const inMs = await tryLater(tables, run, error).catch(report)
      if (inMs !== undefined) this.wakeIn(inMs)
    }
    await row.clear(run.id).catch(report)
  }

  async #release(run: ClaimedRun): Promise<void> {
    const { tables, ends, report } = this.#context
    await releaseRun(tables, run).then(() => ends.tell(run.id), report)
    this.#context.news.others.wake()
  }

  /** Extends the leases of all runs here, and leaves those that have another worker by now. What hangs is given up: its connection may be dead. */
  async #extend(): Promise<void> {
    const runs = [...[...this.#working.values()].map(({ run }) => run), ...this.#queue.all]
    try {
      const { tables, leaseMs, news, flowEngine } = this.#context
      void news.listen(flowEngine, this.#look)
      const signal = AbortSignal.timeout(3 * longestRestMs)
      await news.lookWith(this.#row, signal)
      if (runs.length === 0) return
      const held = await extendLeases(tables, runs, { leaseMs, signal })
      for (const { id } of runs) if (!held.has(id)) this.abandon(id)
    } catch (error) {
      this.#context.report(error)
    }
  }
}
