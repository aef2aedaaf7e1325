/** The property under which a connection of ours has its raw connection. */
export const rawConnection: unique symbol = Symbol.for('quernel.line')

/** The raw connection beneath a connection of Kysely. */
export interface RawConnection {
  /** Closes it for good: waiting queries are rejected with the reason, and its pool opens another one in its place. */
  close(reason: Error): void
  /** Returns the reason for which it was closed, or is going to be. Absent = that is not known. */
  readonly closedBy?: () => unknown
  /** True if the driver reports a commit that the server answered with a rollback as an error. Absent = it goes unnoticed. */
  readonly reportsRollbacks?: true
  /** True if the server has last said that a transaction is open and has not failed, and runs nothing. Absent or false = it has to be asked. */
  readonly isInTransaction?: () => boolean
  /** Requests cancellation by a path of its own; resolves to true if it is certain to hit nothing that runs
   *  later. Absent = there is no such path. */
  readonly cancel?: () => PromiseLike<boolean>
}
