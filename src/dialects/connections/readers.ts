// Readers of a database: threads that run some of its statements, so that its process goes on meanwhile.
import type { HostDatabase } from '../host.ts'

/** The property under which a Kysely adapter of ours has its readers. */
export const readersKey: unique symbol = Symbol.for('quernel.readers')

/** Readers of a database, and the statements that go to them. */
export interface Readers {
  /** Database of the readers. */
  readonly db: HostDatabase
  /** Readers that run every statement, for streams and exports. */
  readonly forStreams: Readers
  /** Returns why a statement goes to a reader; undefined if it stays. */
  reasonFor(sql: string, parameters: readonly unknown[]): string | undefined
  /** Notes how long a statement took that stayed. */
  note(sql: string, milliseconds: number): void
  /** True for the error of a statement that a reader cannot run, which stays from then on. */
  cannotRun(sql: string, error: unknown): boolean
}

export function readersOf(db: HostDatabase): Readers | undefined {
  const { adapter } = db.getExecutor()
  return hasReaders(adapter) ? adapter[readersKey] : undefined
}

const hasReaders = (adapter: object): adapter is { readonly [readersKey]: Readers | undefined } =>
  readersKey in adapter
