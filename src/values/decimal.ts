/** An exact decimal number: digits × 10^-scale, with no trailing zeros in the digits. */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

export const decimalGrammar =
  /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$|^([+-]?)\.(\d+)(?:[eE]([+-]?\d{1,4}))?$/

// Beyond these limits a number only burns CPU time: no column can store it.
const longestNumber = 1_100
const largestExponent = 1_000

/** Reads a number or its text exactly as written. Returns undefined for everything else, blanks and hexadecimal
 *  included. */
export function readDecimal(value: unknown): Decimal | undefined {
  if (typeof value === 'bigint') return normal(value, 0)
  if (typeof value === 'number') return Number.isFinite(value) ? readDecimal(String(value)) : undefined
  if (typeof value !== 'string' || value.length > longestNumber) return undefined
  const match = decimalGrammar.exec(value)
  if (!match) return undefined
  const sign = (match[1] ?? match[5]) === '-' ? -1n : 1n
  const whole = match[2] ?? '0'
  const fraction = match[3] ?? match[6] ?? ''
  const exponent = Number(match[4] ?? match[7] ?? 0)
  if (Math.abs(exponent) > largestExponent) return undefined
  return normal(sign * BigInt(whole + fraction), fraction.length - exponent)
}

function normal(digits: bigint, scale: number): Decimal {
  if (digits === 0n) return { digits, scale: 0 }
  let [rest, places] = [digits, scale]
  while (places > 0 && rest % 10n === 0n) [rest, places] = [rest / 10n, places - 1]
  return places < 0 ? { digits: rest * 10n ** BigInt(-places), scale: 0 } : { digits: rest, scale: places }
}

export function compareDecimals(left: Decimal, right: Decimal): number {
  const scale = Math.max(left.scale, right.scale)
  const difference = widen(left, scale) - widen(right, scale)
  return difference === 0n ? 0 : difference < 0n ? -1 : 1
}

export function addDecimals(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale)
  return normal(widen(left, scale) + widen(right, scale), scale)
}

const widen = ({ digits, scale }: Decimal, to: number) => digits * 10n ** BigInt(to - scale)

/** The largest integer not above the number, and whether it equals the number. */
export function floorDecimal({ digits, scale }: Decimal): { readonly at: bigint; readonly exact: boolean } {
  const unit = 10n ** BigInt(scale)
  const quotient = digits / unit
  const rest = digits % unit
  return { at: rest < 0n ? quotient - 1n : quotient, exact: rest === 0n }
}

/** The number as plain digits, without an exponent. */
export function decimalText({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : ''
  const all = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0')
  return scale === 0 ? sign + all : `${sign}${all.slice(0, -scale)}.${all.slice(-scale)}`
}

/** Rounds to a number of decimal places, a half away from zero. */
export function roundDecimal({ digits, scale }: Decimal, places: number): Decimal {
  if (scale <= places) return { digits, scale }
  const unit = 10n ** BigInt(scale - places)
  const half = digits < 0n ? -unit / 2n : unit / 2n
  return normal((digits + half) / unit, places)
}

/** The number as plain digits, with at least so many of them after the point. */
export function paddedDecimal(decimal: Decimal, scale = 0): string {
  const text = decimalText(decimal)
  if (decimal.scale >= scale) return text
  return `${text}${decimal.scale === 0 ? '.' : ''}${'0'.repeat(scale - decimal.scale)}`
}
