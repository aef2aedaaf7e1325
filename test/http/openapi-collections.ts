// Collections with a field of every type and a relation of every kind, on SQLite, behind a handler.
import BetterSqlite from 'better-sqlite3'
import { Kysely, sql } from 'kysely'
import { createHandler, type HandlerOptions } from '../../src/http.ts'
import { createEngine, defineSchema, type Engine, type Schema } from '../../src/index.ts'
import { sqliteDialect } from '../../src/sqlite.ts'
import { memoryStorage } from '../../src/storage.ts'
import type { FieldType } from '../../src/types/families.ts'
import { fieldTypes } from '../../src/types/field-types.ts'
import { type AnyTables, openedOn } from '../support/databases.ts'
import { across, key, many, maybeOne, moment, number, one, string, text } from '../support/fields.ts'

export const typeNames = Object.keys(fieldTypes) as FieldType[]

/** The name of a field of a type: names hold no points. */
export const fieldOf = (type: FieldType): string => type.replace('.', '_')

const named = (type: FieldType) => (type === 'other' || type === 'opaque' ? { databaseType: 'inet' } : {})

const ofEveryType = Object.fromEntries(
  typeNames.map((type) => [fieldOf(type), { type, nullable: true, ...named(type) } as const]),
)

export const schema: Schema = defineSchema({
  kinds: {
    note: 'One field of every type.',
    fields: {
      id: key,
      ...ofEveryType,
      state: { ...text, values: ['on', 'off', '7', 'true'] },
      code: { ...text, length: 3, note: 'At most three characters.' },
      price: { type: 'decimal', scale: 2, nullable: true, storage: 'text' },
      seconds: { type: 'timestamp', storage: 'seconds', nullable: true },
      numbers: { type: 'integer', array: true, nullable: true },
      prices: { type: 'decimal', array: true, nullable: true },
      moments: { type: 'timestamp', array: true, nullable: true },
      secret: { ...text, conceal: true },
      size: number,
      wide: { type: 'integer', wide: true, nullable: true },
      twice: { type: 'integer', nullable: true, generated: true },
      fixed: { ...text, readonly: true },
      made: { type: 'timestamp', nullable: true, special: ['date-created'] },
    },
  },
  strict: {
    fields: {
      id: { type: 'uuid', key: true, special: ['uuid'] },
      title: string,
      views: { type: 'integer', default: 0 },
      meta: { type: 'json' },
      pin: { type: 'string', conceal: true },
      changed: { type: 'timestamp', special: ['date-updated'] },
    },
  },
  authors: { fields: { id: key, name: string, articles: many('articles.author') } },
  articles: {
    versioned: true,
    fields: {
      id: key,
      title: string,
      views: { type: 'integer', default: 0 },
      published: moment,
      author: maybeOne('authors'),
      comments: many('comments.article'),
      tags: across('articles_tags.article', 'tag'),
      blocks: { type: 'm2a', through: 'blocks.article', to: 'item' },
    },
  },
  comments: { fields: { id: key, text: { type: 'text' }, article: one('articles') } },
  tags: { fields: { name: { type: 'string', key: true }, label: text } },
  articles_tags: { fields: { id: key, article: one('articles'), tag: one('tags') } },
  heroes: { fields: { id: key, headline: text } },
  quotes: { fields: { id: { type: 'uuid', key: true, special: ['uuid'] }, words: { type: 'text' } } },
  blocks: {
    fields: {
      id: key,
      article: one('articles'),
      kind: text,
      item: { type: 'any', to: ['heroes', 'quotes'], by: 'kind', nullable: true },
    },
  },
  settings: { singleton: true, fields: { id: key, name: string, motto: { ...text, default: 'hello' } } },
})

const columnTypes: Readonly<Record<string, string>> = {
  integer: 'integer',
  float: 'real',
  decimal: 'numeric',
  boolean: 'integer',
  binary: 'blob',
}

export interface World {
  readonly db: Kysely<AnyTables>
  readonly engine: Engine
  readonly ask: Ask
}

export type Ask = (method: string, path: string, body?: unknown, headers?: object) => Promise<Response>

export async function openWorld(of: Schema = schema): Promise<World> {
  const db = new Kysely<AnyTables>({ dialect: sqliteDialect({ database: new BetterSqlite(':memory:') }) })
  openedOn(db)
  for (const { table, fields } of of.collections.values()) {
    const columns = [...fields.values()].flatMap((field) => ('column' in field ? [field] : []))
    const declared = columns.map(({ column, value, isKey, isNullable }) => {
      if (column === 'twice') return sql`twice integer generated always as (size * 2) stored`
      const isText = value.storage === 'text' || value.isArray
      const type = value.storage === 'seconds' ? 'integer' : isText ? 'text' : columnTypes[value.family]
      const rule = isKey ? ' primary key' : isNullable ? '' : ' not null'
      return sql`${sql.id(column)} ${sql.raw(`${type ?? 'text'}${rule}`)}`
    })
    await sql`create table ${sql.table(table)} (${sql.join(declared)})`.execute(db)
  }
  const storage = memoryStorage()
  const engine = createEngine({ db, schema: of, storage, clock: () => new Date('2024-03-01T12:00:00Z') })
  await engine.install()
  return { db, engine, ask: askerOf(engine, { authenticate: () => ({ admin: true, user: 1 }) }) }
}

export function askerOf(engine: Engine, options: HandlerOptions): Ask {
  const handler = createHandler(engine, { onError: () => {}, ...options })
  return (method, path, body, headers = {}) =>
    handler(
      new Request(new URL(path, 'http://localhost'), {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    )
}
