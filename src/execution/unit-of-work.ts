// What happens together: a transaction, or a savepoint in one. Its parts run one after the other, since savepoints lie inside each other.
import { TransactionState } from './transaction-state.ts'

export class UnitOfWork<Event = unknown> {
  readonly course: TransactionState
  #last: Promise<unknown> = Promise.resolve()
  #events: Event[] = []
  #consequences: Consequence[] = []

  constructor(around?: UnitOfWork<Event>) {
    this.course = new TransactionState(around?.course)
  }

  /** After everything that was begun in this unit before. */
  async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return turn
  }

  tell(events: readonly Event[]): void {
    for (const event of events) this.#events.push(event)
  }

  /** Remembers what has to wait until it is certain what becomes of all this. */
  follow(consequences: readonly Consequence[]): void {
    for (const one of consequences) this.#consequences.push(one)
  }

  /** What is to be told once all of it is certain. */
  take(): readonly Event[] {
    const events = this.#events
    this.#events = []
    return events
  }

  /** What has waited. */
  takeConsequences(): readonly Consequence[] {
    const consequences = this.#consequences
    this.#consequences = []
    return consequences
  }
}

/** What is done outside of the database, where nothing can be rolled back. */
export interface Consequence {
  /** Once everything is committed. */
  readonly done?: () => Promise<void>
  /** When nothing of it is going to happen. */
  readonly undone?: () => Promise<void>
}
