// Databases whose k-th step is late: it reaches the database after a while, or its answer is heard after a while. Nothing fails.
import type { Kysely } from 'kysely'
import type { AnyTables, TestDatabase } from '../../support/databases.ts'

/** `sent`: the database gets the step late. `heard`: the step is done in time, and its answer comes late. */
export type Lateness = 'sent' | 'heard'

export interface Delay {
  /** The place of the late step among all from now on. */
  readonly at: number
  readonly how: Lateness
  readonly milliseconds: number
  /** Called when the delay begins. */
  readonly onBegin?: () => void
}

/** What is known of the late step once all is over. */
export interface LateStep {
  /** True if it was a commit, or a statement that is a transaction by itself. */
  readonly commits: boolean
}

export interface Late {
  readonly db: Kysely<AnyTables>
  delay(delay: Delay): void
  /** Waits until the late answer is in and everything has settled, and says what was late; undefined if there were fewer steps. What does not
   *  settle is a leak. */
  settle(): Promise<LateStep | undefined>
  /** Statements that ran on connections which went back to the pool meanwhile, since the last time. */
  returnedAtWork(): readonly string[]
  /** Runs a statement beside. */
  look(text: string): Promise<readonly Record<string, unknown>[]>
  close(): Promise<void>
}

export interface LateLane {
  readonly title: string
  readonly name: TestDatabase['name']
  /** How many databases are opened, on which somebody waits at the same time. */
  readonly worlds: number
  readonly hasTimeouts: boolean
  /** True if the answer to a begin is waited for, as a part of the wait for a connection, and not that to the first statement alone. */
  readonly awaitsBegin: boolean
  open(): Promise<Late>
}
