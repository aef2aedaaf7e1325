// A stored value in the form in which results show it.

import { isTemporalFamily, numberingOf } from '../dialects/numbered-moments.ts'
import { decimalFrom, listFrom, mask } from '../dialects/read-values.ts'
import { elementInJson } from '../dialects/stored-values.ts'
import { type Family, fieldTypes } from '../schema/field-types.ts'
import type { Collection, StoredField, ValueType } from '../schema/model.ts'
import { type Decimal, decimalText } from '../values/decimal.ts'
import { momentText } from '../values/moment.ts'
import type { Storable } from './stored-value.ts'

export function shownValue(field: StoredField, value: Storable | null): unknown {
  if (value === null) return null
  if (field.kind === 'scalar' && field.isConcealed) return mask
  const { value: type } = field
  if (!type.isArray) return shownSingle(value, type)
  const element = elementInJson({ ...type, isArray: false, family: fieldTypes[type.type].family })
  // The value of an array field is a list.
  return (value as readonly unknown[]).map(element)
}

/** A key in the form in which results show it. */
export function keyAnswer({ key }: Collection, value: Storable): string | number {
  const shown = shownSingle(value, key.value)
  return typeof shown === 'number' ? shown : String(shown)
}

/** A value that is not a list, in the form in which results show it. */
export const shownSingle = (value: Storable, type: ValueType): unknown =>
  (shownBy[type.family] ?? asItIs)(value, type)

type ShownValue = (value: Storable, type: ValueType) => unknown

const asItIs: ShownValue = (value) => value

/** Families whose values are shown in another form than they are read. */
const shownBy: Partial<Record<Family, ShownValue>> = {
  integer: (value, { type }) => (type === 'bigInteger' ? String(value) : Number(value)),
  // The decimal family has read it.
  decimal: (value, { scale }) => decimalFrom(scale)(decimalText(value as Decimal)),
  csv: listFrom,
  date: shownMoment,
  time: shownMoment,
  dateTime: shownMoment,
  timestamp: shownMoment,
}

/** A timestamp in the form in which results show it. A column that counts seconds stores nothing finer. */
function shownMoment(value: Storable, type: ValueType): unknown {
  const unit = numberingOf(type)?.unit ?? 1
  const at = Math.floor(Number(value) / unit) * unit
  return isTemporalFamily(type.family) ? momentText[type.family](at) : value
}
