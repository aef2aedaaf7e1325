// Columns of bytes: of the type `binary`, and UUIDs of 16 bytes.
import { textOfDigits } from '../types/binary.ts'
import type { ValueType } from '../types/field-types.ts'
import { fromHex, toHex, utf8Of } from '../values/bytes.ts'
import { bytesFrom, type PresentValue, textFrom } from './read-values.ts'

export const isOfBytes = ({ family, storage }: ValueType): boolean =>
  family === 'binary' ? storage !== 'text' : family === 'uuid' && storage === 'binary'

/** The bytes of a value in the form in which its type compares. */
export const bytesOf = (at: unknown): Uint8Array => fromHex(String(at).replaceAll('-', ''))

/** Returns a reader of bytes in every form in which drivers return them. A text in their place is read as its bytes, or as a UUID. */
export function bytesReader(type: ValueType): (value: PresentValue) => string {
  const shown = shownDigits(type)
  const isUuid = type.family === 'uuid'
  return (value) => {
    if (isUuid && typeof value === 'string') return value.toLowerCase()
    const bytes = typeof value === 'string' ? utf8Of(value) : bytesFrom(value)
    return shown(toHex(bytes ?? utf8Of(textFrom(value))))
  }
}

/** Returns a function that shows lower-case digits in the form of results. */
export const shownDigits = ({ family, encoding }: ValueType): ((digits: string) => string) =>
  family === 'uuid' ? uuidOf : (digits) => textOfDigits(digits, encoding)

/** Bytes that are no UUID are shown as their digits. */
const uuidOf = (digits: string): string =>
  digits.length === 32 ? uuidParts.map(([from, to]) => digits.slice(from, to)).join('-') : digits

/** The parts of the digits of a UUID, from and to which of them. */
export const uuidParts = [
  [0, 8],
  [8, 12],
  [12, 16],
  [16, 20],
  [20, 32],
] as const

/** The forms of keys as text of which each has exactly one. */
export const canonicalKeys = {
  hex: '^([0-9a-f]{2})*$',
  uuid: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
  // Unused bits of the last character are zero.
  base64: '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$',
} as const
