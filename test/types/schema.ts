import { z } from 'zod'
import { defineSchema } from '../../src/schema/define-schema.ts'
import { json } from '../../src/schema/json-type.ts'

/** One field of every type, one relation of every kind, and keys that are relations themselves. */
export const schema = defineSchema({
  countries: { fields: { code: { type: 'string', key: true, length: 2 }, name: { type: 'string' } } },
  authors: {
    fields: {
      id: { type: 'integer', key: true },
      name: { type: 'string' },
      email: { type: 'string', nullable: true, unique: true },
      born: { type: 'date', nullable: true },
      country: { type: 'm2o', to: 'countries', nullable: true },
      articles: { type: 'o2m', from: 'articles.author' },
    },
  },
  profiles: { fields: { author: { type: 'm2o', to: 'authors', key: true }, bio: { type: 'text' } } },
  badges: { fields: { profile: { type: 'm2o', to: 'profiles', key: true }, label: { type: 'string' } } },
  articles: {
    versioned: true,
    sortField: 'sort',
    fields: {
      id: { type: 'integer', key: true },
      title: {
        type: 'string',
        validation: { title: { _nempty: true }, _or: [{ views: 1 }], 'year(written)': { _gt: 2000 } },
      },
      status: { type: 'string', values: ['draft', 'published'], default: 'draft' },
      sort: { type: 'integer', nullable: true },
      views: { type: 'integer' },
      published_at: { type: 'timestamp', nullable: true },
      written: { type: 'date', storage: 'text' },
      meta: { type: 'json', nullable: true },
      author: { type: 'm2o', to: 'authors', nullable: true },
      badge: { type: 'm2o', to: 'badges' },
      comments: { type: 'o2m', from: 'comments.article', deselect: 'delete' },
      tags: { type: 'm2m', through: 'articles_tags.articles_id', to: 'tags_id' },
      blocks: { type: 'm2a', through: 'articles_blocks.articles_id', to: 'item', sort: 'sort' },
    },
  },
  comments: {
    fields: {
      id: { type: 'uuid', key: true },
      text: { type: 'text' },
      article: { type: 'm2o', to: 'articles' },
    },
  },
  tags: { fields: { id: { type: 'integer', key: true }, name: { type: 'string' } } },
  articles_tags: {
    fields: {
      id: { type: 'bigInteger', key: true },
      articles_id: { type: 'm2o', to: 'articles' },
      tags_id: { type: 'm2o', to: 'tags' },
    },
  },
  block_hero: { fields: { id: { type: 'integer', key: true }, headline: { type: 'string' } } },
  block_text: { fields: { id: { type: 'uuid', key: true }, content: { type: 'text' } } },
  articles_blocks: {
    fields: {
      id: { type: 'integer', key: true },
      articles_id: { type: 'm2o', to: 'articles' },
      collection: { type: 'string' },
      item: { type: 'any', to: ['block_hero', 'block_text'], by: 'collection', nullable: true },
      sort: { type: 'integer', nullable: true },
    },
  },
  values: {
    fields: {
      id: { type: 'integer', key: true, generated: true },
      big: { type: 'bigInteger' },
      ratio: { type: 'float' },
      price: { type: 'decimal', precision: 9, scale: 2 },
      word: { type: 'string' },
      body: { type: 'text' },
      token: { type: 'uuid', special: ['uuid'] },
      active: { type: 'boolean' },
      day: { type: 'date' },
      clock: { type: 'time' },
      local: { type: 'dateTime' },
      moment: { type: 'timestamp' },
      words: { type: 'csv' },
      secret: { type: 'hash' },
      bytes: { type: 'binary' },
      anything: { type: 'json' },
      colour: { ...json<{ red: number }>(), nullable: true },
      checked: { type: 'json', schema: z.object({ width: z.string().transform(Number) }) },
      place: { type: 'geometry', srid: 4326 },
      point: { type: 'geometry.Point', nullable: true },
      outline: { type: 'geometry.MultiPolygon' },
      numbers: { type: 'integer', array: true },
      sizes: { type: 'string', values: ['s', 'm', 'l'], array: true, nullable: true, default: ['s'] },
    },
  },
})

export type Shop = typeof schema
