// Drizzle's relational queries, and its query builder where those cannot ask. The two databases have clients of two
// types with the same methods, of which SQLite's stands for both.
import { and, asc, count, desc, eq, exists, like, type SQL, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { Forms } from '../contestant.ts'
import { names, type Turn } from '../workloads.ts'
import type { schema as sqliteSchema } from './drizzle-sqlite.ts'

type Schema = typeof sqliteSchema
export interface Drizzle {
  readonly db: BetterSQLite3Database<Schema>
  readonly schema: Schema
  readonly year: SQL<number | null>
}

export function drizzleForms({ db, schema, year }: Drizzle): Forms {
  const { articles } = schema
  const latest = ({ limit = 100, offset = 0 }) => ({
    where: eq(articles.status, 'published'),
    orderBy: [desc(articles.published_at), desc(articles.id)],
    limit,
    offset,
  })
  const trees = (offset: number) => db.query.articles.findMany({ ...tree(schema), ...latest({ offset }) })
  const page = ({ page }: Turn) => (page - 1) * 100
  return {
    W1: {
      findMany: async (turn) => ({
        data: (await db.query.articles.findMany(latest({ offset: page(turn) }))).map(flatItem),
      }),
    },
    W2: {
      with: async () => ({
        data: await db.query.articles.findMany({
          columns: { id: true, title: true, published_at: true, views: true },
          with: { author: true },
          ...latest({}),
        }),
      }),
    },
    W3: { with: async () => ({ data: await trees(0) }) },
    W3p: { with: async (turn) => ({ data: await trees(page(turn)) }) },
    W4: { exists: found({ db, schema, year }) },
    W5: { groupBy: grouped({ db, schema, year }) },
    W6: { with: ({ key }) => db.query.articles.findFirst({ ...tree(schema), where: eq(articles.id, key) }) },
    W7: {
      findMany: async ({ most }) => ({
        data: (
          await db.query.articles.findMany({
            columns: { id: true, title: true, status: true, published_at: true, views: true, authorId: true },
            orderBy: asc(articles.id),
            limit: most,
          })
        ).map(flatItem),
      }),
    },
    W8: {
      findMany: async ({ skipped }) => ({
        data: (await db.query.articles.findMany(latest({ offset: skipped }))).map(flatItem),
      }),
    },
  }
}

const flatItem = <Row extends { readonly authorId: number | null }>({ authorId, ...item }: Row) => ({
  ...item,
  author: authorId,
})

const yes = true as const
const tree = ({ comments, articlesTags }: Schema) => ({
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

function found({ db, schema: { articles, authors, comments } }: Drizzle) {
  const matching = and(
    like(authors.name, `%${names.author}%`),
    exists(
      db
        .select({ one: sql`1` })
        .from(comments)
        .where(and(eq(comments.articleId, articles.id), like(comments.body, `%${names.comment}%`))),
    ),
  )
  const { id, title, published_at, views } = articles
  return async () => {
    const [data, [counted]] = await Promise.all([
      db
        .select({ id, title, published_at, views, author: { id: authors.id, name: authors.name } })
        .from(articles)
        .innerJoin(authors, eq(authors.id, articles.authorId))
        .where(matching)
        .orderBy(sql`${published_at} desc nulls first`, desc(id))
        .limit(25),
      db
        .select({ count: count() })
        .from(articles)
        .innerJoin(authors, eq(authors.id, articles.authorId))
        .where(matching),
    ])
    return { data, meta: { filter_count: counted?.count } }
  }
}

function grouped({ db, schema: { articles }, year }: Drizzle) {
  return async () => {
    const rows = await db
      .select({ year, status: articles.status, count: count(), views: sql<number>`avg(${articles.views})` })
      .from(articles)
      .groupBy(year, articles.status)
      .orderBy(sql`${year} asc nulls last`, articles.status)
    const group = ({ year, status, count, views }: (typeof rows)[number]) => ({
      published_at_year: year,
      status,
      count,
      avg: { views: Number(views) },
    })
    return { data: rows.map(group) }
  }
}
