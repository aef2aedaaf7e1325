// What goes into a field of each type, and how it comes out again.
import type { ErrorCode, FieldDefinition } from '../../../src/index.ts'
import { titled } from '../../support/titled.ts'

export interface ValueCase {
  readonly title: string
  readonly field: FieldDefinition
  readonly column: Readonly<Record<'sqlite' | 'postgres', string>>
  /** What is given, and what is shown of it; the same, where it stands alone. */
  readonly kept: readonly (readonly [given: unknown, shown?: unknown])[]
  readonly refused?: readonly (readonly [given: unknown, code: ErrorCode])[]
  /** What the column holds of the last value, read as text. */
  readonly holds?: Readonly<Record<'sqlite' | 'postgres', string>>
}

const same = (column: string) => ({ sqlite: column, postgres: column })
const wrong = (...given: readonly unknown[]) =>
  given.map((one): readonly [unknown, ErrorCode] => [one, 'FAILED_VALIDATION'])
const beyond = (...given: readonly unknown[]) =>
  given.map((one): readonly [unknown, ErrorCode] => [one, 'VALUE_OUT_OF_RANGE'])

const nasty = [
  '',
  ' ',
  "it's",
  'a"b',
  'a\\b',
  '100%',
  'a_b',
  'é',
  'ß',
  '😀',
  '\n\t',
  'null',
  'true',
  '0',
  '{}',
  '$1',
  ':a',
  '?',
]
const nulls = [[null]] as const
const texts = [...nasty.map((text): [unknown] => [text]), [5, '5'], [true, 'true']] as const
const noTexts = wrong({}, [], ['a'], 'a\u0000b', '\ud800')

const day = Date.UTC(2024, 1, 29, 8, 30, 15, 123)
const moments = [
  ['2024-02-29T08:30:15.123Z'],
  ['2024-02-29T10:30:15.123+02:00', '2024-02-29T08:30:15.123Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2024-02-29T08:30:15.123999Z', '2024-02-29T08:30:15.123Z'],
  [new Date(day), '2024-02-29T08:30:15.123Z'],
  ['1969-12-31T23:59:59.999Z'],
  ['9999-12-31T23:59:59.999Z'],
  ['0001-01-01T00:00:00.000Z'],
] as const
const noMoments = wrong('2024-02-30', 'soon', '', {}, [], true, new Date(Number.NaN))
const inSeconds = moments.map(
  ([given, shown = given]) => [given, String(shown).replace(/\.\d+Z$/, '.000Z')] as const,
)
const dateTimes = [
  ['2024-02-29T08:30:15'],
  ['2024-02-29T10:30:15+02:00', '2024-02-29T08:30:15'],
  ['2024-02-29T08:30:15.999', '2024-02-29T08:30:15'],
  [new Date(day), '2024-02-29T08:30:15'],
  ['1969-12-31T23:59:59'],
] as const
const days = [
  ['2024-02-29'],
  ['2024-02-29T23:30:00', '2024-02-29'],
  [new Date(day), '2024-02-29'],
  ['1969-12-31'],
  ['0001-01-01'],
] as const
const times = [
  ['08:30:15'],
  ['08:30', '08:30:00'],
  ['23:59:59'],
  ['00:00:00'],
  ['08:30:15.9', '08:30:15'],
] as const

const objects = [
  [{ a: [1, null, 'x'], b: { c: false } }],
  [[]],
  [{}],
  ['text'],
  ['5'],
  [''],
  [5],
  [1.5],
  [true],
  [false],
  [[null]],
  [{ at: new Date(day) }, { at: '2024-02-29T08:30:15.123Z' }],
  [{ gone: undefined, kept: 1 }, { kept: 1 }],
  [nasty],
] as const

const uuid = 'abcdef00-0000-4000-8000-00000000000a'

/** Types that only the database knows: some, whether they have no equality, and texts in the form in which they are read. */
const others: readonly (readonly [type: string, isOpaque: boolean, ...texts: readonly string[]])[] = [
  ['inet', false, '10.0.0.1', '10.0.0.1/24', '::1'],
  ['interval', false, '1 year 2 mons -3 days +04:05:06.7', '-00:00:01', '00:00:00'],
  ['money', false, '1234.50', '-0.05'],
  ['tstzrange', false, '["2024-01-02 03:04:05+00",)', 'empty'],
  ['macaddr', false, '08:00:2b:01:02:03'],
  ['bit', false, '1'],
  ['tsvector', false, "'cat':3 'fat':2", ''],
  ['point', true, '(1,0.1)'],
  ['xml', true, '<a>1</a><b/>', ''],
]

