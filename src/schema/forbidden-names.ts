import { hasMoreBytes } from '../values/guards.ts'

/** Names that would reach into an object's prototype; refused as names and as keys everywhere. */
export const poisonousNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** The problem of a name of a collection, a field or an alias, in words; undefined if there is none. */
export function wrongName(name: string): string | undefined {
  // Nearly every name is of this form, and a large schema has ten thousand.
  if (plain.test(name) && !poisonousNames.has(name)) return undefined
  return rules.find((rule) => rule.breaks(name))?.says
}

const plain = /^[A-Za-z][A-Za-z0-9_]{0,62}$/

// Each mark below has a meaning in a query, so a name with it could not be queried.
const rules: readonly { readonly breaks: (name: string) => boolean; readonly says: string }[] = [
  { breaks: (name) => name === '', says: 'is empty' },
  { breaks: (name) => poisonousNames.has(name), says: 'is a reserved word of JavaScript' },
  { breaks: (name) => name.trim() !== name, says: 'begins or ends with a blank' },
  {
    breaks: (name) => /^[_$-]/.test(name),
    says: 'begins with "_", "$" or "-", which queries use for themselves',
  },
  {
    breaks: (name) => /[.,():*]/.test(name),
    says: 'holds one of . , ( ) : *, which queries use for themselves',
  },
  { breaks: (name) => /[\p{Cc}\p{Cs}]/u.test(name), says: 'holds a control character' },
  { breaks: (name) => hasMoreBytes(255, name), says: 'is longer than 255 bytes' },
]
