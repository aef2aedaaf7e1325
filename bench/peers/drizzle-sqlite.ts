import { relations, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Party } from '../contestant.ts'
import { openSqlite } from '../sqlite-data.ts'
import { until } from '../workloads.ts'
import { drizzleForms } from './drizzle.ts'
import type { Prepare } from './drizzle-shapes.ts'

const authors = sqliteTable('authors', {
  id: integer().primaryKey(),
  name: text().notNull(),
  email: text().notNull(),
})
const articles = sqliteTable('articles', {
  id: integer().primaryKey(),
  title: text().notNull(),
  body: text().notNull(),
  status: text().notNull(),
  published_at: text(),
  views: integer().notNull(),
  meta: text({ mode: 'json' }),
  authorId: integer('author'),
})
const comments = sqliteTable('comments', {
  id: integer().primaryKey(),
  articleId: integer('article').notNull(),
  authorId: integer('author').notNull(),
  body: text().notNull(),
  created_at: text().notNull(),
})
const tags = sqliteTable('tags', { id: integer().primaryKey(), name: text().notNull() })
const articlesTags = sqliteTable('articles_tags', {
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
export function openParty(file: string): Party {
  const client = openSqlite(file)
  const db = drizzle(client, { schema })
  const year = sql<number | null>`cast(strftime('%Y', ${articles.published_at}) as integer)`
  const drizzled = { db, schema, year, prepare, bound: until }
  return { name: 'drizzle', objects: drizzleForms(drizzled), close: () => client.close() }
}

const prepare: Prepare = (query) => {
  const statement = query.prepare()
  return async (values) => statement.execute(values)
}
