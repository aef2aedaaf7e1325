import type { ValueType } from '../schema/model.ts'
import type { Operand, Reach } from './phrase-types.ts'

const largest = 2n ** 63n - 1n
const smallest = -(2n ** 63n)

/** Where an operand lies, for databases whose whole numbers have 64 bits. */
export function reachOf64Bits(_type: ValueType, { at, exact }: Operand): Reach {
  if (typeof at === 'bigint' && at < smallest) return 'below'
  // Just above the largest is beyond it too, though its whole part is not.
  if (typeof at === 'bigint' && (at > largest || (at === largest && !exact))) return 'above'
  return exact ? 'within' : 'between'
}

/** Whether a column can hold just this value; only such operands have a place in a list. */
export const canHold = (reach: Reach): boolean => reach === 'within'

/** The value to compare with. An operand between two values of the column counts as the later one where "less than" is asked. */
export function edge({ at, exact }: Operand, sign: string, step: bigint): bigint {
  const from = BigInt(at as bigint | number) // only integers and moments have a step, and both are whole
  return !exact && (sign === '<' || sign === '>=') ? from + step : from
}
