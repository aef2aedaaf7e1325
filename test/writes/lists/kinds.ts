// Columns of every type, also of types that a field does not usually have, and values for them.
/** A field, and columns that take its values. */
interface Kind {
  readonly field: object
  /** The columns of both databases. */
  readonly sqlite: string
  readonly postgres: string
  readonly values: readonly unknown[]
}

const texts = [
  '',
  'a',
  'Ab',
  "it's",
  'a\\b',
  '"q"',
  '{x,y}',
  'null',
  'NULL',
  '\u{1F600}',
  '\uFFFD',
  ' b ',
  '1',
  '007',
  'a\nb',
  'a\u0000b',
  'far too long for it',
  '\u00E9',
  'e\u0301',
]
const integers = [0, -0, 1, -1, 2 ** 31 - 1, -(2 ** 31), 2 ** 31, 32_768]
const larges = [
  '0',
  '-1',
  '9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
  '9223372036854775808',
  7,
]
const floats = [
  0,
  -0,
  0.1,
  1,
  15,
  1e21,
  -1e21,
  1e300,
  5e-324,
  1 / 3,
  123456789.125,
  2 ** 53,
  2 ** 63,
  1.7976931348623157e308,
]
const decimals = [
  '0',
  '1.005',
  '-1.005',
  '10',
  10,
  '99999999.99',
  '99999999.995',
  '123456789012345678.12',
  '0.001',
  '1e3',
  2.5,
]
const documents = [
  { a: 1 },
  [1, 'b', null],
  'text',
  0,
  -0,
  1e21,
  0.1,
  true,
  { t: 'a\\"b\u{1F600}' },
  [],
  {},
  { 'n\u0000': 1 },
]
const dates = ['2026-05-01', '1999-12-31', '2024-02-29', '2026-02-30']
const times = ['12:00:00', '23:59:59.999', '12:00', '00:00:00']
const moments = ['2026-05-01T12:00:00', '2026-05-01T12:00:00.499', '2026-05-01T12:00:00.500', '2026-05-01']
const zoned = [
  '2026-05-01T12:00:00.000Z',
  '2026-05-01T12:00:00.999Z',
  '2026-05-01T12:00:00+02:00',
  '2026-05-01T12:00:00.5-11:30',
  '2026-05-01',
]
const uuids = [
  '00000000-0000-4000-8000-00000000000a',
  '00000000-0000-4000-8000-00000000000A',
  'ABCDEFAB-CDEF-4BCD-8FAB-CDEFABCDEFAB',
  'x',
]

const text = (sqlite: string, postgres: string, more: object = {}): Kind => ({
  field: { type: 'string', ...more },
  sqlite,
  postgres,
  values: texts,
})
const of = (
  type: string,
  values: readonly unknown[],
  sqlite: string,
  postgres: string,
  more: object = {},
): Kind => ({
  field: { type, ...more },
  sqlite,
  postgres,
  values,
})

export const kinds: Readonly<Record<string, Kind>> = {
  text: text('text', 'text'),
  bare: text('', 'varchar'),
  counted: text('integer', 'name'),
  realText: text('real', 'char(4)'),
  short: text('varchar(5)', 'varchar(5)'),
  limited: text('text', 'text', { length: 5 }),
  nocase: text('text collate nocase', 'citext'),
  domain: text("text default 'd'", 'short_text'),
  bytesText: text('blob', 'text'),
  state: {
    field: { type: 'string', values: ['open', 'done'], enumType: 'state' },
    sqlite: 'text',
    postgres: 'state',
    values: ['open', 'done', 'Open'],
  },
  integer: of('integer', integers, 'integer', 'integer'),
  small: of('integer', integers, 'smallint', 'smallint'),
  bareNumber: of('integer', integers, '', 'bigint'),
  textNumber: of('integer', integers, 'text', 'numeric'),
  blobNumber: of('integer', integers, 'blob', 'posint'),
  wide: of('integer', [...integers, 2 ** 53 - 1, -(2 ** 53 - 1)], 'integer', 'bigint', { wide: true }),
  large: of('bigInteger', larges, 'integer', 'bigint'),
  bareLarge: of('bigInteger', larges, '', 'numeric'),
  textLarge: of('bigInteger', larges, 'text', 'bigint'),
  float: of('float', floats, 'real', 'double precision'),
  single: of('float', floats, '', 'real'),
  textFloat: of('float', floats, 'text', 'numeric'),
  wholeFloat: of('float', floats, 'integer', 'double precision'),
  decimal: of('decimal', decimals, 'numeric(10, 2)', 'numeric(10, 2)'),
  scaled: of('decimal', decimals, '', 'numeric(10, 2)', { precision: 10, scale: 2 }),
  tens: of('decimal', decimals, 'real', 'numeric(10, -1)'),
  money: of('decimal', decimals, 'text', 'text', { storage: 'text', scale: 2 }),
  done: of('boolean', [true, false], 'boolean', 'boolean'),
  textDone: of('boolean', [true, false], 'text', 'boolean'),
  bareDone: of('boolean', [true, false], '', 'truth'),
  meta: of('json', documents, 'text', 'jsonb'),
  plainMeta: of('json', documents, '', 'json'),
  numberMeta: of('json', documents, 'numeric', 'jsonb'),
  date: of('date', dates, 'text', 'date'),
  bareDate: of('date', dates, 'date', 'date'),
  textDate: of('date', dates, 'text', 'text', { storage: 'text' }),
  time: of('time', times, 'text', 'time'),
  roundTime: of('time', times, 'time', 'time(0)'),
  at: of('dateTime', moments, 'text', 'timestamp'),
  roundAt: of('dateTime', moments, 'datetime', 'timestamp(0)'),
  zoned: of('timestamp', zoned, 'text', 'timestamptz'),
  roundZoned: of('timestamp', zoned, 'numeric', 'timestamptz(0)'),
  seconds: of('timestamp', zoned, 'integer', 'bigint', { storage: 'seconds' }),
  millis: of('timestamp', zoned, '', 'bigint', { storage: 'milliseconds' }),
  bytes: of('binary', ['', 'AAEC', '/w==', 'AA=='], 'blob', 'bytea'),
  textBytes: of('binary', ['', 'AAEC', 'QQ=='], 'text', 'bytea'),
  uuid: of('uuid', uuids, 'text', 'uuid'),
  textUuid: of('uuid', uuids, '', 'text', { storage: 'text' }),
  packed: of('uuid', uuids, 'blob', 'bytea', { storage: 'binary' }),
  list: of('csv', [[], ['a'], ['a', 'b c'], ['\u{1F600}']], 'text', 'text'),
  other: of('other', ['10.0.0.1', '::1', 'x'], 'text', 'inet', { databaseType: 'inet' }),
  opaque: of('opaque', ['(1,2)', 'x'], 'text', 'point', { databaseType: 'point' }),
  xml: of('opaque', ['<a/>', '<a'], 'text', 'xml', { databaseType: 'xml' }),
  tags: of('string', [[], ['a', 'b\\"'], [null]], 'text', 'text[]', { array: true }),
}

/** Values that most columns refuse. */
export const refused = new Set<unknown>([
  'far too long for it',
  'a\u0000b',
  'x',
  'Open',
  '2026-02-30',
  '<a',
  2 ** 31,
  '9223372036854775808',
  '99999999.995',
  '123456789012345678.12',
])
