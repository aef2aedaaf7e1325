import { plainWord, translationOf, type WordPlace } from './foreign-words.ts'

/** A hint for a word that is not known at its place: what a word of others is here, or the nearest. `legal` must only have words that the
 *  caller may know about, here and below. */
export const wordHint = (place: WordPlace, word: string, legal: readonly string[]): string | undefined =>
  foreignHint(place, word, legal) ?? suggestion(word, legal)

/** A hint for a word of others, or for one of ours in another writing. */
export function foreignHint(place: WordPlace, word: string, legal: readonly string[]): string | undefined {
  const plain = plainWord(word)
  const same = plain === '' ? undefined : legal.find((one) => plainWord(one) === plain)
  return same === undefined || same === word ? translated(place, word, legal) : `Did you mean "${same}"?`
}

/** A hint for a name of a schema where a word may stand, too. A name without its last letters is rather that name. */
export function nameHint(
  name: string,
  names: readonly string[],
  foreign: (word: string) => string | undefined,
): string | undefined {
  const plain = plainWord(name)
  const isCutOff = names.some((one) => {
    const own = plainWord(one)
    return own.startsWith(plain) && own.length - plain.length <= maxCutOff && plain.length > maxCutOff
  })
  return (isCutOff ? undefined : foreign(name)) ?? suggestion(name, names)
}

const maxCutOff = 2

/** A hint for a word of others, if what it is here may stand at the place. */
function translated(place: WordPlace, word: string, legal: readonly string[]): string | undefined {
  const found = translationOf(place, word)
  if (!found) return undefined
  const { to, example, says } = found
  if (says !== undefined || anywhere.has(place) || legal.includes(to))
    return `${says ?? `Here that is "${to}"`}: ${example}.`
  return legal.includes(`_${to}`) ? `Here that is "_${to}".` : undefined
}

/** Places whose hints show a whole field, with options of its own, or name no word. */
const anywhere: ReadonlySet<WordPlace> = new Set(['type', 'fieldOption'])

/** A hint with the valid word closest to a mistyped one. */
export function suggestion(word: string, words: Iterable<string>): string | undefined {
  const near = nearest(word, words)
  return near === undefined || near === word ? undefined : `Did you mean "${near}"?`
}

/** The valid word closest to a mistyped one, for hints. `words` must only have words that the caller may know about. */
export function nearest(word: string, words: Iterable<string>): string | undefined {
  if (word.length > longestWord) return undefined
  const mistyped = word.toLowerCase()
  let best: string | undefined
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1
  for (const candidate of words) {
    const distance = editDistance(mistyped, candidate.toLowerCase(), bestDistance)
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}

/** Edit distance of two words (insert, delete, replace, swap neighbours); stops at `limit`. */
function editDistance(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) >= limit) return limit
  let beforePrevious: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      let cost = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (same ? 0 : 1),
      )
      const swapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (swapped) cost = Math.min(cost, at(beforePrevious, column - 2) + 1)
      current.push(cost)
    }
    beforePrevious = previous
    previous = current
  }
  return at(previous, to.length)
}

// Hostile names can be kilobytes long; real typing errors are short.
const longestWord = 80

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY
