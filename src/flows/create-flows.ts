import { type Engine, internals, internalsOf } from '../engine/engine.ts'
import { checkOptions } from '../errors/check-options.ts'
import { lacksTransactions } from '../execution/transaction/transaction.ts'
import type { MountRoute } from '../http/mounts/mount.ts'
import type { Schema } from '../schema/model.ts'
import type { CheckContext } from './check/check-context.ts'
import { problemsOf } from './check/check-flow.ts'
import type { FlowState } from './check/check-set.ts'
import type { FlowDefinition, TypedFlowDefinition } from './definition.ts'
import {
  checkFlowsOptions,
  type FlowsOptions,
  type FlowsRetryOptions,
  type FlowsStartOptions,
  type FlowsStopOptions,
  type RunOptions,
  retryOptions,
  runOptions,
  startOptions,
  stopOptions,
} from './flow-options.ts'
import { LiveFlows } from './live-flows.ts'
import type { OperationTypes } from './operation-type.ts'
import { type BuiltInTypes, knownTypes, operationTypes } from './operations/operation-types.ts'
import { schemes } from './outside/schemes.ts'
import type { RunAnswer } from './outside/starts.ts'
import { badOption, type Rejection, rejectionOf } from './reject.ts'
import type { FlowStep } from './run/keeper.ts'

/** How a run inside of a call has ended, and what it did. */
export type FlowRunResult =
  | { readonly state: 'succeeded'; readonly result: unknown; readonly steps: readonly FlowStep[] }
  | { readonly state: 'failed'; readonly error: Rejection; readonly steps: readonly FlowStep[] }

/** A run that is kept: how far it has come, and what it did. */
export interface KeptRunResult extends RunAnswer {
  /** Its steps; absent if they could not be read, which `onError` reports. */
  readonly steps?: readonly FlowStep[]
}

/** State of the flows of an engine. */
export interface FlowsStatus {
  /** True once the rows of all collections are known. */
  readonly isStarted: boolean
  readonly flows: readonly FlowState[]
  /** Number of runs that are due and have operations which this process does not know, at the last look. */
  readonly unrunnable: number
}

/** The flows of an engine. They are a mount of a handler, too: `createHandler(engine, { authenticate, mounts: [flows] })`. */
export interface Flows {
  /** The engine of the flows. */
  readonly engine: Engine
  /** Returns the routes by which requests start flows, and ask for their runs. */
  readonly routes: () => readonly MountRoute[]
  /** Runs a flow with a payload as its `$trigger`, and returns how it has ended, or how far it is. A flow that fails does not throw: its error is
   *  in the answer.
   *  @example const flows = createFlows(engine, {
   *    flows: [defineFlow({
   *      name: 'greet',
   *      trigger: { on: 'flow' },
   *      first: 'say',
   *      operations: { say: { type: 'transform', options: { json: 'Hello, {{ $trigger.name }}!' } } },
   *    })],
   *  })
   *  const run = await flows.run('greet', { name: 'Ada' }, { inline: true })
   *  run.state === 'succeeded' && run.result // → 'Hello, Ada!' */
  run(name: string, payload: unknown, options: RunOptions & { readonly inline: true }): Promise<FlowRunResult>
  run(name: string, payload?: unknown, options?: RunOptions): Promise<KeptRunResult>
  /** Returns the flows that there are, and why some of them are disabled. */
  status(): FlowsStatus
  /** Reads the rows of collections that are flows, and returns those that do not run, with the reasons: a row whose author is not known, for
   *  one. Starts nothing.
   *  @example await createFlows(engine, { flows: [] }).check() // → [] */
  check(): Promise<readonly FlowState[]>
  /** Creates the tables of runs that do not exist yet. */
  install(): Promise<void>
  /** Reads the rows of collections that are flows, and follows their changes; and runs what is due, if runs are kept. */
  start(options?: FlowsStartOptions | Engine): Promise<void>
  /** Removes all flows from the engine. Runs come to their next record first, and go on elsewhere. */
  stop(options?: FlowsStopOptions | Engine): Promise<void>
  /** Cancels a run, with those that it waits for. Returns false if it is over, or unknown. */
  cancel(id: string): Promise<boolean>
  /** Takes up a run that has failed or was cancelled. */
  retry(id: string, options?: FlowsRetryOptions): Promise<void>
}

