// Flows as hosts use them.
import { type Engine, internalsOf } from '../engine/engine.ts'
import { checkOptions } from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
import type { Schema } from '../schema/model.ts'
import type { CheckContext } from './check/check-context.ts'
import { problemsOf } from './check/check-flow.ts'
import type { FlowDefinition, TypedFlowDefinition } from './definition.ts'
import { checkFlowsOptions, type FlowsOptions, type RunOptions, runOptions } from './flow-options.ts'
import type { FlowState } from './flow-set.ts'
import { LiveFlows } from './live-flows.ts'
import type { OperationTypes } from './operation-type.ts'
import { type BuiltInTypes, laterTriggers, operationTypes } from './operations/operation-types.ts'
import { schemes } from './outside/schemes.ts'
import { type Rejection, rejectionOf } from './reject.ts'
import type { FlowStep } from './run/run-start.ts'

/** How a run has ended, and what it did. */
export type FlowRunResult =
  | { readonly state: 'succeeded'; readonly result: unknown; readonly steps: readonly FlowStep[] }
  | { readonly state: 'failed'; readonly error: Rejection; readonly steps: readonly FlowStep[] }

/** State of the flows of an engine. */
export interface FlowsStatus {
  /** True once the rows of all collections are known. */
  readonly isStarted: boolean
  readonly flows: readonly FlowState[]
}

/** The flows of an engine. */
export interface Flows {
  /** Runs a flow inside of the call, with a payload as its `$trigger`. A flow that fails does not throw: its error is in the answer.
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
  run(name: string, payload: unknown, options: RunOptions): Promise<FlowRunResult>
  /** Returns the flows that there are, and why some of them are disabled. */
  status(): FlowsStatus
  /** Reads the rows of collections that are flows, and follows their changes. Without such a collection there is nothing to start. */
  start(): Promise<void>
  /** Removes all flows from the engine. */
  stop(): Promise<void>
}

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
  problemsOf(definition, {
    types,
    collections: undefined,
    secrets: undefined,
    hasAccess: undefined,
    schemes: undefined,
    cron: undefined,
    laterTriggers,
    limits: undefined,
  }).throwIfAny()
  return Object.freeze(definition)
}

/** Creates the flows of an engine, and binds those of the host to it.
 *  @example const flows = createFlows(engine, { flows: [] })
 *  flows.status().isStarted // → true */
export function createFlows<S extends Schema>(engine: Engine<S>, options: FlowsOptions): Flows {
  const { scope, unit } = internalsOf(engine)
  if (scope)
    throw fault('INVALID_OPTIONS', 'Flows work with the engine itself, and this is one of a caller.', {
      path: ['engine'],
    })
  if (unit)
    throw fault('INVALID_OPTIONS', 'Flows outlive a transaction, and this engine is inside of one.', {
      path: ['engine'],
    })
  checkFlowsOptions(options)
  const context: CheckContext = {
    types: options.operationTypes ?? operationTypes,
    collections: new Set(engine.schema.collections.keys()),
    secrets: new Map(Object.entries(options.secrets ?? {})),
    hasAccess: options.access !== undefined,
    schemes: options.schemes ?? schemes,
    cron: options.cron ?? null,
    laterTriggers,
    limits: undefined,
  }
  // The type of the schema is for the compiler only.
  const live = new LiveFlows(engine as unknown as Engine, options, context)
  return Object.freeze<Flows>({
    run: async (name, payload, running) => {
      checkOptions(running, runOptions)
      if (running.inline !== true)
        throw fault(
          'INVALID_OPTIONS',
          `Runs that are kept are not in this version: "inline" is true, not ${quote(running.inline)}.`,
          {
            path: ['inline'],
          },
        )
      const steps: FlowStep[] = []
      const end = await live.run(name, payload === undefined ? {} : payload, running.access, steps)
      return end.state === 'failed'
        ? { state: 'failed', error: rejectionOf(end.error), steps }
        : { ...end, steps }
    },
    status: () => ({ isStarted: live.isStarted, flows: live.states }),
    start: () => live.start(),
    stop: () => live.stop(),
  })
}
