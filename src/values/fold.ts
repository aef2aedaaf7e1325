import { unreachableByMapping } from './fold-table.ts'

/** All characters that equal this one ignoring case, itself included, by code point. Characters with a meaning
 *  inside the `[…]` of a pattern have no case, so a list of several can be put there unescaped.
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
 *  exactly when their folds are equal. For comparison, not for display.
 *  @example foldCase('ΣΊΣΥΦΟΣ') === foldCase('σίσυφος') // true */
export function foldCase(text: string): string {
  // The first variant of an ASCII letter is its upper case.
  if (isAscii.test(text)) return text.toUpperCase()
  return text.replace(casedCharacters, (character) => caseVariants(character)[0] ?? character)
}

// Only cased characters are cached, of which Unicode has some three thousand: no input can make it grow further.
const found = new Map<string, readonly string[]>()

const isCased = /^\p{Changes_When_Casemapped}$/u
const casedCharacters = /\p{Changes_When_Casemapped}/gu
const isAscii = /^\p{ASCII}*$/u

/** Candidates come from the engine's case mappings, and its `iu` flag decides: that is Unicode's simple case
 *  folding, in its version of Unicode. https://tc39.es/ecma262/#sec-runtime-semantics-canonicalize-ch */
function findVariants(character: string): readonly string[] {
  const reached = new Set([character])
  // The loop of a Set also visits members added on the way.
  for (const variant of reached) {
    for (const next of [variant.toLowerCase(), variant.toUpperCase(), ...(unreachable.get(variant) ?? [])]) {
      if (isCased.test(next)) reached.add(next)
    }
  }
  // The mappings also include too much: ı has the upper case I, and yet folds only to itself.
  const equals = new RegExp(`^${character}$`, 'iu')
  return [...reached].filter((variant) => equals.test(variant)).sort(byCodePoint)
}

const unreachable = new Map(
  unreachableByMapping.flatMap((variants) => [...variants].map((variant) => [variant, [...variants]])),
)

const byCodePoint = (a: string, b: string): number => (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0)
