// The position of a run: what has to be known, beside what its steps have answered, to go on from there.
import type { Rejection } from '../reject.ts'

/** A step of a run. */
export interface FlowStep {
  readonly operation: string
  readonly status: 'resolved' | 'rejected'
  /** Options as they were rendered; those that may hold secrets, as they are written. */
  readonly options: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: Rejection
}

/** Position inside of a block of operations. */
export interface FramePosition {
  /** The operation that runs next. Absent = none. */
  readonly next?: string | undefined
  /** Of `for-each`: the number of the value, and what those before it have answered. */
  readonly index?: number
  readonly results?: readonly unknown[]
  /** In the middle of a value: what its operations have answered so far, and `$last`. */
  readonly locals?: readonly (readonly [string, unknown])[]
  readonly last?: unknown
  /** Answers of the flows that the operation has started, and the run that it waits for. */
  readonly calls?: CallPosition | undefined
}

export interface CallPosition {
  readonly results: readonly unknown[]
  readonly waitsFor?: string | undefined
}

/** Position of a run: the innermost block stands last. */
export interface RunPosition {
  readonly frames: readonly FramePosition[]
  readonly steps: number
  readonly iterated: number
}
