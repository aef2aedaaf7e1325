import type { Family } from '../schema/field-types.ts'
import type { StoredField } from '../schema/model.ts'

/** True if a key is written in the form in which results show it. Each number has one form (`1`, and not `01`,
 *  `+1`, `1e0` or `1.0`), so that an item has one address. */
export const isWrittenKey = ({ value }: StoredField, given: unknown): boolean =>
  typeof given !== 'string' || (forms[value.family]?.(given) ?? true)

const forms: Partial<Record<Family, (text: string) => boolean>> = {
  integer: (text) => /^(?:0|-?[1-9]\d*)$/.test(text),
  // Zeros at the end are those of the field's scale.
  decimal: (text) => /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text),
  float: (text) => String(Number(text)) === text,
}
