import type { Operand } from '../types/family-row.ts'
import type { ValueType } from '../types/field-types.ts'
import type { Reach } from './phrase-types.ts'

const largest = 2n ** 63n - 1n
const smallest = -(2n ** 63n)

export function reachOf64Bits(_type: ValueType, { at, exact }: Operand): Reach {
  if (typeof at === 'bigint' && at < smallest) return 'below'
  // A number just above the largest is beyond it too, though its integer part is not.
  if (typeof at === 'bigint' && (at > largest || (at === largest && !exact))) return 'above'
  return exact ? 'within' : 'between'
}

/** The value to compare with. For "less than", an operand between two values of the column counts as the later one. */
export function edge({ at, exact }: Operand, sign: string, step: bigint): bigint {
  const from = BigInt(at as bigint | number) // only integers and timestamps have a step, and both are integers
  return !exact && (sign === '<' || sign === '>=') ? from + step : from
}
