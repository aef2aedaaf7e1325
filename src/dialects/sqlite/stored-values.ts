import type { Family } from '../../schema/field-types.ts'
import { fieldTypes } from '../../schema/field-types.ts'
import type { ValueType } from '../../schema/model.ts'
import { boundAsGiven, elementInJson, type Storing, storedDecimal, storedMoment } from '../stored-values.ts'
import { encode } from './bind-values.ts'

const asJson = (value: unknown) => JSON.stringify(value)

const storings: Partial<Record<Family, Storing['encode']>> = { json: asJson, geometry: asJson }

export function storing(type: ValueType): Storing {
  if (type.isArray) {
    const element = elementInJson({ ...type, isArray: false, family: fieldTypes[type.type].family })
    // The value of an array field is a list.
    return { encode: (value) => JSON.stringify((value as readonly unknown[]).map(element)) }
  }
  const moment = storedMoment(type)
  if (moment) return moment
  if (type.family === 'decimal' && type.storage === 'text') return { encode: storedDecimal(type) }
  const own = storings[type.family]
  // Each family has read its own values, which are valid operands, too.
  const bind: Storing['encode'] =
    own ?? ((value) => encode(type.family, { at: value as object, exact: true }, '='))
  return { encode: bind, isAsGiven: boundAsGiven(type) }
}
