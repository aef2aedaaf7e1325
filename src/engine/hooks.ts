// Hooks that run before an item is read or written, before its commit, and after it.
import { anything, checkOptions, optionNames } from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
import { suggestion } from '../errors/suggest.ts'
import { attempt, type ErrorListener } from '../execution/report-errors.ts'
import type { UnheardRows } from '../execution/transaction/unreported-rows.ts'
import type { Schema } from '../schema/model.ts'
import { type EventName, eventNames, type HookEvent, type ItemChange } from './events.ts'
import { type CommittedChange, Listeners } from './listeners.ts'

/** A hook. Before the event it may return another payload (before a read: another query), or refuse by throwing; before the commit it may
 *  undo the call by throwing. */
export type Hook<Inside> = (happening: HookEvent<Inside>) => unknown

/** Change with the engine inside the transaction that made it, and with what only listeners receive. */
export interface QueuedEvent<Inside = unknown> extends ChangeDetails {
  readonly change: ItemChange
  readonly engine: Inside
}

/** Details of a change for listeners, beside the event. */
export type ChangeDetails = Partial<Pick<CommittedChange, 'fields' | 'before'>>

const moments = ['before', 'beforeCommit', 'after'] as const
/** Moment of a hook: before the event, before the commit of what was written, or after the commit. */
type Moment = (typeof moments)[number]

interface Registered<Inside> {
  readonly event: EventName
  readonly collection: string | undefined
  readonly when: Moment
  readonly hook: Hook<Inside>
  /** Name of a hook that has the last word. */
  readonly guard?: string
}

type CollectionHooks<Inside> = Readonly<
  Record<Moment, Readonly<Partial<Record<EventName, readonly Hook<Inside>[]>>>>
>

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
  if (typeof input.at(-1) === 'function') throw lacksMoment()
  const [collection, hook, options] = input.length > 2 ? input : [undefined, ...input]
  if (collection !== undefined && !collections.has(String(collection)))
    throw fault('INVALID_OPTIONS', `There is no collection ${quote(collection)}.`)
  checkOptions(options, hookOptions)
  return [event, collection, hook, Reflect.get(Object(options), 'when')]
}

const lacksMoment = () =>
  fault('INVALID_OPTIONS', 'The options of a hook stand behind its function, and are missing.', {
    path: ['when'],
    hint: `Write { when: 'before' }, 'beforeCommit' or 'after'.`,
  })

export class Hooks<Inside = unknown> {
  #registered: readonly Registered<Inside>[] = []
  /** The hooks of each collection that were looked up since one was added or removed. */
  readonly #known = new Map<string, CollectionHooks<Inside> | null>()
  readonly listeners = new Listeners()

