// What Drizzle is asked, in the words of its relational queries.
import { asc, desc, eq, lte, type SQL } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { SQLiteRelationalQuery } from 'drizzle-orm/sqlite-core/query-builders/query'
import type { schema as sqliteSchema } from './drizzle-sqlite.ts'

type Schema = typeof sqliteSchema
/** Prepares a query. What it is asked with comes by name. */
export type Prepare = <Answer>(
  query: SQLiteRelationalQuery<'sync', Answer>,
) => (values: Readonly<Record<string, number>>) => Promise<Answer>

export interface Drizzle {
  readonly db: BetterSQLite3Database<Schema>
  readonly schema: Schema
  readonly year: SQL<number | null>
  readonly prepare: Prepare
  /** The timestamp of W2r and W3r as the column's type takes it. */
  readonly bound: string
}

export const latestOf =
  (articles: Schema['articles']) =>
  <Offset>(offset: Offset) => ({
    where: eq(articles.status, 'published'),
    orderBy: [desc(articles.published_at), desc(articles.id)],
    limit: 100,
    offset,
  })

/** `bound`: the timestamp as the column's type takes it. */
export const pastOf = (articles: Schema['articles'], bound: string) => ({
  where: lte(articles.published_at, bound),
  orderBy: [desc(articles.published_at), desc(articles.id)],
  limit: 100,
})

export const flatItem = <Row extends { readonly authorId: number | null }>({ authorId, ...item }: Row) => ({
  ...item,
  author: authorId,
})

const yes = true as const
export const authored = {
  columns: { id: yes, title: yes, published_at: yes, views: yes },
  with: { author: yes },
}
export const narrow = {
  columns: { id: yes, title: yes, status: yes, published_at: yes, views: yes, authorId: yes },
}
export const tree = ({ comments, articlesTags }: Schema) => ({
  columns: { id: yes, title: yes, status: yes, published_at: yes, views: yes },
  with: {
    author: yes,
    comments: {
      columns: { id: yes, body: yes, created_at: yes },
      with: { author: { columns: { id: yes, name: yes } } },
      orderBy: [desc(comments.created_at), desc(comments.id)],
      limit: 5,
    },
    tags: { columns: {}, with: { tags_id: yes }, orderBy: asc(articlesTags.id) },
  },
})
