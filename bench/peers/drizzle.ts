// Drizzle's relational queries, and its query builder where those cannot ask. The two databases have clients of two
// types with the same methods, of which SQLite's stands for both.
import { and, asc, count, desc, eq, exists, like, sql } from 'drizzle-orm'
import type { Forms } from '../contestant.ts'
import { names, type Turn } from '../workloads.ts'
import { preparedForms } from './drizzle-prepared.ts'
import { authored, type Drizzle, flatItem, latestOf, narrow, pastOf, tree } from './drizzle-shapes.ts'

/** Each workload as the guides show it, and prepared where relational queries can be. */
export function drizzleForms(drizzle: Drizzle): Forms {
  const [plain, prepared] = [plainForms(drizzle), preparedForms(drizzle)]
  const names = Object.keys(plain) as (keyof Forms)[]
  return Object.fromEntries(names.map((name) => [name, { ...plain[name], ...prepared[name] }]))
}

function plainForms({ db, schema, year, bound }: Drizzle): Forms {
  const { articles } = schema
  const latest = latestOf(articles)<number>
  const past = pastOf(articles, bound)
  const trees = (offset: number) => db.query.articles.findMany({ ...tree(schema), ...latest(offset) })
  const page = ({ page }: Turn) => (page - 1) * 100
  return {
    W1: {
      findMany: async (turn) => ({
        data: (await db.query.articles.findMany(latest(page(turn)))).map(flatItem),
      }),
    },
    W2: {
      with: async () => ({
        data: await db.query.articles.findMany({ ...authored, ...latest(0) }),
      }),
    },
    W2r: { with: async () => ({ data: await db.query.articles.findMany({ ...authored, ...past }) }) },
    W3: { with: async () => ({ data: await trees(0) }) },
    W3p: { with: async (turn) => ({ data: await trees(page(turn)) }) },
    W3r: { with: async () => ({ data: await db.query.articles.findMany({ ...tree(schema), ...past }) }) },
    W4: { exists: found({ db, schema }) },
    W5: { groupBy: grouped({ db, schema, year }) },
    W6: { with: ({ key }) => db.query.articles.findFirst({ ...tree(schema), where: eq(articles.id, key) }) },
    W7: {
      findMany: async ({ most }) => ({
        data: (
          await db.query.articles.findMany({
            ...narrow,
            orderBy: asc(articles.id),
            limit: most,
          })
        ).map(flatItem),
      }),
    },
    W8: {
      findMany: async ({ skipped }) => ({
        data: (await db.query.articles.findMany(latest(skipped))).map(flatItem),
      }),
    },
  }
}

function found({ db, schema: { articles, authors, comments } }: Pick<Drizzle, 'db' | 'schema'>) {
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

function grouped({ db, schema: { articles }, year }: Omit<Drizzle, 'prepare' | 'bound'>) {
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
