// The beginning of a run.
import type { Engine } from '../../engine/engine.ts'
import { fault, quote } from '../../errors/errors.ts'
import type { MemorySetting } from '../../plan/filter/evaluate.ts'
import type { Caller } from '../../vocabulary/variables.ts'
import type { Chain } from '../chain/chain.ts'
import type { JsonCopy } from '../chain/json-value.ts'
import type { CompiledFlow, CompiledOperation } from '../check/compiled.ts'
import { mostWork } from '../condition-work.ts'
import { badValue } from '../reject.ts'
import type { FlowWorld } from '../world/flow-world.ts'
import type { OutsideReach } from '../world/reach.ts'
import type { BlockFrame } from './frames.ts'
import type { Keeper } from './keeper.ts'
import type { FlowStep, RunPosition } from './position.ts'

/** Flows that wait for what they have caused. */
export interface FlowCause {
  /** Names of the flows. One of them is not started again by what it causes. */
  readonly active: ReadonlySet<string>
  /** Number of flows that have started each other. */
  readonly depth: number
}

/** The cause of what a flow does, as engines carry it. */
export class RunningCause implements FlowCause {
  readonly active: ReadonlySet<string>
  readonly depth: number

  constructor(active: ReadonlySet<string>, depth: number) {
    this.active = active
    this.depth = depth
  }
}

export const noCause: FlowCause = { active: new Set(), depth: 0 }

/** Counts of a run and of those that it starts. */
export interface Budget {
  /** Operations inside of `for-each`, those of flows that were started, and such flows without any. */
  iterated: number
  /** The moment at which it has to be over, by the clock of the process. */
  readonly until: number
  /** Units of work that are left for its conditions together. */
  conditionWork: number
}

/** Milliseconds that the row of a user may take in all: it runs under the locks of those who cause it. */
export const mostOfRowMs = 10_000

/** Returns the budget of a run that begins: conditions of a row have together what one of the host has. */
export const newBudget = (isRow: boolean, until = Number.POSITIVE_INFINITY): Budget => ({
  iterated: 0,
  until,
  conditionWork: isRow ? mostWork : Number.POSITIVE_INFINITY,
})

/** Maximum number of steps of one run. */
export const mostSteps = 1_000
/** Maximum number of operations of all iterations of a run, and of the flows that it starts. */
export const mostIterated = 50_000
export const tooMany = () =>
  badValue(`A run has ${mostIterated.toLocaleString('en')} operations inside of lists at most.`)
/** Maximum number of flows that start each other. */
export const mostFlows = 8
export const tooDeep = (name: string) =>
  fault(
    'UNPROCESSABLE_CONTENT',
    `Flows have started each other ${mostFlows} times in a row, the last time ${quote(name)}.`,
    {
      hint: 'Let a flow write nothing that starts it again.',
    },
  )

/** Starts of a run. */
export interface RunStart {
  readonly trigger: JsonCopy
  /** Values of secrets by their names. */
  readonly secrets: Readonly<Record<string, string>>
  /** The caller who has started it, for variables and the data chain. */
  readonly caller: () => Caller & { readonly admin?: boolean }
  /** Returns the engine with the rights of a word. */
  readonly engineFor: (access: string) => Promise<Engine>
  /** True inside of the transaction of whatever has started it. */
  readonly isInside: boolean
  readonly cause: FlowCause
  readonly budget: Budget
  /** Steps that were made. Absent = nobody looks at them. */
  readonly steps: FlowStep[] | undefined
  readonly setting: MemorySetting
  readonly now: () => Date
  /** The keeper of the run. Absent = it ends with the call. */
  readonly keeper?: Keeper
  /** Aborted when nobody waits for the run any more. */
  readonly signal?: AbortSignal
  /** Replaces the texts of secrets in what comes from outside. */
  readonly redact: (value: unknown) => unknown
  readonly world: FlowWorld
  /** Reach of its operations. */
  readonly reach: OutsideReach
  /** Runs another flow inside of this one, and returns what it answers. */
  readonly startFlow: (name: string, trigger: JsonCopy, access: string, run: RunningFlow) => Promise<unknown>
}

/** A run, as far as its operations steer it. */
export interface RunningFlow {
  readonly flow: CompiledFlow
  readonly start: RunStart
  readonly chain: Chain
  /** The position from which it would go on. */
  readonly position: RunPosition
  /** The innermost block that it is inside of. */
  readonly frame: BlockFrame
  /** Runs the operations of one for each value of a list, and returns what they answer. */
  readonly forEach: (operation: CompiledOperation, list: readonly unknown[]) => Promise<readonly unknown[]>
  /** Returns the engine with the rights of a word. */
  readonly engineFor: (access: string) => Promise<Engine>
}
