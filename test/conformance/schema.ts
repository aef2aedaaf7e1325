// The collections of the filter cases: people, articles and what hangs on them, with every kind of relation and key.
import { defineSchema } from '../../src/filter.ts'

const key = { type: 'integer', key: true } as const
const text = { type: 'string', nullable: true } as const
const number = { type: 'integer', nullable: true } as const

export const schema = defineSchema({
  countries: {
    fields: {
      code: { type: 'string', key: true },
      name: text,
      authors: { type: 'o2m', from: 'authors.country' },
    },
  },
  authors: {
    fields: {
      id: key,
      name: text,
      email: text,
      age: number,
      born: { type: 'date', nullable: true },
      country: { type: 'm2o', to: 'countries', nullable: true },
      articles: { type: 'o2m', from: 'articles.author' },
      comments: { type: 'o2m', from: 'comments.author' },
    },
  },
  articles: {
    fields: {
      id: key,
      title: text,
      status: text,
      views: number,
      featured: { type: 'boolean', nullable: true },
      score: { type: 'float', nullable: true },
      published_at: { type: 'timestamp', nullable: true },
      meta: { type: 'json', nullable: true },
      author: { type: 'm2o', to: 'authors', nullable: true },
      parent: { type: 'm2o', to: 'articles', nullable: true },
      children: { type: 'o2m', from: 'articles.parent' },
      comments: { type: 'o2m', from: 'comments.article' },
      tags: { type: 'm2m', through: 'articles_tags.article', to: 'tag' },
      blocks: { type: 'm2a', through: 'articles_blocks.article', to: 'item' },
    },
  },
  comments: {
    fields: {
      id: key,
      text,
      likes: number,
      article: { type: 'm2o', to: 'articles', nullable: true },
      author: { type: 'm2o', to: 'authors', nullable: true },
    },
  },
  tags: {
    fields: { id: key, name: text, articles: { type: 'm2m', through: 'articles_tags.tag', to: 'article' } },
  },
  articles_tags: {
    fields: {
      id: key,
      weight: number,
      article: { type: 'm2o', to: 'articles', nullable: true },
      tag: { type: 'm2o', to: 'tags', nullable: true },
    },
  },
  articles_blocks: {
    fields: {
      id: key,
      article: { type: 'm2o', to: 'articles', nullable: true },
      item: { type: 'any', to: ['heroes', 'texts', 'labels', 'giants'], by: 'collection', nullable: true },
      collection: text,
    },
  },
  heroes: { fields: { id: key, headline: text, owner: { type: 'm2o', to: 'authors', nullable: true } } },
  texts: { fields: { id: { type: 'uuid', key: true }, content: text } },
  labels: { fields: { id: { type: 'string', key: true }, name: text } },
  giants: { fields: { id: { type: 'bigInteger', key: true }, name: text } },
})
