// What rules say of versions, and of the items that they are versions of.
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
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
} from '../../src/index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { refusal } from '../versions/case.ts'
import { openWorld } from '../versions/world.ts'

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
  const all: OpenDatabase[] = []
  let engine: Engine<Schema>
  beforeEach(async () => {
    const world = await openWorld(database)
    all.push(world.opened)
    // The rules name collections by text.
    engine = world.engine as unknown as Engine<Schema>
    const delta = { title: 'Green', views: 99, comments: { create: [{ text: 'new', likes: 9 }] } }
    await createVersion(engine, 'articles', 1, { key: 'draft', delta })
    await createVersion(engine, 'articles', 2, { key: 'draft', delta: { title: 'Black' } })
  })
  afterAll(async () => {
    for (const opened of all) await opened.close()
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
