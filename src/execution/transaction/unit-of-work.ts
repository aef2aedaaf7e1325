// Unit of work: a transaction, or a savepoint in one. Its parts run one after the other, because savepoints are nested.
import { TransactionState } from './transaction-state.ts'

export class UnitOfWork<Event = unknown> {
  readonly state: TransactionState
  #last: Promise<unknown> = Promise.resolve()
  #events: Event[] = []
  #consequences: Consequence[] = []

  constructor(around?: UnitOfWork<Event>) {
    this.state = new TransactionState(around?.state)
  }

  /** Runs work after all work that was begun in this unit before. */
  async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return turn
  }

  addEvents(events: readonly Event[]): void {
    for (const event of events) this.#events.push(event)
  }

  /** Adds work that waits until the outcome of the transaction is certain. */
  addConsequences(consequences: readonly Consequence[]): void {
    for (const one of consequences) this.#consequences.push(one)
  }

  /** Returns and removes the events to emit once the transaction is committed. */
  takeEvents(): readonly Event[] {
    const events = this.#events
    this.#events = []
    return events
  }

  /** Returns and removes the waiting consequences. */
  takeConsequences(): readonly Consequence[] {
    const consequences = this.#consequences
    this.#consequences = []
    return consequences
  }
}

/** An effect outside of the database, where nothing can be rolled back. */
export interface Consequence {
  /** Runs after everything is committed. */
  readonly done?: () => Promise<void>
  /** Runs if nothing is going to be committed. */
  readonly undone?: () => Promise<void>
}
