// The entry `quernel/flows`: automation as data.

export type { FlowState } from './flows/check/check-set.ts'
export {
  createFlows,
  type DefineFlowOptions,
  defineFlow,
  type FlowRunResult,
  type Flows,
  type FlowsStatus,
  type KeptRunResult,
} from './flows/create-flows.ts'
export type {
  AnyOperationDefinition,
  CalledTrigger,
  CallerFilter,
  FlowAccess,
  FlowDefinition,
  FlowTrigger,
  ItemsTrigger,
  ManualTrigger,
  OperationDefinition,
  OperationDefinitions,
  RetryDefinition,
  ScheduleTrigger,
  TypedFlowDefinition,
  WebhookSignature,
  WebhookTrigger,
} from './flows/definition.ts'
export type {
  FlowStarter,
  FlowsOptions,
  FlowsRetryOptions,
  FlowsStartOptions,
  FlowsStopOptions,
  KeptRuns,
  RunOptions,
} from './flows/flow-options.ts'
export {
  type AnyOperationType,
  defineOperation,
  type FlowContext,
  type OperationKind,
  type OperationType,
  type OperationTypes,
  type OptionProblem,
  type OptionRole,
  type OptionRow,
  type OptionRows,
} from './flows/operation-type.ts'
export { operationTypes } from './flows/operations/operation-types.ts'
export {
  type SignatureScheme,
  type SignatureSchemes,
  type SignedRequest,
  schemes,
} from './flows/outside/schemes.ts'
export type { RunAnswer, RunState } from './flows/outside/starts.ts'
export type { CronClass } from './flows/outside/ticks.ts'
export type { Rejection } from './flows/reject.ts'
export {
  type CollectionFlows,
  type CollectionFlowsOptions,
  collectionFlows,
  type FlowRowSize,
} from './flows/rows/collection-flows.ts'
export type { FlowStep } from './flows/run/keeper.ts'
export type { FlowFetch } from './flows/world/exchange.ts'
export type { FlowMessage, FlowSender, JoseModule, WorldOptions } from './flows/world/flow-world.ts'
export { type FlowScript, type QuickScriptOptions, quickScript } from './flows/world/quick-script.ts'
