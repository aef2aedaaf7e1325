// Days, times and moments in every form in which columns hold them.
import type { ScalarDefinition } from '../../src/schema/definition.ts'
import type { Cell, Column, Home } from './columns.ts'

const dated = ['year', 'month', 'week', 'day', 'weekday']
const timed = ['hour', 'minute', 'second']

const days = [
  '0001-01-01',
  '1582-10-10',
  '1900-02-28',
  '1969-12-31',
  '1970-01-01',
  '2000-02-29',
  '2023-12-31',
  '2024-01-01',
  '2024-02-29',
  '2024-03-01',
  '2024-12-30',
  '9999-12-31',
]
const times = ['00:00:00', '00:00:01', '08:30:00', '12:00:00', '12:00:01', '23:59:58', '23:59:59']
const clocks = [
  ...[
    '0001-01-01T00:00:00',
    '1500-03-01T12:00:00',
    '1969-12-31T23:59:59',
    '1970-01-01T00:00:00',
    '2023-12-31T23:59:59',
    '2024-02-29T00:00:00',
    '2024-02-29T12:30:15',
  ],
  ...[
    '2024-03-31T01:00:00',
    '2024-03-31T02:30:00',
    '2024-10-27T01:00:00',
    '2024-10-27T02:30:00',
    '9999-12-31T23:59:59',
  ],
]
const moments = [
  ...clocks.map((clock) => `${clock}.000Z`),
  '2024-02-29T12:30:15.123Z',
  '2024-02-29T12:30:15.124Z',
  '1969-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59.999Z',
]

const same = (texts: readonly string[]): readonly Cell[] => texts.map((text) => [text, text])
const numbered = (texts: readonly string[], unit: number, read: (text: string) => number): readonly Cell[] =>
  texts.map((text) => [read(text) / unit, text])

const midnight = (day: string) => Date.parse(`${day}T00:00:00Z`)
const sinceMidnight = (time: string) => Date.parse(`1970-01-01T${time}Z`)
const utc = (clock: string) => Date.parse(`${clock}Z`)
const onWholeSeconds = moments.filter((moment) => moment.endsWith('.000Z'))

/** Stored finer than what is shown. */
const finer = {
  date: {
    ms: [
      [midnight('2024-02-29') + 46_800_000, '2024-02-29'],
      [-1, '1969-12-31'],
      [-86_400_001, '1969-12-30'],
    ],
  },
  time: {
    ms: [
      [43_200_999, '12:00:00'],
      [86_399_999, '23:59:59'],
    ],
  },
  dateTime: {
    ms: [
      [utc('2024-02-29T12:30:15') + 999, '2024-02-29T12:30:15'],
      [-1, '1969-12-31T23:59:59'],
    ],
  },
} as const satisfies Record<string, Record<string, readonly Cell[]>>

const infinite: readonly Cell[] = [
  ['infinity', null],
  ['-infinity', null],
]

/** The forms in which others write text that SQLite holds. */
const isoForms = {
  date: [
    ['2024-02-29 12:30:00', '2024-02-29'],
    ['2024-02-29T23:30:00-02:00', '2024-03-01'],
    ['2024-03-01T00:30:00+02:00', '2024-02-29'],
    ['2024-02-29T10:00Z', '2024-02-29'],
  ],
  time: [
    ['08:30', '08:30:00'],
    ['12:00:00.600', '12:00:00'],
    ['23:59:59.999', '23:59:59'],
    ['23:59:59.9999', '23:59:59'],
  ],
  dateTime: [
    ['2024-02-29 12:30:15', '2024-02-29T12:30:15'],
    ['2024-02-29', '2024-02-29T00:00:00'],
    ['2024-02-29 12:30', '2024-02-29T12:30:00'],
    ['2024-02-29T12:30:15.999', '2024-02-29T12:30:15'],
    ['2024-02-29T12:30:59.999999', '2024-02-29T12:30:59'],
    ['2024-02-29T23:30:15-02:00', '2024-03-01T01:30:15'],
    ['2024-02-29T12:30:15.5Z', '2024-02-29T12:30:15'],
    ['2024-02-29T12:30:15.5+01:00', '2024-02-29T11:30:15'],
  ],
  timestamp: [
    ['2024-02-29 12:30:15', '2024-02-29T12:30:15.000Z'],
    ['2024-02-29 12:30:15.123Z', '2024-02-29T12:30:15.123Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2024-02-29T14:30:15.124+02:00', '2024-02-29T12:30:15.124Z'],
    ['2024-02-29T12:30:15.123987Z', '2024-02-29T12:30:15.123Z'],
    ['2024-02-29T12:30:15.1Z', '2024-02-29T12:30:15.100Z'],
    ['2024-02-29T23:59:59.999999+00:00', '2024-02-29T23:59:59.999Z'],
    ['2024-02-29T12:30Z', '2024-02-29T12:30:00.000Z'],
    ['2024-03-01T02:30:15.12+14:00', '2024-02-29T12:30:15.120Z'],
  ],
} as const satisfies Record<string, readonly Cell[]>

const subMillisecond: readonly Cell[] = [
  ['2024-02-29 12:30:15.123999Z', '2024-02-29T12:30:15.123Z'],
  ['1969-12-31 23:59:59.999999Z', '1969-12-31T23:59:59.999Z'],
  ['2024-02-29 14:30:15.123001+02', '2024-02-29T12:30:15.123Z'],
]
const subSecond: readonly Cell[] = [
  ['2024-02-29 12:30:15.999999', '2024-02-29T12:30:15'],
  ['1969-12-31 23:59:59.5', '1969-12-31T23:59:59'],
]

