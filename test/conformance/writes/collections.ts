// The collections of the write cases: one of every relation, with what each database itself insists on.
import { defineSchema } from '../../../src/index.ts'
import { across, key, many, maybeOne, number, one, string, text } from '../../support/fields.ts'

export const schema = defineSchema({
  authors: {
    fields: {
      id: key,
      name: string,
      email: { ...text, unique: true },
      boss: maybeOne('authors'),
      articles: many('articles.author'),
    },
  },
  articles: {
    table: 'tbl_articles',
    fields: {
      id: key,
      title: { type: 'string', column: 'title_text' },
      status: { type: 'string', default: 'draft' },
      views: { ...number, default: 0 },
      author: { type: 'm2o', to: 'authors', nullable: true, column: 'author_id' },
      comments: { type: 'o2m', from: 'comments.article', sort: 'position', deselect: 'delete' },
      notes: many('notes.article'),
      tags: across('articles_tags.articles_id', 'tags_name'),
      blocks: { type: 'm2a', through: 'articles_blocks.articles_id', to: 'item', sort: 'sort' },
    },
  },
  comments: { fields: { id: key, text, position: number, article: one('articles') } },
  notes: { fields: { id: key, text, article: maybeOne('articles') } },
  tags: { fields: { name: { type: 'string', key: true }, label: text } },
  articles_tags: { fields: { id: key, articles_id: one('articles'), tags_name: one('tags') } },
  heroes: { fields: { id: key, headline: text } },
  texts: { fields: { id: { type: 'uuid', key: true, special: ['uuid'] }, body: text } },
  articles_blocks: {
    fields: {
      id: key,
      articles_id: maybeOne('articles'),
      kind: text,
      item: { type: 'any', to: ['heroes', 'texts'], by: 'kind', nullable: true },
      sort: number,
    },
  },
  people: {
    fields: {
      id: { type: 'uuid', key: true, special: ['uuid'] },
      name: text,
      made: { type: 'timestamp', nullable: true, special: ['date-created'] },
      changed: { type: 'timestamp', nullable: true, special: ['date-updated'] },
    },
  },
  settings: {
    singleton: true,
    fields: { id: key, name: string, motto: { ...text, default: 'hello' }, owner: maybeOne('authors') },
  },
  bookings: { fields: { id: key, settings: maybeOne('settings') } },
  // What the schema says of a value, and what only the database says.
  strict: {
    fields: {
      id: key,
      code: { ...text, length: 5, validation: { code: { _regex: '^[A-Z]+$' } } },
      state: { ...text, values: ['on', 'off'] },
      level: { ...number, validation: { level: { _between: [1, 9] } } },
      price: { type: 'decimal', precision: 5, scale: 2, nullable: true },
      fixed: { ...text, readonly: true },
      secret: { ...text, conceal: true },
      needed: { type: 'string', default: 'here' },
      total: { ...number, generated: true },
      stamped: { type: 'timestamp', special: ['date-updated'] },
      author: { type: 'm2o', to: 'authors', nullable: true, validation: { author: { _nnull: true } } },
      // The database alone knows that these are not null, positive, unique together and short.
      present: { ...text, default: 'there' },
      positive: { ...number, wide: true },
      site: text,
      slug: text,
    },
  },
  // An author has to have a name before anything of theirs is kept.
  pledges: {
    fields: {
      id: key,
      author: {
        type: 'm2o',
        to: 'authors',
        nullable: true,
        validation: { author: { name: { _neq: 'Nobody' } } },
      },
    },
  },
})

export const rows: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = {
  authors: [
    { id: 1, name: 'Ada', email: 'ada@example.org', boss: null },
    { id: 2, name: 'Bob', email: 'bob@example.org', boss: 1 },
    { id: 3, name: 'Cy', email: null, boss: null },
  ],
  articles: [
    { id: 1, title: 'One', status: 'published', views: 10, author: 1 },
    { id: 2, title: 'Two', status: 'draft', views: 20, author: 2 },
    { id: 3, title: 'Three', status: 'draft', views: null, author: null },
  ],
  comments: [
    { id: 1, text: 'first', position: 1, article: 1 },
    { id: 2, text: 'second', position: 2, article: 1 },
    { id: 3, text: 'other', position: 1, article: 2 },
  ],
  notes: [
    { id: 1, text: 'a', article: 1 },
    { id: 2, text: 'b', article: 1 },
    { id: 3, text: 'loose', article: null },
  ],
  tags: [
    { name: 'cold', label: 'Cold' },
    { name: 'hot', label: 'Hot' },
  ],
  articles_tags: [
    { id: 1, articles_id: 1, tags_name: 'hot' },
    { id: 2, articles_id: 2, tags_name: 'cold' },
  ],
  heroes: [{ id: 1, headline: 'Hero' }],
  texts: [{ id: '00000000-0000-4000-8000-000000000001', body: 'Text' }],
  articles_blocks: [
    { id: 1, articles_id: 1, kind: 'heroes', item: '1', sort: 1 },
    { id: 2, articles_id: 1, kind: 'texts', item: '00000000-0000-4000-8000-000000000001', sort: 2 },
  ],
  people: [
    {
      id: '10000000-0000-4000-8000-000000000001',
      name: 'Paul',
      made: '2020-01-01T00:00:00.000Z',
      changed: null,
    },
    { id: '20000000-0000-4000-8000-000000000002', name: 'Rita', made: null, changed: null },
  ],
  settings: [],
  bookings: [],
  strict: [
    {
      id: 1,
      code: 'AB',
      state: 'on',
      level: 5,
      price: '1.50',
      fixed: 'stone',
      secret: 'fish',
      needed: 'yes',
      stamped: '2020-01-01T00:00:00.000Z',
      author: 1,
      present: 'there',
      positive: 1,
      site: 'x',
      slug: 'a',
    },
  ],
  pledges: [],
}
