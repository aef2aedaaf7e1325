// One call of a verb that writes: where it writes, who does it and when, and what was found wrong so far.
import { randomUUID } from 'node:crypto'
import type { Engine } from '../engine.ts'
import type { Change, EventName } from '../hooks.ts'
import type { Occasion } from '../plan/complete.ts'
import type { Storable } from '../plan/stored-value.ts'
import type { Problems } from '../problems.ts'
import type { Options } from '../run/execute.ts'
import type { Collection } from '../schema/model.ts'
import { ProblemsOnce } from './problems-once.ts'
import { keyAnswer } from './rows.ts'

export interface Writing {
  readonly engine: Engine
  readonly options: Options
  readonly occasion: Occasion
  readonly problems: Problems
  /** The keys of all items that the call names, as texts. */
  readonly named: Map<Collection, Set<string>>
}

export function newWriting(engine: Engine, options: Options): Writing {
  return {
    engine,
    options,
    occasion: { now: engine.clock(), user: undefined, newId: randomUUID },
    problems: new ProblemsOnce('INVALID_PAYLOAD'),
    named: new Map(),
  }
}

/** What handlers are asked about something that is about to be done, or told of something that was. */
export function changeOf(
  { occasion }: Writing,
  event: EventName,
  collection: Collection,
  keys: readonly Storable[],
  payload?: Change['payload'],
): Change {
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
export function remember(writing: Writing, change: Change): void {
  const { hooks, unit } = writing.engine
  if (hooks.isHeard(change.event, change.collection)) unit?.tell([change])
}

/** Asks the handlers; each sees what the one before made of the payload. */
export async function ask(writing: Writing, change: Change): Promise<Change['payload']> {
  let { payload } = change
  for (const handler of writing.engine.hooks.of('before', change.event, change.collection)) {
    const answer = await handler({ ...change, payload, engine: writing.engine })
    if (typeof answer === 'object' && answer !== null) payload = { ...answer }
  }
  return payload
}
