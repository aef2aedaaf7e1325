// The rows of the filter cases, as they are stored, and the items that an engine would answer for them.
import type { Field } from '../../src/index.ts'
import { soleKeyOf } from '../../src/schema/model.ts'
import { schema } from './schema.ts'

type Row = Readonly<Record<string, unknown>>
type Item = Record<string, unknown>

const uuid = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`
const snowflake = '1541815603606036480'

export const rows: Readonly<Record<string, readonly Row[]>> = {
  countries: [
    { code: 'no', name: 'Norway' },
    { code: 'de', name: 'Germany' },
    { code: 'xx', name: null },
  ],
  authors: [
    { id: 1, name: 'Ada', email: 'ada@example.com', age: 36, born: '1985-12-10', country: 'no' },
    { id: 2, name: 'Bob', email: null, age: 50, born: '1974-01-31', country: 'de' },
    { id: 3, name: 'Cyd', email: '', age: null, born: null, country: null },
    { id: 4, name: null, email: 'dan@example.com', age: 0, born: '2000-02-29', country: 'nowhere' },
  ],
  articles: [
    {
      id: 1,
      title: 'Hello',
      status: 'published',
      views: 100,
      featured: true,
      score: 1.5,
      published_at: '2023-01-15T10:20:30.000Z',
      meta: { color: 'red', size: { w: 10 }, list: [1, 'a'], flag: true },
      author: 1,
      parent: null,
    },
    {
      id: 2,
      title: 'hello again',
      status: 'draft',
      views: 5,
      featured: false,
      score: null,
      published_at: '2023-06-01T23:59:59.999Z',
      meta: ['p', 'q', 'r'],
      author: 1,
      parent: 1,
    },
    {
      id: 3,
      title: 'Ångström',
      status: 'published',
      views: null,
      featured: null,
      score: -2.25,
      published_at: null,
      meta: null,
      author: 2,
      parent: 1,
    },
    {
      id: 4,
      title: '',
      status: 'archived',
      views: 0,
      featured: false,
      score: 0,
      published_at: '2022-12-31T00:00:00.000Z',
      meta: {},
      author: null,
      parent: 2,
    },
    {
      id: 5,
      title: '100% foo',
      status: null,
      views: 42,
      featured: true,
      score: 3.75,
      published_at: '2024-02-29T12:00:00.000Z',
      meta: { color: 'blue', size: { w: '10' } },
      author: 3,
      parent: null,
    },
    {
      id: 6,
      title: '42',
      status: 'draft',
      views: 42,
      featured: true,
      score: 42,
      published_at: '2024-03-01T12:34:56.000Z',
      meta: [],
      author: 99,
      parent: 98,
    },
    {
      id: 7,
      title: null,
      status: 'draft',
      views: -1,
      featured: null,
      score: null,
      published_at: null,
      meta: { color: null, size: { w: 2.5 } },
      author: 4,
      parent: 7,
    },
  ],
  comments: [
    { id: 1, text: 'nice', likes: 3, article: 1, author: 2 },
    { id: 2, text: 'bad', likes: 0, article: 1, author: 3 },
    { id: 3, text: null, likes: null, article: 1, author: null },
    { id: 4, text: 'nice', likes: 7, article: 2, author: 1 },
    { id: 5, text: 'great', likes: 10, article: 5, author: 2 },
    { id: 6, text: 'orphan', likes: 1, article: null, author: 2 },
    { id: 7, text: 'lost', likes: 1, article: 97, author: 96 },
  ],
  tags: [
    { id: 1, name: 'news' },
    { id: 2, name: 'tech' },
    { id: 3, name: null },
    { id: 4, name: 'unused' },
  ],
  articles_tags: [
    { id: 1, weight: 3, article: 1, tag: 1 },
    { id: 2, weight: 1, article: 1, tag: 2 },
    { id: 3, weight: 2, article: 2, tag: 1 },
    { id: 4, weight: null, article: 3, tag: 3 },
    { id: 5, weight: 5, article: 5, tag: null },
    { id: 6, weight: 0, article: 6, tag: 95 },
  ],
  heroes: [
    { id: 1, headline: 'One', owner: 1 },
    { id: 2, headline: null, owner: null },
  ],
  texts: [
    { id: uuid(1), content: 'A' },
    { id: uuid(2), content: 'B' },
  ],
  labels: [
    { id: '01', name: 'zero one' },
    { id: '1abc', name: 'mixed' },
    { id: ' 1', name: 'blank' },
    { id: '1', name: 'one' },
  ],
  giants: [
    { id: snowflake, name: 'snowflake' },
    { id: '9223372036854775807', name: 'largest' },
    { id: '-5', name: 'below' },
  ],
  articles_blocks: [
    { id: 1, article: 1, item: '1', collection: 'heroes' },
    { id: 2, article: 1, item: uuid(1), collection: 'texts' },
    { id: 3, article: 2, item: '2', collection: 'heroes' },
    { id: 4, article: 2, item: uuid(2), collection: 'texts' },
    ...['1abc', '01', ' 1', '1 ', '+1', '1.0', '1e0', '99', '', '9223372036854775808', '٣'].map(
      (item, index) => ({ id: 10 + index, article: 3, item, collection: 'heroes' }),
    ),
    ...['', 'abc', `{${uuid(1)}}`, uuid(1).replaceAll('-', ''), uuid(9)].map((item, index) => ({
      id: 30 + index,
      article: 3,
      item,
      collection: 'texts',
    })),
    { id: 50, article: 4, item: '01', collection: 'labels' },
    { id: 51, article: 5, item: ' 1', collection: 'labels' },
    { id: 52, article: 6, item: snowflake, collection: 'giants' },
    { id: 53, article: 7, item: '9223372036854775807', collection: 'giants' },
    { id: 54, article: 7, item: '1', collection: 'elsewhere' },
    { id: 55, article: 7, item: '1', collection: null },
    { id: 56, article: 7, item: null, collection: 'heroes' },
  ],
}

/** Items with what they are related to, as far down as the cases look. */
export function itemsOf(collection: string, depth = 4): readonly Item[] {
  return (rows[collection] ?? []).map((row) => itemOf(collection, row, depth))
}

function itemOf(collection: string, row: Row, depth: number): Item {
  const fields = [...(schema.collections.get(collection)?.fields ?? [])]
  return Object.fromEntries(fields.map(([name, field]) => [name, cellOf(field, row, depth)]))
}

function cellOf(field: Field, row: Row, depth: number): unknown {
  const stored = row[field.name]
  if (field.kind === 'scalar') return stored
  if (depth === 0) return 'value' in field ? stored : childrenOf(field, row).map((child) => child.id)
  if (field.kind === 'm2o') return found(field.target.name, stored, depth)
  if (field.kind === 'any') return found(String(row[field.by.name]), stored, depth)
  return childrenOf(field, row).map((child) => itemOf(field.target.name, child, depth - 1))
}

/** A relation that leads nowhere is null where it is expanded. */
function found(collection: string, key: unknown, depth: number): Item | null {
  const row = rowOf(collection, key)
  return row ? itemOf(collection, row, depth - 1) : null
}

function rowOf(collection: string, key: unknown): Row | undefined {
  const found = schema.collections.get(collection)
  const name = found ? soleKeyOf(found).name : ''
  return rows[collection]?.find((row) => key !== null && String(row[name]) === key?.toString())
}

function childrenOf(field: Extract<Field, { kind: 'o2m' | 'm2m' | 'm2a' }>, row: Row): readonly Row[] {
  const key = row[soleKeyOf(field.collection).name]
  return (rows[field.target.name] ?? []).filter((child) => child[field.foreign.name] === key)
}
