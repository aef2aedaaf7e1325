// The collections of which a change may change the answer to a caller.

import { viewIn } from '../../access/caller-scope.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import type { Predicate } from '../../plan/filter/predicate.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import { type Touches, touchesOf } from '../../plan/touches.ts'
import type { Collection } from '../../schema/model.ts'
import { pathsIn } from '../../vocabulary/variables.ts'

/** Returns the collections, and their fields, on which the answer of a plan depends: those that it names, those that the rules of these look at,
 *  and those in which variables are looked up. What does not happen to them does not change the answer. `query`: what the plan was made of. */
export function collectionsIn(engine: EngineInternals, plan: ListPlan, query: unknown): Touches {
  const { scope, lookups } = engine
  const permissions = scope?.permissions
  const now = { now: engine.clock(), caller: scope?.ruleCaller ?? {} }
  const rulesOf = (collection: Collection): readonly Predicate[] => {
    const seen = permissions?.seen.of.get(collection) ?? collection
    const view = permissions && viewIn(seen, permissions, now)
    return view ? [view.rows, ...view.partly.map(({ where }) => where)] : []
  }
  const variables = [...(permissions?.paths ?? []), ...pathsIn(query)]
  return touchesOf(plan, { rulesOf, variables, lookups, schema: permissions?.whole ?? engine.schema })
}
