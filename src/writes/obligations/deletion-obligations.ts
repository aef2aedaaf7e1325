import { rulePredicate, viewIn } from '../../access/caller-scope.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { always } from '../../plan/filter/predicate.ts'
import { testsIn } from '../../plan/walk.ts'
import type { Collection } from '../../schema/model.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { rulesFor } from '../authorize/writable-fields.ts'
import { judgingOf } from './place.ts'
import { areAllowed, type RowObligations, unlimited, visibleBy } from './row-obligations.ts'

/** Returns what must hold for rows that are deleted; undefined if a statement alone cannot judge them. */
export function deletionObligations(
  collection: Collection,
  engine: EngineInternals,
  circumstances: Circumstances,
  by: 'key' | 'query',
): RowObligations | undefined {
  const permissions = engine.scope?.permissions
  if (!permissions) return unlimited
  const view = permissions.seen.of.get(collection)
  const shown = view && viewIn(view, permissions, circumstances)
  // Values that are hidden on some rows matter to a query that chooses rows by them, and not to a key.
  if (!shown || (by === 'query' && shown.partly.length > 0)) return undefined
  const { rows } = shown
  const rules = rulesFor(permissions, collection, 'delete')
  const { schema } = engine.whole()
  const parts = rules.map((rule) => rulePredicate(rule, collection, schema, circumstances))
  const judging = [rows, ...parts].map((one) => judgingOf(one, collection, engine.dialect))
  if (rules.length === 0 || judging.includes('never')) return undefined
  return {
    ...unlimited,
    conditions: {
      seen: rows,
      alternatives: parts.map((row) => ({ values: always, row, targets: [] })),
      targets: [],
      shown: rows,
    },
    isLimited: true,
    needsLock: judging.includes('locked'),
    mayRefuse: !areAllowed(visibleBy(collection, permissions), rules),
    beside: parts.flatMap(testsIn),
  }
}
