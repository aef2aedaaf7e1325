import type { Engine } from '../../engine/engine.ts'
import type { EventName } from '../../engine/events.ts'
import { type Key, readKey, type ShownKey } from '../../plan/key.ts'
import type { Collection } from '../../schema/model.ts'

/** Reports changes to a feed. A report means "look again": a change that was none costs one look, and one that is not reported is not seen. */
export interface Source {
  /** Says that the source reports what the engine writes, and nothing that the database does by itself. */
  readonly tells?: 'own writes'
  /** True if a read that begins after a position reports all that came after it, or says that it is broken: then nothing is missed while a source is
   *  away. Absent = everything is read again when it is back. */
  readonly resumes?: true
  /** Begins to report. Its first batch says that it listens: it may have no changes. `after`: the last position that was reported;
   *  undefined at the beginning. */
  readonly read: (after: SourcePosition | undefined, context: SourceContext) => AsyncIterable<SourceBatch>
}

/** A place in the changes of a source. Numbers grow; if one does not, something was missed. */
export type SourcePosition = number | string

/** Changes that are committed, and the position behind them. */
export interface SourceBatch {
  readonly position: SourcePosition
  readonly changes: readonly SourceChange[]
  /** True if changes may have been missed: everything is looked at again. */
  readonly isBroken?: boolean
  /** The collections whose changes the source does not all report: their subscriptions are refused until a batch leaves them out. Absent = those of
   *  the batch before; at first none. */
  readonly blind?: readonly BlindCollection[]
}

/** A collection whose changes a source does not all report. */
export interface BlindCollection {
  readonly collection: string
  /** The reason, in words that stand behind the name of the collection. */
  readonly reason: string
}

/** Operation by which an item was written. */
export type WriteOperation = 'create' | 'update' | 'delete'

/** A change of some items of a collection. */
export interface SourceChange {
  readonly collection: string
  /** Operation by which the items were written, where it is known: sockets send it. */
  readonly operation?: WriteOperation | undefined
  /** Keys of the items, as results show them. Undefined: any items. */
  readonly keys?: readonly ShownKey[] | undefined
  /** Names of the written fields. Undefined where it is not known which. */
  readonly fields?: readonly string[] | undefined
  /** Values of the items before the change, where the feed wants them, in the order of the keys: null for one that is new, undefined where it is not
   *  known. */
  readonly before?: readonly (Readonly<Record<string, unknown>> | null | undefined)[] | undefined
  /** True if it is not known whether the change is stored, or will be. */
  readonly isDoubtful?: boolean
}

/** Returns what a change has done to the item at a place of its keys: one that was nothing before is new. */
export const operationAt = ({ operation, before }: SourceChange, at: number): WriteOperation =>
  operation ?? (before?.[at] === null ? 'create' : 'update')

/** The feed as its source knows it. */
export interface SourceContext {
  readonly engine: Engine
  /** False if a collection is not watched; a list of the fields whose values before the change show which lists depended on an item. */
  readonly wants: (event: EventName, collection: string) => boolean | readonly string[]
  /** Aborted when the source is no longer read. */
  readonly signal: AbortSignal
  /** Receives warnings for the host that are not errors. */
  readonly onError: (error: unknown) => unknown
}

/** Returns the keys of the items of a change; undefined if these may be any. A key that cannot be read may mean any item. */
export function itemsOf({ keys }: SourceChange, collection: Collection): readonly Key[] | undefined {
  const read = keys?.map((shown) => readKey(collection, shown))
  const found = read?.filter((key) => key !== undefined)
  return found?.length === keys?.length ? found : undefined
}
