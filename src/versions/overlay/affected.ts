// Parts of a plan that a version may affect.

import { targetOf } from '../../plan/field-path.ts'
import type { Member, RelationStep } from '../../plan/read/read-plan.ts'
import { memberTouches } from '../../plan/touches.ts'
import type { Patch } from './row-changes.ts'

/** True if a version may affect a member. Values of the row itself are always computed in memory, so only related rows count. */
export const isAffected = (member: Member, patch: Patch): boolean =>
  memberTouches(member).some((touch) => touch.kind !== 'field' && isStepAffected(touch, patch))

function isStepAffected(step: RelationStep, patch: Patch): boolean {
  if (patch.touches(targetOf(step))) return true
  if (step.kind === 'children') return false
  const fields = step.kind === 'arm' ? [step.field, step.field.by] : [step.field]
  return fields.some((field) => patch.touchesField(field))
}