  add(event: string, collection: string | undefined, hook: Hook<Inside>, when: unknown): () => void {
    if (!isEvent(event))
      throw fault('INVALID_OPTIONS', `There is no event ${quote(event)}.`, {
        hint: suggestion(event, eventNames),
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
    this.#put(one)
    return () => {
      this.#registered = this.#registered.filter((other) => other !== one)
      this.#known.clear()
    }
  }

  /** Adds a hook that has the last word before an event, whenever others are added, for as long as the engine lives. One of the same name takes its
   *  place. */
  addGuard(guard: string, event: EventName, collection: string, hook: Hook<Inside>): void {
    this.#registered = this.#registered.filter((one) => one.guard !== guard || one.event !== event)
    this.#put({ event, collection, hook, when: 'before', guard })
  }

  /** True if a guard watches what is written of a collection. */
  isGuarded(name: string): boolean {
    return this.#registered.some(({ guard, collection }) => guard !== undefined && collection === name)
  }

  #put(one: Registered<Inside>): void {
    const all = [...this.#registered, one]
    const isLast = ({ guard }: Registered<Inside>) => guard !== undefined
    this.#registered = [...all.filter((other) => !isLast(other)), ...all.filter(isLast)]
    this.#known.clear()
  }

  of(when: Moment, event: EventName, collection: string): readonly Hook<Inside>[] {
    if (this.#registered.length === 0) return nobody
    // Each write asks several times.
    const known = this.#known.get(collection)
    const hooks = known === undefined ? this.#look(collection) : known
    return hooks === null ? nobody : (hooks[when][event] ?? nobody)
  }

  /** Returns the hooks of a collection; null if it has none. */
  #look(collection: string): CollectionHooks<Inside> | null {
    const all = this.#registered.filter(
      (one) => one.collection === undefined || one.collection === collection,
    )
    const at = (when: Moment) => {
      const hooks: Partial<Record<EventName, readonly Hook<Inside>[]>> = {}
      for (const one of all) if (one.when === when) hooks[one.event] = [...(hooks[one.event] ?? []), one.hook]
      return hooks
    }
    const found =
      all.length === 0 ? null : { before: at('before'), beforeCommit: at('beforeCommit'), after: at('after') }
    this.#known.set(collection, found)
    return found
  }

  /** True if a "before" hook is registered for writes, nested ones included. */
  get runOnWrites(): boolean {
    return this.#registered.some(({ when, event }) => when === 'before' && event !== 'items.read')
  }

  /** True if a hook for what is written or a listener is registered for the event. */
  isHeard(event: EventName, collection: string): boolean {
    return (
      this.listeners.want(event, collection) ||
      this.of('after', event, collection).length > 0 ||
      this.of('beforeCommit', event, collection).length > 0
    )
  }

  /** True if the event takes a transaction: for hooks before the commit, or for values that are read before the write. */
  takesTransaction(event: EventName, collection: string): boolean {
    return (
      this.of('beforeCommit', event, collection).length > 0 ||
      this.listeners.oldFields(event, collection).length > 0
    )
  }

  /** Runs the "after" hooks for committed changes, without a promise if there are none. An error in one of them is reported and does not keep the
   *  others from running. */
  announce<Queued>(
    events: readonly QueuedEvent<Queued>[],
    outsideOf: (engine: Queued) => Inside,
    onError: OnError,
  ): Promise<void> | undefined {
    const isHooked = events.some(({ change }) => this.of('after', change.event, change.collection).length > 0)
    return isHooked ? this.#runAfter(events, outsideOf, onError) : undefined
  }

  async #runAfter<Queued>(
    events: readonly QueuedEvent<Queued>[],
    outsideOf: (engine: Queued) => Inside,
    onError: OnError,
  ): Promise<void> {
    // Off the stack of the commit: what a hook writes has hooks, too, and a chain of them would end the stack.
    await undefined
    for (const { change, engine: inside } of events) {
      const hooks = this.of('after', change.event, change.collection)
      if (hooks.length === 0) continue
      const engine = outsideOf(inside)
      for (const hook of hooks) await attempt(() => hook({ ...change, engine }), change, onError)
    }
  }

  /** Notifies listeners of changes that are committed, or may be. */
  notify(
    events: readonly QueuedEvent[],
    unheard: readonly UnheardRows[],
    isDoubtful: boolean,
    onError: OnError,
  ): void {
    const { listeners } = this
    if (listeners.isEmpty) return
    const changes: CommittedChange[] = []
    for (const event of events) changes.push(committedChange(event, isDoubtful))
    for (const rows of unheard) changes.push(lateChange(rows, isDoubtful))
    listeners.notify(changes, onError)
  }
}

/** The change as listeners get it: written out, because a copy takes longer than a small write. */
const committedChange = ({ change, fields, before }: QueuedEvent, isDoubtful: boolean): CommittedChange => ({
  event: change.event,
  collection: change.collection,
  keys: change.keys,
  payload: change.payload,
  query: change.query,
  items: change.items,
  user: change.user,
  at: change.at,
  fields,
  before,
  isDoubtful,
})

/** The change of rows that were written without a listener. */
const lateChange = ({ event, collection, keys }: UnheardRows, isDoubtful: boolean): CommittedChange => ({
  event,
  collection,
  keys: keys?.flatMap((shown) => shown()),
  payload: undefined,
  query: undefined,
  items: undefined,
  user: undefined,
  at: new Date(),
  fields: undefined,
  before: undefined,
  isDoubtful,
})

const nobody: readonly never[] = []

export type OnError = ErrorListener<ItemChange>

const isMoment = (when: unknown): when is Moment => moments.some((name) => name === when)

const isEvent = (event: string): event is EventName => eventNames.some((name) => name === event)
