// The collections of the filter cases: people, articles and what hangs on them, with every kind of relation and key.
import { defineSchema } from '../../src/filter.ts'
import { across, json, key, many, maybeOne, moment, number, text } from '../support/fields.ts'

export const schema = defineSchema({
  countries: {
    fields: { code: { type: 'string', key: true }, name: text, authors: many('authors.country') },
  },
  authors: {
    fields: {
      id: key,
      name: text,
      email: text,
      age: number,
      born: { type: 'date', nullable: true },
      country: maybeOne('countries'),
      articles: many('articles.author'),
      comments: many('comments.author'),
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
      published_at: moment,
      meta: json,
      author: maybeOne('authors'),
      parent: maybeOne('articles'),
      children: many('articles.parent'),
      comments: many('comments.article'),
      tags: across('articles_tags.article', 'tag'),
      blocks: { type: 'm2a', through: 'articles_blocks.article', to: 'item' },
    },
  },
  comments: {
    fields: { id: key, text, likes: number, article: maybeOne('articles'), author: maybeOne('authors') },
  },
  tags: { fields: { id: key, name: text, articles: across('articles_tags.tag', 'article') } },
  articles_tags: {
    fields: { id: key, weight: number, article: maybeOne('articles'), tag: maybeOne('tags') },
  },
  articles_blocks: {
    fields: {
      id: key,
      article: maybeOne('articles'),
      item: { type: 'any', to: ['heroes', 'texts', 'labels', 'giants'], by: 'collection', nullable: true },
      collection: text,
    },
  },
  heroes: { fields: { id: key, headline: text, owner: maybeOne('authors') } },
  texts: { fields: { id: { type: 'uuid', key: true }, content: text } },
  labels: { fields: { id: { type: 'string', key: true }, name: text } },
  giants: { fields: { id: { type: 'bigInteger', key: true }, name: text } },
})
