// Rows that a version would create are nowhere yet where a database could apply rules to them.
import { rulePredicate } from '../access/narrow.ts'
import type { Engine } from '../engine.ts'
import { holds } from '../plan/evaluate.ts'
import type { Predicate } from '../plan/predicate.ts'
import type { Loaded } from './loaded.ts'

/** Whether the caller would see a new row. What only the database could tell is not seen. */
export function wouldBeSeen({ collection, own }: Loaded, engine: Engine): boolean {
  const { narrowing } = engine
  const shown = narrowing?.limits?.seen.shown.get(collection)
  if (!narrowing?.limits || !shown) return true
  const circumstances = { now: engine.clock(), caller: narrowing.ruleCaller }
  const { whole } = narrowing.limits
  return shown.rules.some((rule) => {
    const predicate = rulePredicate(rule, shown.of, whole, circumstances)
    return isTold(predicate) && holds(predicate, own, engine)
  })
}

/** Whether a condition looks at nothing but the row itself. */
function isTold(predicate: Predicate): boolean {
  if (predicate.kind === 'and' || predicate.kind === 'or') return predicate.parts.every(isTold)
  return predicate.kind === 'test' && predicate.subject.kind !== 'count'
}
