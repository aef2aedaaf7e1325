// Binding of operands on SQLite, whose drivers take numbers, big integers, texts and bytes.
import type { Family } from '../../types/families.ts'
import type { Operand } from '../../types/family-row.ts'
import { fromBase64 } from '../../values/bytes.ts'
import { type Decimal, decimalText } from '../../values/decimal.ts'
import { edge } from '../integer-range.ts'
import type { Sign } from '../phrase-types.ts'

type Encode = (operand: Operand, sign: Sign) => number | bigint | string | Uint8Array

// Each encoder only gets values that its own family has read, hence the casts.
const encoders: Partial<Record<Family, Encode>> = {
  integer: (operand, sign) => wholeNumber(edge(operand, sign, 1n)),
  float: ({ at }) => at as number,
  decimal: ({ at }) => nearestNumber(at as Decimal),
  boolean: ({ at }) => (at === true ? 1 : 0),
  binary: ({ at }) => fromBase64(at as string),
}

export function encode(family: Family, operand: Operand, sign: Sign): number | bigint | string | Uint8Array {
  return encoders[family]?.(operand, sign) ?? String(operand.at)
}

function wholeNumber(value: bigint): number | bigint {
  const isSafe = value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
  const fits = BigInt.asIntN(64, value) === value
  return isSafe || !fits ? Number(value) : value
}

/** SQLite stores whole decimals as integers, others as floating-point numbers. */
function nearestNumber(value: Decimal): number | bigint {
  return value.scale === 0 ? wholeNumber(value.digits) : Number(decimalText(value))
}
