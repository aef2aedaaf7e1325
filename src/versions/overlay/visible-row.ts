// Applies rules in memory to rows that a version would create, since the database does not have them yet.
import { rulePredicate } from '../../access/caller-scope.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { fieldsIn } from '../../plan/field-path.ts'
import { holds, type MemorySetting } from '../../plan/filter/evaluate.ts'
import type { Predicate } from '../../plan/filter/predicate.ts'
import { keyMark, type OverlayRow } from './overlay-row.ts'

/** Returns the visible part of a new row, if it is visible at all. Parts that only the database could judge are hidden. */
export function visibleRow(row: OverlayRow, engine: EngineInternals): OverlayRow | undefined {
  const { scope } = engine
  const shown = scope?.permissions?.seen.shown.get(row.collection)
  if (!scope?.permissions || !shown) return row
  const circumstances = { now: engine.clock(), caller: scope.ruleCaller }
  const { whole } = scope.permissions
  const met = shown.rules.filter((rule) =>
    isMet(rulePredicate(rule, shown.of, whole, circumstances), row.own, engine),
  )
  if (met.length === 0) return undefined
  const isSeen = (name: string) => name === keyMark || met.some(({ fields }) => fields.has(name))
  const own = Object.entries(row.own).map(([name, value]) => [name, isSeen(name) ? value : null])
  return { ...row, own: Object.fromEntries(own) }
}

/** True if a row meets a condition on its own values alone. */
function isMet(predicate: Predicate, own: OverlayRow['own'], setting: MemorySetting): boolean {
  if (predicate.kind === 'and') return predicate.parts.every((part) => isMet(part, own, setting))
  if (predicate.kind === 'or') return predicate.parts.some((part) => isMet(part, own, setting))
  if (predicate.kind !== 'test' || predicate.subject.kind === 'count') return false
  // Its key will differ from all existing ones.
  const isOfKey = fieldsIn(predicate.subject).some(({ isKey }) => isKey)
  return holds(predicate, own, isOfKey ? { ...setting, negationMatchesNull: true } : setting)
}
