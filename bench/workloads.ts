// What is measured. Every contestant answers the same questions; Quernel's way of asking them stands here.
import type { Query } from 'quernel'
import type { Counts } from './data.ts'
import type { schema } from './schema.ts'

export const workloads = {
  W1: '100 flat rows, all 8 columns, filtered, latest first, pages 1 to 20',
  W2: '100 articles with their author',
  W2r: 'the same, of all that were published until a timestamp',
  W3: '100 articles with author, last 5 comments with their authors, and tags',
  W3p: 'the same at pages 1 to 20',
  W3r: 'W3 of all that were published until a timestamp',
  W3u: 'W3 with all tags, asked for without a limit',
  W3pu: 'the same at pages 1 to 20',
  W4: '25 articles by the name of the author and the text of a comment, and their count',
  W5: 'count and average by year and status over all',
  W5h: 'count and sum by author, of the authors with more than 65 articles',
  W6: 'one article with all that W3 gives',
  W6u: 'the same with all tags, asked for without a limit',
  W7: '10,000 rows of 6 columns',
  W8: '100 flat rows after 50,000 others',
} as const

export type WorkloadName = keyof typeof workloads

export const writeWorkloads = {
  W9a: 'create one item, and return its key',
  W9b: 'create 1,000 items, and return their keys',
  W9u: 'change two fields of one item of 20,000 by its key, and return it',
  W9q: 'change one field of 5,000 items of 25,000 by a filter, and return their number',
  W9p: 'update one item of 20,000 by its key or create it, as it turns out, and return it',
  W9pb: 'the same for 1,000 items, of which their keys are returned',
  W10d: 'delete one item of 20,000 by its key',
  W10: 'delete 5,000 items by a filter, and return their number',
  W10k: 'the same, and return their keys',
} as const

export const servedWorkloads = { H3: 'W3 over HTTP, from 16 clients' } as const

export const documentWorkloads = {
  D1: 'W1 as a GraphQL document, with the key of the author as `author { id }`',
  D3: 'W3 as a GraphQL document',
  D6: 'W6 as a GraphQL document',
  D7: 'W7 as a GraphQL document, with `author { id }`',
  DC: 'D6 as a document that was never asked before',
  DN: 'the first request of a caller with rules of its own, over 50 collections of 12 fields',
  DF: 'the first document of an engine over 1,000 collections of 12 fields',
} as const

export const assetWorkloads = {
  A1: 'a jpg of 400 by 300, made anew of a photo of 12 megapixels',
  A2: 'the same as webp',
  A3: 'the same as avif, with an effort of 2',
  A4: 'a webp that was made before, read to its end',
  A5: '16 different webps made anew, asked for at once',
  A6: 'one webp made anew, asked for 16 times at once',
} as const

export const introspectionWorkloads = {
  I1: 'the schema of a database with 500 tables of 20 columns',
} as const

export const millionWorkloads = {
  WMl: 'the 20 latest of a million articles with a tag, by its key',
  WMn: 'the same by its name',
  WMt: 'the same by a text of it without an index',
  WMc: 'the count of articles with a tag, by its key',
  WS: 'the count of a million rows that hold a text, in any case',
} as const

export const fileWorkloads = {
  F1: 'a stored variant over HTTP',
  F2: 'a file of 10 kB over HTTP',
  F3: 'a range of 64 KiB of a file of 10 MB over HTTP',
  F4: 'an upload of 100 kB as a form',
} as const

export const growthWorkloads = {
  G1: 'rows of a page: 1 to 100,000 of a million',
  G2: '20 rows by an indexed value, in tables of 1,000 to 1,000,000',
  G3: 'one item with 1 to 1,000 children',
  G4: 'ten trees, 1 to 6 levels deep, with two items below each',
  G5: 'one item with 10 children, for 1 to 64 callers at once: time per call answered',
  G6: '20 rows of a million by a list of 1 to 10,000 keys',
  G7: 'a filter of 1 to 500 conditions, compiled and not run',
  G8: 'the first question of a caller with equal rules in a new object, for 10 to 1,000 collections',
} as const

