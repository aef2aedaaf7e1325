// References to any collection, into collections with all kinds of keys.

import { describe, expect, it } from 'vitest'
import {
  createEngine,
  createItems,
  defineSchema,
  listItems,
  listItemsJson,
  type Schema,
} from '../../../src/index.ts'
import type { CollectionDefinition, FieldDefinition } from '../../../src/schema/definition.ts'
import { insert } from '../../support/databases.ts'
import { lanes } from '../../support/lanes.ts'
import { titled } from '../../support/titled.ts'

interface Key {
  readonly title: string
  readonly field: FieldDefinition
  readonly column: string
  readonly keys: readonly [unknown, unknown]
}

const moments = ['2024-02-29T08:30:00.000Z', '2024-03-01T08:30:00.000Z'] as const
const both = (cut: (moment: string) => string) => [cut(moments[0]), cut(moments[1])] as const
const cases: readonly Key[] = titled({
  'whole numbers': { field: { type: 'integer' }, column: 'integer', keys: [1, 2] },
  'large numbers': { field: { type: 'bigInteger' }, column: 'bigint', keys: ['9223372036854775807', '2'] },
  decimals: { field: { type: 'decimal' }, column: 'numeric(20)', keys: ['123456789012345', '2'] },
  'decimals with digits after the point': {
    field: { type: 'decimal', scale: 2 },
    column: 'numeric(20, 2)',
    keys: ['10.00', '-2.50'],
  },
  fractions: { field: { type: 'float' }, column: 'double precision', keys: [1.5, -0.25] },
  texts: { field: { type: 'string' }, column: 'text', keys: ['é', 'x y'] },
  UUIDs: {
    field: { type: 'uuid' },
    column: 'uuid',
    keys: ['6f9619ff-8b86-4d01-b42d-00cf4fc964ff', '6f9619ff-8b86-4d01-b42d-00cf4fc964fe'],
  },
  'UUIDs that are stored as text': {
    field: { type: 'uuid', storage: 'text' },
    column: 'text',
    keys: ['6f9619ff-8b86-4d01-b42d-00cf4fc964ff', '6f9619ff-8b86-4d01-b42d-00cf4fc964fe'],
  },
  'labels of an enum': {
    field: { type: 'string', values: ['it"s', "it's"], enumType: 'mood' },
    column: 'mood',
    keys: ['it"s', "it's"],
  },
  days: { field: { type: 'date' }, column: 'date', keys: both((text) => text.slice(0, 10)) },
  times: { field: { type: 'time' }, column: 'time', keys: ['08:30:00', '09:00:00'] },
  'days and times': {
    field: { type: 'dateTime' },
    column: 'timestamp',
    keys: both((text) => text.slice(0, 19)),
  },
  moments: { field: { type: 'timestamp' }, column: 'timestamptz', keys: moments },
  'moments that are stored as texts': {
    field: { type: 'timestamp', storage: 'text' },
    column: 'text',
    keys: moments,
  },
  'moments that are stored as numbers': {
    field: { type: 'timestamp', storage: 'seconds' },
    column: 'bigint',
    keys: moments,
  },
})

const id: FieldDefinition = { type: 'integer', key: true }
// The compiler knows no type of a key that is one of many.
const anySchema = (definition: Record<string, CollectionDefinition>): Schema => defineSchema(definition)

describe.each(lanes)('on $title', ({ open, name }) => {
  it.each(cases)('$title lead to their items', async ({ field, column, keys }) => {
    const { db, run } = await open()

    // SQLite has no such types, and holds texts in their place.
    const isText = name === 'sqlite' && !/int|numeric|double/.test(column)
    if (column === 'mood' && name === 'postgres') await run(`create type mood as enum ('it"s', 'it''s')`)
    await run(`create table things (key ${isText ? 'text' : column} primary key, title text)`)
    await run('create table links (id integer primary key, post integer, kind text, item text)')
    await run('create table posts (id integer primary key)')
    const schema = anySchema({
      posts: { fields: { id, links: { type: 'm2a', through: 'links.post', to: 'item' } } },
      links: {
        fields: {
          id,
          post: { type: 'm2o', to: 'posts' },
          kind: { type: 'string' },
          item: { type: 'any', to: ['things', 'posts'], by: 'kind' },
        },
      },
      things: { fields: { key: { ...field, key: true } as FieldDefinition, title: { type: 'string' } } },
    })
    const engine = createEngine({ db, schema })
    const [one, two] = keys
    await createItems(engine, 'posts', [{ id: 1 }, { id: 2 }])
    await createItems(engine, 'things', [
      { key: one, title: 'one' },
      { key: two, title: 'two' },
    ])
    const link = { post: 1, kind: 'things' }
    await createItems(engine, 'links', [
      { id: 1, ...link, item: String(one) },
      { id: 4, ...link, kind: 'posts', item: '2' },
    ])
    // What others wrote may be anything.
    const strange = ['nothing of the kind', '2024-02-31']
    for (const [index, item] of strange.entries()) await insert(db, 'links', { id: index + 2, ...link, item })
    const links = async (fields: readonly string[]) => {
      const query = { fields, filter: { id: { _in: [1, 4] } } }
      const { data } = await listItems(engine, 'links', query)
      expect(JSON.parse(await listItemsJson(engine, 'links', query))).toEqual({ data })
      return data
    }
    expect(await links(['item:things'])).toEqual([{ item: one }, { item: 2 }])
    expect(await links(['item:things.title', 'item:posts.id'])).toEqual([
      { item: { title: 'one' } },
      { item: { id: 2 } },
    ])
    const { data } = await listItems(engine, 'posts', { fields: 'links.item:things.title', limit: 1 })
    const found = [{ title: 'one' }, null, null].map((item) => ({ item }))
    expect(data).toEqual([{ links: [...found, { item: 2 }] }])
    const ids = async (collection: string, query: object) => {
      const fields = collection === 'things' ? ['title'] : ['id']
      return (await listItems(engine, collection, { fields, ...query })).data
    }
    expect(await ids('links', { filter: { 'item:things': { title: 'one' } } })).toEqual([{ id: 1 }])
    expect(await ids('links', { sort: '-item:things.title', filter: { id: { _lt: 3 } } })).toEqual([
      { id: 2 },
      { id: 1 },
    ])
    expect(await ids('things', { filter: { '$FOLLOW(links, item, kind)': { post: 1 } } })).toEqual([
      { title: 'one' },
    ])
  })
})