const defaultDrainMs = 10_000

/** Options of `defineFlow`. */
export interface DefineFlowOptions<Types extends OperationTypes> {
  /** Types of operations, if there are more than those of the package. */
  readonly operationTypes?: Types
}

/** Describes a flow, and returns it. All of its mistakes are thrown together.
 *  @example const slug = defineFlow({
 *    name: 'slug',
 *    trigger: { on: 'items.create', collections: ['articles'], when: 'before', returns: 'named' },
 *    first: 'named',
 *    operations: { named: { type: 'transform', options: { json: { title: '{{ $trigger.payload.title }}' } } } },
 *  })
 *  slug.name // → 'slug' */
export function defineFlow<const Types extends OperationTypes = BuiltInTypes>(
  // The types come from the options: a definition must not be held to those that it names itself.
  definition: TypedFlowDefinition<NoInfer<Types>>,
  { operationTypes: types = operationTypes as unknown as Types }: DefineFlowOptions<Types> = {}, // the default of the type
): FlowDefinition {
  problemsOf(definition, { types }).throwIfAny()
  return Object.freeze(definition)
}

/** Creates the flows of an engine, and binds those of the host to it.
 *  @example const flows = createFlows(engine, { flows: [] })
 *  flows.status().isStarted // → true */
export function createFlows<S extends Schema>(engine: Engine<S>, options: FlowsOptions): Flows {
  const { scope, unit, runs, home } = internalsOf(engine)
  if (scope) throw badOption('Flows work with the engine itself, and this is one of a caller.', ['engine'])
  if (unit) throw badOption('Flows outlive a transaction, and this engine is inside of one.', ['engine'])
  checkFlowsOptions(options)
  const context: CheckContext = {
    types: knownTypes(options.operationTypes ?? operationTypes, options),
    collections: new Set(engine.schema.collections.keys()),
    secrets: new Map(Object.entries(options.secrets ?? {})),
    hasAccess: options.access !== undefined,
    // Before the first transaction it is not known whether there are any: `install` and `start` begin one.
    lacksRuns: runs ? (lacksTransactions(home) ? 'transactions' : null) : 'tables',
    schemes: options.schemes ?? schemes,
    cron: options.cron ?? null,
    hosts: options.hosts ?? [],
    holdsFlows: (collection) => internalsOf(engine).hooks.isGuarded(collection),
  }
  // The type of the schema is for the compiler only.
  const live = new LiveFlows(engine as unknown as Engine, options, context)
  return Object.freeze<Flows>({
    // The type of the schema is for the compiler only.
    engine: engine as unknown as Engine,
    routes: () => live.routes,
    run: (async (name: string, payload: unknown, running: RunOptions = {}) => {
      checkOptions(running, runOptions)
      if (running.inline !== true) return live.runs.runForHost(name, payload ?? {}, running)
      const steps: FlowStep[] = []
      const end = await live.run(name, payload === undefined ? {} : payload, running.access, steps)
      return end.state === 'failed'
        ? { state: 'failed', error: rejectionOf(end.error), steps }
        : { ...end, steps }
    }) as Flows['run'], // what it answers depends on the options
    status: () => ({ isStarted: live.isStarted, flows: live.states, unrunnable: live.unrunnable }),
    check: () => live.check(),
    install: async () => live.runs.install(),
    start: async (input) => {
      const starting: FlowsStartOptions = optionsIn(input)
      checkOptions(starting, startOptions)
      await live.start(starting.concurrency)
    },
    stop: async (input) => {
      const stopping: FlowsStopOptions = optionsIn(input)
      checkOptions(stopping, stopOptions)
      await live.stop(stopping.drainMs ?? defaultDrainMs)
    },
    cancel: (id) => live.runs.cancel(id),
    retry: async (id, retrying = {}) => {
      checkOptions(retrying, retryOptions)
      await live.runs.retry(id, retrying.from)
    },
  })
}

/** Returns options. A handler that starts and stops its mounts has none, and names its engine. */
const optionsIn = <Options extends object>(
  input: Options | Engine | undefined,
): Options | Record<never, never> => (input === undefined || internals in input ? {} : input)
