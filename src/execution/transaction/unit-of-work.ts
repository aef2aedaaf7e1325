// Unit of work: a transaction, or a savepoint in one. Its parts run one after the other, because savepoints are nested.
import type { HostDatabase } from '../../dialects/host.ts'
import type { Soon } from '../soon.ts'
import { TransactionState } from './transaction-state.ts'
import { type UnheardRows, UnheardWrites } from './unreported-rows.ts'

export class UnitOfWork<Event = unknown> {
  readonly state: TransactionState
  /** Undefined while a part has not come to its first wait. */
  #last: Promise<unknown> | undefined
  /** Lets those begin that wait for such a part. */
  #waits: ((over: Promise<void> | undefined) => void) | undefined
  #parts = 0
  #events: Event[] = []
  #unsettled: Event[] = []
  #closings: WorkBeforeCommit<Event>[] = []
  #consequences: Consequence[] = []
  #unheard: UnheardWrites | undefined
  /** The number of hooks before a commit that have caused each other, down to what is written now. */
  depth: number
  /** True if its parts are no savepoints, so that a failure ends all of it: for callers that repeat all of it then. */
  joinsParts = false
  /** True if it is made again to find the item that the database refuses. */
  isHalving: boolean

  constructor(around?: UnitOfWork<Event>) {
    this.isHalving = around?.isHalving ?? false
    this.state = new TransactionState(around?.state)
    this.depth = around?.depth ?? 0
  }

  /** Runs work after all work that was begun in this unit before: at once if there is none. */
  inTurn<Result>(work: () => Soon<Result>): Soon<Result> {
    const done = () => void this.#parts--
    if (this.#parts++ > 0) {
      this.#last ??= new Promise<void>((resolve) => {
        this.#waits = resolve
      })
      const turn = this.#last.then(work)
      this.#last = turn.then(done, done)
      return turn
    }
    this.#last = undefined
    let begun: Soon<Result> | undefined
    try {
      begun = work()
      return begun
    } finally {
      const over = begun instanceof Promise ? begun.then(done, done) : done()
      this.#last ??= over
      this.#waits?.(over)
      this.#waits = undefined
    }
  }

  /** True while a part is at work, or waits for its turn. */
  get isBusy(): boolean {
    return this.#parts > 0
  }

  /** Waits for the parts that were begun, whether or not anything else does. */
  async whenIdle(): Promise<void> {
    while (this.isBusy) await this.#last
  }

  /** Adds an event. `isUnsettled`: hooks run for it before the commit. */
  addEvent(event: Event, isUnsettled: boolean): void {
    this.#events.push(event)
    if (isUnsettled) this.#unsettled.push(event)
  }

  /** True if hooks are to run before the commit. */
  get isUnsettled(): boolean {
    return this.#unsettled.length > 0
  }

  /** Adds work that is done once, behind the hooks before the commit. */
  addClosing(closing: WorkBeforeCommit<Event>): void {
    this.#closings.push(closing)
  }

  takeClosings(): readonly WorkBeforeCommit<Event>[] {
    if (this.#closings.length === 0) return none
    const closings = this.#closings
    this.#closings = []
    return closings
  }

  /** Adds work that waits until the outcome of the transaction is certain. */
  addConsequences(consequences: readonly Consequence[]): void {
    for (const one of consequences) this.#consequences.push(one)
  }

  /** Takes over what a part has left that has succeeded. */
  include(part: UnitOfWork<Event>): void {
    for (const event of part.takeEvents()) this.#events.push(event)
    for (const event of part.takeUnsettled()) this.#unsettled.push(event)
    for (const closing of part.takeClosings()) this.#closings.push(closing)
    this.addConsequences(part.takeConsequences())
    if (part.#unheard) this.unheard.include(part.#unheard)
  }

  /** The rows that were written without a listener. */
  get unheard(): UnheardWrites {
    this.#unheard ??= new UnheardWrites()
    return this.#unheard
  }

  takeUnheard(): readonly UnheardRows[] {
    return this.#unheard?.take() ?? none
  }

  /** Returns and removes the events to emit once the transaction is committed. */
  takeEvents(): readonly Event[] {
    const events = this.#events
    this.#events = []
    return events
  }

  /** Returns and removes the events for which hooks are still to run before the commit. */
  takeUnsettled(): readonly Event[] {
    if (!this.isUnsettled) return none
    const events = this.#unsettled
    this.#unsettled = []
    return events
  }

  get hasConsequences(): boolean {
    return this.#consequences.length > 0
  }

  /** Returns and removes the waiting consequences. */
  takeConsequences(): readonly Consequence[] {
    const consequences = this.#consequences
    this.#consequences = []
    return consequences
  }
}

const none: readonly never[] = []

/** Work in a transaction, by its connection. */
export type WorkBeforeCommit<Event> = (db: HostDatabase, unit: UnitOfWork<Event>) => Promise<void>

/** An effect outside of the database, where nothing can be rolled back. */
export interface Consequence {
  /** Runs after everything is committed. */
  readonly done?: () => Promise<void>
  /** Runs if nothing is going to be committed. */
  readonly undone?: () => Promise<void>
}
