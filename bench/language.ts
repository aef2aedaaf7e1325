// What the language costs before any database is asked: defining, parsing, compiling, matching.
import {
  compileFilter,
  defineSchema,
  type Filter,
  isEngineError,
  matchesFilter,
  parseQuery,
  type SchemaDefinition,
} from 'quernel'
import { medianOf } from './median.ts'

const schema = defineSchema({
  authors: { fields: { id: { type: 'integer', key: true }, name: { type: 'string' } } },
  articles: {
    fields: {
      id: { type: 'integer', key: true },
      title: { type: 'string' },
      views: { type: 'integer' },
      published_at: { type: 'timestamp', nullable: true },
      meta: { type: 'json', nullable: true },
      author: { type: 'm2o', to: 'authors', nullable: true },
      comments: { type: 'o2m', from: 'comments.article' },
    },
  },
  comments: {
    fields: {
      id: { type: 'integer', key: true },
      body: { type: 'text' },
      article: { type: 'm2o', to: 'articles' },
      author: { type: 'm2o', to: 'authors', nullable: true },
    },
  },
})

type ArticleFilter = Filter<typeof schema, 'articles'>

/** Ten groups of ten leaves, over own columns and relations. */
const group = (index: number): ArticleFilter => ({
  title: { _icontains: `word ${index}`, _neq: 'x' },
  views: { _gte: index, _lt: index + 1_000 },
  published_at: { _gte: '2024-01-01', _lt: '2025-01-01' },
  author: { name: { _starts_with: 'A', _nempty: true } },
  comments: { _some: { body: { _contains: 'a' }, author: { name: { _in: ['Ada', 'Bob'] } } } },
})
const hundredLeaves: ArticleFilter = { _or: Array.from({ length: 10 }, (_, index) => group(index)) }
const item = { title: 'none', views: 5, published_at: null, author: null, comments: [] }

function manyCollections(): SchemaDefinition {
  const fields = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`field_${index}`, { type: 'string', nullable: true }] as const),
  )
  const entries = Array.from({ length: 500 }, (_, index) => {
    const next = { type: 'm2o', to: `collection_${(index + 1) % 500}`, nullable: true } as const
    return [
      `collection_${index}`,
      { fields: { id: { type: 'integer', key: true } as const, ...fields, next } },
    ] as const
  })
  return Object.fromEntries(entries)
}

const kibibyte = `fields=id,title&sort=-views&${Array.from({ length: 18 }, (_, index) => `filter[_or][${index}][title][_icontains]=some+text`).join('&')}`

/** Inputs that would make a careless parser slow; each is accepted or refused, whichever takes longer counts. */
const hostile: readonly string[] = [
  `filter=${'{"_and":['.repeat(7_000)}`,
  `filter${'[a]'.repeat(20_000)}=1`,
  Array.from({ length: 999 }, (_, index) => `filter[_and][${index}][title][_eq]=${'x'.repeat(30)}`).join('&'),
  `filter[title][_in]=${'a,'.repeat(30_000)}`,
  `fields=${'('.repeat(60_000)}`,
  `fields=${'a.'.repeat(30_000)}`,
  `sort=${'json(meta, a),'.repeat(4_000)}`,
  `filter={"title":{"_eq":"${'\\u0041'.repeat(10_000)}"}}`,
  `filter[_json]${'[x[0]]'.repeat(9_000)}=1`,
  `${'x'.repeat(60_000)}=1`,
  `filter[${'_'.repeat(60_000)}]=1`,
  `${'%41'.repeat(20_000)}=1`,
]

function attempt(query: string): void {
  try {
    parseQuery(query)
  } catch (error) {
    if (!isEngineError(error)) throw error
  }
}

const perKibibyte = (query: string) => medianOf(() => attempt(query), 5) / (Buffer.byteLength(query) / 1_024)

/** Each measure by name, in milliseconds. */
export const measures: Readonly<Record<string, () => number>> = {
  'define 500 collections': () => {
    const definition = manyCollections()
    return medianOf(() => defineSchema(definition), 20)
  },
  'compile a filter of 100 leaves, sqlite': () =>
    medianOf(() => compileFilter({ schema, dialect: 'sqlite' }, 'articles', hundredLeaves), 2_000),
  'compile a filter of 100 leaves, postgres': () =>
    medianOf(() => compileFilter({ schema, dialect: 'postgres' }, 'articles', hundredLeaves), 2_000),
  'match a filter of 100 leaves in memory': () =>
    medianOf(() => matchesFilter({ schema }, 'articles', hundredLeaves, item), 2_000),
  'parse a query of 1 KiB': () => medianOf(() => parseQuery(kibibyte), 2_000),
  'parse the worst 64 KiB, per KiB': () => Math.max(...hostile.map(perKibibyte)),
}
