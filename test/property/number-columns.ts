// Numbers at the edges of what columns, drivers and JavaScript hold.
import type { Cell, Column } from './columns.ts'

const largest = 2n ** 63n - 1n
const smallest = -(2n ** 63n)

const integers = [0, 1, -1, 2, 10, 42, 2_147_483_647, -2_147_483_648]
const safeIntegers = [...integers, 2_147_483_648, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]
const bigIntegers = [
  ...safeIntegers.map(BigInt),
  2n ** 53n,
  2n ** 53n + 1n,
  largest - 1n,
  largest,
  smallest,
  smallest + 1n,
]

const wholeOperands: readonly unknown[] = [
  ...[
    0,
    -0,
    1,
    -1,
    1.5,
    -1.5,
    0.5,
    '1',
    '1.0',
    '01',
    '+1',
    '-1',
    '1.5',
    '1e1',
    '42',
    42n,
    2_147_483_647,
    '2147483647.5',
    2_147_483_648,
  ],
  ...[
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    9_007_199_254_740_991,
    9_007_199_254_740_992,
    2n ** 53n + 1n,
  ],
  ...[
    largest,
    smallest,
    String(largest),
    String(smallest),
    '9223372036854775807.5',
    '-9223372036854775808.5',
    '-9223372036854775807.5',
  ],
  ...['9223372036854775808', '-9223372036854775809', 1e300, -1e300, '1e999', '-1e999', 1e20],
  ...['', ' 1', '1 ', 'abc', '0x1', 'NaN', true, false, null, 'null', '٣', {}],
]

const plain = (values: readonly number[]): readonly Cell[] => values.map((value) => [value, value])
const exact = bigIntegers.map((value): Cell => [value, String(value)])
const exactText = bigIntegers.map((value): Cell => [String(value), String(value)])

const floats = [
  0,
  -0,
  1,
  -1,
  0.1,
  0.2,
  0.3,
  0.1 + 0.2,
  1.5,
  -1.5,
  1e308,
  -1e308,
  5e-324,
  2 ** 53,
  2 ** 63,
  1.2345678901234568e18,
  1e-7,
  1e21,
  123_456_789.123,
  4.35,
  1.1,
  2.675,
]
const lost = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((value): Cell => [value, null])
const floatOperands: readonly unknown[] = [
  ...[
    ...floats,
    ...floats.map(String),
    '0.30000000000000004',
    '0.1000000000000000055511151231257827',
    '1e-400',
    '.5',
    '5.',
    7,
    '1.7976931348623157e308',
  ],
  ...['1e309', 'Infinity', 'NaN', Number.NaN, '', 'abc', true, null, 'null', 10n],
]

const decimals: readonly (readonly [stored: string, answered: string])[] = [
  ...(['0', '0.10', '10.50', '-1.50', '99.99', '0.05', '100000.00', '-0.01', '1', '42'] as const).map(
    (text) => [text, Number(text).toFixed(2)] as const,
  ),
]
const wideDecimals = [...decimals, ['100000000000000000000', '100000000000000000000.00']] as const
const decimalOperands: readonly unknown[] = [
  ...[
    0,
    -0,
    0.1,
    '0.1',
    '0.10',
    '0.100',
    10.5,
    '10.5',
    '10.50',
    -1.5,
    99.99,
    '99.99',
    0.05,
    '100000',
    1e5,
    '1e20',
    1e20,
    '100000000000000000000',
    '200000000000000000000',
  ],
  ...[
    '-.01',
    '.05',
    42n,
    '42.0',
    '1e300',
    '-1e300',
    0.051,
    '0.0999',
    '',
    ' 1',
    'abc',
    '1,5',
    'NaN',
    true,
    null,
    'null',
  ],
]
const noNumber: readonly Cell[] = ['NaN', 'Infinity', '-Infinity'].map((text) => [text, null])

const withScale = (cells: readonly (readonly [string, string])[]): readonly Cell[] => cells

export const numberColumns: readonly Column[] = [
  {
    name: 'small',
    field: { type: 'integer', nullable: true },
    homes: {
      sqlite: { declared: 'integer', cells: plain(integers) },
      postgres: { declared: 'integer', cells: plain(integers) },
    },
    operands: wholeOperands,
  },
  {
    name: 'whole',
    field: { type: 'integer', nullable: true },
    homes: {
      sqlite: { declared: 'integer', cells: plain(safeIntegers) },
      postgres: { declared: 'bigint', cells: plain(safeIntegers) },
    },
    operands: wholeOperands,
  },
  {
    name: 'big',
    field: { type: 'bigInteger', nullable: true },
    homes: {
      sqlite: { declared: 'bigint', cells: exact },
      postgres: { declared: 'bigint', cells: exactText },
    },
    operands: wholeOperands,
  },
  {
    name: 'positive',
    field: { type: 'integer', nullable: true },
    homes: { postgres: { declared: 'positive', cells: plain([0, 1, 7]) } },
    operands: [0, 1, '1', 1.5, -1, 7, 1e300, null, 'x'],
  },
  {
    name: 'doubled',
    field: { type: 'integer', nullable: true, generated: true },
    homes: {
      sqlite: {
        declared: 'integer generated always as (small * 2) virtual',
        cells: integers.map((value) => [value * 2, value * 2]),
      },
      postgres: {
        declared: 'bigint generated always as (small::bigint * 2) stored',
        cells: integers.map((value) => [value * 2, value * 2]),
      },
    },
    operands: [0, 2, '84', 4_294_967_294, 1.5, null],
  },
  {
    name: 'ratio',
    field: { type: 'float', nullable: true },
    homes: {
      sqlite: { declared: 'real', cells: [...plain(floats), ...lost] },
      postgres: { declared: 'double precision', cells: [...plain(floats), ...lost, ['NaN', null]] },
    },
    operands: floatOperands,
  },
  {
    name: 'price',
    field: { type: 'decimal', nullable: true, precision: 10, scale: 2 },
    homes: {
      sqlite: { declared: 'numeric(10,2)', cells: withScale(decimals) },
      postgres: { declared: 'numeric(10,2)', cells: [...withScale(decimals), ['NaN', null]] },
    },
    operands: decimalOperands,
  },
  {
    name: 'amount',
    field: { type: 'decimal', nullable: true, scale: 2 },
    homes: {
      sqlite: { declared: 'decimal', cells: withScale(wideDecimals) },
      postgres: { declared: 'numeric', cells: [...withScale(wideDecimals), ...noNumber] },
    },
    operands: decimalOperands,
  },
  {
    name: 'price_text',
    field: { type: 'decimal', nullable: true, storage: 'text', scale: 2 },
    homes: {
      sqlite: { declared: 'text', cells: withScale(wideDecimals) },
      postgres: { declared: 'text', cells: withScale(wideDecimals) },
    },
    operands: decimalOperands,
  },
]
