// Readers of a database: threads that run some of its statements, so that its process goes on meanwhile.
import type { HostDatabase } from '../host.ts'

/** The property under which a Kysely adapter of ours has its readers. */
export const readersKey: unique symbol = Symbol.for('quernel.readers')

export interface StatementPlace {
  /** The reason for which it goes to a reader; undefined if it stays. */
  readonly reason: string | undefined
  /** True if it may go once it has been slow, so that the time of each run is noted. */
  readonly isTimed: boolean
}

/** Readers of a database, and the statements that go to them. */
export interface Readers {
  /** Database of the readers. */
  readonly db: HostDatabase
  /** Readers that run every statement, for streams and exports. */
  readonly forStreams: Readers
  /** Returns where a statement runs; undefined if nothing is known of it now, and it stays. */
  placeOf(sql: string, parameters: readonly unknown[]): StatementPlace | undefined
  /** Notes how long a statement took that stayed. */
  note(sql: string, milliseconds: number): void
  /** True for the error of a statement that a reader cannot run, which stays from then on. */
  cannotRun(sql: string, error: unknown): boolean
}

/** Returns the readers of a database; undefined until it is open. */
export type FindReaders = () => Readers | undefined

export function readersOf(db: HostDatabase): FindReaders | undefined {
  const { adapter } = db.getExecutor()
  return hasReaders(adapter) ? adapter[readersKey] : undefined
}

const hasReaders = (adapter: object): adapter is { readonly [readersKey]: FindReaders | undefined } =>
  readersKey in adapter
