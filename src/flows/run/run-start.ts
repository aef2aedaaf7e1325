import { causeIn } from '../../engine/events.ts'
import { fault, quote } from '../../errors/errors.ts'
import type { MemorySetting } from '../../plan/filter/evaluate.ts'
import type { Caller } from '../../vocabulary/variables.ts'
import type { Chain, JsonCopy } from '../chain/chain.ts'
import type { CompiledFlow, CompiledOperation } from '../check/compiled.ts'
import { mostWork } from '../condition-work.ts'
import { badValue } from '../reject.ts'
import type { FlowWorld } from '../world/flow-world.ts'
import type { OutsideReach } from '../world/reach.ts'
import type { BlockFrame } from './frames.ts'
import type { RunKeeper, RunPosition } from './keeper.ts'

/** Flows that wait for what they have caused, as engines carry them. */
export class RunningCause {
  /** Names of the flows. One of them is not started again by what it causes. */
  readonly active: ReadonlySet<string>
  /** Number of flows that have started each other. */
  readonly depth: number

  constructor(active: ReadonlySet<string>, depth: number) {
    this.active = active
    this.depth = depth
  }
}

export type FlowCause = Pick<RunningCause, 'active' | 'depth'>

export const noCause: FlowCause = { active: new Set(), depth: 0 }

export function causeOf(event: object): FlowCause {
  const cause = causeIn(event)
  return cause instanceof RunningCause ? cause : noCause
}

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

export const mostSteps = 1_000
/** Maximum number of operations of all iterations of a run, and of the flows that it starts. */
export const mostIterated = 50_000
export const tooMany = () =>
  badValue(`A run has ${mostIterated.toLocaleString('en')} operations inside of lists at most.`)
export const mostFlows = 8
export const tooDeep = (name: string) =>
  fault(
    'UNPROCESSABLE_CONTENT',
    `Flows have started each other ${mostFlows} times in a row, the last time ${quote(name)}.`,
    {
      hint: 'Let a flow write nothing that starts it again.',
    },
  )

/** Parts that all runs of the flows of an engine share. */
export interface RunParts {
  readonly secrets: Readonly<Record<string, string>>
  readonly setting: MemorySetting
  readonly now: () => Date
  /** Replaces the texts of secrets in what comes from outside. */
  readonly redact: (value: unknown) => unknown
  readonly world: FlowWorld
}

export interface RunStart {
  readonly parts: RunParts
  readonly flow: CompiledFlow
  readonly trigger: JsonCopy
  /** The caller who has started it, for variables and the data chain. */
  readonly caller: () => Caller & { readonly admin?: boolean }
  /** True inside of the transaction of whatever has started it. */
  readonly isInside: boolean
  readonly cause: FlowCause
  readonly budget: Budget
  readonly reach: OutsideReach
  /** Aborted when the run is no longer waited for. */
  readonly signal?: AbortSignal
  readonly keep: (run: RunningFlow) => RunKeeper
}

export function runStart(
  parts: RunParts,
  { flow, ...row }: Pick<RunStart, 'flow'> & Parameters<FlowWorld['reachOf']>[0],
  { cause, budget = newBudget(row.isRow), ...start }: StartOfOne,
): RunStart {
  return {
    ...start,
    parts,
    flow,
    cause: new RunningCause(new Set([...cause.active, flow.name]), cause.depth + 1),
    budget,
    reach: parts.world.reachOf(row),
  }
}

type StartOfOne = Omit<RunStart, 'parts' | 'flow' | 'reach' | 'budget'> & { readonly budget?: Budget }

/** A run, with what its operations control. */
export interface RunningFlow {
  readonly start: RunStart
  readonly keeper: RunKeeper
  readonly chain: Chain
  /** The position from which it would go on. */
  readonly position: RunPosition
  /** The innermost block that it is inside of. */
  readonly frame: BlockFrame
  readonly isInLoop: boolean
  /** Runs the operations of one for each value of a list, and returns what they answer. */
  readonly forEach: (operation: CompiledOperation, list: readonly unknown[]) => Promise<readonly unknown[]>
}
