// The collections of which a change may change the answer to a caller.

import { viewIn } from '../../access/caller-scope.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import type { Predicate } from '../../plan/filter/predicate.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import { type CallerTouches, looksAtOthers, type Touches, touchesOf } from '../../plan/touches.ts'
import { storedFieldsOf } from '../../plan/write/defaults.ts'
import type { Collection, Schema } from '../../schema/model.ts'
import { pathsIn } from '../../vocabulary/variables.ts'
import { isSameTable } from '../../writes/authorize/statement-rules.ts'

/** Returns the collections, and their fields, on which the answer of a plan depends: those that it names, those that the rules of these look at,
 *  and those in which variables are looked up. What does not happen to them does not change the answer. `query`: what the plan was made of. */
export function collectionsIn(engine: EngineInternals, plan: ListPlan, query: unknown): Touches {
  const caller = callerTouches(engine, query)
  return withSharedTables(touchesOf(plan, caller), caller.schema)
}

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
