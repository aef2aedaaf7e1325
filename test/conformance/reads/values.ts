// How values of every type look, whatever the database and whoever set up its driver.
import { items, list, one, type ReadCase } from './case.ts'

const sample = (key: number, ...fields: readonly string[]) => one('samples', key, { fields })

export const valueCases: readonly ReadCase[] = [
  { title: 'a whole number is a number', call: sample(3, 'whole'), expect: { whole: -2147483648 } },
  {
    title: 'a whole number of 64 bits is text, exact',
    call: sample(1, 'big'),
    expect: { big: '9007199254740993' },
  },
  {
    title: 'the smallest whole number of 64 bits',
    call: sample(3, 'big'),
    expect: { big: '-9223372036854775808' },
  },
  { title: 'a decimal is text with its scale', call: sample(1, 'price'), expect: { price: '10.50' } },
  { title: 'a decimal zero has its scale too', call: sample(4, 'price'), expect: { price: '0.00' } },
  { title: 'a decimal of all its digits', call: sample(3, 'price'), expect: { price: '99999999.99' } },
  {
    title: 'a decimal stored as text is exact and has its scale',
    call: list('samples', { fields: ['exact'], filter: { id: { _in: [1, 3, 4] } } }),
    expect: items({ exact: '12345678901234567890.10' }, { exact: '-0.05' }, { exact: '3.00' }),
  },
  { title: 'a floating-point number is a number', call: sample(1, 'real'), expect: { real: 1.5 } },
  { title: 'infinity is null', call: sample(3, 'real'), expect: { real: null } },
  { title: 'what is no number is null', call: sample(4, 'real'), expect: { real: null } },
  {
    title: 'text comes back letter by letter',
    call: sample(1, 'long'),
    expect: { long: 'é\n"quoted" \\ 😀' },
  },
  { title: 'empty text is no null', call: sample(3, 'long'), expect: { long: '' } },
  { title: 'digits in a text stay text', call: sample(4, 'long'), expect: { long: '42' } },
  {
    title: 'a boolean is true, false or null',
    call: list('samples', { fields: ['flag'], filter: { id: { _lte: 3 } } }),
    expect: items({ flag: true }, { flag: null }, { flag: false }),
  },
  { title: 'a date is a day', call: sample(3, 'day'), expect: { day: '1969-12-31' } },
  { title: 'a time is to the second', call: sample(4, 'hour'), expect: { hour: '00:00:00' } },
  { title: 'a dateTime has no zone', call: sample(1, 'local'), expect: { local: '2024-02-29T08:30:00' } },
  {
    title: 'a timestamp is in UTC, with milliseconds',
    call: sample(4, 'moment'),
    expect: { moment: '2024-06-30T22:30:00.000Z' },
  },
  {
    title: 'a timestamp is cut to milliseconds, not rounded',
    call: sample(3, 'moment'),
    expect: { moment: '2024-12-31T23:59:59.999Z' },
  },
  {
    title: 'dates look the same however they are stored',
    call: list('stored', { filter: { id: 1 } }),
    expect: items({
      id: 1,
      day: '2024-02-29',
      hour: '08:30:00',
      local: '2024-02-29T08:30:00',
      moment: '2024-02-29T08:30:00.123Z',
      written: '2024-02-29T08:30:00.123Z',
    }),
  },
  {
    title: 'dates before 1970 look the same however they are stored',
    call: list('stored', { filter: { id: 2 } }),
    expect: items({
      id: 2,
      day: '1969-12-31',
      hour: '00:00:00',
      local: '1969-12-31T23:59:59',
      moment: '1969-12-31T23:59:59.999Z',
      written: '1969-12-31T23:59:59.999Z',
    }),
  },
  {
    title: 'functions read dates however they are stored',
    call: list('stored', {
      fields: ['year(day)', 'minute(hour)', 'weekday(local)', 'second(moment)', 'year(written)'],
    }),
    expect: items(
      { day_year: 2024, hour_minute: 30, local_weekday: 4, moment_second: 0, written_year: 2024 },
      { day_year: 1969, hour_minute: 0, local_weekday: 3, moment_second: 59, written_year: 1969 },
    ),
  },
  {
    title: 'JSON is parsed',
    call: sample(1, 'paper'),
    expect: { paper: { a: [1, null, 'x'], b: { c: false } } },
  },
  { title: 'JSON may be a text', call: sample(4, 'paper'), expect: { paper: 'text' } },
  { title: 'JSON may be an empty list', call: sample(3, 'paper'), expect: { paper: [] } },
  {
    title: 'JSON that is none reads as its text',
    call: list('papers', { fields: ['paper'] }),
    needs: 'looseColumns',
    expect: items({ paper: { a: 1 } }, { paper: '{loose' }),
  },
  {
    title: 'csv is an array',
    call: list('samples', { fields: ['words'] }),
    expect: items({ words: ['alpha', 'beta'] }, { words: null }, { words: [] }, { words: ['alpha'] }),
  },
  {
    title: 'a uuid is text in lower case',
    call: sample(1, 'code'),
    expect: { code: 'abcdef00-0000-4000-8000-00000000000a' },
  },
  {
    title: 'bytes are base64 text',
    call: list('samples', { fields: ['bytes'], filter: { id: { _lte: 3 } } }),
    expect: items({ bytes: 'AP8K' }, { bytes: null }, { bytes: '' }),
  },
  {
    title: 'a hash is never shown, but whether there is one',
    call: list('secrets', { fields: ['hash'], filter: { id: { _lte: 2 } } }),
    expect: items({ hash: '**********' }, { hash: null }),
  },
  {
    title: 'a concealed field is never shown either',
    call: list('secrets', { fields: ['pin'], filter: { id: { _lte: 2 } } }),
    expect: items({ pin: '**********' }, { pin: null }),
  },
  {
    title: 'geometry is GeoJSON',
    call: list('places'),
    needs: 'textGeometry',
    expect: items({ id: 1, point: { type: 'Point', coordinates: [10.75, 59.91] } }, { id: 2, point: null }),
  },
  {
    title: 'every value without value is null',
    call: one('samples', 2),
    expect: {
      id: 2,
      whole: null,
      big: null,
      price: null,
      exact: null,
      real: null,
      long: null,
      flag: null,
      day: null,
      hour: null,
      local: null,
      moment: null,
      paper: null,
      words: null,
      code: null,
      bytes: null,
    },
  },
  {
    title: 'values of related items look the same as those of items',
    call: list('entries', { fields: ['item:texts.id', 'item:heroes.id'], sort: 'id', limit: 2 }),
    expect: items({ item: { id: 1 } }, { item: { id: '00000000-0000-4000-8000-000000000001' } }),
  },
]
