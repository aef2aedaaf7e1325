// The collections of the read cases: those of the filter cases, and what they have no room for.
import { defineSchema } from '../../../src/index.ts'
import { rows as filterRows } from '../rows.ts'
import { schema as filterSchema } from '../schema.ts'
import { keyDefinition, keyRows } from './key-collections.ts'

const key = { type: 'integer', key: true } as const
const text = { type: 'string', nullable: true } as const
const number = { type: 'integer', nullable: true } as const

export const schema = defineSchema({
  ...filterSchema.definition,
  ...keyDefinition,
  // One hundred and five of them, so that the default limit shows.
  stars: { fields: { id: key, galaxy: { type: 'm2o', to: 'galaxies' } } },
  galaxies: { fields: { id: key, stars: { type: 'o2m', from: 'stars.galaxy' } } },
  ranks: { sortField: 'rank', fields: { id: key, name: text, rank: number } },
  books: {
    fields: {
      id: key,
      title: text,
      chapters: { type: 'o2m', from: 'chapters.book', sort: 'position' },
      entries: { type: 'm2a', through: 'entries.book', to: 'item', sort: 'position' },
    },
  },
  chapters: {
    fields: { id: key, heading: text, position: number, book: { type: 'm2o', to: 'books', nullable: true } },
  },
  entries: {
    fields: {
      id: key,
      book: { type: 'm2o', to: 'books' },
      kind: text,
      item: { type: 'any', to: ['heroes', 'texts'], by: 'kind', nullable: true },
      position: number,
    },
  },
  site: {
    singleton: true,
    fields: {
      id: key,
      name: text,
      motto: { ...text, default: 'hello' },
      lead: { type: 'm2o', to: 'authors' },
    },
  },
  plans: {
    singleton: true,
    fields: {
      id: key,
      name: text,
      motto: { ...text, default: 'hello' },
      size: { ...number, default: 3 },
      lead: { type: 'm2o', to: 'authors', nullable: true },
      steps: { type: 'o2m', from: 'steps.plan' },
    },
  },
  steps: { fields: { id: key, plan: { type: 'm2o', to: 'plans' } } },
  secrets: {
    fields: {
      id: key,
      name: { ...text, searchable: false },
      pin: { ...text, conceal: true },
      hash: { type: 'hash', nullable: true },
      words: { type: 'csv', nullable: true },
      paper: { type: 'json', nullable: true },
    },
  },
  samples: {
    fields: {
      id: key,
      whole: number,
      big: { type: 'bigInteger', nullable: true },
      price: { type: 'decimal', precision: 10, scale: 2, nullable: true },
      exact: { type: 'decimal', storage: 'text', scale: 2, nullable: true },
      real: { type: 'float', nullable: true },
      long: { type: 'text', nullable: true },
      flag: { type: 'boolean', nullable: true },
      day: { type: 'date', nullable: true },
      hour: { type: 'time', nullable: true },
      local: { type: 'dateTime', nullable: true },
      moment: { type: 'timestamp', nullable: true },
      paper: { type: 'json', nullable: true },
      words: { type: 'csv', nullable: true },
      code: { type: 'uuid', nullable: true },
      bytes: { type: 'binary', nullable: true },
    },
  },
  stored: {
    fields: {
      id: key,
      day: { type: 'date', storage: 'milliseconds' },
      hour: { type: 'time', storage: 'seconds' },
      local: { type: 'dateTime', storage: 'seconds' },
      moment: { type: 'timestamp', storage: 'milliseconds' },
      written: { type: 'timestamp', storage: 'text' },
    },
  },
  tallies: {
    fields: {
      id: key,
      count: number,
      of: { type: 'm2o', to: 'tallies', nullable: true },
      parts: { type: 'o2m', from: 'tallies.of' },
    },
  },
  papers: { fields: { id: key, paper: { type: 'json', nullable: true } } },
  places: { fields: { id: key, point: { type: 'geometry.Point', nullable: true } } },
})

