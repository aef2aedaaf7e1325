// Obligations of references: what given values refer to is visible to the caller.

import type { Permissions } from '../../access/caller-scope.ts'
import type { Dialect } from '../../dialects/dialect.ts'
import { allOf, decided } from '../../plan/filter/predicate.ts'
import { collectionsTested, holdersOf } from '../../plan/touches.ts'
import { type Collection, isByValue, type LinkColumn, type StoredField } from '../../schema/model.ts'
import { isGenerated } from '../../schema/output-schema.ts'
import type { TargetCondition } from '../../sql/write/row-writes.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { holdingOf, referringOf } from '../authorize/references.ts'
import { judgingOf } from '../context/place.ts'
import { seenRows } from '../stored/seen-rows.ts'

/** Returns the conditions under which the items to which given fields refer are visible; undefined if a statement alone cannot judge one.
 *  `input`: names of the fields that the caller gives, and that are not null. */
export function visibleTargets(
  collection: Collection,
  input: ReadonlySet<string>,
  { permissions, dialect }: { readonly permissions: Permissions; readonly dialect: Dialect },
  circumstances: Circumstances,
): readonly TargetCondition[] | undefined {
  const found: TargetCondition[] = []
  for (const field of holdingOf(collection)) {
    if (isGenerated(field)) return undefined
    if (!input.has(field.name)) continue
    if (!isLone(field, collection)) return undefined
    // If nothing of its collection is visible, a reference is an ordinary value.
    if (!permissions.seen.reached(field.target)) continue
    const rows = seenRows(field.target, permissions, circumstances)
    if (!rows || judgingOf(rows, field.target, dialect) === 'never') return undefined
    found.push({ field, condition: rows })
  }
  return found
}

/** True for a reference that is one column with a plain key in it. */
function isLone(field: StoredField, collection: Collection): field is LinkColumn {
  const relations = referringOf(collection).filter((relation) => holdersOf(relation).includes(field))
  const { family } = field.value
  return (
    field.kind === 'm2o' &&
    !isByValue(field) &&
    relations.length === 1 &&
    (family === 'integer' || family === 'uuid')
  )
}

/** True for a condition that looks at rows besides those of its item. */
export const looksFurther = ({ condition }: TargetCondition): boolean =>
  collectionsTested(condition).length > 0

/** Returns conditions on items that may change while the statement waits for them, those on the same item together. */
export function lockedTargets(
  conditions: readonly TargetCondition[],
  { writeLock }: Pick<Dialect, 'writeLock'>,
): readonly TargetCondition[] {
  if (writeLock) return []
  return [...new Set(conditions.map(({ field }) => field))].map((field) => ({
    field,
    condition: decided(
      allOf(conditions.filter((one) => one.field === field).map(({ condition }) => condition)),
    ),
  }))
}
