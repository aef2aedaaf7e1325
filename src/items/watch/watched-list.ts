// A list that is read repeatedly, to find out what has changed in it.

import { isDeepStrictEqual } from 'node:util'
import type { EngineInternals } from '../../engine/engine.ts'
import { fault } from '../../errors/errors.ts'
import { type Key, keyIdentity, readKey, requireKey, type ShownKey, shownKeyOf } from '../../plan/key.ts'
import { keyName } from '../../plan/read/by-key.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import type { Relevant } from '../../plan/relevant-rows.ts'
import type { Touches } from '../../plan/touches.ts'
import { type PreparedRead, pageNow, prepare } from '../../prepared/prepare.ts'
import { isStored, keyFieldsOf } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { needsCallerVariables, withCallerVariables } from '../caller-variables.ts'
import { narrowedShape } from '../read/answer-shape.ts'
import { itemsByKeys } from '../read/read-back.ts'
import { readList } from '../read/read-list.ts'
import { listRequest } from '../read/read-request.ts'
import { collectionsIn, decidingFields, isEntangled, relevantIn } from './collections-in.ts'

/** The part of a list that is read: its page, or all items of which it shows one, in its order. */
type WatchedPart = 'watched' | 'members'

/** An item of a list, and its key. */
export interface WatchedItem {
  /** Equal for equal keys of the collection. */
  readonly identity: string
  /** Undefined if what is stored cannot be a key. */
  readonly key: ShownKey | undefined
  readonly item: object
}

/** A list at a moment. */
export interface WatchedState {
  readonly items: readonly WatchedItem[]
  /** The groups, if it is a list of groups, which have no keys. */
  readonly groups: readonly unknown[] | undefined
}

/** A list of a collection, and the part of it that is read. */
export interface WatchedRequest {
  readonly collection: string
  readonly query: Readonly<Record<string, unknown>>
  readonly part: WatchedPart
}

export interface Dependence {
  readonly touches: Touches
  /** True if a change of an item may change what is answered of others. */
  readonly isEntangled: boolean
  /** True if it depends on variables that are looked up, which may have other values each time. */
  readonly isOfVariables: boolean
  /** Returns the rows of each collection that can change the answer. Rows of others cannot. */
  readonly relevant: () => Relevant
  /** Returns the names of the fields by which an item is listed, and by which it has its place. */
  readonly deciding: () => ReadonlySet<string>
}

/** Reads a list. It refuses what a list of items refuses, and a list of items without a key. `before` gets what the answer depends on, before it is
 *  read. */
export function readWatched(
  engine: EngineInternals,
  request: WatchedRequest,
  before: (dependence: Dependence) => Promise<void>,
): Promise<WatchedState> {
  const { query } = request
  return readSteadily(engine, query, async (scoped) => {
    const prepared = prepareWatched(scoped, request)
    const { list } = prepared.template
    await before({
      touches: collectionsIn(scoped, list, query),
      isEntangled: isEntangled(scoped, list, query),
      isOfVariables: needsCallerVariables(engine, query),
      relevant: () => relevantIn(scoped, request),
      deciding: () => decidingFields(scoped, list, query),
    })
    return stateOf(scoped, prepared)
  })
}

export function readMembers(
  engine: EngineInternals,
  { collection, query }: WatchedRequest,
  keys: readonly Key[],
): Promise<readonly WatchedItem[]> {
  return readSteadily(engine, query, async (scoped) => {
    const shape = narrowedShape(scoped, collection, { query: memberQuery(query) })
    const found = await itemsByKeys(shape, keys, scoped, {})
    return found.map(({ key, item }) => ({
      identity: keyIdentity(key),
      key: shownKeyOf(shape.collection, key),
      item,
    }))
  })
}

/** Returns the part of a query that says which items are members, and how they look. */
export const memberQuery = (query: WatchedRequest['query']): WatchedRequest['query'] =>
  Object.fromEntries(Object.entries(query).filter(([name]) => ofMembers.has(name)))

/** The parameters that say which items are members, and how they look. */
const ofMembers: ReadonlySet<string> = new Set(['fields', 'deep', 'alias', 'backlink', 'filter', 'search'])

/** Reads under the variables of a caller, and again where they have changed meanwhile. */
async function readSteadily<Result>(
  engine: EngineInternals,
  query: object,
  read: (scoped: EngineInternals) => Promise<Result>,
): Promise<Result> {
  let scoped = await withCallerVariables(engine, query)
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const result = await read(scoped)
    if (!needsCallerVariables(engine, query)) return result
    // Rows of now under variables of before would be a state that there never was.
    const now = await withCallerVariables(engine, query)
    if (isDeepStrictEqual(variablesOf(scoped), variablesOf(now))) return result
    scoped = now
  }
  throw fault('SERVICE_UNAVAILABLE', 'The rights of this caller change all the time.', { hint: 'Try again.' })
}

const mostAttempts = 10

const variablesOf = ({ scope }: EngineInternals): unknown => [
  scope?.caller.variables,
  scope?.ruleCaller.variables,
]

/** Returns the plan of a list. It refuses what `readWatched` refuses, where that is known without the database. */
export function checkWatched(engine: EngineInternals, request: WatchedRequest): ListPlan {
  const prepared = prepareWatched(engine, request)
  const { list } = prepared.template
  // Requests that differ in their values share a plan, with the page of the first of them.
  return { ...list, page: pageNow(prepared, list.page) }
}

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
  const nameless = new Map<string, number>()
  return {
    groups: undefined,
    items: data.filter(isRecord).map(({ [keyName]: shown, ...item }) => {
      const key = readKey(collection, shown)
      if (key !== undefined) return { identity: keyIdentity(key), key: shownKeyOf(collection, key), item }
      const text = JSON.stringify(shown ?? null)
      const before = nameless.get(text) ?? 0
      nameless.set(text, before + 1)
      return { identity: `${noKey}${text} ${before}`, key: undefined, item }
    }),
  }
}

/** Identities of rows whose key cannot be read begin with half a sign, which no stored text has. Equal ones, such as those that hold null, are counted. */
const noKey = '\ud800'

/** True if a caller sees a field of every row. */
export function showsField(
  engine: EngineInternals,
  { collection }: Pick<ListPlan, 'collection'>,
  name: string,
): boolean {
  const stored = engine.withOwn().schema.collections.get(collection.name)?.fields.get(name)
  const shown = collection.fields.get(name)
  // A field that only some rows show has a column of its own.
  if (!stored || !shown || !isStored(stored)) return false
  return isStored(shown) && shown.column === stored.column
}

/** True if a caller sees the key of every row. */
export const showsKey = ({ collection }: Pick<ListPlan, 'collection'>): boolean =>
  keyFieldsOf(collection).every(({ name, column }) => {
    const shown = collection.fields.get(name)
    // A field that only some rows show has a column of its own.
    return shown !== undefined && isStored(shown) && shown.column === column
  })
