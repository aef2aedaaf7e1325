// A list that is read again and again, by whoever wants to know what has changed in it.

import { isDeepStrictEqual } from 'node:util'
import type { EngineInternals } from '../../engine/engine.ts'
import { fault } from '../../errors/errors.ts'
import { type Key, keyIdentity, requireKey, type ShownKey, shownKeyOf, storedKey } from '../../plan/key.ts'
import { keyName } from '../../plan/read/by-key.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import type { Touches } from '../../plan/touches.ts'
import { type PreparedRead, prepare } from '../../prepared/prepare.ts'
import { isStored, keyFieldsOf } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { needsCallerVariables, withCallerVariables } from '../caller-variables.ts'
import { collectionsIn } from './collections-in.ts'
import { readList } from './read-list.ts'
import { listRequest } from './read-request.ts'

/** What is read of a list: its page, or all items of which it shows one, in its order. */
export type WatchedPart = 'watched' | 'members'

/** An item of a list, and its key. */
export interface WatchedItem {
  /** Equal for equal keys of the collection. */
  readonly identity: string
  readonly key: ShownKey
  readonly item: object
}

/** A list at a moment. */
export interface WatchedState {
  readonly items: readonly WatchedItem[]
  /** The groups, if it is a list of groups, which have no keys. */
  readonly groups: readonly unknown[] | undefined
}

/** What is read of which collection. */
export interface WatchedRequest {
  readonly collection: string
  readonly query: Readonly<Record<string, unknown>>
  readonly part: WatchedPart
}

/** Reads a list. It refuses what a list of items refuses, and a list of items without a key. `before` gets the collections, and their fields, on
 *  which the answer depends, before it is read. */
export async function readWatched(
  engine: EngineInternals,
  request: WatchedRequest,
  before: (touches: Touches) => Promise<void>,
): Promise<WatchedState> {
  const { query } = request
  let scoped = await withCallerVariables(engine, query)
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const prepared = prepareWatched(scoped, request)
    await before(collectionsIn(scoped, prepared.template.list, query))
    const state = await stateOf(scoped, prepared)
    if (!needsCallerVariables(engine, query)) return state
    // Rows of now under variables of before would be a state that there never was.
    const now = await withCallerVariables(engine, query)
    if (isDeepStrictEqual(variablesOf(scoped), variablesOf(now))) return state
    scoped = now
  }
  throw fault('SERVICE_UNAVAILABLE', 'The rights of this caller change all the time.', { hint: 'Try again.' })
}

const mostAttempts = 10

const variablesOf = ({ scope }: EngineInternals): unknown => [
  scope?.caller.variables,
  scope?.ruleCaller.variables,
]

/** Refuses what `readWatched` refuses, as far as it is known without the database. */
export const checkWatched = (engine: EngineInternals, request: WatchedRequest): ListPlan =>
  prepareWatched(engine, request).template.list

function prepareWatched(engine: EngineInternals, { collection, query, part }: WatchedRequest): PreparedRead {
  const request = listRequest(engine, collection, query, part)
  if (!isGroupQuery(request.query)) requireKey(request.collection)
  return prepare(request, engine)
}

const isGroupQuery = (query: Readonly<Record<string, unknown>>): boolean =>
  query.aggregate !== undefined || query.groupBy !== undefined

async function stateOf(engine: EngineInternals, prepared: PreparedRead): Promise<WatchedState> {
  const { collection, rows } = prepared.template.list
  const { data } = await readList(engine, prepared, {})
  if (rows.kind !== 'items') return { items: [], groups: data }
  return {
    groups: undefined,
    items: data.filter(isRecord).map(({ [keyName]: shown, ...item }) => {
      const key: Key = storedKey(collection, shown)
      return { identity: keyIdentity(key), key: shownKeyOf(collection, key), item }
    }),
  }
}

/** True if a caller sees the key of every row. */
export const showsKey = ({ collection }: Pick<ListPlan, 'collection'>): boolean =>
  keyFieldsOf(collection).every(({ name, column }) => {
    const shown = collection.fields.get(name)
    // Where only some rows show a field, it has a column of its own.
    return shown !== undefined && isStored(shown) && shown.column === column
  })
