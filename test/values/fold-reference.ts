// What the `iu` flag of this engine's regular expressions makes equal, found by asking about every character.

/** Each character that equals another one ignoring case, with all its equals, itself included. */
export function charactersWithVariants(): ReadonlyMap<string, readonly string[]> {
  // Unassigned and private characters have no case by definition, and are seven in eight.
  const assigned = everyCharacter.filter((character) => !/[\p{Cn}\p{Co}]/u.test(character))
  const cased = [...meetings(assigned)].sort((a, b) => codeOf(a) - codeOf(b))
  const text = cased.join('')
  return new Map(cased.map((character) => [character, text.match(new RegExp(character, 'giu')) ?? []]))
}

/** All code points but the surrogates, which are no characters. */
export const everyCharacter: readonly string[] = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))

/** Those of the given characters that equal another of them. Each with each would be 10^10 comparisons, so
 *  the list is halved again and again, and each half searched for whatever is in the other. */
function meetings(characters: readonly string[], found = new Set<string>()): ReadonlySet<string> {
  if (characters.length > fewEnoughToScatter) {
    const middle = Math.ceil(characters.length / 2)
    const [low, high] = [characters.slice(0, middle), characters.slice(middle)]
    meet(low, high, found)
    meetings(low, found)
    meetings(high, found)
    return found
  }
  // Halving to the end would take 10^5 patterns. But the places of two characters differ in one bit at least.
  for (let bit = 1; bit < fewEnoughToScatter; bit *= 2) {
    const unset = characters.filter((_, place) => (place & bit) === 0)
    const set = characters.filter((_, place) => (place & bit) !== 0)
    meet(unset, set, found)
  }
  return found
}

const fewEnoughToScatter = 256

function meet(here: readonly string[], there: readonly string[], found: Set<string>): void {
  for (const character of there.join('').match(anyOf(here)) ?? []) found.add(character)
  for (const character of here.join('').match(anyOf(there)) ?? []) found.add(character)
}

/** A class of the given characters, which are sorted; runs become ranges, since long classes are slow. */
function anyOf(characters: readonly string[]): RegExp {
  const codes = characters.map(codeOf)
  const starts = codes.filter((code, place) => codes[place - 1] !== code - 1)
  const ends = codes.filter((code, place) => codes[place + 1] !== code + 1)
  const runs = starts.map((start, run) => `${escaped(start)}-${escaped(ends[run] ?? start)}`)
  return new RegExp(`[${runs.join('')}]`, 'giu')
}

const codeOf = (character: string): number => character.codePointAt(0) ?? 0

const escaped = (code: number): string => `\\u{${code.toString(16)}}`
