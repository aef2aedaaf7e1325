// Rows that a version would create are nowhere yet where a database could apply rules to them.
import { rulePredicate } from '../access/narrow.ts'
import type { Engine } from '../engine.ts'
import { holds, type MemorySetting } from '../plan/evaluate.ts'
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
    return isMet(rulePredicate(rule, shown.of, whole, circumstances), own, engine)
  })
}

/** Whether a row meets a condition that looks at nothing but the row itself. */
function isMet(predicate: Predicate, own: Loaded['own'], setting: MemorySetting): boolean {
  if (predicate.kind === 'and') return predicate.parts.every((part) => isMet(part, own, setting))
  if (predicate.kind === 'or') return predicate.parts.some((part) => isMet(part, own, setting))
  if (predicate.kind !== 'test' || predicate.subject.kind === 'count') return false
  // Its key will be none that there is.
  const isOfKey = predicate.subject.field.isKey
  return holds(predicate, own, isOfKey ? { ...setting, negationMatchesNull: true } : setting)
}
