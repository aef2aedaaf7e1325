// A world of which a caller sees a part: in each collection some fields and some rows, and of some collections nothing. Whatever is not to be
// seen says so, wherever it turns up.
import { sql } from 'kysely'
import {
  type Access,
  type AnyRule,
  createEngine,
  defineSchema,
  type Engine,
  type Schema,
} from '../../../src/index.ts'
import type { OpenDatabase, TestDatabase } from '../../support/databases.ts'
import { across, json, key, many, maybeOne, number, one, text } from '../../support/fields.ts'

export const schema = defineSchema({
  articles: {
    versioned: true,
    sortField: 'place',
    fields: {
      id: key,
      title: text,
      state: text,
      views: number,
      meta: json,
      place: number,
      secret: { ...text, unique: true },
      signed: { type: 'date', nullable: true },
      paper: json,
      author: maybeOne('authors'),
      editor: maybeOne('authors'),
      ledger: maybeOne('ledgers'),
      comments: many('comments.article'),
      remarks: many('comments.article'),
      replies: many('comments.answers'),
      entries: many('ledgers.article'),
      tags: across('articles_tags.article', 'tag'),
      labels: across('articles_tags.article', 'tag'),
      blocks: { type: 'm2a', through: 'blocks.article', to: 'item' },
      pieces: { type: 'm2a', through: 'blocks.article', to: 'item' },
    },
  },
  authors: { fields: { id: key, name: text, state: text, secret: text, articles: many('articles.author') } },
  comments: {
    fields: { id: key, text, state: text, article: maybeOne('articles'), answers: maybeOne('articles') },
  },
  tags: { fields: { id: key, name: text, state: text } },
  articles_tags: { fields: { id: key, article: one('articles'), tag: maybeOne('tags') } },
  blocks: {
    fields: {
      id: key,
      article: maybeOne('articles'),
      kind: text,
      item: { type: 'any', to: ['heroes', 'vaults'], by: 'kind', nullable: true },
    },
  },
  heroes: { fields: { id: key, headline: text, state: text } },
  // Of these nothing may be seen.
  vaults: { fields: { id: key, code: text } },
  ledgers: { fields: { id: key, code: text, article: maybeOne('articles') } },
  safe: { singleton: true, fields: { id: key, code: text } },
  settings: { singleton: true, fields: { id: key, motto: text, secret: text } },
})

/** What is nowhere to be read. */
export const hiddenText = 'S3CRET'

const open = { filter: { state: 'open' } }
const seen: Readonly<Record<string, AnyRule>> = {
  articles: {
    ...open,
    fields: [
      ...['id', 'title', 'state', 'views', 'meta', 'author', 'ledger'],
      ...['comments', 'replies', 'entries', 'tags', 'blocks'],
    ],
  },
  authors: { ...open, fields: ['id', 'name', 'state', 'articles'] },
  comments: { ...open, fields: ['id', 'text', 'state', 'article'] },
  tags: open,
  articles_tags: {},
  blocks: {},
  heroes: open,
  settings: { fields: ['id', 'motto'] },
}

function withoutKey(name: string, { fields }: AnyRule): readonly string[] {
  const whole: Schema = schema
  const all = fields ?? [...(whole.collections.get(name)?.fields.keys() ?? [])]
  return all.filter((field) => field !== 'id')
}

/** All that is seen may be written, and nothing else. */
export const access: Access<Schema> = {
  user: 1,
  rules: {
    ...Object.fromEntries(
      Object.entries(seen).map(([name, rule]) => [
        name,
        // A key that is given could be compared with those that there are.
        { read: rule, create: { fields: withoutKey(name, rule) }, update: rule, delete: rule },
      ]),
    ),
    versions: { read: true, create: true, update: true, delete: true },
  },
}

