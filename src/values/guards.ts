// Tests of values that came from outside.

// `instanceof` is true of anything with the right prototype, and such an object throws as soon as its value is
// read; a tag can be given to anything. So they only say which objects are worth trying to read.

/** True for a date, also one of another realm. */
export function isDate(value: unknown): value is Date {
  if (typeof value !== 'object' || value === null) return false
  try {
    if (!(value instanceof Date) && tagOf(value) !== '[object Date]') return false
    Date.prototype.getTime.call(value)
    return true
  } catch {
    return false
  }
}

/** True for bytes, also those of another realm. */
export const isBytes = (value: unknown): value is Uint8Array =>
  typeof value === 'object' && elementsOf?.call(value) === 'Uint8Array'

/** The name of the class of a typed array, which only a typed array has. */
const elementsOf: (() => unknown) | undefined = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)?.get

/** True for a buffer of bytes, shared or not, also one of another realm. */
export function isBuffer(value: unknown): value is ArrayBuffer {
  if (typeof value !== 'object' || value === null) return false
  try {
    return /^\[object (Shared)?ArrayBuffer\]$/.test(tagOf(value)) && isViewed(value)
  } catch {
    return false
  }
}

const tagOf = (value: object): string => Object.prototype.toString.call(value)
// The constructor takes buffers only, and throws for all else.
const isViewed = (value: object) => new DataView(value as ArrayBuffer).byteOffset === 0

/** True for a plain object: no list, and no instance of a class. Objects of another realm count, too. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** True for a text that a database can store. None stores U+0000 or half a surrogate pair, so no text with one
 *  can be found. */
export const isSound = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed()

/** True if a text has more than `max` characters. Each takes one or two units of its length. */
export const isLongerThan = (max: number, text: string): boolean =>
  text.length > max && [...text].length > max

/** True if a text has more than `max` bytes in UTF-8. Each unit of its length takes one to three of them. */
export const hasMoreBytes = (max: number, text: string): boolean =>
  text.length > max || (text.length * 3 > max && new TextEncoder().encode(text).length > max)

/** True for promises of any library. `Returned` is the type of their results as the caller knows it. */
export const isPromiseOf = <Returned>(value: unknown): value is PromiseLike<Returned> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

/** The value of a JSON text; undefined if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The elements of a list; what is none is one of its own. */
export const listOf = (input: unknown): readonly unknown[] => (Array.isArray(input) ? input : [input])
