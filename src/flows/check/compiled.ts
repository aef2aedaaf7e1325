// Flows as they are run: checked, with templates that are read.
import type { EventName } from '../../engine/events.ts'
import type { Path } from '../../errors/errors.ts'
import type { CompiledValue } from '../chain/compile-value.ts'
import type { ChainPlace } from '../chain/place.ts'
import type { Condition } from '../condition.ts'
import type {
  ItemsTrigger,
  ManualTrigger,
  ScheduleTrigger,
  WebhookSignature,
  WebhookTrigger,
} from '../definition.ts'
import type { AnyOperationType, OperationKind } from '../operation-type.ts'
import type { Ticks } from '../outside/ticks.ts'
import type { Retry } from '../run/retry.ts'

export interface CompiledOperation {
  readonly key: string
  /** Its place in the definition. */
  readonly path: Path
  readonly typeName: string
  readonly type: AnyOperationType
  readonly options: readonly (readonly [string, CompiledValue])[]
  /** The options that are recorded as they are written, because secrets may be in them. */
  readonly secret: ReadonlySet<string>
  readonly secrets: ReadonlySet<string>
  /** True if values name the host of an address. */
  readonly isHostOpen: boolean
  readonly written: Readonly<Record<string, unknown>>
  readonly resolve: string | undefined
  readonly reject: string | undefined
  readonly access: string
  /** Its condition, if it is the same in each run: neither a template nor a variable stands in it. */
  readonly condition: Condition | undefined
  readonly retry: Retry
  /** The operations that it holds. */
  readonly block: Block | undefined
  readonly starts: string | undefined
}

/** Operations that run one after the other. */
export interface Block {
  readonly first: string | undefined
  readonly operations: ReadonlyMap<string, CompiledOperation>
}

/** Callers who may start a flow: those who have signed the request, all, authenticated ones, or those who match a condition. */
export type AllowedCallers = 'signed' | 'public' | 'authenticated' | Condition

export interface CompiledSchedule extends Required<ScheduleTrigger> {
  /** Undefined where the host gives no class that reads schedules. */
  readonly ticks: Ticks | undefined
}

/** Webhook of a flow, checked. Its headers are in small letters. */
export interface CompiledWebhook
  extends Required<Pick<WebhookTrigger, 'on' | 'method' | 'waitMs' | 'headers'>> {
  readonly allow: AllowedCallers
  readonly hmac: WebhookSignature | undefined
}

/** Manual start of a flow, checked. */
export interface CompiledManual extends Required<Pick<ManualTrigger, 'on' | 'needsSelection' | 'waitMs'>> {
  readonly allow: Exclude<AllowedCallers, 'signed' | 'public'>
  /** Undefined for any. */
  readonly collections: readonly string[] | undefined
}

export type CompiledTrigger =
  | { readonly on: 'flow' }
  | CompiledSchedule
  | CompiledWebhook
  | CompiledManual
  | (Pick<ItemsTrigger, 'collections' | 'when'> & {
      readonly on: 'items'
      readonly events: readonly EventName[]
    })

/** Result of a flow: the last value, the whole chain, or what is at a place. */
export type Returned = '$last' | '$all' | ChainPlace

export interface CompiledFlow {
  readonly name: string
  readonly trigger: CompiledTrigger
  readonly access: string
  readonly returns: Returned | undefined
  readonly source: unknown
  /** The lane in which its runs follow each other. */
  readonly lane: CompiledValue | undefined
  readonly block: Block
  /** True if it looks at who has started it. */
  readonly namesCaller: boolean
  /** True if it works with the rights of its caller, or one of its operations does. */
  readonly needsCaller: boolean
  /** True if something follows on the failure of one of its operations. */
  readonly handlesFailures: boolean
}

/** Returns all operations of a block, with those that others hold. */
export function* operationsIn(block: Block): Generator<CompiledOperation> {
  for (const operation of block.operations.values()) {
    yield operation
    if (operation.block) yield* operationsIn(operation.block)
  }
}

export const greaterKind = (one: OperationKind, other: OperationKind): OperationKind =>
  order[one] < order[other] ? other : one

const order = { pure: 0, reads: 1, database: 2, outside: 3 } as const satisfies Record<OperationKind, number>
