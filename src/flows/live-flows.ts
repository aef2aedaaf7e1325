// Flows that are bound to an engine: those of the host at once, those of rows as soon as they are read, and again whenever they change.
import type { Access } from '../access/access.ts'
import { type Engine, internalsOf } from '../engine/engine.ts'
import { eventNames } from '../engine/events.ts'
import { fault } from '../errors/errors.ts'
import type { MountRoute } from '../http/mounts/mount.ts'
import type { CheckContext } from './check/check-context.ts'
import {
  type CheckedRow,
  type CheckedSet,
  checkDefinitions,
  checkRows,
  type FlowState,
} from './check/check-set.ts'
import { FlowEngine } from './flow-engine.ts'
import type { FlowsOptions } from './flow-options.ts'
import { outsideRoutes } from './outside/outside-routes.ts'
import { badOption } from './reject.ts'
import { guardRows } from './rows/author-guard.ts'
import { isCollectionFlows } from './rows/collection-flows.ts'
import { type FlowRow, FlowRows } from './rows/flow-rows.ts'
import type { FlowStep, RunEnd } from './run/keeper.ts'
import { Runs } from './runs/runs.ts'
import { type BoundFlow, bindTriggers } from './triggers/bind-triggers.ts'

/** Times that a look at the rows takes, for which it rests. */
const restShare = 10
const writes = eventNames.filter((event) => event !== 'items.read')

export class LiveFlows {
  readonly #flowEngine: FlowEngine
  readonly #runs: Runs | undefined
  readonly #context: CheckContext
  readonly #ofHost: CheckedSet
  readonly #rows: readonly FlowRows[]
  readonly #known = new Map<FlowRows, readonly FlowRow[]>()
  readonly #checked = new WeakMap<FlowRow, CheckedRow>()
  #states: readonly FlowState[] = []
  #unbind: () => void = () => undefined
  readonly #unfollow: readonly (() => void)[]
  /** Ends of what keeps callers from writing before the rows are known. */
  readonly #release: (() => void)[]
  #timer: ReturnType<typeof setTimeout> | undefined
  #reading: Promise<void> | undefined
  #isReadAgain = false
  #isStopped = false

