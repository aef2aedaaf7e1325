// Keepers of runs: operations run through them, and what these have done is kept by them, in memory or in the tables of runs.
import { setTimeout as pause } from 'node:timers/promises'
import type { Engine } from '../../engine/engine.ts'
import type { JsonCopy } from '../chain/chain.ts'
import type { CompiledOperation } from '../check/compiled.ts'
import { badValue, type Rejection } from '../reject.ts'

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

/** Position of a run: what has to be known, beside what its steps have answered, to go on from there. The innermost block stands last. */
export interface RunPosition {
  readonly frames: readonly FramePosition[]
  readonly steps: number
  readonly iterated: number
}

/** Ends the work on a run whose state is recorded, or which another worker has by now. No operation handles it. */
export class Parked extends Error {}

export type RunEnd =
  | { readonly state: 'succeeded'; readonly result: unknown }
  | { readonly state: 'failed'; readonly error: unknown }

export interface StartedFlow {
  readonly flow: string
  readonly payload: JsonCopy
  readonly access: string
}

export interface RunKeeper {
  engineFor(access: string): Promise<Engine>
  /** The same text for each attempt of an operation; undefined if there is one attempt alone. */
  idempotencyKey(operation: CompiledOperation): string | undefined
  /** Called before each operation. Records what has to be, and throws `Parked` if the run does not go on here. */
  before(operation: CompiledOperation): Promise<void> | undefined
  /** Runs an operation so that what it writes and its record are stored together. */
  operate(operation: CompiledOperation, work: () => Promise<unknown>): Promise<unknown>
  /** Called with the error of an operation. Throws if the operation is to be repeated. */
  failed(operation: CompiledOperation, error: unknown): Promise<void> | undefined
  keep(step: FlowStep): void
  /** Called after each value of `for-each`. */
  iterated(): Promise<void> | undefined
  /** Lets the run sleep, at once or after this operation. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void> | undefined
  /** Called after each operation, once the next one is known. */
  after(): Promise<void> | undefined
  /** Returns what a flow has answered that the operation starts, or records that the run waits for it. */
  start(started: StartedFlow): Promise<unknown>
  finish(end: RunEnd): Promise<void> | undefined
  /** Undoes what is not recorded. */
  undo(): Promise<void> | undefined
}

const nothing = () => undefined
const longestSleep = 1_000

/** Returns the keeper of a run that ends with its call. `steps`: where they are kept; undefined if they are not needed. */
export function memoryKeeper({
  steps,
  engineFor,
  start,
}: Pick<RunKeeper, 'engineFor' | 'start'> & { readonly steps: FlowStep[] | undefined }): RunKeeper {
  const engines = new Map<string, Promise<Engine>>()
  return {
    engineFor: (access) => {
      const engine = engines.get(access) ?? engineFor(access)
      engines.set(access, engine)
      return engine
    },
    operate: (_, work) => work(),
    keep: (step) => void steps?.push(step),
    sleep: (milliseconds, signal) => {
      if (milliseconds <= longestSleep) return pause(milliseconds, undefined, { signal })
      throw badValue(
        `A run inside of a call waits for ${longestSleep} ms at most, and not for ${milliseconds}.`,
        ['milliseconds'],
      )
    },
    start,
    idempotencyKey: nothing,
    before: nothing,
    failed: nothing,
    iterated: nothing,
    after: nothing,
    finish: nothing,
    undo: nothing,
  }
}
