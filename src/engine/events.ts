// Events of items: what hooks and listeners get.
import type { ShownKey } from '../plan/key.ts'

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
  /** Keys of the affected items, where they are known. */
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

/** Change of items. */
export type ItemChange = Omit<HookEvent, 'engine'>

/** The key under which an event holds the engine of its call, as only our own hooks use it: hosts that are given one may run anything. */
export const insideOf: unique symbol = Symbol('engine of an event')

/** Returns the engine of the call that an event belongs to, as only Quernel uses it; undefined outside of hooks. */
export const insideIn = (event: object): unknown => Reflect.get(event, insideOf)

/** Returns what has caused an event; undefined if that is the host. */
export const causeIn = (event: object): unknown => Object(insideIn(event)).cause
