// Keepers: they keep a run, so that it goes on after its process has died.

import type { JsonCopy } from '../chain/json-value.ts'
import type { CompiledOperation } from '../check/compiled.ts'
import type { FlowStep } from './position.ts'

/** Ends the work on a run whose state is recorded, or is none of this process any more. No operation handles it. */
export class Parked extends Error {}

/** A step with its times, in milliseconds of the database. */
export interface KeptStep extends FlowStep {
  readonly attempt: number
  readonly started: number
  readonly ended: number
}

/** Another flow that a run starts. */
export interface StartedFlow {
  readonly flow: string
  readonly payload: JsonCopy
  readonly access: string
}

/** Keeps a run: operations run through it, and what they have done is recorded by it. */
export interface Keeper {
  /** Milliseconds, by the clock of the database. */
  now(): number
  /** The same text for each attempt of an operation. */
  idempotencyKey(operation: CompiledOperation): string
  /** Called before each operation. Records what has to be, and throws `Parked` if the run does not go on here. */
  before(operation: CompiledOperation): Promise<void>
  /** Runs an operation so that what it writes and its record are stored together. */
  operate(operation: CompiledOperation, work: () => Promise<unknown>): Promise<unknown>
  /** Called with the error of an operation. Throws if the operation is to be repeated. */
  failed(operation: CompiledOperation, error: unknown): Promise<void>
  /** Adds a step of the flow itself to what is recorded next. */
  keep(step: FlowStep, started: number): void
  /** Called after each value of `for-each`. */
  iterated(): Promise<void>
  /** Lets the run sleep after this operation. */
  sleep(milliseconds: number): void
  /** Called after each operation, once the next one is known. */
  after(): Promise<void>
  /** Returns what a flow has answered that the operation starts, or records that the run waits for it. */
  start(started: StartedFlow): Promise<unknown>
}