export const valueCases: readonly ValueCase[] = [
  ...titled<ValueCase>({
    integer: {
      field: { type: 'integer', nullable: true },
      column: same('integer'),
      kept: [[0], [-2147483648], [2147483647], ['12', 12], [7n, 7], [1e3, 1000], ['-0', 0], ...nulls],
      refused: [
        ...wrong('abc', 1.5, '1.5', '', ' ', {}, [], true, Number.NaN, Number.POSITIVE_INFINITY),
        ...beyond(2147483648, -2147483649, 2n ** 31n, '2147483648', 2n ** 53n, '99999999999999999999'),
      ],
    },
    'integer in a column of 64 bits': {
      field: { type: 'integer', nullable: true },
      column: same('bigint'),
      kept: [[-2147483648], [2147483647], ...nulls],
      refused: beyond(2147483648, -2147483649, '2147483648', 2n ** 53n),
    },
    'wide integer': {
      field: { type: 'integer', wide: true, nullable: true },
      column: same('bigint'),
      kept: [
        [2147483648],
        [-2147483649],
        ['9007199254740991', 9007199254740991],
        [-9007199254740991n, -9007199254740991],
        ['-0', 0],
        ...nulls,
      ],
      refused: [...wrong('abc', 1.5, true), ...beyond(2n ** 53n, -(2n ** 53n), '99999999999999999999')],
    },
    bigInteger: {
      field: { type: 'bigInteger', nullable: true },
      column: same('bigint'),
      kept: [
        ['9007199254740993'],
        [9007199254740995n, '9007199254740995'],
        ['-9223372036854775808'],
        ['9223372036854775807'],
        [42, '42'],
        ['0'],
        ...nulls,
      ],
      refused: [...wrong('abc', 1.5, true), ...beyond('9223372036854775808', '-9223372036854775809')],
    },
    float: {
      field: { type: 'float', nullable: true },
      column: same('double precision'),
      kept: [[0.1], [1e300], [5e-324], [-2], ['1.5', 1.5], [9007199254740993n, 9007199254740992], ...nulls],
      refused: wrong('abc', '', Number.NaN, Number.POSITIVE_INFINITY, true, {}),
    },
    'decimal in text': {
      field: { type: 'decimal', storage: 'text', scale: 2, nullable: true },
      column: same('text'),
      kept: [
        ['12345678901234567890.10'],
        ['-0.05'],
        [3, '3.00'],
        ['1.005', '1.01'],
        ['-1.005', '-1.01'],
        ['1e2', '100.00'],
        [10n, '10.00'],
        ...nulls,
      ],
      refused: wrong('abc', '', Number.NaN, true, {}),
    },
    'decimal in numbers': {
      field: { type: 'decimal', precision: 10, scale: 2, nullable: true },
      column: same('decimal(10, 2)'),
      kept: [['99999999.99'], ['-0.05'], [10.5, '10.50'], [0, '0.00'], ['1.999', '2.00'], ...nulls],
      refused: [...wrong('abc'), ...beyond('100000000', '99999999.999')],
    },
    'decimal without precision': {
      field: { type: 'decimal', nullable: true },
      column: same('numeric'),
      kept: [['12345.678'], ['-1e3', '-1000'], ...nulls],
      refused: [...wrong(Number.POSITIVE_INFINITY), ...beyond('1e309', '-1e999')],
    },
    string: {
      field: { type: 'string', nullable: true },
      column: same('text'),
      kept: [...texts, ...nulls],
      // What JSON makes of 1e999.
      refused: [...noTexts, ...wrong(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN)],
    },
    'text of a length': {
      field: { type: 'text', length: 3, nullable: true },
      column: same('text'),
      kept: [['abc'], ['😀😀😀'], ['']],
      refused: [['abcd', 'VALUE_TOO_LONG']],
    },
    'string of some values': {
      field: { type: 'string', values: ['on', 'off'], nullable: true },
      column: same('text'),
      kept: [['on'], ['off'], ...nulls],
      refused: wrong('ON', '', 'maybe', true),
    },
    'enum of the database': {
      field: { type: 'string', values: ['on', 'off'], enumType: 'switch', nullable: true },
      column: { sqlite: 'text', postgres: 'switch' },
      kept: [['on'], ['off'], ...nulls],
      refused: wrong('maybe'),
    },
    uuid: {
      field: { type: 'uuid', nullable: true },
      column: { sqlite: 'text', postgres: 'uuid' },
      kept: [[uuid], [uuid.toUpperCase(), uuid], ...nulls],
      refused: wrong('abc', '', uuid.slice(1), 5),
    },
    'uuid in text': {
      field: { type: 'uuid', storage: 'text', nullable: true },
      column: same('text'),
      kept: [[uuid.toUpperCase(), uuid]],
      holds: same(uuid),
    },
    boolean: {
      field: { type: 'boolean', nullable: true },
      column: same('boolean'),
      kept: [[true], [false], ['true', true], [0, false], ['1', true], ...nulls],
      refused: wrong('yes', 2, '', {}),
    },
    date: {
      field: { type: 'date', nullable: true },
      column: { sqlite: 'text', postgres: 'date' },
      kept: [...days, ...nulls],
      refused: noMoments,
    },
    'date in seconds': {
      field: { type: 'date', storage: 'seconds', nullable: true },
      column: same('bigint'),
      kept: [...days, ...nulls],
      holds: same('null'),
    },
    'date in text': {
      field: { type: 'date', storage: 'text', nullable: true },
      column: same('text'),
      kept: [...nulls, ...days],
      holds: same('0001-01-01'),
    },
    time: {
      field: { type: 'time', nullable: true },
      column: { sqlite: 'text', postgres: 'time' },
      kept: [...times, ...nulls],
      refused: wrong('25:00', 'soon', ''),
    },
    'time in milliseconds': {
      field: { type: 'time', storage: 'milliseconds', nullable: true },
      column: same('bigint'),
      kept: [...times, ['08:30:15']],
      holds: same('30615000'),
    },
    dateTime: {
      field: { type: 'dateTime', nullable: true },
      column: { sqlite: 'text', postgres: 'timestamp' },
      kept: [...dateTimes, ...nulls],
      refused: noMoments,
    },
    'dateTime in milliseconds': {
      field: { type: 'dateTime', storage: 'milliseconds', nullable: true },
      column: same('bigint'),
      kept: [...dateTimes],
      holds: same('-1000'),
    },
    timestamp: {
      field: { type: 'timestamp', nullable: true },
      column: { sqlite: 'text', postgres: 'timestamptz' },
      kept: [...moments, ...nulls],
      refused: noMoments,
    },
    'timestamp without a zone': {
      field: { type: 'timestamp', nullable: true },
      column: { sqlite: 'text', postgres: 'timestamp' },
      kept: [...moments],
    },
    'timestamp in text': {
      field: { type: 'timestamp', storage: 'text', nullable: true },
      column: same('text'),
      kept: [...moments, ['2024-02-29T10:30:15.123+02:00', '2024-02-29T08:30:15.123Z']],
      holds: same('2024-02-29T08:30:15.123Z'),
    },
    'timestamp in the canonical form': {
      field: { type: 'timestamp', storage: 'canonical', nullable: true },
      column: { sqlite: 'text', postgres: 'timestamptz' },
      kept: [...moments, ['2024-02-29T10:30:15.123+02:00', '2024-02-29T08:30:15.123Z']],
    },
    'timestamp in seconds': {
      field: { type: 'timestamp', storage: 'seconds', nullable: true },
      column: same('bigint'),
      kept: [...inSeconds],
    },
    'timestamp in milliseconds': {
      field: { type: 'timestamp', storage: 'milliseconds', nullable: true },
      column: same('bigint'),
      kept: [...moments, [new Date(day), '2024-02-29T08:30:15.123Z']],
      holds: same(String(day)),
    },
    json: {
      field: { type: 'json', nullable: true },
      column: { sqlite: 'text', postgres: 'jsonb' },
      kept: [...objects, ...nulls],
      refused: wrong(
        () => 1,
        Symbol('x'),
        { a: 'b\u0000' },
        { '\ud800': 1 },
        { a: [null, Number.POSITIVE_INFINITY] },
        [Number.NaN],
      ),
    },
    'json in a column that is not jsonb': {
      field: { type: 'json', nullable: true },
      column: { sqlite: 'json', postgres: 'json' },
      kept: [...objects, ...nulls],
    },
    csv: {
      field: { type: 'csv', nullable: true },
      column: same('text'),
      kept: [[['alpha', 'beta']], [['é', '😀']], [['a', '', 'b']], [[]], ['a,b', ['a', 'b']], ...nulls],
      refused: wrong(['a,b'], [''], [1], {}, [null], Number.POSITIVE_INFINITY),
    },
    binary: {
      field: { type: 'binary', nullable: true },
      column: { sqlite: 'blob', postgres: 'bytea' },
      kept: [['AP8K'], [''], [new Uint8Array([0, 255, 10]), 'AP8K'], [Buffer.from('x'), 'eA=='], ...nulls],
      refused: wrong('?', 5, {}),
    },
    'binary in hexadecimal digits': {
      field: { type: 'binary', encoding: 'hex', nullable: true },
      column: { sqlite: 'blob', postgres: 'bytea' },
      kept: [['00ff0a'], [''], ['00FF', '00ff'], [new Uint8Array([0, 255, 10]), '00ff0a'], ...nulls],
      refused: wrong('0', '0x00', '\\x00', 'AP8K=', 5, {}),
    },
    'a uuid of 16 bytes': {
      field: { type: 'uuid', storage: 'binary', nullable: true },
      column: { sqlite: 'blob', postgres: 'bytea' },
      kept: [[uuid], [uuid.toUpperCase(), uuid], ...nulls],
      refused: wrong(uuid.replaceAll('-', ''), '', 5),
    },
  }),
  ...others.map(
    ([databaseType, isOpaque, ...texts]): ValueCase => ({
      title: `a value of the database's type ${databaseType}`,
      field: { type: isOpaque ? 'opaque' : 'other', databaseType, nullable: true },
      column: { sqlite: 'text', postgres: databaseType },
      kept: [...texts.map((text) => [text] as const), ...nulls],
      refused: wrong({}, [], true, 'a\u0000', '\ud800'),
    }),
  ),
  ...titled<ValueCase>({
    'a list of network addresses': {
      field: { type: 'other', databaseType: 'inet', array: true, nullable: true },
      column: { sqlite: 'text', postgres: 'inet[]' },
      kept: [[[]], [['10.0.0.1', null, '::1/64']], ...nulls],
      refused: wrong('10.0.0.1', [{}]),
    },
    'a list of intervals': {
      field: { type: 'other', databaseType: 'interval', array: true, nullable: true },
      column: { sqlite: 'text', postgres: 'interval[]' },
      kept: [[['1 day', null, '-00:00:01.5']]],
      refused: wrong([{}]),
    },
    hash: {
      field: { type: 'hash', nullable: true },
      column: same('text'),
      kept: [['fish', '**********'], ...nulls],
      refused: wrong(5, {}, 'a\u0000'),
    },
    'a list of strings': {
      field: { type: 'string', array: true, nullable: true },
      column: { sqlite: 'text', postgres: 'text[]' },
      kept: [[[]], [['a', null, 'NULL', '', 'a,b', '{}', '"', '\\']], [nasty], ...nulls],
      refused: wrong('a', {}, [{}], [['a']]),
    },
    'a list of integers': {
      field: { type: 'integer', array: true, nullable: true },
      column: { sqlite: 'text', postgres: 'integer[]' },
      kept: [[[]], [[1, null, -2]], [['3'], [3]]],
      refused: wrong(['a'], [1.5], 5),
    },
    'a list of booleans': {
      field: { type: 'boolean', array: true, nullable: true },
      column: { sqlite: 'text', postgres: 'boolean[]' },
      kept: [[[true, false, null]]],
      refused: wrong(['yes']),
    },
    'a list of uuids': {
      field: { type: 'uuid', array: true, nullable: true },
      column: { sqlite: 'text', postgres: 'uuid[]' },
      kept: [[[uuid.toUpperCase()], [uuid]]],
      refused: wrong(['a']),
    },
    'a list of days': {
      field: { type: 'date', array: true, nullable: true },
      column: { sqlite: 'text', postgres: 'date[]' },
      kept: [[['2024-02-29', null]]],
      refused: wrong(['2024-02-30']),
    },
  }),
]
