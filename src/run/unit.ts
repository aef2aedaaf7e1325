// What happens together: a transaction, or a savepoint in one. Its parts run one after the other, since savepoints lie inside each other.
export class Unit<Event = unknown> {
  #last: Promise<unknown> = Promise.resolve()
  #events: Event[] = []

  /** After everything that was begun in this unit before. */
  async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return turn
  }

  tell(events: readonly Event[]): void {
    for (const event of events) this.#events.push(event)
  }

  /** What is to be told once all of it is certain. */
  take(): readonly Event[] {
    const events = this.#events
    this.#events = []
    return events
  }
}
