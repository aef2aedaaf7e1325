import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Pattern, readPattern } from '../../../src/vocabulary/regex.ts'

const pattern = (source: string): Pattern => {
  const read = readPattern(source)
  if (typeof read === 'string') throw new Error(`${source}: ${read}`)
  return read
}

describe('a regular expression', () => {
  it.each([
    ['^[a-z]+$', 'abc', true],
    ['^[a-z]+$', 'abc1', false],
    ['b', 'abc', true],
    ['^b', 'abc', false],
    ['^(foo|bar)baz?$', 'barba', true],
    ['^\\d{3}-\\d{4}$', '555-1234', true],
    ['^\\d{2,3}$', '1234', false],
    ['^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$', 'ada@example.com', true],
    ['^.$', '😀', true],
    ['^\\p{Lu}\\p{Ll}+$', 'Ørsted', true],
    ['\\bcat\\b', 'a cat.', true],
    ['\\bcat\\b', 'concat', false],
    ['^(?<year>\\d{4})$', '2024', true],
    ['^(?:a|)$', '', true],
    ['', 'anything', true],
    ['a{0}b', 'b', true],
    ['[\\]x]', ']', true],
    ['\\u{1F600}', '😀', true],
    ['^\\x41\\u0042$', 'AB', true],
    ['a*?b', 'aaab', true],
    ['\\$5', 'costs $5', true],
    ['\\-', 'a-b', true],
  ])('%s on %j is %s', (source, text, expected) => {
    expect(pattern(source).test(text)).toBe(expected)
  })

  it.each([
    ['(', 'it is not well formed'],
    ['a**', 'it is not well formed'],
    ['(a)\\1', 'references to groups are not supported'],
    ['(?=a)b', 'assertions about what stands before or after are not supported'],
    ['(?<!a)b', 'assertions about what stands before or after are not supported'],
    ['(?:a{500}){500}', 'it is too large; its repetitions unfold to more than 1000 steps'],
    ['a{2000}', 'it is too large; its repetitions unfold to more than 1000 steps'],
  ])('%s is refused: %s', (source, sentence) => {
    expect(readPattern(source)).toBe(sentence)
  })

  it('takes no longer where backtracking would take for ever', () => {
    const text = `${'a'.repeat(5_000)}!`
    expect(pattern('^(a+)+$').test(text)).toBe(false)
    expect(pattern('^(a|a)*$').test(text)).toBe(false)
    expect(pattern('^(a?){200}a{200}$').test('a'.repeat(200))).toBe(true)
  })

  it('answers as the language itself does', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\d', 'é', '(?:ab)', '(a|b)', '(|b)')
    const piece = fc
      .tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,2}', '*?', '+?'))
      .map(([one, times]) => one + times)
    const sequence = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''))
    const source = fc
      .tuple(
        fc.constantFrom('', '^'),
        sequence,
        fc.constantFrom('', '|b', '\\b', '\\B'),
        sequence,
        fc.constantFrom('', '$'),
      )
      .map((parts) => parts.join(''))
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '1', 'é', ' ', '\n'), { maxLength: 6 })
      .map((letters) => letters.join(''))
    fc.assert(
      fc.property(source, text, (given, subject) => {
        expect(pattern(given).test(subject)).toBe(new RegExp(given, 'u').test(subject))
      }),
      { numRuns: 5_000 },
    )
  })
})
