// Lists of any depth, filters and aggregates.
import {
  type Filter,
  getItem,
  getSingleton,
  listItems,
  listItemsJson,
  type Query,
  type Schema,
} from '../../../src/index.ts'
import { type Check, check, type Group } from './check.ts'

const list = (title: string, collection: string, query: Query<Schema, string>): Check =>
  check(title, ({ engine }) => listItems(engine, collection, query))

const lists: readonly Check[] = [
  list('every column of a table', 'books', { fields: ['*'], sort: 'id' }),
  list('many-to-one, two levels', 'books', { fields: ['title', 'author.name', 'author.born'] }),
  check('many-to-one, three levels', ({ engine }) =>
    listItems(engine, 'chapters', { fields: ['title', 'book.title', 'book.author.name'] }),
  ),
  list('one-to-many, sorted and limited', 'authors', {
    fields: ['name', 'books.title', 'books.chapters.title'],
    deep: { books: { _sort: ['-id'], _limit: 1, chapters: { _filter: { place: { _lt: 3 } } } } },
  }),
  list('many-to-many', 'books', { fields: ['id', 'genres.genre.name', 'genres.genre.parent.name'] }),
  list('many-to-any', 'shelves', {
    fields: ['name', 'items.item:books.title', 'items.item:authors.name', 'items.kind'],
  }),
  list('a tree, four levels', 'genres', {
    fields: ['name', 'below.name', 'below.below.name', 'below.below.below.name'],
    filter: { parent: null },
  }),
  list('aliases and functions', 'books', {
    fields: ['heading', 'year(sold_at)', 'hour(sold_at)', 'count(chapters)', 'first.title'],
    alias: { heading: 'title', first: 'chapters' },
    deep: { first: { _limit: 1 } },
  }),
  list('values of JSON', 'books', { fields: ['id', 'json(meta, size.w)', 'json(meta, tags[0])'] }),
  list('search', 'books', { fields: ['id'], search: 'engines' }),
  list('sorted by a related item', 'books', { fields: ['id'], sort: ['-author.name', 'id'] }),
  list('a page, and counts', 'books', {
    fields: ['id'],
    limit: 2,
    offset: 1,
    meta: ['total_count', 'filter_count'],
  }),
  list('a page far down', 'numbers', { limit: 3, offset: 1_000, sort: '-square' }),
  check('a page of nested lists', ({ engine }) =>
    getItem(engine, 'books', 2, {
      fields: ['chapters.title'],
      deep: { chapters: { _limit: 1, _offset: 1 } },
    }),
  ),
  list('a thousand rows', 'numbers', { limit: 1_000 }),
  check('a list as JSON text', ({ engine }) =>
    listItemsJson(engine, 'books', { fields: ['*', 'author.*', 'chapters.*'], limit: 3 }),
  ),
  check('an item, and one that is not there', async ({ engine }) => [
    await getItem(engine, 'books', 1, { fields: ['title', 'cover', 'meta'] }),
    await getItem(engine, 'books', 99).catch((error) => error),
  ]),
  check('a singleton without a row', ({ engine }) => getSingleton(engine, 'settings')),
  check('a caller with rules', ({ engine }) => {
    const rules = {
      authors: { read: { fields: ['id', 'name'] } },
      books: { read: { filter: { author: { name: '$CURRENT_USER' } } } },
    } as const
    const narrowed = engine.as({ user: 'Ada', rules })
    return listItems(narrowed, 'books', { fields: ['title', 'author.name'], meta: 'total_count' })
  }),
]

const filter = (title: string, condition: Filter<Schema, string>): Check =>
  list(title, 'books', { fields: ['id'], filter: condition, sort: 'id' })

const filters: readonly Check[] = [
  filter('_eq of a text', { title: { _eq: 'Engines' } }),
  filter('_neq, and no value', { pages: { _neq: 120 } }),
  filter('_lt of a decimal', { price: { _lt: '12.50' } }),
  filter('_gte of a fraction', { rating: { _gte: 3.25 } }),
  filter('_in of texts', { title: { _in: ['Engines', "it's", 'Compilers'] } }),
  filter('_in of an empty list', { id: { _in: [] } }),
  filter('_nin of numbers', { pages: { _nin: [40, 450] } }),
  filter('_in of a hundred and fifty numbers', {
    id: { _in: Array.from({ length: 150 }, (_, at) => at + 2) },
  }),
  filter('_null', { meta: { _null: true } }),
  filter('_contains with signs of patterns', { title: { _contains: '100%_' } }),
  filter('_icontains of a few letters', { title: { _icontains: 'ENG' } }),
  filter('_icontains of letters with marks', { title: { _icontains: 'året' } }),
  filter('_icontains of many letters', { title: { _icontains: 'året rundt, og enda litt til' } }),
  filter('_starts_with', { title: { _starts_with: 'Eng' } }),
  filter('_iends_with', { title: { _iends_with: 'AGAIN' } }),
  filter('_between of moments', {
    sold_at: { _between: ['2023-12-31T23:30:00Z', '2024-03-01T00:00:00+01:00'] },
  }),
  filter('_empty', { title: { _nempty: true }, code: { _empty: true } }),
  filter('_eq of a UUID in upper case', { code: { _eq: 'ABCDEF00-0000-4000-8000-00000000000A' } }),
  filter('_eq of bytes', { cover: { _eq: 'AP8Q' } }),
  filter('a boolean', { printed: true }),
  filter('a function', { 'year(sold_at)': { _in: [2024, 1969] } }),
  filter('a value of JSON', { 'json(meta, size.w)': { _gt: 5 } }),
  filter('_some, through two relations', { genres: { _some: { genre: { parent: { name: 'science' } } } } }),
  filter('_none', { chapters: { _none: { place: 1 } } }),
  filter('a count of related items', { 'count(chapters)': { _gt: 1 } }),
  filter('_and, _or and a related item', {
    _or: [{ author: { born: { _lt: '1900-01-01' } } }, { _and: [{ pages: 40 }, { author: null }] }],
  }),
]

const aggregates: readonly Check[] = [
  check('counts', ({ engine }) =>
    listItems(engine, 'books', { aggregate: { count: ['*', 'pages'], countDistinct: 'pages' } }),
  ),
  check('sums and averages', ({ engine }) =>
    listItems(engine, 'books', { aggregate: { sum: ['pages', 'price'], avg: ['pages', 'rating'] } }),
  ),
  check('least and greatest', ({ engine }) =>
    listItems(engine, 'books', { aggregate: { min: ['sold_at', 'title'], max: ['price', 'sold_at'] } }),
  ),
  check('groups', ({ engine }) =>
    listItems(engine, 'books', {
      groupBy: ['pages', 'author.name'],
      aggregate: { count: '*' },
      sort: ['pages', 'author.name'],
    }),
  ),
  check('groups by parts of moments', ({ engine }) =>
    listItems(engine, 'books', {
      groupBy: 'year(sold_at)',
      aggregate: { sum: 'pages' },
      sort: 'year(sold_at)',
    }),
  ),
  check('aggregates of nested lists', ({ engine }) =>
    listItems(engine, 'authors', {
      fields: ['name', 'books'],
      deep: { books: { _aggregate: { count: '*', max: 'pages' } } },
    }),
  ),
]

export const readGroups: readonly Group[] = [
  { title: 'lists', checks: lists },
  { title: 'filters', checks: filters },
  { title: 'aggregates', checks: aggregates },
]
