// Hooks that run before an item is read or written, before its commit, and after it.
import { anything, checkOptions, optionNames } from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
import { nearest } from '../errors/suggest.ts'
import { attempt, type Hears } from '../execution/report-errors.ts'
import type { ShownKey } from '../plan/key.ts'
import type { Schema } from '../schema/model.ts'

export const eventNames = [
  'items.create',
  'items.update',
  'items.delete',
  'items.read',
  'items.promote',
] as const
/** Events for which hooks can be registered. */
export type EventName = (typeof eventNames)[number]

/** Event that is passed to a hook. */
export interface HookEvent<Inside = unknown> {
  readonly event: EventName
  readonly collection: string
  /** Keys of the affected items, as far as they are known. */
  readonly keys: readonly ShownKey[]
  /** Data to write, as it was given. */
  readonly payload: Readonly<Record<string, unknown>> | undefined
  /** Query of a read. */
  readonly query: object | undefined
  /** Items that were read, unless they were returned as JSON text or as a stream. */
  readonly items: readonly unknown[] | undefined
  /** Key of the user who causes the event. */
  readonly user: string | number | null | undefined
  readonly at: Date
  /** Before, and before the commit: the engine inside the transaction. After: one outside of it. */
  readonly engine: Inside
}

/** A hook. Before the event it may return another payload (before a read: another query), or refuse by throwing; before the commit it may
 *  undo the call by throwing. */
export type Hook<Inside> = (happening: HookEvent<Inside>) => unknown

/** Change of items, for listeners to all changes. */
export type ItemChange = Omit<HookEvent, 'engine'>

/** Change with the engine inside the transaction that made it. */
export interface QueuedEvent<Inside = unknown> {
  readonly change: ItemChange
  readonly engine: Inside
}

const moments = ['before', 'beforeCommit', 'after'] as const
/** Moment of a hook: before the event, before the commit of what was written, or after the commit. */
type Moment = (typeof moments)[number]

interface Registered<Inside> {
  readonly event: EventName
  readonly collection: string | undefined
  readonly when: Moment
  readonly hook: Hook<Inside>
}

/** Options of a hook. */
export interface HookOptions {
  /** `before` may change or refuse the event, and may be called again in the same transaction. `beforeCommit` is called once the rows are stored,
   *  in their transaction, which it undoes by throwing. `after` is called once they are committed. */
  readonly when: Moment
}

const hookOptions = optionNames<HookOptions>({ when: anything })

/** Returns the arguments of `on`, of which the collection may be left out, in the order in which hooks are added. */
export function hookInput(
  [event, ...input]: readonly unknown[],
  { collections }: Pick<Schema, 'collections'>,
): readonly unknown[] {
  const [collection, hook, options] = input.length > 2 ? input : [undefined, ...input]
  if (collection !== undefined && !collections.has(String(collection)))
    throw fault('INVALID_OPTIONS', `There is no collection ${quote(collection)}.`)
  checkOptions(options, hookOptions)
  return [event, collection, hook, Reflect.get(Object(options), 'when')]
}

export class Hooks<Inside = unknown> {
  #registered: readonly Registered<Inside>[] = []
  readonly #listeners = new Set<(changes: readonly ItemChange[]) => void>()

  add(event: string, collection: string | undefined, hook: Hook<Inside>, when: unknown): () => void {
    if (!isEvent(event))
      throw fault('INVALID_OPTIONS', `There is no event ${quote(event)}.`, {
        hint: didYouMean(event, eventNames),
      })
    if (!isMoment(when))
      throw fault('INVALID_OPTIONS', `"when" is "before", "beforeCommit" or "after", not ${quote(when)}.`, {
        path: ['when'],
      })
    if (when === 'beforeCommit' && event === 'items.read')
      throw fault('INVALID_OPTIONS', 'A read commits nothing: its hooks run "before" or "after" it.', {
        path: ['when'],
      })
    if (typeof hook !== 'function')
      throw fault('INVALID_OPTIONS', `A hook is a function, not ${quote(hook)}.`)
    const one: Registered<Inside> = { event, collection, hook, when }
    this.#registered = [...this.#registered, one]
    return () => {
      this.#registered = this.#registered.filter((other) => other !== one)
    }
  }

  of(when: Moment, event: EventName, collection: string): readonly Hook<Inside>[] {
    if (this.#registered.length === 0) return nobody
    return this.#registered
      .filter(
        (one) =>
          one.when === when &&
          one.event === event &&
          (one.collection === undefined || one.collection === collection),
      )
      .map(({ hook }) => hook)
  }

  /** True if a "before" hook is registered for writes, nested ones included. */
  get runOnWrites(): boolean {
    return this.#registered.some(({ when, event }) => when === 'before' && event !== 'items.read')
  }

  /** True if a hook for what is written or a listener is registered for the event. */
  isHeard(event: EventName, collection: string): boolean {
    return (
      this.#listeners.size > 0 ||
      this.of('after', event, collection).length > 0 ||
      this.of('beforeCommit', event, collection).length > 0
    )
  }

  listen(listener: (changes: readonly ItemChange[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Runs the hooks and listeners for committed changes. An error in one of them is reported and does not keep the others from running. */
  async announce<Queued>(
    events: readonly QueuedEvent<Queued>[],
    outsideOf: (engine: Queued) => Inside,
    onError: OnError,
  ): Promise<void> {
    for (const { change, engine: inside } of events) {
      const hooks = this.of('after', change.event, change.collection)
      if (hooks.length === 0) continue
      const engine = outsideOf(inside)
      for (const hook of hooks) await attempt(() => hook({ ...change, engine }), change, onError)
    }
    if (events.length === 0) return
    const changes = events.map(({ change }) => change)
    for (const listener of this.#listeners) await attempt(() => listener(changes), changes[0], onError)
  }
}

const nobody: readonly never[] = []

export type OnError = Hears<ItemChange>

const isMoment = (when: unknown): when is Moment => moments.some((name) => name === when)

const isEvent = (event: string): event is EventName => eventNames.some((name) => name === event)

function didYouMean(name: string, legal: Iterable<string>): string | undefined {
  const near = nearest(name, legal)
  return near && `Did you mean "${near}"?`
}
