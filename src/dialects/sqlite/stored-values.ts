import type { Family } from '../../types/families.ts'
import { shownElements, type ValueType } from '../../types/field-types.ts'
import { boundAsGiven, type Storing, storedDecimal, storedMoment } from '../stored-values.ts'
import { encode } from './bind-values.ts'

const asJson = (value: unknown) => JSON.stringify(value)

const storings: Partial<Record<Family, Storing['encode']>> = { json: asJson, geometry: asJson }

export function storing(type: ValueType): Storing {
  if (type.isArray) {
    // The value of an array field is a list.
    return { encode: (value) => JSON.stringify(shownElements(value as readonly unknown[], type)) }
  }
  const moment = storedMoment(type)
  if (moment) return moment
  if (type.family === 'decimal' && type.storage === 'text') return { encode: storedDecimal(type) }
  const own = storings[type.family]
  // Each family has read its own values, which are valid operands, too.
  const bind: Storing['encode'] = own ?? ((value) => encode(type, { at: value as object, exact: true }, '='))
  return { encode: bind, isAsGiven: boundAsGiven(type) }
}
