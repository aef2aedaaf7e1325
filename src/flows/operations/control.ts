// What the operations that hold others may do, and hosts' operations may not.
import type { FlowContext } from '../operation-type.ts'
import type { FlowWorld } from '../world/flow-world.ts'

/** The run of a flow, for the operations that steer it. */
export interface Control {
  /** Runs the operations of this one for each value, and returns what they answer. */
  readonly forEach: (list: readonly unknown[]) => Promise<readonly unknown[]>
  /** Runs another flow, and returns what it answers. */
  readonly start: (flow: string, payload: unknown) => Promise<unknown>
  /** True if the run is a call's own, and no transaction waits for it. */
  readonly mayWait: boolean
  /** Lets a run that is kept sleep. */
  readonly sleep: ((milliseconds: number) => void) | undefined
  /** Returns the place of the first condition that the data chain does not meet; undefined if it meets all. */
  readonly unmet: (filter: unknown) => readonly (string | number)[] | undefined
  /** Returns the data chain without secrets. */
  readonly chain: () => Readonly<Record<string, unknown>>
  readonly now: () => Date
  /** Parts that reach the world outside. */
  readonly world: FlowWorld
  /** True for the origins that a redirect may lead to. */
  readonly mayFollow: (origin: string) => boolean
  /** True for a text in which a secret stands. */
  readonly holdsSecret: (text: string) => boolean
}

const key: unique symbol = Symbol('control of a run')

/** Returns a context with what steers the run. */
export const withControl = (context: FlowContext, control: Control): FlowContext =>
  Object.defineProperty(context, key, { value: control })

/** Returns what steers the run. */
export const controlOf = (context: FlowContext): Control => Reflect.get(context, key) as Control // `withControl` made it
