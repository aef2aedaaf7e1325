// Tests of values that came from outside.
import { types } from 'node:util'

// `instanceof` is true of anything with the right prototype, and such an object throws as soon as its value is read.
export const isDate = (value: unknown): value is Date => types.isDate(value)
export const isBytes = (value: unknown): value is Uint8Array => types.isUint8Array(value)
export const isBuffer = (value: unknown): value is ArrayBuffer => types.isAnyArrayBuffer(value)

/** True for a plain object: no list, and no instance of a class. Objects of another realm count, too. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** True for a text that a database can store. None stores U+0000 or half a surrogate pair, so no text with one
 *  can be found. */
export const isSound = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed()

/** True if a text has more than `most` characters. Each takes one or two units of its length. */
export const isLongerThan = (most: number, text: string): boolean =>
  text.length > most && [...text].length > most
