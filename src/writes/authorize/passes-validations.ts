// Validations of fields that an item's own values decide, before it is written.

import type { ItemData } from '../../plan/write/changes.ts'
import { incrementedNames } from '../../plan/write/increment.ts'
import { isValidated, type Validate, validatorOf } from '../../plan/write/validate-item.ts'
import type { Collection } from '../../schema/model.ts'
import type { Zone } from '../../values/zone.ts'
import { hasVariable } from '../../vocabulary/variables.ts'
import { contextOf, type WriteContext } from '../context/write-context.ts'

/** Judges that depend on neither the caller nor the time, with the settings of the engine that they do depend on. */
const steady = new WeakMap<
  Collection,
  { readonly validate: Validate; readonly zone: Zone; readonly negationMatchesNull: boolean }
>()

/** True if items pass the validations of their fields, where memory can check them and the items name them; false if one does not, or if it is not known yet. */
export function passesValidations(
  collection: Collection,
  items: readonly { readonly payload: ItemData }[],
  writing: WriteContext,
): boolean {
  if (!isValidated(collection)) return true
  // Sums are not known yet.
  if (items.some(({ payload }) => incrementedNames(collection, payload).length > 0)) return false
  const validate = validatorFor(collection, writing)
  return items.every(({ payload }) => validate(payload, []).length === 0)
}

function validatorFor(collection: Collection, writing: WriteContext): Validate {
  const { zone, negationMatchesNull } = writing.engine
  const known = steady.get(collection)
  if (known && known.zone === zone && known.negationMatchesNull === negationMatchesNull) return known.validate
  const validate = validatorOf(collection, contextOf(writing))
  const isSteady = [...collection.fields.values()].every(
    (field) => !('validation' in field) || !hasVariable(field.validation),
  )
  if (isSteady) steady.set(collection, { validate, zone, negationMatchesNull })
  return validate
}