const wrong = [
  '',
  'abc',
  5,
  '2024-02-30',
  '2024-13-01',
  '24:00:00',
  '2024',
  'now',
  true,
  null,
  'null',
  '10000-01-01',
  '0000-01-01',
]
const dayOperands: readonly unknown[] = [
  ...days,
  ...[
    '2024-02-29T00:00:00',
    '2024-02-29T12:00:00',
    '2024-02-29T23:00:00-05:00',
    '2024-03-01T00:30:00+02:00',
    '2024-02-29 00:00',
    '2024-02-29T00:00:00.0005',
  ],
  ...[
    '9999-12-31T12:00:00',
    '0001-01-01T12:00:00',
    '9999-12-31T23:59:59.9999',
    new Date('2024-02-29T00:00:00Z'),
    new Date('2024-02-29T12:00:00Z'),
    '$NOW',
    '$NOW(+1 day)',
    ...wrong,
  ],
]
const timeOperands: readonly unknown[] = [
  ...times,
  ...[
    '08:30',
    '08:30:00.5',
    '12:00:00.000',
    '12:00:00.0001',
    '23:59:59.5',
    '23:59:59.9999',
    '00:00:00.1',
    '$NOW',
    new Date('2024-02-29T08:30:00Z'),
    new Date('2024-02-29T12:00:00.500Z'),
  ],
  ...['2024-02-29T08:30:00Z', '2024-02-29T10:30:00+02:00', ...wrong, '2024-02-29x'],
]
const momentOperands: readonly unknown[] = [
  ...moments,
  ...clocks,
  ...[
    '2024-02-29',
    '2024-02-29 12:30:15',
    '2024-02-29T12:30',
    '2024-02-29T14:30:15+02:00',
    '2024-02-29T12:30:15.1235Z',
    '2024-02-29T12:30:15.5',
  ],
  ...[
    '9999-12-31T23:59:59.9999Z',
    '9999-12-31T23:59:59.5',
    '0001-01-01',
    '0001-01-01T00:00:00+01:00',
    '2024-02-29T12:30:15,123Z',
    '2024-02-29T07:30:15.123-0500',
    '2024-02-29T12:30:15.120',
  ],
  ...[new Date('2024-02-29T12:30:15.123Z'), '$NOW', '$NOW(-1 year)', '08:30:00', ...wrong],
]

interface Kind {
  readonly type: 'date' | 'time' | 'dateTime' | 'timestamp'
  readonly operands: readonly unknown[]
  readonly functions: readonly string[]
  readonly text: readonly Cell[]
  readonly foreignText: readonly Cell[]
  readonly native: { readonly type: string; readonly cells: readonly Cell[] }
  readonly seconds: readonly Cell[]
  readonly milliseconds: readonly Cell[]
}

const kinds: readonly Kind[] = [
  {
    type: 'date',
    operands: dayOperands,
    functions: dated,
    text: same(days),
    foreignText: isoForms.date,
    native: { type: 'date', cells: [...same(days), ...infinite] },
    seconds: numbered(days, 1_000, midnight),
    milliseconds: [...numbered(days, 1, midnight), ...finer.date.ms],
  },
  {
    type: 'time',
    operands: timeOperands,
    functions: timed,
    text: same(times),
    foreignText: isoForms.time,
    native: {
      type: 'time',
      cells: [...same(times), ['12:00:00.6', '12:00:00'], ['23:59:59.999999', '23:59:59']],
    },
    seconds: numbered(times, 1_000, sinceMidnight),
    milliseconds: [...numbered(times, 1, sinceMidnight), ...finer.time.ms],
  },
  {
    type: 'dateTime',
    operands: momentOperands,
    functions: [...dated, ...timed],
    text: same(clocks),
    foreignText: isoForms.dateTime,
    native: { type: 'timestamp', cells: [...same(clocks), ...subSecond, ...infinite] },
    seconds: numbered(clocks, 1_000, utc),
    milliseconds: [...numbered(clocks, 1, utc), ...finer.dateTime.ms],
  },
  {
    type: 'timestamp',
    operands: momentOperands,
    functions: [...dated, ...timed],
    text: same(moments),
    foreignText: isoForms.timestamp,
    native: { type: 'timestamptz', cells: [...same(moments), ...subMillisecond, ...infinite] },
    seconds: numbered(onWholeSeconds, 1_000, Date.parse),
    milliseconds: numbered(moments, 1, Date.parse),
  },
]

function columnsOf(kind: Kind): readonly Column[] {
  const { type, operands, functions } = kind
  const text: Home = { declared: 'text', cells: kind.text }
  const anyText: Home = { declared: 'text', cells: [...kind.text, ...kind.foreignText] }
  const native: Home = { declared: kind.native.type, cells: kind.native.cells }
  const column = (suffix: string, field: Partial<ScalarDefinition>, homes: Column['homes']): Column => ({
    name: `${type.toLowerCase()}_${suffix}`,
    field: { type, nullable: true, ...field },
    homes,
    operands,
    functions,
  })
  const numbers = (cells: readonly Cell[]): Column['homes'] => ({
    sqlite: { declared: 'integer', cells },
    postgres: { declared: 'bigint', cells },
  })
  return [
    column('usual', {}, { sqlite: anyText, postgres: native }),
    column('text', { storage: 'text' }, { sqlite: anyText, postgres: text }),
    column('canonical', { storage: 'canonical' }, { sqlite: text, postgres: native }),
    column('sql', { storage: 'sql' }, { sqlite: anyText, postgres: native }),
    column('native', { storage: 'native' }, { postgres: native }),
    column('seconds', { storage: 'seconds' }, numbers(kind.seconds)),
    column('milliseconds', { storage: 'milliseconds' }, numbers(kind.milliseconds)),
  ]
}

export const temporalColumns: readonly Column[] = kinds.flatMap(columnsOf)
