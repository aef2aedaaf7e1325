// Rows of runs, as the worker reads and writes them.
import type { RunStarter, RunState } from '../outside/starts.ts'
import type { Rejection } from '../reject.ts'
import type { RunPosition } from '../run/position.ts'

export const nobody: RunStarter = { user: null, role: null, roles: [], admin: false }

/** The cause of a run, as far as its steps ask for it. */
export interface RunOrigin {
  readonly caller: RunStarter
  /** True if it was started by the host's own engine, which has all rights. */
  readonly isHost: boolean
  /** The author of the row that its definition is. */
  readonly author?: string | number | undefined
  readonly isRow: boolean
  /** The collection of that row. */
  readonly collection?: string | undefined
  /** With whose rights it was started by the row of a user: "caller" means them. */
  readonly as?: { readonly access: string; readonly author: string | number | undefined } | undefined
  /** Names of the flows that wait for what they have caused. */
  readonly active: readonly string[]
  /** The definition, where it is not known to be kept already. */
  readonly definition?: unknown
}

/** Progress of a run: where it goes on, and steps of which nothing is in its chain any more. */
export interface RunProgress extends RunPosition {
  readonly forgotten?: readonly (readonly [number, number])[] | undefined
}

/** A run that begins. */
export interface NewRun {
  readonly id: string
  readonly flow: string
  readonly definition: string
  readonly trigger: unknown
  readonly access: string
  readonly origin: RunOrigin
  readonly depth: number
  readonly lane?: string | undefined
  readonly parent?: string | undefined
  /** Milliseconds since 1970. */
  readonly tick?: number | undefined
  /** True for the run of a tick that is left out. */
  readonly isSkipped?: boolean
  /** Hashes of the key of its request, and of what was sent with it. */
  readonly request?: { readonly key: string; readonly body: string } | undefined
}

/** A run that a worker has claimed. */
export interface ClaimedRun {
  readonly id: string
  readonly number: number
  readonly flow: string
  readonly definition: string
  readonly access: string
  readonly token: number
  readonly attempt: number
  readonly deaths: number
  readonly depth: number
  readonly lane: string | undefined
  readonly parent: string | undefined
  readonly trigger: unknown
  readonly origin: RunOrigin
  readonly progress: RunProgress | undefined
  /** Time of the database at the claim, in milliseconds. */
  readonly now: number
}

/** How a run has ended, as others may see it. */
export interface EndedRun {
  readonly id: string
  readonly flow: string
  readonly state: RunState
  readonly result: unknown
  readonly error: Rejection | undefined
  readonly body: string | undefined
}