  constructor(engine: Engine, options: FlowsOptions, context: CheckContext) {
    this.#flowEngine = new FlowEngine(engine, options)
    this.#runs = internalsOf(engine).runs && new Runs(this.#flowEngine, context)
    this.#context = context
    this.#ofHost = checkDefinitions(options.flows, context)
    this.#rows = options.flows.filter(isCollectionFlows).map((settings) => new FlowRows(engine, settings))
    for (const { settings } of this.#rows) guardRows(engine, settings)
    this.#bind(this.#ofHost)
    this.#unfollow = this.#rows.flatMap((rows) => this.#follow(rows))
    this.#release = this.#rows.flatMap((rows) => this.#holdUp(rows))
  }

  get isStarted(): boolean {
    return this.#known.size === this.#rows.length && !this.#isStopped
  }

  get states(): readonly FlowState[] {
    return this.#states
  }

  run(name: string, payload: unknown, access: Access | undefined, steps: FlowStep[]): Promise<RunEnd> {
    if (this.#isStopped) throw stopped()
    return this.#flowEngine.run(name, payload, access, steps)
  }

  get unrunnable(): number {
    return this.#runs?.unrunnable ?? 0
  }

  get routes(): readonly MountRoute[] {
    const runs = this.#runs
    if (!runs) return []
    const { start, find } = runs
    const { schemes = {} } = this.#context
    const flow = (name: string) => this.#requested(name)
    return outsideRoutes({ start, find, flow }, { schemes, secrets: this.#flowEngine.secrets })
  }

  /** Returns a flow that a request names. One of a row that is not read yet is not taken for one that is not there. */
  #requested(name: string): BoundFlow | undefined {
    if (this.#isStopped) throw stopped()
    const found = this.#flowEngine.flows.get(name)
    const unread = this.#rows.find((rows) => !this.#known.has(rows))
    if (!found && unread) throw notStarted(unread.settings.collection)
    return found
  }

  get runs(): Runs {
    if (this.#runs) return this.#runs
    throw fault('INVALID_OPTIONS', 'This engine has no tables for runs.', {
      hint: 'Create it with createEngine({ db, schema, flows: {} }), or run the flow with "inline": true.',
    })
  }

  async start(concurrency: number | undefined): Promise<void> {
    if (this.#isStopped) throw badOption('Flows that are stopped are created anew.')
    await this.#startRows()
    if (!this.#isStopped) await this.#runs?.begin(concurrency)
  }

  async #startRows(): Promise<void> {
    if (this.#rows.length === 0 || this.#timer) return
    await this.#read()
    // Meanwhile it was stopped, or started twice.
    if (this.#isStopped || this.#timer) return
    for (const end of this.#release.splice(0)) end()
    this.#readAfter(this.#flowEngine.pollMs)
  }

  async stop(drainMs: number): Promise<void> {
    this.#isStopped = true
    await this.#runs?.end(drainMs)
    this.#flowEngine.world.script?.close()
    clearTimeout(this.#timer)
    this.#unbind()
    for (const end of [...this.#unfollow, ...this.#release]) end()
    // Its failure is reported to the caller that began the read.
    await Promise.allSettled([this.#reading])
  }

  /** Rejects writes until the flows of this collection are loaded. */
  #holdUp({ settings }: FlowRows): readonly (() => void)[] {
    const refuse = () => {
      throw notStarted(settings.collection)
    }
    return settings.collections.flatMap((collection) =>
      writes.map((event) => this.#flowEngine.engine.on(event, collection, refuse, { when: 'before' })),
    )
  }

  /** Reads rows again once a change of them is committed. */
  #follow({ settings: { collection } }: FlowRows): readonly (() => void)[] {
    const read = () => this.isStarted && this.#read()
    return writes.map((event) => this.#flowEngine.engine.on(event, collection, read, { when: 'after' }))
  }

  /** Reads rows again and again. Reading takes a tenth of the time at most, however long it takes. */
  #readAfter(restMs: number): void {
    this.#timer = setTimeout(async () => {
      const since = performance.now()
      await this.#read().catch(this.#flowEngine.outage.report)
      const restMs = Math.max(this.#flowEngine.pollMs, restShare * (performance.now() - since))
      if (!this.#isStopped) this.#readAfter(restMs)
    }, restMs)
    this.#timer.unref?.()
  }

  /** Reads all rows. What is asked for while it reads is read by one more read. */
  #read(): Promise<void> {
    if (this.#reading !== undefined) {
      this.#isReadAgain = true
      return this.#reading
    }
    this.#reading = this.#readAll()
    return this.#reading
  }

  async #readAll(): Promise<void> {
    try {
      do {
        this.#isReadAgain = false
        let isChanged = false
        for (const rows of this.#rows) {
          const found = await rows.changed()
          if (!found) continue
          this.#known.set(rows, found)
          isChanged = true
        }
        if (isChanged && !this.#isStopped) this.#bind(this.#checkAll(this.#known))
      } while (this.#isReadAgain && !this.#isStopped)
    } finally {
      // At once: who asks from now on is answered by a read of their own.
      this.#reading = undefined
    }
  }

  /** Reads all rows as they are now, and returns those that would not run. Nothing is bound. */
  async check(): Promise<readonly FlowState[]> {
    const found = new Map<FlowRows, readonly FlowRow[]>()
    const all = this.#rows.map(({ settings }) => new FlowRows(this.#flowEngine.engine, settings))
    for (const rows of all) found.set(rows, (await rows.changed()) ?? [])
    return this.#checkAll(found).states.filter(({ state }) => state === 'disabled')
  }

  #checkAll(known: ReadonlyMap<FlowRows, readonly FlowRow[]>): CheckedSet {
    const flows = new Map(this.#ofHost.bound.map(({ flow }) => [flow.name, flow]))
    const bound = [...this.#ofHost.bound]
    const states = [...this.#ofHost.states]
    for (const [{ settings }, rows] of known) {
      const checked = checkRows(rows, settings, {
        ...this.#context,
        others: flows,
        checked: this.#checked,
        onError: this.#flowEngine.report,
      })
      for (const one of checked.bound) flows.set(one.flow.name, one.flow)
      bound.push(...checked.bound)
      states.push(...checked.states)
    }
    return { bound, states }
  }

  /** Binds flows: the new ones before the old ones are unbound. */
  #bind({ bound, states }: CheckedSet): void {
    this.#states = states
    const unbind = bindTriggers(
      this.#flowEngine.engine,
      bound,
      (one, happening, payload) => this.#flowEngine.runBound(one, happening, payload),
      (one, happening) => this.runs.queued.note(one, happening),
    )
    this.#unbind()
    this.#unbind = unbind
    this.#flowEngine.flows = new Map(bound.map((one) => [one.flow.name, one]))
    this.#runs?.changed()
  }
}

const stopped = () => fault('SERVICE_UNAVAILABLE', 'These flows are stopped.')

/** The error of a call that would run before the rows are known. */
const notStarted = (collection: string) =>
  fault('SERVICE_UNAVAILABLE', `The flows of "${collection}" are not known yet.`, {
    hint: 'Await flows.start() before anything is written.',
  })
