// The run that an operation steers: those of the package find it behind their context, and those of hosts do not.
import type { CompiledOperation } from '../check/compiled.ts'
import type { FlowContext } from '../operation-type.ts'
import type { RunningFlow } from '../run/run-start.ts'

export interface Control {
  readonly run: RunningFlow
  readonly operation: CompiledOperation
}

const key: unique symbol = Symbol('control of a run')

export const withControl = (context: FlowContext, control: Control): FlowContext =>
  Object.defineProperty(context, key, { value: control })

export const controlOf = (context: FlowContext): Control => Reflect.get(context, key) as Control // `withControl` made it
