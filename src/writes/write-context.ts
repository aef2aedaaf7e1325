// One call of a verb that writes: where it writes, who does it and when, and what was found wrong so far.
import { randomUUID } from 'node:crypto'
import type { Limited } from '../access/caller-scope.ts'
import type { RuleRead } from '../access/rules.ts'
import type { Engine } from '../engine/engine.ts'
import type { EventName, ItemChange } from '../engine/hooks.ts'
import type { Problems } from '../errors/problems.ts'
import type { Options } from '../execution/database.ts'
import type { WriteMoment } from '../plan/defaults.ts'
import type { RowValidation } from '../plan/judge-row.ts'
import { keyAnswer } from '../plan/shown-value.ts'
import type { Storable } from '../plan/stored-value.ts'
import type { ValidationContext } from '../plan/validate-item.ts'
import type { ItemWrite, Leaving } from '../plan/write-plan.ts'
import type { Collection, ManyToOne } from '../schema/model.ts'
import type { Circumstances } from '../vocabulary/variables.ts'
import { DistinctProblems } from './problem-list.ts'

export interface WriteContext {
  /** What statements run on. It may do everything; what the caller may do is asked before. */
  readonly engine: Engine
  /** The engine that the verb was called with. */
  readonly caller: Engine
  readonly options: Options
  readonly occasion: WriteMoment
  readonly problems: Problems
  /** The keys of all items that the call names, as texts, with the fields by which it hangs them on others. */
  readonly named: Map<Collection, Map<string, Set<ManyToOne | undefined>>>
  /** Children that are taken off an item by this call. */
  leaving: readonly Leaving[]
  /** The updates of those of them that stay. */
  unlinked: ReadonlyMap<Leaving, ItemWrite>
  /** The rules of which one has to allow each item, where there are rules. They fill in the same. */
  readonly allowedBy: Map<ItemWrite, readonly Permit[]>
}

/** A rule that may allow an item, and what of it can be judged only once the item is stored. */
export interface Permit {
  readonly rule: RuleRead
  readonly later: RowValidation | undefined
}

export function newWriteContext(caller: Engine, options: Options): WriteContext {
  return {
    engine: caller.whole(),
    caller,
    options,
    occasion: { now: caller.clock(), user: caller.narrowing?.caller.user, newId: randomUUID },
    problems: new DistinctProblems('INVALID_PAYLOAD'),
    named: new Map(),
    leaving: [],
    unlinked: new Map(),
    allowedBy: new Map(),
  }
}

/** A write of the engine's own, for a caller who need not be allowed to do it. */
export function ownWriteContext(caller: Engine, options: Options): WriteContext {
  const writing = newWriteContext(caller, options)
  return { ...writing, caller: writing.engine }
}

/** The rules for the caller; undefined where everything is allowed. */
export const limitsOf = ({ caller }: WriteContext): Limited | undefined => caller.narrowing?.limits

/** The moment of a write, and who it is that writes. */
export const circumstancesOf = ({ caller, occasion }: WriteContext): Circumstances => ({
  now: occasion.now,
  caller: caller.narrowing?.ruleCaller ?? {},
})

export const contextOf = (writing: WriteContext): ValidationContext => ({
  schema: writing.engine.schema,
  circumstances: circumstancesOf(writing),
  setting: {
    zone: writing.engine.zone,
    negationMatchesNull: writing.engine.negationMatchesNull,
  },
})

/** What handlers are asked about something that is about to be done, or told of something that was. */
export function changeOf(
  { occasion }: WriteContext,
  event: EventName,
  collection: Collection,
  keys: readonly Storable[],
  payload?: ItemChange['payload'],
): ItemChange {
  return {
    event,
    collection: collection.name,
    keys: keys.map((key) => keyAnswer(collection, key)),
    payload,
    query: undefined,
    items: undefined,
    user: occasion.user,
    at: occasion.now,
  }
}

/** Remembers what was done, to be told when it is certain. */
export function remember(writing: WriteContext, change: ItemChange): void {
  const { hooks, unit } = writing.engine
  if (hooks.isHeard(change.event, change.collection)) unit?.tell([{ change, engine: writing.caller }])
}

/** Asks the handlers; each sees what the one before made of the payload. */
export async function ask(writing: WriteContext, change: ItemChange): Promise<ItemChange['payload']> {
  let { payload } = change
  for (const handler of writing.engine.hooks.of('before', change.event, change.collection)) {
    const answer = await handler({ ...change, payload, engine: writing.caller })
    if (typeof answer === 'object' && answer !== null) payload = { ...answer }
    writing.engine.unit?.course.doubt()
  }
  return payload
}
