/** Under this property a connection of ours tells what is beneath it. */
export const beneath: unique symbol = Symbol.for('quernel.line')

/** What is beneath a connection. */
export interface RawConnection {
  /** Ends it for good: who waits for an answer of it is told the reason, and its pool opens another one in its place. */
  close(reason: Error): void
  /** Asks the server, by a way of its own, to end what the connection runs; answers whether that is certain to hit nothing that is run
   *  later. Absent = there is no such way. */
  readonly cancel?: () => PromiseLike<boolean>
}
