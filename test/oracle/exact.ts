// Whole numbers and decimals of any size, as multiples of a very small unit.

export const isExact = (type: string): boolean => type === 'bigInteger' || type === 'decimal'

const digits = 30
const unit = 10n ** BigInt(digits)

export function readExact(value: unknown): bigint {
  const text = String(value)
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^([-+]?)(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/.exec(text) ?? []
  const power = digits - fraction.length + Number(exponent)
  if (whole === '' || power < 0) throw new Error(`not a number of so many digits: ${text}`)
  const size = BigInt(whole + fraction) * 10n ** BigInt(power)
  return sign === '-' ? -size : size
}

/** With exactly so many digits after the point. */
export function writeExact(value: bigint, scale: number): string {
  const size = value < 0n ? -value : value
  const fraction = (size % unit).toString().padStart(digits, '0').slice(0, scale)
  const sign = value < 0n ? '-' : ''
  return `${sign}${size / unit}${scale > 0 ? `.${fraction}` : ''}`
}

export const toNumber = (value: bigint): number => Number(writeExact(value, digits))
