import type { Operand } from '../../types/family-row.ts'

/** A list as one bound JSON text, which `json_each` expands again: it works for any length. */
export function jsonList(
  operands: readonly Operand[],
  encode: (operand: Operand) => string | number | bigint,
): string {
  const elements = operands.filter(({ exact }) => exact).map(encode)
  return `[${elements.map(jsonElement).join(',')}]`
}

export function jsonElement(value: string | number | bigint): string {
  if (typeof value === 'string') return JSON.stringify(value)
  const digits = String(value)
  // JavaScript shortens large numbers (2^63 ends in 6000), and SQLite reads bare digits as an exact integer.
  const isShortened = typeof value === 'number' && /^-?\d+$/.test(digits) && !Number.isSafeInteger(value)
  return isShortened ? `${digits}.0` : digits
}
