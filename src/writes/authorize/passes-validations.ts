// Validations of fields that an item's own values decide, before it is written.

import { hasVariable } from '../../plan/filter/judge-row.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { isValidated, type Judge, judgeOf, looksFurther } from '../../plan/write/validate-item.ts'
import type { Collection } from '../../schema/model.ts'
import type { Zone } from '../../values/zone.ts'
import { contextOf, type WriteContext } from '../write-context.ts'

/** Judges that depend on neither the caller nor the time, with the settings of the engine that they do depend on. */
const steady = new WeakMap<
  Collection,
  { readonly judge: Judge; readonly zone: Zone; readonly negationMatchesNull: boolean }
>()

/** True if items pass the validations of their fields, as far as they name them; false if one does not, or if stored items decide on it. */
export function passesValidations(
  collection: Collection,
  items: readonly { readonly given: ItemData }[],
  writing: WriteContext,
): boolean {
  if (!isValidated(collection)) return true
  if (looksFurther(collection, writing.engine.schema)) return false
  const judge = judgeFor(collection, writing)
  return items.every(({ given }) => judge(given, []).length === 0)
}

function judgeFor(collection: Collection, writing: WriteContext): Judge {
  const { zone, negationMatchesNull } = writing.engine
  const known = steady.get(collection)
  if (known && known.zone === zone && known.negationMatchesNull === negationMatchesNull) return known.judge
  const judge = judgeOf(collection, contextOf(writing))
  const isSteady = [...collection.fields.values()].every(
    (field) => !('validation' in field) || !hasVariable(field.validation),
  )
  if (isSteady) steady.set(collection, { judge, zone, negationMatchesNull })
  return judge
}
