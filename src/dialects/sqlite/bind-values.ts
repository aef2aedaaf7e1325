// Binding of operands on SQLite, whose drivers take numbers, big integers, texts and bytes.
import type { Family } from '../../types/families.ts'
import type { Operand } from '../../types/family-row.ts'
import type { ValueType } from '../../types/field-types.ts'
import { type Decimal, decimalText } from '../../values/decimal.ts'
import { bytesOf, isOfBytes, shownDigits } from '../bytes.ts'
import { edge } from '../integer-range.ts'
import type { Sign } from '../phrase-types.ts'

type Encode = (operand: Operand, sign: Sign, type: ValueType) => PlainValue

export type PlainValue = number | bigint | string

// Each encoder only gets values that its own family has read, hence the casts.
const encoders: Partial<Record<Family, Encode>> = {
  integer: (operand, sign) =>
    operand.exact && Number.isSafeInteger(operand.at)
      ? (operand.at as number)
      : wholeNumber(edge(operand, sign, 1n)),
  float: ({ at }) => at as number,
  decimal: ({ at }) => nearestNumber(at as Decimal),
  boolean: ({ at }) => (at === true ? 1 : 0),
  // The key of another collection's item, as text.
  binary: ({ at }, _sign, type) => shownDigits(type)(String(at)),
}

export const encode = (type: ValueType, operand: Operand, sign: Sign): PlainValue | Uint8Array =>
  isOfBytes(type) ? bytesOf(operand.at) : encodePlain(type, operand, sign)

export function encodePlain(type: ValueType, operand: Operand, sign: Sign): PlainValue {
  return encoders[type.family]?.(operand, sign, type) ?? String(operand.at)
}

function wholeNumber(value: bigint): number | bigint {
  const isSafe = value >= leastSafe && value <= greatestSafe
  const fits = BigInt.asIntN(64, value) === value
  return isSafe || !fits ? Number(value) : value
}

const leastSafe = BigInt(Number.MIN_SAFE_INTEGER)
const greatestSafe = BigInt(Number.MAX_SAFE_INTEGER)

/** SQLite stores whole decimals as integers, others as floating-point numbers. */
function nearestNumber(value: Decimal): number | bigint {
  return value.scale === 0 ? wholeNumber(value.digits) : Number(decimalText(value))
}