export const rows = {
  ...filterRows,
  ...keyRows,
  stars: Array.from({ length: 105 }, (_, index) => ({ id: index + 1, galaxy: index < 103 ? 1 : 2 })),
  galaxies: [{ id: 1 }, { id: 2 }, { id: 3 }],
  ranks: [
    { id: 1, name: 'third', rank: 3 },
    { id: 2, name: 'first', rank: 1 },
    { id: 3, name: 'none', rank: null },
    { id: 4, name: 'second', rank: 2 },
    { id: 5, name: 'second too', rank: 2 },
  ],
  books: [
    { id: 1, title: 'One' },
    { id: 2, title: 'Two' },
  ],
  chapters: [
    { id: 1, heading: 'end', position: 2, book: 1 },
    { id: 2, heading: 'start', position: 1, book: 1 },
    { id: 3, heading: 'anywhere', position: null, book: 1 },
    { id: 4, heading: 'loose', position: 1, book: null },
  ],
  entries: [
    { id: 1, book: 1, kind: 'heroes', item: '1', position: 2 },
    { id: 2, book: 1, kind: 'texts', item: '00000000-0000-4000-8000-000000000001', position: 1 },
    { id: 3, book: 2, kind: 'heroes', item: '99', position: 1 },
    { id: 4, book: 2, kind: 'heroes', item: null, position: 2 },
  ],
  site: [{ id: 7, name: 'Here', motto: 'hi', lead: 1 }],
  plans: [],
  steps: [],
  secrets: [
    { id: 1, name: 'fish', pin: 'fish', hash: 'fish', words: ['fish', 'bird'], paper: { fish: 'fish' } },
    { id: 2, name: null, pin: null, hash: null, words: null, paper: null },
    { id: 3, name: '', pin: '', hash: '', words: [], paper: 'fish' },
  ],
  tallies: [
    { id: 1, count: 1, of: 1 },
    { id: 2, count: 3, of: 1 },
    { id: 3, count: 3, of: null },
  ],
  samples: [
    {
      id: 1,
      whole: 7,
      big: '9007199254740993',
      price: '10.5',
      exact: '12345678901234567890.10',
      real: 1.5,
      long: 'é\n"quoted" \\ 😀',
      flag: true,
      day: '2024-02-29',
      hour: '08:30:00',
      local: '2024-02-29T08:30:00',
      moment: '2024-02-29T08:30:00.123Z',
      paper: { a: [1, null, 'x'], b: { c: false } },
      words: ['alpha', 'beta'],
      code: 'ABCDEF00-0000-4000-8000-00000000000A',
      bytes: 'AP8K',
    },
    { id: 2 },
    {
      id: 3,
      whole: -2147483648,
      big: '-9223372036854775808',
      price: '99999999.99',
      exact: '-0.05',
      real: Number.POSITIVE_INFINITY,
      long: '',
      flag: false,
      day: '1969-12-31',
      hour: '23:59:59',
      local: '2000-12-31T23:59:59',
      moment: '2024-12-31T23:59:59.999999Z',
      paper: [],
      words: [],
      code: '00000000-0000-4000-8000-000000000001',
      bytes: '',
    },
    {
      id: 4,
      whole: 0,
      big: '42',
      price: '0',
      exact: '3',
      real: Number.NaN,
      long: '42',
      flag: true,
      day: '2024-02-29',
      hour: '00:00:00',
      local: '2024-01-01T00:00:00',
      moment: '2024-06-30T22:30:00+00:00',
      paper: 'text',
      words: ['alpha'],
      code: null,
      bytes: null,
    },
  ],
  stored: [
    {
      id: 1,
      day: 1709164800000,
      hour: 30600,
      local: 1709195400,
      moment: 1709195400123,
      written: '2024-02-29T08:30:00.123Z',
    },
    { id: 2, day: -86400000, hour: 0, local: -1, moment: -1, written: '1969-12-31T23:59:59.999Z' },
  ],
  papers: [
    { id: 1, paper: { a: 1 } },
    { id: 2, paper: 'loose' },
  ],
  places: [
    { id: 1, point: { type: 'Point', coordinates: [10.75, 59.91] } },
    { id: 2, point: null },
  ],
} as const