const rows: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = {
  authors: [
    { id: 1, name: 'Ada', state: 'open', secret: `${hiddenText} 1` },
    { id: 2, name: 'Bob', state: 'open', secret: `${hiddenText} 2` },
    { id: 3, name: `${hiddenText} Cy`, state: 'closed' },
  ],
  articles: [
    article(1, { author: 1, editor: 2, ledger: 1 }),
    article(2, { author: 2, ledger: 1 }),
    { ...article(203, { author: 1, ledger: 1 }), title: `${hiddenText} three`, state: 'closed', views: 777 },
    // Twins: what one points to, or what points to it, is hidden; of the other it does not exist.
    article(204, { author: 3 }),
    article(205, { author: 298 }),
    article(206, {}),
    article(207, {}),
  ],
  comments: [
    { id: 1, text: 'good', state: 'open', article: 1, answers: 2 },
    { id: 2, text: `${hiddenText} bad`, state: 'closed', article: 1 },
    { id: 3, text: `${hiddenText} worse`, state: 'closed', article: 206, answers: 206 },
    { id: 4, text: 'of a hidden article', state: 'open', article: 203 },
    { id: 5, text: 'of no article', state: 'open', article: 298 },
  ],
  tags: [
    { id: 1, name: 'hot', state: 'open' },
    { id: 2, name: `${hiddenText} cold`, state: 'closed' },
  ],
  articles_tags: [
    { id: 1, article: 1, tag: 1 },
    { id: 4, article: 204, tag: 2 },
    { id: 5, article: 205, tag: 298 },
  ],
  blocks: [
    { id: 1, article: 1, kind: 'heroes', item: '1' },
    { id: 2, article: 1, kind: 'vaults', item: '1' },
    { id: 4, article: 204, kind: 'heroes', item: '2' },
    { id: 5, article: 205, kind: 'heroes', item: '298' },
  ],
  heroes: [
    { id: 1, headline: 'Hello', state: 'open' },
    { id: 2, headline: `${hiddenText} hero`, state: 'closed' },
  ],
  vaults: [{ id: 1, code: `${hiddenText} vault` }],
  ledgers: [{ id: 1, code: `${hiddenText} ledger`, article: 1 }],
  safe: [{ id: 1, code: `${hiddenText} safe` }],
  settings: [{ id: 1, motto: 'hi', secret: `${hiddenText} motto` }],
}

function article(id: number, relations: object) {
  const hidden = {
    secret: `${hiddenText} ${id}`,
    signed: '1999-09-09',
    paper: JSON.stringify({ code: hiddenText }),
    place: 1_000 - id,
  }
  return { id, title: 'Same', state: 'open', views: 5, meta: '{"a":1}', ...hidden, ...relations }
}

const types = {
  sqlite: { key: 'integer primary key', integer: 'integer', date: 'text', json: 'text' },
  postgres: {
    key: 'integer generated by default as identity (start with 1000) primary key',
    integer: 'integer',
    date: 'date',
    json: 'jsonb',
  },
} as const

/** Without foreign keys, so that some may lead nowhere. */
export async function openWorld({
  name,
  open: openDatabase,
}: TestDatabase): Promise<{ readonly engine: Engine<Schema>; readonly opened: OpenDatabase }> {
  const opened = await openDatabase()
  const { [name]: words } = types
  const typeOf = (type: string) => (type in words ? Reflect.get(words, type) : 'text')
  for (const { table, fields } of schema.collections.values()) {
    const columns = [...fields.values()].flatMap((field) =>
      'column' in field
        ? [sql`${sql.id(field.column)} ${sql.raw(field.isKey ? words.key : typeOf(field.value.type))}`]
        : [],
    )
    await sql`create table ${sql.id(table)} (${sql.join(columns)})`.execute(opened.db)
    for (const row of rows[table] ?? []) await opened.db.insertInto(table).values(row).execute()
  }
  const untyped: Schema = schema
  const engine = createEngine({
    db: opened.db,
    schema: untyped,
    clock: () => new Date('2024-03-01T12:00:00Z'),
  })
  await engine.install()
  return { engine, opened }
}
