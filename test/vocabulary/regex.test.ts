import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Pattern, readPattern } from '../../src/vocabulary/regex.ts'

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
    ['^a{2,}$', 'a', false],
    ['^a{2,}$', 'aaaaa', true],
    ['^a{0,1}$', 'aa', false],
    ['^a?$', 'aa', false],
    ['^a+$', '', false],
    ['a\\Bb', 'ab', true],
    ['\\Ba', 'a', false],
    ['\\Ba', 'ba', true],
    ['^\\B$', '', true],
    ['a$b', 'ab', false],
    ['a^b', 'ab', false],
    ['^(?:ab|c)d$', 'abd', true],
    ['^(?:ab|c)d$', 'cd', true],
    ['^(?:ab|c)d$', 'acd', false],
    // Half a pair is one character only without the "u" of JavaScript.
    ['^[\\-a]{2}$', '-a', true],
    ['^.\\-.$', '😀-a', false],
    ['^..\\-.$', '😀-a', true],
    ['^[^x]+$', 'a\nb', true],
    ['^.+$', 'a\nb', false],
    ['^\\uD83D\\uDE00$', '😀', true],
    ['^\\cJ$', '\n', true],
    ['^\\P{Lu}$', 'a', true],
    ['^[a\\]b]+$', 'a]b', true],
  ])('%s on %j is %s', (source, text, expected) => {
    expect(pattern(source).test(text)).toBe(expected)
  })

  it.each([
    ['(', 'it is not well formed'],
    ['a**', 'it is not well formed'],
    ['(a)\\1', 'references to groups are not supported'],
    ['(?=a)b', 'lookarounds are not supported'],
    ['(?<!a)b', 'lookarounds are not supported'],
    ['(?:a{500}){500}', 'its repetitions unfold to more than 1000 steps'],
    [`${'('.repeat(2_000)}a${')'.repeat(2_000)}`, 'it has more than 500 groups'],
    ['a{2000}', 'its repetitions unfold to more than 1000 steps'],
    ['a{1001}', 'its repetitions unfold to more than 1000 steps'],
    ['a{0,501}', 'its repetitions unfold to more than 1000 steps'],
    ['a{998,}', 'its repetitions unfold to more than 1000 steps'],
    ['a{1001,}', 'its repetitions unfold to more than 1000 steps'],
    ['(?:){1,1002}', 'its repetitions unfold to more than 1000 steps'],
    ['\\k<a>(?<a>b)', 'references to groups are not supported'],
    ['\\\\\\1(a)', 'references to groups are not supported'],
    ['(?!a)b', 'lookarounds are not supported'],
    ['(?<=a)b', 'lookarounds are not supported'],
  ])('%s is refused: %s', (source, sentence) => {
    expect(readPattern(source)).toBe(sentence)
  })

  it.each([
    'a{1000}',
    'a{0,500}',
    '(?:){1000}',
    '(?:){2000}',
    'a{997,}',
    '\\\\1',
    '\\(?=',
    '(?<b>a)',
    '[\\]]',
    '\\0',
  ])('%s is taken', (source) => {
    expect(readPattern(source)).toMatchObject({ test: expect.any(Function) })
  })

  it('knows more characters than it remembers', () => {
    const text = Array.from({ length: 1_000 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('')
    expect(pattern('^[^x]+$').test(`${text}${text}`)).toBe(true)
    expect(pattern('^[^x]+$').test(`${text}x${text}`)).toBe(false)
  })

  it('is given up in a text that would take many seconds', () => {
    const large = pattern('(a?){330}b$')
    expect(large.test(`${'a'.repeat(330)}b`)).toBe(true)
    expect(() => large.test('a'.repeat(20_000))).toThrow(expect.objectContaining({ code: 'OUT_OF_TIME' }))
  })

  it('takes no longer where backtracking would take for ever', () => {
    const text = `${'a'.repeat(5_000)}!`
    expect(pattern('^(a+)+$').test(text)).toBe(false)
    expect(pattern('^(a|a)*$').test(text)).toBe(false)
    expect(pattern('^(a?){200}a{200}$').test('a'.repeat(200))).toBe(true)
  })

  it('reads repetitions of nothing inside of one another no longer than others', () => {
    const source = `^${'('.repeat(9)}${'){1000}'.repeat(9)}(a(){1000}){3}$`
    expect(pattern(source).test('aaa')).toBe(true)
    expect(pattern(source).test('aa')).toBe(false)
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
