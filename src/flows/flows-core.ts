// The flows of an engine: those that are bound now, and how one is started.
import { type Engine, type EngineInternals, internalsOf } from '../engine/engine.ts'
import { causeIn, type HookEvent } from '../engine/events.ts'
import { fault, quote } from '../errors/errors.ts'
import { suggestion } from '../errors/suggest.ts'
import { attempt } from '../execution/report-errors.ts'
import { isRecord } from '../values/guards.ts'
import { mostChain } from './chain/chain.ts'
import { copyPayload, isNoJson, type JsonCopy } from './chain/json-value.ts'
import { trusted } from './check/check-context.ts'
import type { FlowsOptions } from './flow-options.ts'
import { callerOf, FlowRights } from './flow-rights.ts'
import { badValue, refusal } from './reject.ts'
import { isCollectionFlows } from './rows/collection-flows.ts'
import type { FlowStep } from './run/position.ts'
import { redactor } from './run/redact.ts'
import { FlowRun, type RunEnd } from './run/run-flow.ts'
import {
  type Budget,
  type FlowCause,
  mostFlows,
  mostIterated,
  mostOfRowMs,
  newBudget,
  noCause,
  RunningCause,
  type RunningFlow,
  type RunStart,
  tooDeep,
  tooMany,
} from './run/run-start.ts'
import type { BoundFlow } from './triggers/bind-triggers.ts'
import {
  authorsPayload,
  type Happening,
  payloadOf,
  replacedPayload,
  triggerValue,
} from './triggers/trigger-value.ts'
import { type FlowWorld, openWorld } from './world/flow-world.ts'

/** Start of a run. */
interface Starting {
  readonly bound: BoundFlow
  readonly trigger: JsonCopy
  /** The engine of whoever starts it. */
  readonly engine: () => Engine
  readonly isInside: boolean
  readonly cause: FlowCause
  readonly budget: Budget
  readonly steps: FlowStep[] | undefined
}

export class FlowsCore {
  readonly engine: Engine
  readonly rights: FlowRights
  readonly #options: FlowsOptions
  readonly #redact: RunStart['redact']
  readonly world: FlowWorld
  #flows: ReadonlyMap<string, BoundFlow> = new Map()

  constructor(engine: Engine, options: FlowsOptions) {
    this.engine = engine
    this.#options = options
    this.rights = new FlowRights(options.access)
    this.#redact = redactor(options.secrets ?? {})
    const collections = options.flows.filter(isCollectionFlows)
    this.world = openWorld(options, new Map(collections.map((one) => [one.collection, one])))
  }

  get internals(): EngineInternals {
    return internalsOf(this.engine)
  }

  /** The flows that there are now. */
  get flows(): ReadonlyMap<string, BoundFlow> {
    return this.#flows
  }

  /** Replaces all flows. */
  set(flows: ReadonlyMap<string, BoundFlow>): void {
    this.#flows = flows
  }

  report(error: unknown): void {
    const { onError = this.internals.onError } = this.#options
    void attempt(
      () => Promise.reject(error),
      undefined,
      (one) => onError(one, undefined),
    )
  }

