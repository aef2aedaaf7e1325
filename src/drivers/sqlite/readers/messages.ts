// Messages between a process and its threads that read.
import type { MessagePort } from 'node:worker_threads'

/** Place of the signal that is not 0 once the statement that runs is abandoned, which ends it. */
export const abandoned = 0

/** Place of the signal that is not 0 once there is a statement for the thread. */
export const called = 1

/** Settings with which a thread begins. */
export interface ThreadSettings extends ReaderSettings {
  /** Two numbers that the process and the thread share. */
  readonly signals: Int32Array
  /** Port from which the thread takes its statements. */
  readonly port: MessagePort
  /** Name of the function of SQL that looks at the first of them. It is drawn, so that no other SQL names it. */
  readonly guard: string
}

export interface ReaderSettings {
  readonly path: string
  /** Files from which a driver is looked for, in this order. */
  readonly places: readonly string[]
  /** Module of better-sqlite3. Absent = whichever driver is found. */
  readonly driver?: string
  readonly statements?: number
}

export interface PoolSettings extends ReaderSettings {
  readonly threads: number
}

export interface ReaderStatement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** An error of a thread. It loses its class on the way, and the members by which drivers report what is wrong. */
export interface ReaderFailure {
  readonly error: unknown
  readonly name: unknown
  readonly code: unknown
  readonly errcode: unknown
  readonly errstr: unknown
}

/** A message of a thread: that it is ready or why it cannot be, or how its statement has ended. */
export type ReaderMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'unfit'; readonly lacks: 'driver'; readonly failure: ReaderFailure }
  | { readonly kind: 'unfit'; readonly lacks: 'wal'; readonly journal: string }
  | { readonly kind: 'rows'; readonly rows: unknown[] }
  | { readonly kind: 'failed'; readonly failure: ReaderFailure }
