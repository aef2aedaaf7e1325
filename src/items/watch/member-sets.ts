// Members of many lists that differ in their operands alone: callers, filters, the time. One statement reads those of all.

import { viewIn } from '../../access/caller-scope.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { isEngineError } from '../../errors/errors.ts'
import { execute } from '../../execution/execute.ts'
import { type Key, keyIdentities, keyIdentity, readKey, shownKeyOf } from '../../plan/key.ts'
import { isAmong, keyName } from '../../plan/read/by-key.ts'
import type { ReadRequest } from '../../prepared/plan-request.ts'
import {
  type SetReader,
  type SetTemplate,
  type ValueSet,
  valueSetOf,
  valuesAgain,
} from '../../prepared/templates/set-template.ts'
import { bindStatement } from '../../prepared/templates/template.ts'
import type { Row } from '../../rows/row.ts'
import type { Collection } from '../../schema/model.ts'
import { openSets } from '../../sql/sets/set-statement.ts'
import type { View } from '../../sql/view.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { needsCallerVariables } from '../caller-variables.ts'
import { rowsWithin } from '../read/answer-length.ts'
import { readHooks } from '../read/read-hooks.ts'
import { listRequest } from '../read/read-request.ts'
import { conditionsFor, isTimelessFor } from './collections-in.ts'
import { memberQuery, readMembers, type WatchedItem, type WatchedRequest } from './watched-list.ts'

export interface MembersRequest {
  readonly engine: EngineInternals
  readonly request: WatchedRequest
  readonly keys: readonly Key[]
}

/** Returns what requests share that are read together: the same object for all of them. Undefined for one that is read alone. Neither the request nor
 *  its query may change later. */
export const memberShape = (engine: EngineInternals, request: WatchedRequest): object | undefined =>
  setOf(engine, request)?.template

/** Reads the members of lists that have one shape, each as `readMembers` does, in the order of the requests. If one of them fails, all do, and each
 *  has to be read alone. */
export async function readMemberSets(
  requests: readonly MembersRequest[],
): Promise<readonly (readonly WatchedItem[])[]> {
  const found: (readonly WatchedItem[])[] = requests.map(() => noMembers)
  for (const part of dividedInto(requests)) await readPart(part, found)
  return found
}

const noMembers: readonly WatchedItem[] = []

interface KnownSet {
  readonly engine: EngineInternals
  readonly set: ValueSet | undefined
}

const sets = new WeakMap<WatchedRequest, KnownSet>()

/** Returns the template of a request and its values, as of when they were first asked for. */
function setOf(engine: EngineInternals, request: WatchedRequest): ValueSet | undefined {
  const known = sets.get(request)
  if (known?.engine === engine) return known.set
  const set = newSet(engine, request)
  sets.set(request, { engine, set })
  return set
}

function newSet(engine: EngineInternals, request: WatchedRequest): ValueSet | undefined {
  const { collection } = request
  if (needsCallerVariables(engine, request.query) || readHooks(engine, collection)) return undefined
  if (conditionsFor(engine).includes('$NOW')) return undefined
  try {
    return valueSetOf(requestOf(engine, request), setReader(engine))
  } catch (error) {
    // The read of it alone says why.
    if (isEngineError(error)) return undefined
    throw error
  }
}

const requestOf = (engine: EngineInternals, { collection, query }: WatchedRequest): ReadRequest =>
  listRequest(engine, collection, memberQuery(query), 'stream')

function setReader(engine: EngineInternals): SetReader {
  const { scope } = engine
  const permissions = scope?.permissions
  if (!permissions) return engine
  const viewsAt = (circumstances: Circumstances) => {
    const views = new Map<Collection, View | undefined>()
    return (collection: Collection) => {
      const view =
        views.get(collection) ??
        viewIn(collection, permissions, { ...circumstances, caller: scope.ruleCaller })
      views.set(collection, view)
      return view
    }
  }
  return { ...engine, viewsAt }
}

function currentSet({ engine, request }: MembersRequest): ValueSet | undefined {
  const set = setOf(engine, request)
  const isTimed = set && (set.template.isTimed || !isTimelessFor(engine))
  if (!isTimed) return set
  const values = valuesAgain(set.template, requestOf(engine, request), engine)
  return values && { ...set, values }
}

/** Requests that one statement answers, with their places. Without a template it is one alone. */
interface Part {
  readonly template: SetTemplate | undefined
  /** Keys for all sets together. */
  readonly most: number
  readonly requests: (readonly [place: number, request: MembersRequest])[]
  readonly sets: (readonly unknown[])[]
  readonly keys: Map<string, Key>
}

/** Divides requests so that no statement has too many keys for too many sets: all keys are read for all of its sets. */
function dividedInto(requests: readonly MembersRequest[]): readonly Part[] {
  const parts: Part[] = []
  const open = new Map<SetTemplate, Part>()
  for (const [place, request] of requests.entries()) {
    const set = currentSet(request)
    const most = set?.template.max()
    if (!set || !most || request.keys.length > most.each) {
      parts.push({ ...newPart(undefined, 0), requests: [[place, request]] })
      continue
    }
    const { template, values } = set
    const found = open.get(template)
    const part = found && hasRoom(found, request.keys) ? found : newPart(template, most.all)
    if (part !== found) {
      open.set(template, part)
      parts.push(part)
    }
    part.requests.push([place, request])
    part.sets.push(values)
    // Many have the same keys, as of one change.
    if (part.requests.at(-2)?.[1].keys !== request.keys)
      for (const key of request.keys) part.keys.set(keyIdentity(key), key)
  }
  return parts
}

const newPart = (template: SetTemplate | undefined, most: number): Part => ({
  template,
  most,
  requests: [],
  sets: [],
  keys: new Map(),
})

/** True if a part stays small enough with the keys of one more request. */
function hasRoom({ keys, sets, requests, most }: Part, added: readonly Key[]): boolean {
  const isSame = requests.at(-1)?.[1].keys === added
  const more = isSame ? 0 : added.filter((key) => !keys.has(keyIdentity(key))).length
  return (keys.size + more) * (sets.length + 1) <= most
}

async function readPart(
  { template, requests, sets, keys }: Part,
  found: (readonly WatchedItem[])[],
): Promise<void> {
  const [first] = requests
  if (!first) return
  const [place, { engine, request, keys: own }] = first
  if (!template) {
    found[place] = await readMembers(engine, request, own)
    return
  }
  const { collection } = template.list
  const values = new Map<object, unknown>([
    [template.keys, isAmong(collection, [...keys.values()]).operand],
    [openSets, sets],
  ])
  const rows = await execute(engine, bindStatement(template.statement, values), {})
  for (const [at, some] of bySet(rows, template)) {
    const [place, request] = requests[at] ?? first
    found[place] = membersIn(some, request, template)
  }
}

function bySet(rows: readonly Row[], { statement: { setAt } }: SetTemplate): ReadonlyMap<number, Row[]> {
  const all = new Map<number, Row[]>()
  for (const row of rows) {
    const at = Number(row[setAt])
    const known = all.get(at)
    if (known) known.push(row)
    else all.set(at, [row])
  }
  return all
}

function membersIn(
  rows: readonly Row[],
  { engine, keys }: MembersRequest,
  { list: { collection }, mapper }: SetTemplate,
): readonly WatchedItem[] {
  const wanted = keyIdentities(keys)
  return rowsWithin(rows, engine.limits).flatMap((row) => {
    const { [keyName]: shown, ...item } = Object(mapper(row, undefined))
    const key = readKey(collection, shown)
    if (key === undefined) return []
    const identity = keyIdentity(key)
    return wanted.has(identity) ? [{ identity, key: shownKeyOf(collection, key), item }] : []
  })
}