  /** Runs a flow by its name, with the engine of whoever starts it. */
  async run(name: string, payload: unknown, engine: Engine, steps: FlowStep[]): Promise<RunEnd> {
    const bound = this.#flows.get(name)
    if (!bound)
      throw fault('NOT_FOUND', `There is no flow ${quote(name)}.`, {
        hint: suggestion(name, this.#flows.keys()),
      })
    const trigger = copyPayload(payload, mostChain)
    if (isNoJson(trigger)) throw badValue(`The payload ${trigger.says}.`, trigger.path)
    return this.#start({
      bound,
      trigger,
      engine: () => engine,
      isInside: false,
      cause: noCause,
      budget: newBudget(bound.isRow),
      steps,
    })
  }

  /** Runs a flow for an event, and returns what replaces the payload; undefined if nothing does. */
  async runBound(
    bound: BoundFlow,
    happening: HookEvent<Engine>,
    payload: object | undefined,
  ): Promise<object | undefined> {
    const { flow } = bound
    const caused = causeIn(happening)
    const cause = caused instanceof RunningCause ? caused : noCause
    if (cause.active.has(flow.name)) return undefined
    try {
      return await this.#runHeard(
        bound,
        { ...happening, ...replacing(happening, payload) },
        cause,
        () => happening.engine,
      )
    } catch (error) {
      const refused = refusal(flow.name, error)
      // The caller is not told what the host has to know.
      if (refused !== error) this.report(error)
      throw refused
    }
  }

  async #runHeard(
    bound: BoundFlow,
    happening: Happening,
    cause: FlowCause,
    engine: () => Engine,
  ): Promise<object | undefined> {
    const { flow } = bound
    const limits = await this.rights.limitsFor(bound, happening, engine)
    if (limits === 'none') return undefined
    const collection = this.internals.schema.collections.get(happening.collection)
    const payload = payloadOf(happening)
    const trigger = triggerValue(happening, payload, collection, limits)
    const end = await this.#start({
      bound,
      trigger,
      engine,
      isInside: true,
      cause,
      budget: newBudget(bound.isRow, bound.isRow ? performance.now() + mostOfRowMs : undefined),
      steps: undefined,
    })
    if (end.state === 'failed') throw end.error
    if (!payload || !isRecord(end.result) || flow.returns === undefined) return undefined
    const sent = { payload, shown: Object(trigger.value).payload as unknown, collection }
    const replaced = replacedPayload(end.result, sent)
    const holdsFlows = (name: string) => this.internals.hooks.isGuarded(name)
    return limits ? authorsPayload(replaced, sent, limits, holdsFlows) : replaced
  }

  async #start({ bound, trigger, engine, isInside, cause, budget, steps }: Starting): Promise<RunEnd> {
    const { flow, author, isRow } = bound
    if (cause.depth >= mostFlows) throw tooDeep(flow.name)
    const { zone, negationMatchesNull, clock } = this.internals
    const start: RunStart = {
      trigger,
      secrets: this.#options.secrets ?? {},
      caller: () => callerOf(engine(), isRow && !trusted.includes(flow.access)),
      engineFor: (access) => this.rights.engineFor(access, engine(), author),
      isInside,
      cause: new RunningCause(new Set([...cause.active, flow.name]), cause.depth + 1),
      budget,
      steps,
      setting: { zone, negationMatchesNull },
      now: clock,
      redact: this.#redact,
      world: this.world,
      reach: this.world.reachOf(bound),
      startFlow: (name, payload, access, run) =>
        this.#startFrom(run, { name, payload, access, bound, engine }),
    }
    return new FlowRun(flow, start).toEnd()
  }

  /** Runs another flow inside of one, and returns what it answers. */
  async #startFrom(
    { start }: RunningFlow,
    {
      name,
      payload,
      access,
      bound: { author, isRow },
      engine,
    }: {
      readonly name: string
      readonly payload: JsonCopy
      readonly access: string
      readonly bound: BoundFlow
      readonly engine: () => Engine
    },
  ): Promise<unknown> {
    const bound = this.#flows.get(name)
    if (!bound) throw fault('NOT_FOUND', `There is no flow ${quote(name)}.`)
    // Operations are counted as they run; a flow that has none counts as one.
    if (bound.flow.block.first === undefined) start.budget.iterated += 1
    if (start.budget.iterated > mostIterated) throw tooMany()
    // What the row of a user starts is started by that user, and by nobody who happens to cause it.
    const starter =
      !isRow || trusted.includes(access)
        ? engine()
        : await start.engineFor(author === undefined ? access : 'author')
    const end = await this.#start({
      bound,
      trigger: payload,
      engine: () => starter,
      isInside: start.isInside,
      cause: start.cause,
      budget: start.budget,
      steps: undefined,
    })
    if (end.state === 'failed') throw end.error
    return end.result
  }
}

/** The part of an event that hooks replace. */
const replacing = ({ event }: Happening, payload: object | undefined) =>
  event === 'items.read' ? { query: payload } : { payload: payload as Happening['payload'] }
