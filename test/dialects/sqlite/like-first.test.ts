// Texts in any case on SQLite: LIKE comes first, and refuses nothing that the exact test accepts.
import BetterSqlite from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { render, sql } from '../../../src/dialects/sql.ts'
import { likePattern, matching } from '../../../src/dialects/sqlite/text.ts'
import { sqlite } from '../../../src/dialects/sqlite.ts'
import { caseVariants, foldCase } from '../../../src/values/fold.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'

let database: BetterSqlite.Database
beforeAll(() => {
  database = new BetterSqlite(':memory:')
  database.exec('create table texts (value text)')
})
afterAll(() => database.close())
afterEach(() => {
  matching.isLikeFirst = true
  database.pragma('case_sensitive_like = false')
  database.exec('delete from texts')
})

const column = {
  sql: sql`value`,
  type: { family: 'text', type: 'string', isArray: false },
  byCodePoint: false,
  negationMatchesNull: false,
}

/** The texts of the table that contain another one in any case. */
function found(needle: string, isLikeFirst = true): unknown[] {
  matching.isLikeFirst = isLikeFirst
  const condition = sqlite.match(column as never, 'anywhere', true, (encode) => sql.val(encode(needle)))
  const { sql: text, parameters } = render(sql`select value from texts where ${condition}`, sqlite)
  return database.prepare(text).pluck().all(parameters)
}

const fill = (values: readonly unknown[]) => {
  const insert = database.prepare('insert into texts values (?)')
  database.transaction(() => {
    for (const value of values) insert.run(value)
  })()
}

/** Every character that has a case, in groups of those that are equal. */
const cased = Array.from({ length: 0x1e944 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .map(caseVariants)
  .filter((variants) => variants.length > 1)

describe('a text in any case', () => {
  it('is found with every letter in each of its cases', () => {
    const missed: string[] = []
    for (const variants of new Set(cased.map((one) => one.join('')))) {
      const stored = [...variants].map((one) => `a${one}b`)
      fill(stored)
      for (const one of variants) {
        if (found(`A${one}B`).length !== stored.length) missed.push(one)
      }
      database.exec('delete from texts')
    }
    expect(missed).toEqual([])
  })

  it(`is found wherever the exact test finds it (QUERNEL_SEED=${fuzzSeed})`, () => {
    const random = new Random(fuzzSeed)
    const character = () =>
      random.do(
        () => random.one(['%', '_', '\\', '*', '?', '[', ']', "'", ' ', '\n', '\t']),
        () =>
          random.one([
            'k',
            'K',
            '\u212a',
            's',
            'S',
            'ſ',
            'å',
            'Å',
            '\u212b',
            'ß',
            'ẞ',
            'İ',
            'ı',
            'i',
            'Σ',
            'ς',
            'σ',
          ]),
        () => random.one(random.one(cased)),
        () => String.fromCharCode(32 + random.below(95)),
        () => String.fromCharCode(32 + random.below(95)),
        () => random.one(['茶', '🍵', '\u0301', '\ufffd', '\u{10ffff}', '\u200b']),
      )
    const texts = random.many(400, 400, () => random.many(0, 12, character).join(''))
    fill([...texts, null, 12, 'x'.repeat(3_000)])
    let matches = 0
    for (let number = 0; number < 2_000; number++) {
      const letters = [...random.one(texts)]
      const start = random.below(letters.length + 1)
      const part = letters.slice(start, start + 1 + random.below(6)).join('')
      const needle = random.do(
        () => part,
        () => random.one(caseVariants(part[0] ?? 'a')) + part.slice(1),
        () => part.toUpperCase(),
        () => part.toLowerCase(),
      )
      const exact = found(needle, false)
      expect([needle, found(needle)]).toEqual([needle, exact])
      expect(exact).toEqual(exact.filter((one) => foldCase(String(one)).includes(foldCase(needle))))
      matches += exact.length
    }
    expect(matches).toBeGreaterThan(2_000)
  })

  it.each([
    'a',
    '%',
    '_',
    '\\',
    'k',
    's',
    '\u212a',
    'Å',
    '茶',
    '',
    '\\%',
    '_k',
    'x'.repeat(2_000),
    'é'.repeat(2_000),
  ])('is found where it is all of the text: %.9s', (needle) => {
    fill([needle, `(${needle})`, 'y'])
    expect(found(needle)).toEqual(found(needle, false))
    expect(found(needle).length).toBeGreaterThanOrEqual(2)
  })

  it('is found on a connection whose LIKE minds the case', () => {
    fill(['Straße', 'STRAẞE', 'strasse'])
    database.pragma('case_sensitive_like = true')
    expect(found('TRA')).toEqual(['Straße', 'STRAẞE', 'strasse'])
    expect(found('trAße')).toEqual(['Straße', 'STRAẞE'])
    database.pragma('case_sensitive_like = false')
    expect(found('TRA')).toEqual(['Straße', 'STRAẞE', 'strasse'])
  })

  it('is found in bytes that a column of text holds', () => {
    fill([Buffer.from('Red Fish'), 'red fish', Buffer.from('tea')])
    expect(found('FISH')).toHaveLength(2)
  })
})

it.each([
  ['Straße 100%', String.raw`%tra_e 100\%%`],
  ['Kelvin', '%elvin%'],
  ['desk', '%de%'],
  ['aska', '%a__a%'],
  ['__', String.raw`%\_\_%`],
  ['\\é', String.raw`%\\_%`],
  ['Åsk', null],
  ['', null],
  ['x'.repeat(60), `%${'x'.repeat(48)}%`],
])('the pattern of %s has what LIKE compares alike, in 50 bytes', (text, pattern) => {
  expect(likePattern(text)).toBe(pattern)
})
