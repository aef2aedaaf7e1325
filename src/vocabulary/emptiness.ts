import type { OperandValue } from '../dialects/phrase-types.ts'
import type { Family } from '../schema/field-types.ts'
import type { Decimal } from '../values/decimal.ts'

/** True for null, and for the falsy value of the family. */
export function isEmptyValue(value: OperandValue | null, family: Family): boolean {
  return value === null || (falsy[family]?.(value) ?? false)
}

const isBlank = (value: OperandValue) => value === ''
const falsy: Partial<Record<Family, (value: OperandValue) => boolean>> = {
  text: isBlank,
  csv: isBlank,
  hash: isBlank,
  binary: isBlank,
  integer: (value) => value === 0n,
  float: (value) => value === 0,
  decimal: (value) => (value as Decimal).digits === 0n, // only the decimal family makes these
  boolean: (value) => value === false,
  json: (value) => isEmptyJson(value),
}

function isEmptyJson(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0
  return value === '' || value === 0 || value === false || value === null
}
