import { fault } from '../../errors/errors.ts'
import { caseVariants } from '../../values/fold.ts'
import { hasMoreBytes } from '../../values/guards.ts'
import type { JsonPath } from '../../values/json-path.ts'
import type { MatchPosition, Slot } from '../phrase-types.ts'
import { type Sql, sql } from '../sql.ts'

/** Matches a text ignoring case. After a star a pattern is tried at each place of the value, to the end in the
 *  worst case. So a star is only used where there is no other way: for letters that have a case and are not
 *  ASCII. */
export function matchAnyCase(column: Sql, place: MatchPosition, text: Slot<string>): Sql {
  if (place === 'start') return sql`${column} glob ${text((needle) => `${anyCase(needle)}*`)}`
  if (place === 'end')
    return sql`substr(${column}, -${text(lengthOf)}) glob ${text((needle) => anyCase(needle) || '*')}`
  const inLowerCase = text((needle) => (isSimple(needle) ? lowerCase(needle) : null))
  // The two letters that equal an ASCII letter and are none.
  const lowered = sql`replace(replace(lower(${column}), '\u017f', 's'), '\u212a', 'k')`
  const found = sql`instr(${lowered}, ${inLowerCase}) > 0`
  const pattern = text((needle) => (isSimple(needle) ? null : `*${anyCase(needle)}*`))
  const matches = sql`case when ${inLowerCase} is not null then ${found} else ${column} glob ${pattern} end`
  return matching.isLikeFirst ? sql`(${mayMatch(column, text)} and ${matches})` : matches
}

/** Tests turn it off, to compare with the exact test alone. */
export const matching = { isLikeFirst: true }

/** LIKE takes a third of the time of the exact test, and accepts all that the exact test accepts, and more. A pragma, or a function of the
 *  host, may make it distinguish the case of letters: then, and without a pattern, it decides nothing. It finds no bytes unless they are
 *  read as text. */
function mayMatch(column: Sql, text: Slot<string>): Sql {
  const pattern = text(likePattern)
  return sql`(cast(${column} as text) like ${pattern} escape '\\' or ${pattern} is null or 'A' not like 'a' escape '\\')`
}

/** The pattern of LIKE for texts that contain this one in any case, from its first to its last character that LIKE compares alike. Null if
 *  there is none.
 *  @example likePattern('Straße 100%') // '%tra_e 100\\%%' */
export function likePattern(text: string): string | null {
  let pattern = ''
  for (const character of text) {
    const part = isCompared.test(character) ? character.replace(/[%_\\]/, '\\$&') : '_'
    if (pattern.length + part.length > mostOfLike) break
    if (pattern !== '' || part !== '_') pattern += part
  }
  const trimmed = pattern.replace(/(?<!\\)_+$/, '')
  return trimmed === '' ? null : `%${trimmed}%`
}

/** LIKE folds letters of ASCII alone, of which these two equal other characters. */
const isCompared = /^[^\P{ASCII}ks]$/iu

/** Without the stars: D1 takes patterns of 50 bytes. A part of a text is found wherever the text is. */
const mostOfLike = 48

/** True if SQLite's own lower() is enough: it only knows ASCII letters. */
const isSimple = (text: string): boolean =>
  [...text].every((character) => isAscii.test(character) || caseVariants(character).length === 1)

const isAscii = /^\p{ASCII}$/u

/** Lower case as in SQLite: ASCII letters only. */
const lowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** The part of a GLOB pattern that matches a text literally except for its case: each letter becomes the class
 *  of its variants. */
function anyCase(text: string): string {
  let pattern = ''
  for (const character of text) pattern += anyCaseOf(character)
  if (hasMoreBytes(longestPattern, pattern))
    throw fault('INVALID_QUERY', 'This text is too long for the database to match in any case.')
  return pattern
}

// SQLite's own limit of patterns, in bytes. Only a text of thousands of letters with several variants comes near it.
const longestPattern = 49_000

const anyCaseOf = (character: string) => {
  const variants = caseVariants(character)
  return variants.length === 1 ? literal(character) : `[${variants.join('')}]`
}

const literal = (character: string) =>
  character === '*' || character === '?' || character === '[' ? `[${character}]` : character

/** The length of a text in SQLite: its number of code points. */
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

/** A path in SQLite's notation: `$."size"."w"[0]`. */
export function jsonPathText(path: JsonPath): string {
  return `$${path.map((step) => (typeof step === 'number' ? `[${step}]` : `."${step}"`)).join('')}`
}
