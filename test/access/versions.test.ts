// What rules say of versions, and of the items that they are versions of.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Access,
  compareVersion,
  createVersion,
  deleteVersion,
  type Engine,
  getItem,
  listVersions,
  promoteVersion,
  type Schema,
  saveVersion,
  updateItem,
} from '../../src/index.ts'
import { databases } from '../support/databases.ts'
import { refusal } from '../versions/case.ts'
import { openWorld } from '../versions/collections.ts'

type Rules = NonNullable<Access<Schema>['rules']>

/** Sees the title and the comments of published articles, and may change titles. */
const reader: Rules = {
  articles: {
    read: { filter: { status: 'published' }, fields: ['id', 'title', 'comments', 'author'] },
    update: { fields: ['title', 'comments'] },
  },
  comments: {
    read: { filter: { id: { _neq: 2 } }, fields: ['id', 'text', 'article'] },
    create: true,
    update: true,
  },
  versions: { read: true, create: true, update: true, delete: true },
}

describe.each(databases)('on $name', (database) => {
  let engine: Engine<Schema>
  beforeEach(async () => {
    const world = await openWorld(database)
    // The rules name collections by text.
    engine = world.engine as unknown as Engine<Schema>
    const delta = { title: 'Green', views: 99, comments: { create: [{ text: 'new', likes: 9 }] } }
    await createVersion(engine, 'articles', 1, { key: 'draft', delta })
    await createVersion(engine, 'articles', 2, { key: 'draft', delta: { title: 'Black' } })
  })

  const seen = { title: 'Green', comments: { create: [{ text: 'new' }] } }

  it('a version holds what the caller sees of an item', async () => {
    const mine = engine.as({ rules: reader })
    expect((await listVersions(mine, 'articles', 1)).map(({ delta }) => delta)).toEqual([seen])
    expect((await compareVersion(mine, 'articles', 1, 'draft')).current).toEqual({ id: 1, ...seen })
    const fields = ['title', 'comments.text']
    expect(await getItem(mine, 'articles', 1, { version: 'draft', fields })).toEqual({
      title: 'Green',
      comments: [{ text: 'good' }, { text: 'fine' }, { text: 'new' }],
    })
    const raw = await getItem(mine, 'articles', 1, { version: 'draft', versionRaw: true, fields: ['id'] })
    expect(raw).toEqual({ id: 1, ...seen })
  })

  it('the keys of related items are shown where they are granted, and order them wherever', async () => {
    const rules: Rules = {
      ...reader,
      comments: {
        read: [{ fields: ['text', 'article'] }, { filter: { id: 1 }, fields: ['id', 'text', 'article'] }],
      },
    }
    const main = await getItem(engine.as({ rules }), 'articles', 1, { fields: ['comments', 'comments.id'] })
    expect(main).toEqual({ comments: [{ id: 1 }, { id: null }, { id: null }] })
    for (const [fields, comments] of [
      [['comments'], [1, null, null, null]],
      [
        ['comments.id', 'comments.text'],
        [
          { id: 1, text: 'good' },
          { id: null, text: 'bad' },
          { id: null, text: 'fine' },
          { id: null, text: 'new' },
        ],
      ],
    ] as const) {
      const seen = await getItem(engine.as({ rules }), 'articles', 1, { version: 'draft', fields })
      expect(seen).toEqual({ comments })
    }
    const none: Rules = { ...rules, comments: { read: { fields: ['text', 'article'] } } }
    const bare = await getItem(engine.as({ rules: none }), 'articles', 1, {
      version: 'draft',
      fields: ['comments'],
    })
    expect(bare).toEqual({ comments: [null, null, null, null] })
  })

  it('a version says nothing of rows that are not seen, nor of its own hidden fields', async () => {
    const delta = {
      author: { id: 2, name: 'Hidden' },
      comments: {
        update: [
          { id: 1, text: 'a' },
          { id: 2, text: 'b' },
        ],
        delete: [2, 3],
      },
    }
    await saveVersion(engine, 'articles', 1, 'draft', delta)
    const rules: Rules = {
      ...reader,
      authors: { read: { filter: { id: { _neq: 2 } } } },
      versions: { read: { fields: ['key', 'delta'] } },
    }
    expect(await listVersions(engine.as({ rules }), 'articles', 1)).toEqual([
      { key: 'draft', delta: { title: 'Green', comments: { update: [{ id: 1, text: 'a' }], delete: [3] } } },
    ])
  })

  it('a version showed what fields hold that its reader sees on other rows only', async () => {
    const update = [{ id: 1, text: 'hidden', likes: 5 }]
    const create = [
      { text: 'hidden', writer: 1 },
      { text: 'shown', writer: 2 },
    ]
    await createVersion(engine, 'articles', 1, {
      key: 'other',
      delta: { views: 7, comments: { create, update } },
    })
    const rules: Rules = {
      ...reader,
      articles: { read: [{ fields: ['id', 'title', 'comments'] }, { filter: { id: 2 }, fields: ['views'] }] },
      comments: {
        read: [{ fields: ['id', 'article', 'likes', 'writer'] }, { filter: { writer: 2 }, fields: ['text'] }],
      },
    }
    // The comment with key 1 is of the writer with key 2 now.
    await updateItem(engine, 'comments', 1, { writer: 3 })
    const mine = engine.as({ rules })
    const [, found] = await listVersions(mine, 'articles', 1)
    const made = [{ writer: 1 }, { text: 'shown', writer: 2 }]
    const seenOf = { comments: { create: made, update: [{ id: 1, likes: 5 }] } }
    expect(found?.delta).toEqual(seenOf)
    expect((await compareVersion(mine, 'articles', 1, 'other')).current).toEqual({ id: 1, ...seenOf })
    const fields = ['views', 'comments.text', 'comments.likes', 'comments.writer']
    expect(await getItem(mine, 'articles', 1, { version: 'other', fields })).toEqual({
      views: null,
      comments: [
        { text: null, likes: 5, writer: 3 },
        { text: null, likes: 1, writer: 1 },
        { text: null, likes: null, writer: null },
        { text: null, likes: null, writer: 1 },
        { text: 'shown', likes: null, writer: 2 },
      ],
    })
  })

  it('a version told what it would create that its reader would not see', async () => {
    const create = [{ text: 'shown', likes: 2 }, { text: 'hidden', likes: 9 }, { text: 'hidden' }]
    await createVersion(engine, 'articles', 1, { key: 'other', delta: { comments: { create } } })
    const rules: Rules = { ...reader, comments: { read: { filter: { likes: { _lt: 5 }, article: 1 } } } }
    const [, found] = await listVersions(engine.as({ rules }), 'articles', 1)
    expect(found?.delta).toEqual({ comments: { create: create.slice(0, 1) } })
    const filled: Rules = { ...rules, comments: { ...rules.comments, create: { presets: { likes: 1 } } } }
    const [, own] = await listVersions(engine.as({ rules: filled }), 'articles', 1)
    expect(own?.delta).toEqual({ comments: { create: [create[0], create[2]] } })
  })

  const readingBy = (read: NonNullable<NonNullable<Rules['comments']>['read']>): Rules => ({
    ...reader,
    articles: { read: true, update: true },
    authors: { read: true },
    comments: { read, create: true, update: true },
  })

  /** What a caller is shown of the new comments of a draft, by each function. */
  const newComments = async (mine: Engine<Schema>): Promise<readonly unknown[]> => {
    const [listed] = await listVersions(mine, 'articles', 1)
    const { current } = await compareVersion(mine, 'articles', 1, 'draft')
    const raw = await getItem(mine, 'articles', 1, { version: 'draft', versionRaw: true, fields: ['id'] })
    return [listed?.delta, current, raw].map((delta) => Object(Object(delta).comments).create)
  }

  it.each<object>([
    { article: { author: 2 } },
    { article: 2 },
    { article: { _in: [] } },
    { article: { _null: true } },
    { id: { _lt: 3 } },
    { likes: null },
    { _or: [{ article: 2 }, { likes: 99 }] },
    { likes: { _lt: { $field: 'article.views' } } },
    { article: { 'count(comments)': { _gt: 50 } } },
    { article: { comments: { likes: 99 } } },
  ])('a version told of a new item that its preview hides by %j', async (filter) => {
    const mine = engine.as({ rules: readingBy({ filter }) })
    const preview = await getItem(mine, 'articles', 1, { version: 'draft', fields: ['comments.text'] })
    expect(preview.comments).not.toContainEqual({ text: 'new' })
    expect(await newComments(mine)).toEqual([[], [], []])
    await saveVersion(mine, 'articles', 1, 'draft', { comments: { create: [] } })
    const [saved] = await listVersions(engine, 'articles', 1)
    expect(saved?.delta).toMatchObject({ comments: { create: [{ text: 'new', likes: 9 }] } })
  })

  it.each<object>([
    { article: 1 },
    { article: { author: 1 } },
    { _or: [{ article: { author: { name: 'none' } } }, { article: { _and: [{ author: 1 }, { id: 1 }] } }] },
    { article: { _nnull: true }, likes: 9 },
    { id: { _neq: 5 } },
    { writer: { _null: true } },
    { _or: [{ article: 2 }, { likes: 9 }] },
  ])('a version shows a new item that its preview shows by %j', async (filter) => {
    const mine = engine.as({ rules: readingBy({ filter }) })
    const preview = await getItem(mine, 'articles', 1, { version: 'draft', fields: ['comments.text'] })
    expect(preview.comments).toContainEqual({ text: 'new' })
    const made = [{ text: 'new', likes: 9 }]
    expect(await newComments(mine)).toEqual([made, made, made])
  })

  it('a version told what fields of a new item hold that its preview hides', async () => {
    const fields = ['id', 'text', 'article']
    const mine = engine.as({
      rules: readingBy([{ fields }, { filter: { article: { author: 2 } }, fields: ['likes'] }]),
    })
    const shown = { version: 'draft', fields: ['comments.text', 'comments.likes'] } as const
    const { comments } = await getItem(mine, 'articles', 1, shown)
    expect(comments).toContainEqual({ text: 'new', likes: null })
    expect(await newComments(mine)).toEqual([[{ text: 'new' }], [{ text: 'new' }], [{ text: 'new' }]])
  })

  it('a new item that is shown is replaced when it is saved again, however its rule finds it', async () => {
    const mine = engine.as({ rules: readingBy({ filter: { article: { author: 1 } } }) })
    const create = [{ text: 'newer' }]
    await saveVersion(mine, 'articles', 1, 'draft', { comments: { create } })
    const [saved] = await listVersions(engine, 'articles', 1)
    expect(saved?.delta).toMatchObject({ comments: { create } })
  })

  it('a new item is judged by what it refers to, if the caller sees that', async () => {
    const remarks = [{ text: 'new', likes: 9, writer: 2 }]
    await saveVersion(engine, 'articles', 1, 'draft', { comments: { create: remarks } })
    const byWriter = readingBy({ filter: { writer: { id: { _gt: 0 } } } })
    expect((await newComments(engine.as({ rules: byWriter }))).flat()).toHaveLength(3)
    const authors = { read: { filter: { id: 1 } } }
    expect((await newComments(engine.as({ rules: { ...byWriter, authors } }))).flat()).toEqual([])
  })

  it('a new item refers to another one, though that has no key yet', async () => {
    const writer = { name: 'New', remarks: { create: [{ text: 'deep' }] } }
    await saveVersion(engine, 'articles', 1, 'draft', { comments: { create: [{ text: 'new', writer }] } })
    const mine = engine.as({ rules: readingBy({ filter: { writer: { _null: true } } }) })
    expect(await newComments(mine)).toEqual([[], [], []])
    const all = engine.as({ rules: readingBy(true) })
    expect(await newComments(all)).toEqual(Array(3).fill([{ text: 'new', writer }]))
  })

  it('a new item whose key is given was missing for whoever has rules', async () => {
    const rules: Rules = {
      ...reader,
      articles: { read: true, update: true },
      comments: { read: { filter: { id: { _neq: 2 } } }, create: true, update: true },
      blocks: { read: true, create: true },
      quotes: { read: true, create: true },
    }
    const mine = engine.as({ rules })
    const delta = {
      comments: { create: [{ id: 77, text: 'new' }] },
      blocks: { create: [{ kind: 'quotes', item: { id: 'q9', text: 'new' } }] },
    }
    expect(await createVersion(mine, 'articles', 1, { key: 'other', delta })).toMatchObject({ delta })
    const fields = ['comments.id', 'blocks.item:quotes.text']
    const expected = {
      comments: [{ id: 1 }, { id: 3 }, { id: 77 }],
      blocks: [{ item: { text: 'To brew' } }, { item: null }, { item: { text: 'new' } }],
    }
    expect(await getItem(mine, 'articles', 1, { version: 'other', fields })).toEqual(expected)
    const { mainHash } = await compareVersion(mine, 'articles', 1, 'other')
    await promoteVersion(mine, 'articles', 1, 'other', { mainHash })
    expect(await getItem(mine, 'articles', 1, { fields })).toEqual(expected)
  })

  it('who may not read versions finds none', async () => {
    const { versions: _versions, ...rules } = reader
    const mine = engine.as({ rules })
    expect(await listVersions(mine, 'articles', 1)).toEqual([])
    const missing = { code: 'NOT_FOUND', path: ['version'] }
    expect(await refusal(() => getItem(mine, 'articles', 1, { version: 'draft' }))).toEqual(missing)
    expect(await refusal(() => saveVersion(mine, 'articles', 1, 'draft', { title: 'x' }))).toEqual(missing)
    expect(await refusal(() => deleteVersion(mine, 'articles', 1, 'draft'))).toEqual(missing)
  })

  it('of an item that is not seen it was told which versions it has', async () => {
    const mine = engine.as({ rules: reader })
    const ask = (key: number, version: string) => refusal(() => getItem(mine, 'articles', key, { version }))
    for (const key of [2, 98])
      for (const version of ['draft', 'other']) expect(await ask(key, version)).toEqual({ code: 'NOT_FOUND' })
  })

  it('who saves may change the item, and its fields', async () => {
    const mine = engine.as({ rules: reader })
    const saved = await saveVersion(mine, 'articles', 1, 'draft', { title: 'Red' })
    expect(saved.delta).toEqual({ ...seen, title: 'Red' })
    expect(await refusal(() => saveVersion(mine, 'articles', 1, 'draft', { views: 1 }))).toEqual({
      code: 'FORBIDDEN',
      path: ['views'],
    })
    const only = engine.as({ rules: { ...reader, articles: { read: true, update: { filter: { id: 2 } } } } })
    expect(await refusal(() => saveVersion(only, 'articles', 1, 'draft', { title: 'x' }))).toEqual({
      code: 'FORBIDDEN',
    })
    const [whole] = await listVersions(engine, 'articles', 1)
    expect(whole?.delta).toMatchObject({ title: 'Red', views: 99 })
  })

  it('who may update related items and not create any could not save what they become', async () => {
    const rules: Rules = {
      ...reader,
      articles: { read: true, update: true },
      authors: { read: true, update: { fields: ['name'] } },
      comments: { read: true, update: { fields: ['text'] } },
    }
    const mine = engine.as({ rules })
    const delta = { author: { id: 1, name: 'Ada L.' }, comments: [{ id: 1, text: 'better' }, 2, 3] }
    expect(await saveVersion(mine, 'articles', 1, 'draft', delta)).toMatchObject({ delta })
    const { mainHash } = await compareVersion(mine, 'articles', 1, 'draft')
    const fields = ['author', 'comments'] as const
    await promoteVersion(mine, 'articles', 1, 'draft', { mainHash, fields })
    expect(await getItem(mine, 'articles', 1, { fields: ['author.name', 'comments.text'] })).toEqual({
      author: { name: 'Ada L.' },
      comments: [{ text: 'better' }, { text: 'bad' }, { text: 'fine' }],
    })
    for (const author of [{ name: 'New' }, { id: 1, born: '2000-01-01' }]) {
      const path = ['author', Object.keys(author).at(-1)]
      expect(await refusal(() => saveVersion(mine, 'articles', 1, 'draft', { author }))).toEqual({
        code: 'FORBIDDEN',
        path,
      })
    }
  })

  it('promoting takes what the caller sees of a version, and names nothing else', async () => {
    const mine = engine.as({ rules: reader })
    const { mainHash } = await compareVersion(mine, 'articles', 1, 'draft')
    expect(await promoteVersion(mine, 'articles', 1, 'draft', { mainHash })).toMatchObject({ title: 'Green' })
    expect(await getItem(engine, 'articles', 1, { fields: ['title', 'views', 'comments.likes'] })).toEqual({
      title: 'Green',
      views: 10,
      comments: [{ likes: 3 }, { likes: 1 }, { likes: null }, { likes: 9 }],
    })
  })

  it('promoting fills in the values of the first rule that allows the item as it is stored', async () => {
    const validation = { title: { _nempty: true }, author: { name: 'Nobody' } }
    const update = [{ validation, presets: { views: 1 } }, { presets: { views: 2 } }]
    const mine = engine.as({
      rules: { ...reader, authors: { read: true }, articles: { read: true, update } },
    })
    const { mainHash } = await compareVersion(mine, 'articles', 1, 'draft')
    await promoteVersion(mine, 'articles', 1, 'draft', { mainHash, fields: ['title'] })
    expect(await getItem(engine, 'articles', 1, { fields: ['title', 'views'] })).toEqual({
      title: 'Green',
      views: 2,
    })
  })

  it('promoting needs an update of the item', async () => {
    const mine = engine.as({ rules: { ...reader, articles: { read: true } } })
    const { mainHash } = await compareVersion(mine, 'articles', 1, 'draft')
    const told = await refusal(() => promoteVersion(mine, 'articles', 1, 'draft', { mainHash }))
    expect(told).toMatchObject({ code: 'FORBIDDEN' })
    expect(await getItem(engine, 'articles', 1, { fields: ['title'] })).toEqual({ title: 'Tea' })
  })

  it('a handler may add to a promotion what the caller may not write', async () => {
    engine.on('items.promote', 'articles', ({ payload }) => ({ ...payload, views: 7 }), { when: 'before' })
    const mine = engine.as({ rules: reader })
    const { mainHash } = await compareVersion(mine, 'articles', 1, 'draft')
    await promoteVersion(mine, 'articles', 1, 'draft', { mainHash, fields: ['title'] })
    expect(await getItem(engine, 'articles', 1, { fields: ['title', 'views'] })).toEqual({
      title: 'Green',
      views: 7,
    })
  })
})
