// Who wants to be asked before something is written or read, and told after it was.
import { fault, quote } from '../errors/errors.ts'
import { nearest } from '../errors/suggest.ts'
import { attempt, type Hears } from '../execution/report-errors.ts'

export const eventNames = [
  'items.create',
  'items.update',
  'items.delete',
  'items.read',
  'items.promote',
] as const
/** What handlers can hear of. */
export type EventName = (typeof eventNames)[number]

/** What a handler is asked or told. */
export interface HookEvent<Inside = unknown> {
  readonly event: EventName
  readonly collection: string
  /** Of the items that it is about, as far as they are known. */
  readonly keys: readonly (string | number)[]
  /** What is written, as it was given. */
  readonly payload: Readonly<Record<string, unknown>> | undefined
  /** What is asked of the items that are read. */
  readonly query: object | undefined
  /** What was read, unless it went out as JSON text or as a stream. */
  readonly items: readonly unknown[] | undefined
  /** The key of the user who does it. */
  readonly user: string | number | null | undefined
  readonly at: Date
  /** Before: the engine of the transaction. After: one outside of it. */
  readonly engine: Inside
}

/** Before something is done, a handler may answer another payload (another query, before a read), or refuse by throwing. */
export type Hook<Inside> = (happening: HookEvent<Inside>) => unknown

/** What was done, for those who listen to everything. */
export type ItemChange = Omit<HookEvent, 'engine'>

/** The same with the engine of whoever did it, inside the transaction. */
export interface QueuedEvent<Inside = unknown> {
  readonly change: ItemChange
  readonly engine: Inside
}

interface Registered<Inside> {
  readonly event: EventName
  readonly collection: string | undefined
  readonly when: 'before' | 'after'
  readonly handler: Hook<Inside>
}

/** When a handler is called. */
export interface HookOptions {
  readonly when: 'before' | 'after'
}

export class Hooks<Inside = unknown> {
  #registered: readonly Registered<Inside>[] = []
  readonly #listeners = new Set<(changes: readonly ItemChange[]) => void>()

  add(event: string, collection: string | undefined, handler: Hook<Inside>, when: unknown): () => void {
    if (!isEvent(event))
      throw fault('INVALID_OPTIONS', `There is no event ${quote(event)}.`, {
        hint: didYouMean(event, eventNames),
      })
    if (when !== 'before' && when !== 'after')
      throw fault('INVALID_OPTIONS', `"when" is "before" or "after", not ${quote(when)}.`, { path: ['when'] })
    if (typeof handler !== 'function')
      throw fault('INVALID_OPTIONS', `A handler is a function, not ${quote(handler)}.`)
    const one: Registered<Inside> = { event, collection, handler, when }
    this.#registered = [...this.#registered, one]
    return () => {
      this.#registered = this.#registered.filter((other) => other !== one)
    }
  }

  of(when: 'before' | 'after', event: EventName, collection: string): readonly Hook<Inside>[] {
    if (this.#registered.length === 0) return nobody
    return this.#registered
      .filter(
        (one) =>
          one.when === when &&
          one.event === event &&
          (one.collection === undefined || one.collection === collection),
      )
      .map(({ handler }) => handler)
  }

  /** Whether anybody is asked before something is written, be it nested. */
  get areAskedOfWrites(): boolean {
    return this.#registered.some(({ when, event }) => when === 'before' && event !== 'items.read')
  }

  /** Whether anybody wants to be told of what is written. */
  isHeard(event: EventName, collection: string): boolean {
    return this.#listeners.size > 0 || this.of('after', event, collection).length > 0
  }

  listen(listener: (changes: readonly ItemChange[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Tells what is certain now. Whoever fails to hear it changes nothing: the others are told all the same. */
  async announce(
    told: readonly QueuedEvent<Inside>[],
    outsideOf: (engine: Inside) => Inside,
    onError: OnError,
  ): Promise<void> {
    for (const { change, engine: inside } of told) {
      const handlers = this.of('after', change.event, change.collection)
      const engine = handlers.length > 0 ? outsideOf(inside) : inside
      for (const handler of handlers) await attempt(() => handler({ ...change, engine }), change, onError)
    }
    if (told.length === 0) return
    const changes = told.map(({ change }) => change)
    for (const listener of this.#listeners) await attempt(() => listener(changes), changes[0], onError)
  }
}

const nobody: readonly never[] = []

export type OnError = Hears<ItemChange>

const isEvent = (event: string): event is EventName => eventNames.some((name) => name === event)

function didYouMean(name: string, legal: Iterable<string>): string | undefined {
  const near = nearest(name, legal)
  return near && `Did you mean "${near}"?`
}
