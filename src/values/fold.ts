import { unreachableByMapping } from './fold-table.ts'

/** Every character that equals this one when case is ignored, itself included, by code point. What means
 *  something inside the `[…]` of a pattern has no case, so a list of several can stand there as it is.
 *  @example caseVariants('s') // ['S', 's', 'ſ'] */
export function caseVariants(character: string): readonly string[] {
  const known = found.get(character)
  if (known) return known
  if (!isCased.test(character)) return [character]
  const variants = findVariants(character)
  found.set(character, variants)
  return variants
}

/** The text with each character replaced by the first of its variants: two texts are equal ignoring case
 *  exactly when their folds are equal. For comparing, not for showing.
 *  @example foldCase('ΣΊΣΥΦΟΣ') === foldCase('σίσυφος') // true */
export function foldCase(text: string): string {
  // The first variant of an ASCII letter is its upper case.
  if (isAscii.test(text)) return text.toUpperCase()
  return text.replace(casedCharacters, (character) => caseVariants(character)[0] ?? character)
}

// Holds cased characters only, of which Unicode has some three thousand: no input can make it grow further.
const found = new Map<string, readonly string[]>()

const isCased = /^\p{Changes_When_Casemapped}$/u
const casedCharacters = /\p{Changes_When_Casemapped}/gu
const isAscii = /^\p{ASCII}*$/u

/** Proposes with the engine's case mappings, then lets its `iu` flag decide: that is Unicode's simple case
 *  folding, in its version of Unicode. https://tc39.es/ecma262/#sec-runtime-semantics-canonicalize-ch */
function findVariants(character: string): readonly string[] {
  const reached = new Set([character])
  // A Set's loop also visits what is added on the way.
  for (const variant of reached) {
    for (const next of [variant.toLowerCase(), variant.toUpperCase(), ...(unreachable.get(variant) ?? [])]) {
      if (isCased.test(next)) reached.add(next)
    }
  }
  // The mappings go too far as well: ı has the upper case I, and yet folds only to itself.
  const equals = new RegExp(`^${character}$`, 'iu')
  return [...reached].filter((variant) => equals.test(variant)).sort(byCodePoint)
}

const unreachable = new Map(
  unreachableByMapping.flatMap((variants) => [...variants].map((variant) => [variant, [...variants]])),
)

const byCodePoint = (a: string, b: string): number => (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0)
