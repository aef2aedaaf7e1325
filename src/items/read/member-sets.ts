// Members of many lists that differ in their operands alone: callers, filters, the time. One statement reads those of all.

import { viewIn } from '../../access/caller-scope.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { isEngineError } from '../../errors/errors.ts'
import { execute } from '../../execution/execute.ts'
import { type Key, keyIdentities, keyIdentity, readKey, shownKeyOf } from '../../plan/key.ts'
import { mayNestTooMuch, mostBytes } from '../../plan/read/answer-bytes.ts'
import { isAmong, keyName } from '../../plan/read/by-key.ts'
import type { ListPlan, Page } from '../../plan/read/read-plan.ts'
import { mayExceed } from '../../prepared/nested-row-limit.ts'
import type { ReadRequest } from '../../prepared/plan-request.ts'
import {
  type SetReader,
  type SetTemplate,
  type ValueSet,
  valueSetOf,
  valuesAgain,
} from '../../prepared/set-template.ts'
import { bindStatement } from '../../prepared/template.ts'
import type { Row } from '../../rows/row.ts'
import type { Collection } from '../../schema/model.ts'
import { openSets } from '../../sql/sets/set-statement.ts'
import { memoFor } from '../../values/memo.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { needsCallerVariables } from '../caller-variables.ts'
import { rowsWithin } from './answer-length.ts'
import { readHooks } from './read-hooks.ts'
import { listRequest } from './read-request.ts'
import { memberQuery, readMembers, type WatchedItem, type WatchedRequest } from './watched-list.ts'

/** A list, and the keys of the items that are read if they are members. */
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
  const found: MembersFound = new Map()
  for (const part of dividedInto(requests)) await readPart(part, found)
  return requests.map((request) => found.get(request) ?? [])
}

type MembersFound = Map<MembersRequest, readonly WatchedItem[]>

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
  try {
    return valueSetOf(requestOf(engine, request), setReader(engine))
  } catch (error) {
    // Whoever reads it alone is told why.
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
  const viewsAt = (circumstances: Circumstances) => (collection: Collection) =>
    viewIn(collection, permissions, { ...circumstances, caller: scope.ruleCaller })
  return { ...engine, viewsAt }
}

/** Returns the template of a request and its values now. */
function currentSet({ engine, request }: MembersRequest): ValueSet | undefined {
  const set = setOf(engine, request)
  const isTimed = set && (set.template.isTimed || engine.scope?.permissions?.isTimeless === false)
  if (!isTimed) return set
  const values = valuesAgain(set.template, requestOf(engine, request), engine)
  return values && { ...set, values }
}

/** Requests that one statement answers. Without a template it is one alone. */
interface Part {
  readonly template: SetTemplate | undefined
  readonly requests: MembersRequest[]
  readonly sets: (readonly unknown[])[]
  readonly keys: Map<string, Key>
}

/** Divides requests so that no statement has too many keys for too many sets: all keys are read for all of its sets. */
function dividedInto(requests: readonly MembersRequest[]): readonly Part[] {
  const parts: Part[] = []
  const open = new Map<SetTemplate, Part>()
  for (const request of requests) {
    const set = currentSet(request)
    const most = set && mostFor(set.template, request.engine)
    if (!set || !most || request.keys.length > most.each) {
      parts.push({ ...newPart(undefined), requests: [request] })
      continue
    }
    const { template, values } = set
    const found = open.get(template)
    const part = found && hasRoom(found, request, most.all) ? found : newPart(template)
    if (part !== found) {
      open.set(template, part)
      parts.push(part)
    }
    part.requests.push(request)
    part.sets.push(values)
    for (const key of request.keys) part.keys.set(keyIdentity(key), key)
  }
  return parts
}

const newPart = (template: SetTemplate | undefined): Part => ({
  template,
  requests: [],
  sets: [],
  keys: new Map(),
})

function hasRoom({ keys, sets }: Part, request: MembersRequest, most: number): boolean {
  const added = request.keys.filter((key) => !keys.has(keyIdentity(key))).length
  return (keys.size + added) * (sets.length + 1) <= most
}

async function readPart({ template, requests, sets, keys }: Part, found: MembersFound): Promise<void> {
  const [first, second] = requests
  if (!first) return
  if (!template || !second) {
    found.set(first, await readMembers(first.engine, first.request, first.keys))
    return
  }
  const { collection } = template.list
  const values = new Map<object, unknown>([
    [template.keys, isAmong(collection, [...keys.values()]).operand],
    [openSets, sets],
  ])
  const rows = await execute(first.engine, bindStatement(template.statement, values), {})
  const rowsOf = new Map<number, Row[]>()
  for (const row of rows) {
    const at = Number(row[template.statement.setAt])
    const known = rowsOf.get(at)
    if (known) known.push(row)
    else rowsOf.set(at, [row])
  }
  for (const [at, own] of rowsOf) {
    const request = requests[at]
    if (request) found.set(request, membersIn(own, request, template))
  }
}

/** Returns the items of those rows that were asked for. */
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

/** How many rows are read without a look at how long they are: of one set, and of all in one statement. */
interface Most {
  readonly each: number
  readonly all: number
}

const known = new WeakMap<SetTemplate, Most>()

const mostFor = (template: SetTemplate, engine: EngineInternals): Most =>
  memoFor(known, template, () => ({
    each: greatest((count) => mayBeReadAlone(template, engine, count)),
    all: greatest((count) => fits(template, engine, count, longTogether)),
  }))

/** Rows of one statement. */
const mostRowsTogether = 10_000
/** Bytes that a long text is taken to have where it is one of very many: few are that long. */
const longTogether = 16_384

function greatest(isFine: (count: number) => boolean): number {
  for (let count = mostRowsTogether; count >= 1; count = Math.floor(count / 2))
    if (isFine(count)) return count
  return 0
}

/** True if a read of so many members would add up nothing before. */
function mayBeReadAlone(template: SetTemplate, engine: EngineInternals, count: number): boolean {
  const { list, statement } = template
  const { dialect, limits } = engine
  const mayNest = statement.texts > 0 && !dialect.storedBytes
  return fits(template, engine, count) && !(mayNest && mayNestTooMuch(list, pagesWith(list, count), limits))
}

function fits(
  { list, below }: SetTemplate,
  { dialect, limits }: EngineInternals,
  count: number,
  long?: number,
): boolean {
  if (below && mayExceed(below, count)) return false
  const database = dialect.storedBytes && long === undefined ? Number.POSITIVE_INFINITY : undefined
  const stored = { nestedRows: limits.nestedRows, database, ...(long !== undefined && { long }) }
  return mostBytes(list, pagesWith(list, count), stored) <= limits.answerBytes
}

const pagesWith =
  (list: ListPlan, limit: number) =>
  (page: Page): Page =>
    page === list.page ? { ...page, limit } : page
