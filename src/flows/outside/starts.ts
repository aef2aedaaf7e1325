// Starts of runs from outside, as the keepers of runs offer them.
import type { JsonCopy } from '../chain/chain.ts'
import type { FlowStarter } from '../flow-options.ts'
import type { Rejection } from '../reject.ts'
import type { BoundFlow } from '../triggers/bind-triggers.ts'

/** State of a run. */
export type RunState = 'waiting' | 'ready' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'skipped'

/** A run with its current progress. */
export interface RunAnswer {
  readonly id: string
  /** Name of the flow. */
  readonly flow: string
  readonly state: RunState
  readonly result?: unknown
  readonly error?: Rejection | undefined
}

/** The caller who starts a run; without one all members are null. */
export interface RunStarter extends FlowStarter {
  readonly roles: readonly (string | number)[]
  readonly admin: boolean
}

export interface StartRequest {
  readonly bound: BoundFlow
  readonly trigger: JsonCopy
  readonly caller: RunStarter
  /** Hashes of what names the request (its flow, its caller and its key) and of its body: sent again, it starts nothing. */
  readonly request?: { readonly key: string; readonly body: string } | undefined
  /** Milliseconds for which the answer waits for the end of the run. */
  readonly waitMs: number
  readonly signal?: AbortSignal | undefined
}

export interface RunStarts {
  /** Starts a run. Returns how it has ended, or how far it is when `waitMs` are over. A queue that is full is SERVICE_UNAVAILABLE, with the seconds
   *  until it may be tried again as `retryAfter`; the key of a request with another body is UNPROCESSABLE_CONTENT. */
  start(request: StartRequest): Promise<RunAnswer>
  find(id: string): Promise<RunAnswer | undefined>
  /** Returns a flow that there is now. While it is not known which there are, that is SERVICE_UNAVAILABLE. */
  flow(name: string): BoundFlow | undefined
}
