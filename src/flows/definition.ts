// Definitions of flows: data that is checked once.
import type { EventName } from '../engine/events.ts'
import type { OperationTypes, OptionsOf } from './operation-type.ts'

/** With whose rights the operations of a flow work: those of whoever causes it, of the author of its row, all, none, or those that the host knows
 *  by a name. */
export type FlowAccess = 'caller' | 'author' | 'full' | 'nobody' | (string & Record<never, never>)

/** A flow that runs when items are read or written. */
export interface ItemsTrigger {
  readonly on: EventName | readonly EventName[]
  readonly collections: readonly string[]
  /** `before` may replace or refuse what is written, and writes nothing itself. `beforeCommit` runs once the rows are stored, in their transaction. */
  readonly when: 'before' | 'beforeCommit'
  /** The place of the object that replaces the payload, or the query of a read; with `$all`, the whole chain. By default none does. */
  readonly returns?: string
}

/** A flow that other flows start, or the host. */
export interface CalledTrigger {
  readonly on: 'flow'
  /** The place of what it answers. By default `$last`. */
  readonly returns?: string
}

/** Trigger of a flow. */
export type FlowTrigger = ItemsTrigger | CalledTrigger

/** An operation of a flow, with the options of its type. */
export type OperationDefinition<Types extends OperationTypes = OperationTypes> = {
  readonly [Type in keyof Types & string]: {
    readonly type: Type
    readonly options: OptionsOf<Types[Type], OperationDefinitions<Types>>
    /** The operation that runs next. */
    readonly resolve?: string
    /** The operation that runs next if this one fails. Without it the flow fails. */
    readonly reject?: string
    /** By default that of the flow. */
    readonly access?: FlowAccess
  }
}[keyof Types & string]

/** An operation of a flow, of any type. */
export interface AnyOperationDefinition {
  readonly type: string
  readonly options?: object
  readonly resolve?: string
  readonly reject?: string
  readonly access?: FlowAccess
}

/** Operations by their names. */
export type OperationDefinitions<Types extends OperationTypes = OperationTypes> = Readonly<
  Record<string, OperationDefinition<Types>>
>

/** A flow. */
export interface FlowDefinition {
  readonly name: string
  readonly trigger: FlowTrigger
  /** By default `caller`. */
  readonly access?: FlowAccess
  /** The operation that runs first. Without operations there is none. */
  readonly first?: string
  readonly operations?: Readonly<Record<string, AnyOperationDefinition>>
}

/** A flow as it is written: the options of each operation are those of its type. */
export interface TypedFlowDefinition<Types extends OperationTypes>
  extends Omit<FlowDefinition, 'operations'> {
  readonly operations?: OperationDefinitions<Types>
}
