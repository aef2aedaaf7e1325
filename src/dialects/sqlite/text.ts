import { fault } from '../../errors.ts'
import { caseVariants } from '../../values/fold.ts'
import type { JsonPath } from '../../values/json-path.ts'
import type { Place } from '../dialect.ts'

/** A GLOB pattern that matches a text literally, but for its case: each letter becomes the class of its variants. */
export function anyCasePattern(text: string, place: Place): string {
  let body = ''
  for (const character of text) body += anyCase(character)
  const pattern = `${place === 'start' ? '' : '*'}${body}${place === 'end' ? '' : '*'}`
  if (Buffer.byteLength(pattern) > longestPattern)
    throw fault('INVALID_QUERY', 'This text is too long for the database to match in any case.')
  return pattern
}

// SQLite's own limit for patterns, in bytes. Only a text of thousands of letters with several variants comes near.
const longestPattern = 50_000

const anyCase = (character: string) => {
  const variants = caseVariants(character)
  return variants.length === 1 ? literal(character) : `[${variants.join('')}]`
}

const literal = (character: string) =>
  character === '*' || character === '?' || character === '[' ? `[${character}]` : character

/** How SQLite counts: by code points. */
export const lengthOf = (text: string): number => [...text].length

/** The first value after every text that starts with a prefix: a text, or a blob, which SQLite sorts after all texts. */
export function prefixEnd(prefix: string): string | Uint8Array {
  const characters = [...prefix]
  while (characters.length > 0) {
    const next = following(characters.pop() ?? '')
    if (next !== undefined) return characters.join('') + next
  }
  return new Uint8Array([0])
}

function following(character: string): string | undefined {
  const code = (character.codePointAt(0) ?? 0) + 1
  if (code > 0x10ffff) return undefined
  return String.fromCodePoint(code === 0xd800 ? 0xe000 : code)
}

/** A path as SQLite writes it: `$."size"."w"[0]`. */
export function jsonPathText(path: JsonPath): string {
  return `$${path.map((step) => (typeof step === 'number' ? `[${step}]` : `."${step}"`)).join('')}`
}
