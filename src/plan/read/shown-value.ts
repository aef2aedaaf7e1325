// A stored value in the form in which results show it.

import type { KeyField, OwnField } from '../../schema/model.ts'
import type { Storable } from '../../types/family-row.ts'
import { shownElements, shownSingle } from '../../types/field-types.ts'
import { mask } from '../../types/hash.ts'

export function shownValue(field: OwnField | KeyField, value: Storable | null): unknown {
  if (value === null) return null
  if (field.kind === 'scalar' && field.isConcealed) return mask
  // The value of an array field is a list.
  return field.value.isArray
    ? shownElements(value as readonly unknown[], field.value)
    : shownSingle(value, field.value)
}
