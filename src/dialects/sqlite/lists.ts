import type { Operand } from '../dialect.ts'

/** A list as one bound JSON text, which `json_each` spreads again: no list is too long for it. */
export function jsonList(
  operands: readonly Operand[],
  encode: (operand: Operand) => string | number | bigint,
): string {
  // JSON.stringify refuses bigint; SQLite reads its digits exactly.
  const elements = operands.filter(({ exact }) => exact).map(encode)
  return `[${elements.map((element) => (typeof element === 'string' ? JSON.stringify(element) : String(element))).join(',')}]`
}
