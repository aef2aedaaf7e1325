// The rules of keys. They are narrow enough to be a path on every system and an address without escapes.
import { fault, quote } from '../errors/errors.ts'

const longestKey = 512
// File systems allow 255.
const longestPart = 200

const character = /^[\w.-]*$/
// Without a leading dot there are no hidden files and no `..`, and temporary names cannot be keys; Windows
// drops a trailing dot.
const part = /^[\w-]([\w.-]*[\w-])?$/
const device = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

interface KeyRule {
  readonly isKept: (key: string, parts: readonly string[]) => boolean
  readonly says: string
}

const rules: readonly KeyRule[] = [
  { isKept: (key) => key !== '', says: 'A key has at least one character' },
  { isKept: (key) => key.length <= longestKey, says: `A key has no more than ${longestKey} characters` },
  {
    isKept: (_, parts) => parts.every((name) => character.test(name)),
    says: 'A key is made of letters of ASCII, digits, "-", "_", "." and "/"',
  },
  {
    isKept: (_, parts) => parts.every((name) => part.test(name)),
    says: 'No part of a key is empty, or begins or ends with a dot',
  },
  {
    isKept: (_, parts) => parts.every((name) => name.length <= longestPart),
    says: `A part of a key has no more than ${longestPart} characters`,
  },
  {
    isKept: (_, parts) => !parts.some((name) => device.test(name)),
    says: 'No part of a key is the name of a device, such as "con" or "nul.txt"',
  },
]

/** Refuses an invalid key.
 *  @example checkKey('../secrets.txt') // throws "../secrets.txt" is not a key. */
export function checkKey(key: unknown): asserts key is string {
  const broken = typeof key === 'string' ? brokenRule(key) : 'A key is a text'
  if (broken !== undefined) throw refusal('key', broken, key)
}

export const isKey = (text: string): boolean => brokenRule(text) === undefined

/** Refuses what cannot be the beginning of a key. */
export function checkPrefix(prefix: unknown): asserts prefix is string {
  const broken = typeof prefix === 'string' ? brokenOfPrefix(prefix) : 'A prefix is a text'
  if (broken !== undefined) throw refusal('prefix', broken, prefix)
}

function brokenRule(key: string): string | undefined {
  const parts = key.split('/')
  return rules.find(({ isKept }) => !isKept(key, parts))?.says
}

/** A prefix may end anywhere: whatever could go on as a key is one, such as `a/` and `a/b.`. */
const brokenOfPrefix = (prefix: string) => (prefix === '' ? undefined : brokenRule(`${prefix}-`))

const refusal = (name: string, says: string, input: unknown) =>
  fault('INVALID_PAYLOAD', `${says}, so ${quote(input)} is not a ${name}.`, { path: [name] })
