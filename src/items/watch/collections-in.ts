// The collections of which a change may change the answer to a caller.

import { isDeepStrictEqual } from 'node:util'
import { viewIn } from '../../access/caller-scope.ts'
import { textOfRules } from '../../access/rules-text.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { always, type Predicate } from '../../plan/filter/predicate.ts'
import { variableConditions } from '../../plan/filter/relation-condition.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import { type Relevant, type RelevantRows, relevantRows } from '../../plan/relevant-rows.ts'
import { type CallerTouches, looksAtOthers, type Touches, touchesOf } from '../../plan/touches.ts'
import { storedFieldsOf } from '../../plan/write/defaults.ts'
import { planRequest, type Verb } from '../../prepared/plan-request.ts'
import type { Collection, Schema } from '../../schema/model.ts'
import { pathsIn } from '../../vocabulary/variables.ts'
import { isSameTable } from '../../writes/context/place.ts'
import { listRequest } from '../read/read-request.ts'

/** Returns the collections, and their fields, on which the answer of a plan depends: those that it names, those that the rules of these look at,
 *  and those in which variables are looked up. What does not happen to them does not change the answer. `query`: what the plan was made of. */
export function collectionsIn(engine: EngineInternals, plan: ListPlan, query: unknown): Touches {
  const caller = callerTouches(engine, query)
  return withSharedTables(touchesOf(plan, caller), caller.schema)
}

/** Returns the fields of the items of a plan that decide which of them are listed, and in which order. */
export const decidingFields = (
  engine: EngineInternals,
  plan: ListPlan,
  query: unknown,
): ReadonlySet<string> =>
  touchesOf({ ...plan, rows: { kind: 'keys' } }, callerTouches(engine, query)).get(plan.collection.name) ??
  new Set()

/** True if a change of an item may change what is answered of others in the same list. */
export function isEntangled(engine: EngineInternals, plan: ListPlan, query: unknown): boolean {
  const caller = callerTouches(engine, query)
  const { name } = plan.collection
  const { collections } = caller.schema
  const own = collections.get(name)
  const isOfSameRows = (other: string) => {
    const found = collections.get(other)
    return other !== name && own !== undefined && found !== undefined && isSameTable(found, own)
  }
  return looksAtOthers(plan, caller) || [...touchesOf(plan, caller).keys()].some(isOfSameRows)
}

/** Returns which rows matter to the answer to a query now, and later: what changes with the time is taken for true. */
export function relevantIn(engine: EngineInternals, request: RelevantTo): Relevant {
  const now = engine.clock()
  const relevant = ofOwnTables(relevantAt(engine, request, now), engine)
  if (isTimelessFor(engine) && textOfRules(request.query)?.includes('$NOW') === false) return relevant
  const later = relevantAt(engine, request, new Date(Number(now) + anotherTime))
  return new Map([...relevant].map(([name, rows]) => [name, steadyRows(rows, later.get(name))]))
}

/** The text of the conditions of relations that have variables: the answers to a caller may depend on them. */
export const conditionsFor = ({ scope, schema }: EngineInternals): string =>
  variableConditions(scope?.permissions?.whole ?? schema)

/** True if neither the rules of a caller nor the conditions of relations depend on the time. */
export const isTimelessFor = (engine: EngineInternals): boolean =>
  engine.scope?.permissions?.isTimeless ?? !conditionsFor(engine).includes('$NOW')

/** Leaves out collections whose rows are those of another one, too: what matters of them is not known by one name. */
function ofOwnTables(relevant: Relevant, { scope, schema }: EngineInternals): Relevant {
  const { collections } = scope?.permissions?.whole ?? schema
  const isAlone = (name: string) =>
    [...relevant.keys()].every((other) => {
      const [one, two] = [collections.get(name), collections.get(other)]
      return other === name || !one || !two || !isSameTable(one, two)
    })
  return new Map([...relevant].filter(([name]) => isAlone(name)))
}

/** A list of a collection, and the part of it that is read. */
interface RelevantTo {
  readonly collection: string
  readonly query: Readonly<Record<string, unknown>>
  readonly part: Verb
}

/** Milliseconds after which a moment has another day, and another time of day. */
const anotherTime = 1_000_000_007

const steadyRows = (now: RelevantRows, later: RelevantRows | undefined): RelevantRows => ({
  shown: now.shown && steady(now.shown, later?.shown ?? always),
  beside: now.beside && steady(now.beside, later?.beside ?? always),
})

/** Returns the part of a condition that is the same at two times. The rest is taken for true. */
function steady(now: Predicate, later: Predicate): Predicate {
  if (isDeepStrictEqual(now, later)) return now
  if ((now.kind !== 'and' && now.kind !== 'or') || now.kind !== later.kind) return always
  if (now.parts.length !== later.parts.length) return always
  return { ...now, parts: now.parts.map((part, index) => steady(part, later.parts[index] ?? always)) }
}

function relevantAt(engine: EngineInternals, { collection, query, part }: RelevantTo, now: Date): Relevant {
  const at = { ...engine, clock: () => now }
  const { list } = planRequest(listRequest(at, collection, query, part), at)
  const { scope } = engine
  const circumstances = { now, caller: scope?.ruleCaller ?? {} }
  const rowsOf = (seen: Collection): Predicate =>
    (scope?.permissions && viewIn(seen, scope.permissions, circumstances)?.rows) ?? always
  return relevantRows(list, rowsOf, callerTouches(at, query))
}

function callerTouches(engine: EngineInternals, query: unknown): CallerTouches {
  const { scope, lookups } = engine
  const permissions = scope?.permissions
  const now = { now: engine.clock(), caller: scope?.ruleCaller ?? {} }
  const rulesOf = (collection: Collection): readonly Predicate[] => {
    const seen = permissions?.seen.of.get(collection) ?? collection
    const view = permissions && viewIn(seen, permissions, now)
    return view ? [view.rows, ...view.partly.map(({ where }) => where)] : []
  }
  const variables = [...(permissions?.paths ?? []), ...pathsIn(query)]
  return { rulesOf, variables, lookups, schema: permissions?.whole ?? engine.schema }
}

/** Adds the collections that share a table with one of some: what is written by the name of one changes the rows of the other. */
function withSharedTables(touches: Touches, { collections }: Schema): Touches {
  const all = new Map(touches)
  for (const name of touches.keys()) {
    const collection = collections.get(name)
    for (const other of collections.values()) {
      if (!collection || other === collection || !isSameTable(other, collection)) continue
      const columns = new Set(columnsNamed(collection, touches))
      const fields = storedFieldsOf(other).filter((field) => field.isKey || columns.has(field.column))
      all.set(other.name, new Set([...(all.get(other.name) ?? []), ...fields.map((field) => field.name)]))
    }
  }
  return all
}

const columnsNamed = (collection: Collection, touches: Touches): readonly string[] =>
  storedFieldsOf(collection)
    .filter(({ name }) => touches.get(collection.name)?.has(name))
    .map(({ column }) => column)
