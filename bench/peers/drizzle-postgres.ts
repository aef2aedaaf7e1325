import { relations, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import type { Party } from '../contestant.ts'
import { openPool } from '../postgres-data.ts'
import { until } from '../workloads.ts'
import { drizzleForms } from './drizzle.ts'
import type { Drizzle } from './drizzle-shapes.ts'

const authors = pgTable('authors', {
  id: integer().primaryKey(),
  name: text().notNull(),
  email: text().notNull(),
})
const articles = pgTable('articles', {
  id: integer().primaryKey(),
  title: text().notNull(),
  body: text().notNull(),
  status: text().notNull(),
  published_at: timestamp({ withTimezone: true, precision: 3 }),
  views: integer().notNull(),
  meta: jsonb(),
  authorId: integer('author'),
})
const comments = pgTable('comments', {
  id: integer().primaryKey(),
  articleId: integer('article').notNull(),
  authorId: integer('author').notNull(),
  body: text().notNull(),
  created_at: timestamp({ withTimezone: true, precision: 3 }).notNull(),
})
const tags = pgTable('tags', { id: integer().primaryKey(), name: text().notNull() })
const articlesTags = pgTable('articles_tags', {
  id: integer().primaryKey(),
  articleId: integer('articles_id').notNull(),
  tagId: integer('tags_id').notNull(),
})

export const schema = {
  authors,
  articles,
  comments,
  tags,
  articlesTags,
  articleRelations: relations(articles, ({ one, many }) => ({
    author: one(authors, { fields: [articles.authorId], references: [authors.id] }),
    comments: many(comments),
    tags: many(articlesTags),
  })),
  commentRelations: relations(comments, ({ one }) => ({
    article: one(articles, { fields: [comments.articleId], references: [articles.id] }),
    author: one(authors, { fields: [comments.authorId], references: [authors.id] }),
  })),
  junctionRelations: relations(articlesTags, ({ one }) => ({
    article: one(articles, { fields: [articlesTags.articleId], references: [articles.id] }),
    tags_id: one(tags, { fields: [articlesTags.tagId], references: [tags.id] }),
  })),
}

/** @public Loaded by name, once the peers are installed. */
export function openParty(url: string): Party {
  const pool = openPool(url)
  const db = drizzle(pool, { schema })
  const year = sql<number | null>`extract(year from ${articles.published_at} at time zone 'UTC')::int`
  // Two clients of the same methods, under types that have nothing in common.
  const client = {
    db,
    schema,
    year,
    prepare: namedStatements(),
    bound: new Date(until),
  } as unknown as Drizzle
  return { name: 'drizzle', objects: drizzleForms(client), close: () => pool.end() }
}

interface Preparable {
  prepare(name: string): { execute(values: object): Promise<unknown> }
}

/** PostgreSQL knows statements by their names. */
function namedStatements() {
  let count = 0
  return (query: Preparable) => {
    const statement = query.prepare(`drizzle_${count++}`)
    return (values: object) => statement.execute(values)
  }
}
