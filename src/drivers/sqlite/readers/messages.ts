// Messages between a process and its threads that read.

/** Settings with which a thread begins. */
export interface ThreadSettings extends ReaderSettings {
  /** Not 0 once the statement that runs is abandoned. */
  readonly flag: Int32Array
  /** Name of the function of SQL that looks at it. It is drawn, so that no other SQL names it. */
  readonly guard: string
}

export interface ReaderSettings {
  readonly path: string
  /** Files from which a driver is looked for, in this order. */
  readonly places: readonly string[]
  readonly statements?: number | undefined
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
