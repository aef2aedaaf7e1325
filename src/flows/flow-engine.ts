// The engine of flows: what all of them share, those that there are now, and how one runs inside of a call.
import type { Access } from '../access/access.ts'
import { type Engine, type EngineInternals, internalsOf } from '../engine/engine.ts'
import type { HookEvent } from '../engine/events.ts'
import { fault, quote } from '../errors/errors.ts'
import { suggestion } from '../errors/suggest.ts'
import { Outage, reporter } from '../execution/report-errors.ts'
import { isRecord } from '../values/guards.ts'
import { copyPayload, maxChain } from './chain/chain.ts'
import { trusted } from './check/check-context.ts'
import type { FlowsOptions } from './flow-options.ts'
import { callerOf, FlowRights } from './flow-rights.ts'
import { jsonOr, refusal } from './reject.ts'
import { isCollectionFlows } from './rows/collection-flows.ts'
import { type FlowStep, memoryKeeper, type RunEnd, type StartedFlow } from './run/keeper.ts'
import { redactor } from './run/redact.ts'
import { FlowRun } from './run/run-flow.ts'
import {
  type Budget,
  causeOf,
  type FlowCause,
  mostFlows,
  mostIterated,
  mostOfRowMs,
  newBudget,
  noCause,
  type RunningFlow,
  type RunParts,
  type RunStart,
  runStart,
  tooDeep,
  tooMany,
} from './run/run-start.ts'
import type { BoundFlow } from './triggers/bind-triggers.ts'
import { authorsPayload, payloadOf, replacedPayload, triggerValue } from './triggers/trigger-value.ts'
import { type FlowWorld, openWorld } from './world/flow-world.ts'

const defaultPollMs = 1_000

interface Starting extends Pick<RunStart, 'trigger' | 'isInside' | 'cause'> {
  readonly engine: () => Engine
  readonly budget?: Budget
  readonly steps?: FlowStep[]
}

export class FlowEngine implements RunParts {
  readonly engine: Engine
  readonly internals: EngineInternals
  readonly options: FlowsOptions
  readonly rights: FlowRights
  readonly secrets: RunParts['secrets']
  readonly redact: RunParts['redact']
  readonly setting: RunParts['setting']
  readonly now: RunParts['now']
  readonly world: FlowWorld
  readonly pollMs: number
  /** Reports errors that no call gets. */
  readonly report: (error: unknown) => void
  /** Reports errors of a database that is away once. */
  readonly outage: Outage
  /** The flows that there are now, by their names. */
  flows: ReadonlyMap<string, BoundFlow> = new Map()

  constructor(engine: Engine, options: FlowsOptions) {
    this.engine = engine
    this.internals = internalsOf(engine)
    this.options = options
    const { onError = this.internals.onError } = options
    this.report = reporter((error) => onError(error, undefined))
    this.outage = new Outage(this.report)
    this.rights = new FlowRights(options.access)
    this.secrets = options.secrets ?? {}
    this.redact = redactor(this.secrets)
    const { zone, negationMatchesNull, clock } = this.internals
    this.setting = { zone, negationMatchesNull }
    this.now = clock
    this.pollMs = options.pollMs ?? defaultPollMs
    const collections = options.flows.filter(isCollectionFlows)
    this.world = openWorld(options, new Map(collections.map((one) => [one.collection, one])))
  }

  /** Returns a flow that the host calls by its name, its payload, and the engine with the rights of the call. */
  called(name: string, payload: unknown, access: Access | undefined) {
    const bound = this.flows.get(name)
    if (!bound)
      throw fault('NOT_FOUND', `There is no flow ${quote(name)}.`, {
        hint: suggestion(name, this.flows.keys()),
      })
    const trigger = jsonOr(copyPayload(payload, maxChain), 'The payload')
    return { bound, trigger, engine: access ? this.engine.as(access) : this.engine }
  }

  /** Runs a flow for the host, inside of the call. */
  async run(name: string, payload: unknown, access: Access | undefined, steps: FlowStep[]): Promise<RunEnd> {
    const { bound, trigger, engine } = this.called(name, payload, access)
    return this.#start(bound, { trigger, engine: () => engine, isInside: false, cause: noCause, steps })
  }

  /** Runs a flow for an event, and returns what replaces the payload; undefined if nothing does. */
  async runBound(
    bound: BoundFlow,
    happening: HookEvent<Engine>,
    payload: object | undefined,
  ): Promise<object | undefined> {
    const cause = causeOf(happening)
    if (cause.active.has(bound.flow.name)) return undefined
    try {
      return await this.#runHeard(bound, happening, payload, cause)
    } catch (error) {
      const refused = refusal(bound.flow.name, error)
      // The caller does not get what is reported to the host.
      if (refused !== error) this.report(error)
      throw refused
    }
  }

  async #runHeard(
    bound: BoundFlow,
    happening: HookEvent<Engine>,
    written: object | undefined,
    cause: FlowCause,
  ): Promise<object | undefined> {
    const engine = () => happening.engine
    const limits = await this.rights.limitsFor(bound, happening, engine)
    if (limits === 'none') return undefined
    const collection = this.internals.schema.collections.get(happening.collection)
    const payload = payloadOf(happening.event, written)
    const trigger = triggerValue(happening, payload, collection, limits)
    const budget = newBudget(bound.isRow, bound.isRow ? performance.now() + mostOfRowMs : undefined)
    const end = await this.#start(bound, { trigger, engine, isInside: true, cause, budget })
    if (end.state === 'failed') throw end.error
    if (!payload || !isRecord(end.result) || bound.flow.returns === undefined) return undefined
    const sent = { payload, shown: Object(trigger.value).payload as unknown, collection }
    const replaced = replacedPayload(end.result, sent)
    const holdsFlows = (name: string) => this.internals.hooks.isGuarded(name)
    return limits ? authorsPayload(replaced, sent, limits, holdsFlows) : replaced
  }

  async #start(bound: BoundFlow, { engine, steps, ...starting }: Starting): Promise<RunEnd> {
    const { flow, author, isRow } = bound
    if (starting.cause.depth >= mostFlows) throw tooDeep(flow.name)
    const start = runStart(this, bound, {
      ...starting,
      caller: () => callerOf(engine(), isRow && !trusted.includes(flow.access)),
      keep: (run) =>
        memoryKeeper({
          steps,
          engineFor: (access) => this.rights.engineFor(access, engine(), author),
          start: (started) => this.#startFrom(run, started, bound, engine),
        }),
    })
    return new FlowRun(start).toEnd()
  }

  /** Runs another flow inside of one, and returns what it answers. */
  async #startFrom(
    { start, keeper }: RunningFlow,
    { flow, payload: trigger, access }: StartedFlow,
    { author, isRow }: BoundFlow,
    engine: () => Engine,
  ): Promise<unknown> {
    const bound = this.flows.get(flow)
    if (!bound) throw fault('NOT_FOUND', `There is no flow ${quote(flow)}.`)
    const { budget, cause, isInside } = start
    // Operations are counted as they run; a flow that has none counts as one.
    if (bound.flow.block.first === undefined) budget.iterated += 1
    if (budget.iterated > mostIterated) throw tooMany()
    // A run that the row of a user starts has the rights of that user.
    const starter =
      !isRow || trusted.includes(access)
        ? engine()
        : await keeper.engineFor(author === undefined ? access : 'author')
    const end = await this.#start(bound, { trigger, engine: () => starter, isInside, cause, budget })
    if (end.state === 'failed') throw end.error
    return end.result
  }
}
