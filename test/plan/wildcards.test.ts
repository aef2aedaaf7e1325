// What a star stands for, and what may be asked twice.
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItems,
  defineSchema,
  listItems,
  listItemsJson,
  type Schema,
} from '../../src/index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { many, maybeOne, string, text } from '../support/fields.ts'

const id = { type: 'integer', key: true } as const
/** More relations than one statement joins. */
const friends = Array.from({ length: 40 }, (_, index) => `friend_${index}`)
const schema: Schema = defineSchema({
  people: {
    fields: {
      id,
      ...Object.fromEntries(
        friends.map((name) => [name, { type: 'm2o', to: 'authors', nullable: true } as const]),
      ),
    },
  },
  authors: { fields: { id, name: string, born: { type: 'date', default: null, nullable: true } } },
  notes: {
    fields: {
      id,
      text: { type: 'string', default: null, nullable: true },
      author: maybeOne('authors'),
      kind: text,
      about: { type: 'any', to: ['authors', 'notes'], by: 'kind', nullable: true },
      replies: many('notes.reply_to'),
      reply_to: maybeOne('notes'),
    },
  },
})

describe.each(databases)('on $name', ({ open }) => {
  let opened: OpenDatabase
  const engine = () => createEngine({ db: opened.db, schema })
  const list = async (query: object) => (await listItems(engine(), 'notes', { limit: 1, ...query })).data
  beforeAll(async () => {
    opened = await open()
    await opened.run(
      'create table authors (id integer primary key, name text, born date)',
      'create table notes (id integer primary key, text text, author integer, kind text, about text, reply_to integer)',
      `create table people (id integer primary key, ${friends.map((name) => `${name} integer`).join(', ')})`,
    )
    await createItems(engine(), 'authors', [{ id: 1, name: 'Ada' }])
    await createItems(engine(), 'notes', [{ id: 1, author: 1, kind: 'authors', about: 1 }])
    await createItems(engine(), 'notes', [{ id: 2, text: 'x', reply_to: 1 }])
  })

  it('a star is asked of the related items that have the name, and of no others', async () => {
    expect(await list({ fields: ['*.name'] })).toEqual([
      {
        id: 1,
        text: null,
        author: { name: 'Ada' },
        kind: 'authors',
        about: '1',
        replies: [2],
        reply_to: null,
      },
    ])
    expect(await list({ fields: ['*.id'] })).toMatchObject([
      { author: { id: 1 }, about: { id: 1 }, replies: [{ id: 2 }] },
    ])
    expect(await list({ fields: ['*.year(born)'] })).toMatchObject([{ author: { born_year: null } }])
    expect(await list({ fields: ['*.*.name'] })).toMatchObject([{ replies: [{ id: 2, author: null }] }])
    expect(await list({ fields: ['*.about:authors.name'] })).toMatchObject([{ replies: [{ about: null }] }])
  })

  it('a scope behind a star that leads nowhere is passed over', async () => {
    expect(await list({ fields: ['id', '*.about:nothing.id'] })).toMatchObject([{ id: 1, replies: [{}] }])
  })

  it('more relations are followed than one statement joins', async () => {
    const links = Object.fromEntries(friends.map((name) => [name, 1]))
    await createItems(engine(), 'people', [{ id: 1, ...links }])
    const { data } = await listItems(engine(), 'people', { fields: friends.map((name) => `${name}.name`) })
    expect(data).toEqual([Object.fromEntries(friends.map((name) => [name, { name: 'Ada' }]))])
  })

  it('a page far down an order by related items is one like any other', async () => {
    expect(await list({ sort: ['author.name'], offset: 1_000_000 })).toEqual([])
  })

  it('groups inside a reference to any collection are the same in JSON', async () => {
    const query = {
      fields: ['about:notes.replies', 'about:authors.name'],
      deep: { 'about:notes': { replies: { _aggregate: { count: '*' } } } },
    } as never
    expect(JSON.parse(await listItemsJson(engine(), 'notes', query))).toEqual(
      await listItems(engine(), 'notes', query),
    )
  })

  it('what is asked twice is answered once', async () => {
    const alias = { n: 'count(replies)' }
    expect(await list({ fields: ['count(replies)', 'count(replies)', 'n'], alias })).toEqual([
      { replies_count: 1, n: 1 },
    ])
    expect(await list({ fields: ['author.year(born)', 'author.year(born)', 'author.id'] })).toEqual([
      { author: { born_year: null, id: 1 } },
    ])
  })

  it('rows of several rules are shown as far as any of them goes', async () => {
    const read = [{ fields: ['id', 'replies', 'reply_to'] }, { fields: ['id', 'text'], filter: { id: 2 } }]
    const mine = engine().as({ rules: { notes: { read } } } as never)
    expect((await listItems(mine, 'notes', {})).data).toEqual([
      { id: 1, text: null, replies: [2], reply_to: null },
      { id: 2, text: 'x', replies: [], reply_to: 1 },
    ])
  })

  it('keys that may not be seen are withheld from lists of them', async () => {
    const read = { fields: ['text', 'replies', 'reply_to'] }
    const mine = engine().as({ rules: { notes: { read } } } as never)
    expect((await listItems(mine, 'notes', { sort: ['text'] })).data).toEqual([
      { text: 'x', replies: [], reply_to: 1 },
      { text: null, replies: [null], reply_to: null },
    ])
    expect(JSON.parse(await listItemsJson(mine, 'notes', { sort: ['text'] }))).toEqual(
      await listItems(mine, 'notes', { sort: ['text'] }),
    )
  })
})
