import { defineSchema, filesDefinition, json } from 'quernel'

/** A small magazine: what its tables hold, described once. */
export const schema = defineSchema({
  files: filesDefinition,
  authors: {
    fields: {
      id: { type: 'integer', key: true },
      name: { type: 'string' },
      country: { type: 'string', nullable: true },
      articles: { type: 'o2m', from: 'articles.author' },
    },
  },
  articles: {
    fields: {
      id: { type: 'integer', key: true },
      title: { type: 'string', validation: { title: { _nempty: true } } },
      slug: { type: 'string', nullable: true },
      status: { type: 'string', values: ['draft', 'published'], default: 'draft' },
      views: { type: 'integer', default: 0 },
      published_at: { type: 'timestamp', nullable: true },
      meta: { ...json<{ readonly color?: string; readonly tags?: readonly string[] }>(), nullable: true },
      author: { type: 'm2o', to: 'authors', nullable: true },
      image: { type: 'm2o', to: 'files', nullable: true },
      comments: { type: 'o2m', from: 'comments.article', deselect: 'delete' },
      tags: { type: 'm2m', through: 'articles_tags.article', to: 'tag' },
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
  tags: {
    fields: { id: { type: 'integer', key: true }, name: { type: 'string', unique: true } },
  },
  articles_tags: {
    fields: {
      id: { type: 'integer', key: true },
      article: { type: 'm2o', to: 'articles' },
      tag: { type: 'm2o', to: 'tags' },
    },
  },
  site: {
    singleton: true,
    fields: {
      id: { type: 'integer', key: true },
      title: { type: 'string', default: 'A small magazine' },
      motto: { type: 'string', nullable: true },
    },
  },
})