export const realtimeWorkloads = {
  R1: 'a change while 10,000 callers watch members by rules and filters of their own, with an index',
  R2: 'the same by ranges alone, which no index serves',
  R3: '1,000 pages that each change moves, at 50 changes a second: the age of what is told',
  R4: 'a membership that comes or goes, of 10,000 callers whose rules look at memberships',
  R5: 'memory of a subscription',
  R6: 'a write that concerns no list, of a collection that is watched or not, beside one without a feed',
  R7: 'lateness of a timer while 10,000 are told',
  R8: 'what one changed row means to 1,000 lists of one shape',
  R9: '200 changes a second, told over 10,000 sockets whose callers have rules and filters of their own',
  R10: 'a change of one list that all of 10,000 sockets watch',
  R11: 'memory of a socket with a subscription',
  R12: '10,000 sockets that come at once, and a read of others meanwhile',
  R13: 'memory of 100 sockets that read nothing any more',
  R14: 'writes of a table that the change log logs, a look that finds nothing, and 200 changes a second of another engine',
  R15: 'a change of one of 10,000 lists, of which no two are alike, and none was read by its key before',
} as const

export type AssetWorkload = keyof typeof assetWorkloads

export type FileWorkload = keyof typeof fileWorkloads

export type DocumentWorkload = keyof typeof documentWorkloads

export type IntrospectionWorkload = keyof typeof introspectionWorkloads

export type MillionWorkload = keyof typeof millionWorkloads

export type GrowthWorkload = keyof typeof growthWorkloads

export type RealtimeWorkload = keyof typeof realtimeWorkloads

export type ServedWorkload = keyof typeof servedWorkloads

export type WriteWorkload = keyof typeof writeWorkloads

/** What changes from call to call. */
export interface Turn {
  readonly page: number
  readonly key: number
  /** The rows of W7. */
  readonly most: number
  /** The rows that W8 skips. */
  readonly skipped: number
}

/** The turn of each call: every contestant gets the same turns in the same order. */
export function turnAt(call: number, { articles }: Counts): Turn {
  const key = 1 + ((call * 7_919) % articles)
  return { page: 1 + (call % 20), key, most: articles / 10, skipped: articles / 2 }
}

export const names = { author: 'Carver', comment: 'Splendid' } as const

/** More articles than most authors have. */
export const many = 65

/** The timestamp of W2r and W3r, at which a tenth of the articles are still to come. */
export const until = '2024-01-01T00:00:00.000Z'

export type ArticleQuery = Query<typeof schema, 'articles'>

const tree = {
  fields: [
    'id',
    'title',
    'status',
    'published_at',
    'views',
    'author.id',
    'author.name',
    'author.email',
    'comments.id',
    'comments.body',
    'comments.created_at',
    'comments.author.id',
    'comments.author.name',
    'tags.tags_id.id',
    'tags.tags_id.name',
  ],
  deep: { comments: { _sort: '-created_at', _limit: 5 } },
} satisfies ArticleQuery

/** The tree with all tags, however many there are. */
const unlimited = { ...tree, deep: { ...tree.deep, tags: { _limit: -1 } } } satisfies ArticleQuery

const latest = { filter: { status: 'published' }, sort: '-published_at', limit: 100 } satisfies ArticleQuery
const past = {
  filter: { published_at: { _lte: until } },
  sort: '-published_at',
  limit: 100,
} satisfies ArticleQuery
const flat = ['id', 'title', 'body', 'status', 'published_at', 'views', 'meta', 'author']
const authored = ['id', 'title', 'published_at', 'views', 'author.id', 'author.name', 'author.email']

/** W6 asks for one item by its key, with this query. */
export const queries: Readonly<Record<WorkloadName, (turn: Turn) => ArticleQuery>> = {
  W1: ({ page }) => ({ fields: flat, ...latest, page }),
  W2: () => ({ fields: authored, ...latest }),
  W2r: () => ({ fields: authored, ...past }),
  W3: () => ({ ...tree, ...latest }),
  W3p: ({ page }) => ({ ...tree, ...latest, page }),
  W3r: () => ({ ...tree, ...past }),
  W3u: () => ({ ...unlimited, ...latest }),
  W3pu: ({ page }) => ({ ...unlimited, ...latest, page }),
  W4: () => ({
    fields: ['id', 'title', 'published_at', 'views', 'author.id', 'author.name'],
    filter: {
      author: { name: { _contains: names.author } },
      comments: { _some: { body: { _contains: names.comment } } },
    },
    sort: '-published_at',
    limit: 25,
    meta: 'filter_count',
  }),
  W5: () => ({ aggregate: { count: '*', avg: 'views' }, groupBy: ['year(published_at)', 'status'] }),
  W5h: () => ({
    aggregate: { count: '*', sum: 'views' },
    groupBy: 'author',
    having: { count: { _gt: many } },
  }),
  W6: () => tree,
  W6u: () => unlimited,
  W7: ({ most }) => ({
    fields: ['id', 'title', 'status', 'published_at', 'views', 'author'],
    limit: most,
  }),
  W8: ({ skipped }) => ({ fields: flat, ...latest, offset: skipped }),
}
