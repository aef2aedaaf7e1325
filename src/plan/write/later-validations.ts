// Validations of fields that memory cannot check, because they use related items.

import type { Collection, Schema, StoredField } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { memoFor } from '../../values/memo.ts'
import { utc } from '../../values/zone.ts'
import { isJunction, isQuantifier } from '../../vocabulary/junctions.ts'
import { nobody } from '../../vocabulary/variables.ts'
import type { Predicate } from '../filter/predicate.ts'
import { comparesFields } from '../walk.ts'
import {
  isNever,
  needsDatabase,
  predicateOf,
  type ValidationContext,
  validationsOf,
} from './validate-item.ts'

/** The validation of a field that is asked once its item is stored. */
interface LaterValidation {
  readonly field: StoredField
  readonly condition: Predicate
}

/** The conditions that memory cannot check, because they use related items. Their tests are found in `validationInputs`. */
export const conditionsAfterwards = (
  collection: Collection,
  context: ValidationContext,
): readonly LaterValidation[] =>
  validationsOf(collection)
    .map(({ field, node }) => ({
      field,
      condition: predicateOf(collection, node, context, ['validation', field.name]),
    }))
    .filter(
      ({ field, condition }) =>
        needsDatabase(condition) || comparesFields(condition) || (isNever(condition) && isFurther(field)),
    )

/** True if a validation names more than its own item, whatever variables in it have a value. */
const isFurther = ({ validation }: StoredField): boolean => namesOthers(validation, false)

function namesOthers(part: unknown, isInField: boolean): boolean {
  if (Array.isArray(part)) return part.some((one) => namesOthers(one, isInField))
  if (!isRecord(part)) return false
  return Object.entries(part).some(([name, inner]) => {
    if (isJunction(name)) return namesOthers(inner, isInField)
    if (isInField) return isQuantifier(name) || !name.startsWith('_')
    return /^(?:\$|count\()/.test(name) || namesOthers(inner, true)
  })
}

const inputs = new WeakMap<Collection, Readonly<Record<string, unknown>>>()

export const validationInputs = (collection: Collection): Readonly<Record<string, unknown>> =>
  memoFor(inputs, collection, () => ({
    validation: Object.fromEntries(
      validationsOf(collection).map(({ field }) => [field.name, field.validation]),
    ),
  }))

const further = new WeakMap<Collection, boolean>()

/** True if a validation of the collection uses related items. */
export function looksFurther(collection: Collection, schema: Schema): boolean {
  const known = further.get(collection)
  if (known !== undefined) return known
  const circumstances = nobody
  const setting = { zone: utc, negationMatchesNull: false }
  const found = conditionsAfterwards(collection, { schema, circumstances, setting }).length > 0
  further.set(collection, found)
  return found
}
