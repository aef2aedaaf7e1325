// How values of every type look, whatever the database and whoever set up its driver.
import { casesOf, items, list, one } from './case.ts'

const sample = (key: number, ...fields: readonly string[]) => one('samples', key, { fields })

export const valueCases = casesOf({
  'a whole number is a number': [sample(3, 'whole'), { whole: -2147483648 }],
  'a whole number of 64 bits is text, exact': [sample(1, 'big'), { big: '9007199254740993' }],
  'the smallest whole number of 64 bits': [sample(3, 'big'), { big: '-9223372036854775808' }],
  'a decimal is text with its scale': [sample(1, 'price'), { price: '10.50' }],
  'a decimal zero has its scale too': [sample(4, 'price'), { price: '0.00' }],
  'a decimal of all its digits': [sample(3, 'price'), { price: '99999999.99' }],
  'a decimal stored as text is exact and has its scale': [
    list('samples', { fields: ['exact'], filter: { id: { _in: [1, 3, 4] } } }),
    items({ exact: '12345678901234567890.10' }, { exact: '-0.05' }, { exact: '3.00' }),
  ],
  'a floating-point number is a number': [sample(1, 'real'), { real: 1.5 }],
  'infinity is null': [sample(3, 'real'), { real: null }],
  'what is no number is null': [sample(4, 'real'), { real: null }],
  'text comes back letter by letter': [sample(1, 'long'), { long: 'é\n"quoted" \\ 😀' }],
  'empty text is no null': [sample(3, 'long'), { long: '' }],
  'digits in a text stay text': [sample(4, 'long'), { long: '42' }],
  'a boolean is true, false or null': [
    list('samples', { fields: ['flag'], filter: { id: { _lte: 3 } } }),
    items({ flag: true }, { flag: null }, { flag: false }),
  ],
  'a date is a day': [sample(3, 'day'), { day: '1969-12-31' }],
  'a time is to the second': [sample(4, 'hour'), { hour: '00:00:00' }],
  'a dateTime has no zone': [sample(1, 'local'), { local: '2024-02-29T08:30:00' }],
  'a timestamp is in UTC, with milliseconds': [sample(4, 'moment'), { moment: '2024-06-30T22:30:00.000Z' }],
  'a timestamp is cut to milliseconds, not rounded': [
    sample(3, 'moment'),
    { moment: '2024-12-31T23:59:59.999Z' },
  ],
  'dates look the same however they are stored': [
    list('stored', { filter: { id: 1 } }),
    items({
      id: 1,
      day: '2024-02-29',
      hour: '08:30:00',
      local: '2024-02-29T08:30:00',
      moment: '2024-02-29T08:30:00.123Z',
      written: '2024-02-29T08:30:00.123Z',
    }),
  ],
  'dates before 1970 look the same however they are stored': [
    list('stored', { filter: { id: 2 } }),
    items({
      id: 2,
      day: '1969-12-31',
      hour: '00:00:00',
      local: '1969-12-31T23:59:59',
      moment: '1969-12-31T23:59:59.999Z',
      written: '1969-12-31T23:59:59.999Z',
    }),
  ],
  'functions read dates however they are stored': [
    list('stored', {
      fields: ['year(day)', 'minute(hour)', 'weekday(local)', 'second(moment)', 'year(written)'],
    }),
    items(
      { day_year: 2024, hour_minute: 30, local_weekday: 4, moment_second: 0, written_year: 2024 },
      { day_year: 1969, hour_minute: 0, local_weekday: 3, moment_second: 59, written_year: 1969 },
    ),
  ],
  'JSON is parsed': [sample(1, 'paper'), { paper: { a: [1, null, 'x'], b: { c: false } } }],
  'JSON may be a text': [sample(4, 'paper'), { paper: 'text' }],
  'JSON may be an empty list': [sample(3, 'paper'), { paper: [] }],
  'JSON that is none reads as its text': [
    list('papers', { fields: ['paper'] }),
    items({ paper: { a: 1 } }, { paper: '{loose' }),
    { needs: 'looseColumns' },
  ],
  'csv is an array': [
    list('samples', { fields: ['words'] }),
    items({ words: ['alpha', 'beta'] }, { words: null }, { words: [] }, { words: ['alpha'] }),
  ],
  'a uuid is text in lower case': [sample(1, 'code'), { code: 'abcdef00-0000-4000-8000-00000000000a' }],
  'bytes are base64 text': [
    list('samples', { fields: ['bytes'], filter: { id: { _lte: 3 } } }),
    items({ bytes: 'AP8K' }, { bytes: null }, { bytes: '' }),
  ],
  'a hash is never shown, but whether there is one': [
    list('secrets', { fields: ['hash'], filter: { id: { _lte: 2 } } }),
    items({ hash: '**********' }, { hash: null }),
  ],
  'a concealed field is never shown either': [
    list('secrets', { fields: ['pin'], filter: { id: { _lte: 2 } } }),
    items({ pin: '**********' }, { pin: null }),
  ],
  'geometry is GeoJSON': [
    list('places'),
    items({ id: 1, point: { type: 'Point', coordinates: [10.75, 59.91] } }, { id: 2, point: null }),
    { needs: 'textGeometry' },
  ],
  'every value without value is null': [
    one('samples', 2),
    {
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
  ],
  'values of related items look the same as those of items': [
    list('entries', { fields: ['item:texts.id', 'item:heroes.id'], sort: 'id', limit: 2 }),
    items({ item: { id: 1 } }, { item: { id: '00000000-0000-4000-8000-000000000001' } }),
  ],
})
