import { rulePredicate } from '../../access/caller-scope.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { always, type Predicate } from '../../plan/filter/predicate.ts'
import { testsIn } from '../../plan/walk.ts'
import type { Collection } from '../../schema/model.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { rulesFor } from '../authorize/writable-fields.ts'
import { judgingOf } from '../context/place.ts'
import { rowsChosen, visibleRows } from '../stored/seen-rows.ts'
import { areAllowed, type RowObligations, tablesTested, unlimited, visibleBy } from './row-obligations.ts'

/** Returns what must hold for rows that are deleted; undefined if a statement alone cannot judge them. `chosen`: the condition of a query that chooses the
 *  rows; absent for rows that are named by their keys. */
export function deletionObligations(
  collection: Collection,
  engine: EngineInternals,
  circumstances: Circumstances,
  chosen?: Predicate,
): RowObligations | undefined {
  const permissions = engine.scope?.permissions
  if (!permissions) return unlimited
  const rows = chosen
    ? rowsChosen({ condition: chosen, names: [] }, collection, permissions, circumstances)
    : visibleRows(collection, permissions, circumstances)
  if (!rows) return undefined
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
    looksAt: { ...unlimited.looksAt, before: [rows, ...parts].flatMap(tablesTested) },
  }
}
