import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caseVariants, foldCase } from '../../src/values/fold.ts'
import { charactersWithVariants, everyCharacter } from './fold-reference.ts'

const reference = charactersWithVariants()

const variantCases = [
  { title: 'a letter has its two cases', character: 'a', variants: ['A', 'a'] },
  { title: 'k has the Kelvin sign', character: 'k', variants: ['K', 'k', '\u{212a}'] },
  { title: 'the Kelvin sign has k', character: '\u{212a}', variants: ['K', 'k', '\u{212a}'] },
  { title: 's has the long s', character: 's', variants: ['S', 's', 'ſ'] },
  { title: 'å has the Ångström sign', character: 'å', variants: ['\u{c5}', 'å', '\u{212b}'] },
  { title: 'sigma has its final form', character: 'σ', variants: ['Σ', 'ς', 'σ'] },
  { title: 'the final sigma has both others', character: 'ς', variants: ['Σ', 'ς', 'σ'] },
  { title: 'sharp s has its capital, never ss', character: 'ß', variants: ['ß', 'ẞ'] },
  { title: 'the dotted capital I stands alone', character: 'İ', variants: ['İ'] },
  { title: 'the dotless i stands alone', character: 'ı', variants: ['ı'] },
  { title: 'i is not Turkish', character: 'i', variants: ['I', 'i'] },
  { title: 'a digraph has its title case', character: '\u{1c6}', variants: [...'\u{1c4}\u{1c5}\u{1c6}'] },
  { title: 'a ligature never falls into letters', character: '\u{fb01}', variants: ['\u{fb01}'] },
  { title: 'a character beyond 16 bits has its cases', character: '𐐀', variants: ['𐐀', '𐐨'] },
  { title: 'Cherokee has its small letters', character: 'Ꭰ', variants: ['Ꭰ', 'ꭰ'] },
  { title: 'a digit stands alone', character: '7', variants: ['7'] },
  { title: 'a bracket stands alone', character: ']', variants: [']'] },
  { title: 'an ideograph stands alone', character: '語', variants: ['語'] },
  { title: 'an emoji stands alone', character: '🙂', variants: ['🙂'] },
]

describe('caseVariants', () => {
  it.each(variantCases)('$title', ({ character, variants }) => {
    expect(caseVariants(character)).toEqual(variants)
  })

  it('agrees with the iu flag on every character there is', () => {
    const wrong = everyCharacter.filter((character) => {
      const expected = reference.get(character) ?? [character]
      return caseVariants(character).join() !== expected.join()
    })
    expect(wrong).toEqual([])
  })

  it('gives no company to what means something inside a pattern class', () => {
    expect([...'[]^-!\\*?:.='].filter((character) => caseVariants(character).length > 1)).toEqual([])
  })
})

describe('foldCase', () => {
  it('gives all variants of a character one fold, and no two others the same', () => {
    const wrong = everyCharacter.filter((character) => {
      const expected = reference.get(character) ?? [character]
      const fold = foldCase(character)
      return !expected.includes(fold) || expected.some((variant) => foldCase(variant) !== fold)
    })
    expect(wrong).toEqual([])
  })

  it('ignores the place of a sigma in its word', () => {
    expect(foldCase('ΣΊΣΥΦΟΣ')).toBe(foldCase('σίσυφος'))
  })

  it('never changes the number of characters', () => {
    expect([...foldCase('ŒUVRE İSTANBUL STRASSE ẞ \u{fb03}')]).toHaveLength(26)
  })

  it('folds an ASCII text like the same text among others', () => {
    expect(foldCase('Kiosk é').startsWith(foldCase('Kiosk'))).toBe(true)
  })

  it('agrees with the iu flag on whole texts', () => {
    fc.assert(
      fc.property(pairOfTexts, ({ left, right }) => {
        expect(foldCase(left) === foldCase(right)).toBe(equalIgnoringCase(left, right))
      }),
      { numRuns: 5000 },
    )
  })
})

const character = fc.oneof(
  fc.constantFrom(...reference.keys()),
  fc.constantFrom(...'kKsSiIİı^$.'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
)

// A character, and most often one of its variants: otherwise two random texts would never be equal.
const pairOfCharacters = character.chain((here) => {
  const variant = fc.constantFrom(...(reference.get(here) ?? [here]))
  const there = fc.oneof({ weight: 30, arbitrary: variant }, { weight: 1, arbitrary: character })
  return fc.record({ here: fc.constant(here), there })
})

const pairOfTexts = fc.array(pairOfCharacters, { maxLength: 12 }).map((pairs) => ({
  left: pairs.map(({ here }) => here).join(''),
  right: pairs.map(({ there }) => there).join(''),
}))

const equalIgnoringCase = (left: string, right: string): boolean =>
  new RegExp(`^${left.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`, 'iu').test(right)
