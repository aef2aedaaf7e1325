// The data of the benchmarks as Quernel knows it.
import { defineSchema } from 'quernel'

const key = { type: 'integer', key: true } as const

export const schema = defineSchema({
  authors: { fields: { id: key, name: { type: 'string' }, email: { type: 'string' } } },
  articles: {
    fields: {
      id: key,
      title: { type: 'string' },
      body: { type: 'text' },
      status: { type: 'string' },
      published_at: { type: 'timestamp', storage: 'canonical', nullable: true },
      views: { type: 'integer' },
      meta: { type: 'json', nullable: true },
      author: { type: 'm2o', to: 'authors', nullable: true },
      comments: { type: 'o2m', from: 'comments.article' },
      tags: { type: 'm2m', through: 'articles_tags.articles_id', to: 'tags_id' },
    },
  },
  comments: {
    fields: {
      id: key,
      article: { type: 'm2o', to: 'articles' },
      author: { type: 'm2o', to: 'authors' },
      body: { type: 'text' },
      created_at: { type: 'timestamp', storage: 'canonical' },
    },
  },
  tags: { fields: { id: key, name: { type: 'string' } } },
  articles_tags: {
    fields: { id: key, articles_id: { type: 'm2o', to: 'articles' }, tags_id: { type: 'm2o', to: 'tags' } },
  },
})
