// Values that trip databases up: empty, in both cases, quoted, huge, before 1970, at the edges of years and weeks.
import type { FieldDefinition } from '../../src/schema/definition.ts'
import type { Random } from '../property/seeded-random.ts'

export const texts: readonly string[] = [
  ...['', 'a', 'A', 'b', 'Z', 'abc', 'ABC', 'Abcd', 'é', 'É', 'été', 'ÉTÉ', 'Ünï', 'red fish', 'Red Fish'],
  ...[
    '100%',
    'a%c',
    'a_c',
    'a\\c',
    "it's",
    '"q"',
    '😀',
    'ａ',
    'z😀a',
    ' x ',
    '0',
    '10',
    '9',
    'null',
    'true',
    '$5',
  ],
]
const csvTexts = ['a', 'A', 'b', 'é', 'red fish', '100%', "it's", '😀', '"q"', '[1]', 'null', '3', 'a\\b']
const dates = [
  ...['1965-07-04', '1969-12-31', '1970-01-01', '1999-12-31', '2000-02-29', '2016-01-03', '2018-12-31'],
  ...['2020-12-31', '2021-01-01', '2021-01-04', '2024-02-29', '2024-03-01', '2024-12-30', '2026-06-15'],
]
const times = ['00:00:00', '00:00:01', '08:30:00', '08:30:59', '12:00:00', '23:59:59']
const bigs = [
  ...['0', '1', '-1', '42', '-9007199254740993', '9007199254740992', '9007199254740993'],
  ...['90071992547409931', '-90071992547409930'],
]

/** A few values of each type, so that rows are often equal. */
export const makers: Readonly<Record<string, (random: Random, field: FieldDefinition) => unknown>> = {
  string: (random) => random.one(texts),
  text: (random) => random.one(texts),
  integer: (random) =>
    random.one([-3, -1, 0, 0, 1, 1, 2, 3, 5, 10, 42, 1_000, 2_147_483_647, -2_147_483_648]),
  bigInteger: (random) => random.one(bigs),
  float: (random) =>
    random.one([-2.25, -0.1, 0, 0.1, 0.5, 1, 1.5, 3.25, 42, 12_345_678.9, 1e21, 1e-7, 0.1 + 0.2]),
  decimal: randomDecimal,
  boolean: (random) => random.chance(0.5),
  uuid: (random) => uuid(random.below(8)),
  binary: (random) => digits(random.below(8)),
  date: (random) => random.one(dates),
  time: (random) => random.one(times),
  dateTime: (random) => `${random.one(dates)}T${random.one(times)}`,
  timestamp: randomTimestamp,
  json: (random) => randomJson(random, 0),
  csv: (random) => random.many(0, 3, () => random.one(csvTexts)),
}

export const uuid = (index: number): string =>
  `${(index * 37 + 161).toString(16).padStart(8, 'a')}-0b1c-4d2e-8f30-${index.toString(16).padStart(12, 'c0')}`

/** Bytes as hexadecimal digits, some the beginning of others, and in no order. */
export const digits = (index: number): string =>
  `${['00', 'ff', '7f', '80'][index % 4]}${(index * 151).toString(16).padStart(4, '0')}`.slice(
    0,
    index === 1 ? 2 : 6,
  )

function randomDecimal(random: Random, field: FieldDefinition): string {
  const scale = 'scale' in field ? (field.scale ?? 0) : 0
  const units = random.one([-12_345, -250, -1, 0, 0, 1, 5, 99, 100, 1_050, 12_345, 99_999_999])
  const digits = Math.abs(units)
    .toString()
    .padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  return `${units < 0 ? '-' : ''}${whole}${scale > 0 ? `.${digits.slice(-scale)}` : ''}`
}

/** A column of seconds holds no milliseconds. */
function randomTimestamp(random: Random, field: FieldDefinition): string {
  const isWhole = 'storage' in field && field.storage === 'seconds'
  const milliseconds = isWhole ? '000' : random.one(['000', '000', '001', '123', '999'])
  return `${random.one(dates)}T${random.one(times)}.${milliseconds}Z`
}

// In the order in which PostgreSQL keeps the members of an object: the shorter first.
const jsonNames = ['a', 'w', 'size', 'items']
const jsonLeaves = [
  0,
  1,
  3,
  2.5,
  -1,
  '',
  'a',
  'É',
  'red',
  '3',
  true,
  false,
  null,
  'a%c',
  '😀',
  'true',
  'null',
  '[1]',
  '"q"',
]

function randomJson(random: Random, depth: number): unknown {
  if (depth > 2 || random.chance(depth === 0 ? 0.1 : 0.6)) {
    return depth === 0 ? random.one(jsonLeaves.filter((leaf) => leaf !== null)) : random.one(jsonLeaves)
  }
  if (random.chance(0.25)) return random.many(0, 3, () => randomJson(random, depth + 1))
  const chosen = random.some(jsonNames, 4)
  const names = jsonNames.filter((name) => chosen.includes(name))
  return Object.fromEntries(names.map((name) => [name, randomJson(random, depth + 1)]))
}

export const jsonPaths = ['a', 'a', 'size', 'size.w', 'items', 'items[0]', 'items[0].a', 'w', '[0]', 'a.a']
