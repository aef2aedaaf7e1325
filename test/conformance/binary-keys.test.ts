// Keys that are bytes, in each of their forms: everything that a key does, on every database.
import { beforeAll, describe, expect, it } from 'vitest'
import { exportItems } from '../../src/export.ts'
import { createHandler } from '../../src/http.ts'
import {
  createEngine,
  createItem,
  createVersion,
  defineSchema,
  deleteByQuery,
  deleteItem,
  deleteItems,
  type Engine,
  getItem,
  listItems,
  listItemsJson,
  listVersions,
  matchesFilter,
  type Schema,
  saveVersion,
  streamItems,
  updateItem,
} from '../../src/index.ts'
import type { ScalarDefinition, SchemaDefinition } from '../../src/schema/definition.ts'
import { across, many, maybeOne, one, string } from '../support/fields.ts'
import { lanes } from '../support/lanes.ts'

interface KeyForm {
  readonly title: string
  readonly type: Pick<ScalarDefinition, 'type' | 'encoding' | 'storage'>
  /** A key in the form of results. */
  readonly shown: (bytes: Buffer) => string
  /** The same key as it may be written, too. */
  readonly alike: (shown: string) => string
  /** True if the bytes themselves are keys, too. */
  readonly takesBytes: boolean
  /** Texts that are no keys. */
  readonly wrong: readonly string[]
}

const uuidOf = (bytes: Buffer) =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

const forms: readonly KeyForm[] = [
  {
    title: 'hexadecimal digits',
    type: { type: 'binary', encoding: 'hex' },
    shown: (bytes) => bytes.toString('hex'),
    alike: (shown) => shown.toUpperCase(),
    takesBytes: true,
    wrong: ['0x00', '\\x00', '0', 'zz', 'AP8='],
  },
  {
    title: 'base64',
    type: { type: 'binary' },
    shown: (bytes) => bytes.toString('base64'),
    alike: (shown) => shown.replaceAll('=', ''),
    takesBytes: true,
    wrong: ['\\x00', 'A', '-_-_'],
  },
  {
    title: 'UUIDs of 16 bytes',
    type: { type: 'uuid', storage: 'binary' },
    shown: uuidOf,
    alike: (shown) => shown.toUpperCase(),
    takesBytes: false,
    wrong: ['00', '0'.repeat(32)],
  },
]

/** Bytes whose order is that of their first byte, and that no text spells. */
const bytes = (first: number) => Buffer.from([first, ...'0123456789abcde'].map((one) => Number(`0x${one}`)))
const column = { sqlite: 'blob', postgres: 'bytea' } as const

const cases = lanes.flatMap((lane) => forms.map((form) => ({ ...lane, form, name: lane.name })))

describe.each(cases)('keys in $form.title on $title', ({ name, open, form }) => {
  const [first, second, third, fourth] = [0x00, 0x7f, 0x80, 0xff].map((one) => form.shown(bytes(one)))
  if (first === undefined || second === undefined || third === undefined || fourth === undefined) return
  const key = { ...form.type, key: true }
  const number = { type: 'integer', key: true } as const
  const definition: SchemaDefinition = {
    books: {
      versioned: true,
      fields: {
        id: key,
        title: string,
        sequel: maybeOne('books'),
        prequels: many('books.sequel'),
        tags: across('books_tags.book', 'tag'),
        blocks: { type: 'm2a', through: 'blocks.page', to: 'item' },
      },
    },
    tags: { fields: { id: key, name: string } },
    books_tags: { fields: { id: number, book: one('books'), tag: one('tags') } },
    blocks: {
      fields: {
        id: number,
        page: maybeOne('books'),
        kind: string,
        item: { type: 'any', to: ['books', 'tags'], by: 'kind' },
      },
    },
  }
  const schema: Schema = defineSchema(definition)
  const raw = (first: number) => (form.takesBytes ? bytes(first) : form.shown(bytes(first)))
  let engine: Engine
  const numbered = { sqlite: 'integer primary key', postgres: 'serial primary key' }[name]
  beforeAll(async () => {
    const opened = await open()
    const of = column[name]
    for (const table of [
      `books (id ${of} primary key, title text not null, sequel ${of} references books)`,
      `tags (id ${of} primary key, name text not null)`,
      `books_tags (id ${numbered}, book ${of} not null references books, tag ${of} not null references tags)`,
      `blocks (id ${numbered}, page ${of} references books, kind text not null, item text not null)`,
    ])
      await opened.run(`create table ${table}`)
    engine = createEngine({ db: opened.db, schema })
    await engine.install()
    await createItem(engine, 'books', { id: fourth, title: 'D' })
    await createItem(engine, 'books', { id: raw(0x80), title: 'C', sequel: raw(0xff) })
    await createItem(engine, 'books', {
      id: second,
      title: 'B',
      sequel: third,
      tags: [{ tag: { id: fourth, name: 'dry' } }],
    })
    await createItem(engine, 'books', {
      id: form.alike(first),
      title: 'A',
      sequel: form.alike(second),
      tags: [{ tag: { id: first, name: 'old' } }, { tag: fourth }],
      blocks: [
        { kind: 'books', item: third },
        { kind: 'tags', item: form.alike(first) },
      ],
    })
  })

  const listed = async (query: object, collection = 'books') => {
    const { data } = await listItems(engine, collection, query)
    expect(JSON.parse(await listItemsJson(engine, collection, query))).toEqual({ data })
    return data
  }
  const ids = async (query: object) => (await listed({ fields: ['id'], ...query })).map(({ id }) => id)

  it('are found in any form, and shown in one', async () => {
    for (const given of [first, form.alike(first), raw(0x00)])
      expect(await getItem(engine, 'books', given as string, { fields: ['id', 'title', 'sequel'] })).toEqual({
        id: first,
        title: 'A',
        sequel: second,
      })
    for (const given of [...form.wrong, fourth.replace(/^./, '0'), ''])
      await expect(getItem(engine, 'books', given)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('are ordered byte by byte, in both directions and in streams', async () => {
    const all = [first, second, third, fourth]
    expect(await ids({})).toEqual(all)
    expect(await ids({ sort: ['-id'] })).toEqual([...all].reverse())
    expect(await ids({ sort: ['sequel.id', 'id'] })).toEqual([first, second, third, fourth])
    for (const sort of [['id'], ['-id'], ['-sequel']]) {
      const read: unknown[] = []
      for await (const { id } of streamItems(engine, 'books', { fields: ['id'], sort })) read.push(id)
      expect(read).toEqual(await ids({ sort }))
    }
  })

  it('are filtered, also in lists, behind relations and in memory', async () => {
    const filters: readonly (readonly [object, readonly string[]])[] = [
      [{ id: { _eq: form.alike(second) } }, [second]],
      [{ id: raw(0x7f) }, [second]],
      [{ id: { _neq: second } }, [first, third, fourth]],
      [{ id: { _in: [form.alike(fourth), raw(0x00), second] } }, [first, second, fourth]],
      [{ id: { _in: [] } }, []],
      [{ id: { _nin: [first, fourth] } }, [second, third]],
      [{ sequel: third }, [second]],
      [{ sequel: { id: { _in: [second, fourth] } } }, [first, third]],
      [{ sequel: { _nin: [second] } }, [second, third]],
      [{ sequel: null }, [fourth]],
      [{ prequels: { id: first } }, [second]],
      [{ tags: { tag: { _eq: fourth } } }, [first, second]],
      [{ tags: { tag: { id: { _in: [form.alike(first)] } } } }, [first]],
      [{ blocks: { 'item:books': { id: third } } }, [first]],
      [{ blocks: { 'item:tags': { _eq: form.alike(first) } } }, [first]],
      [{ blocks: { 'item:tags': { _in: [fourth] } } }, []],
    ]
    const items = await listed({ fields: ['*', 'sequel.*', 'prequels.*', 'tags.tag.*'] })
    for (const [filter, found] of filters) {
      expect([filter, await ids({ filter })]).toEqual([filter, found])
      if ('blocks' in filter) continue
      const matched = items.filter((item) => matchesFilter({ schema }, 'books', filter as never, item))
      expect([filter, matched.map(({ id }) => id)]).toEqual([filter, found])
    }
    for (const wrong of form.wrong)
      await expect(ids({ filter: { id: { _eq: wrong } } })).rejects.toMatchObject({
        code: 'INVALID_QUERY',
        path: ['filter', 'id', '_eq'],
      })
  })

  it('stand in lists of any depth as at the top', async () => {
    const fields = [
      'id',
      'prequels',
      'prequels.id',
      'sequel.sequel.id',
      'tags.tag.id',
      'blocks.item',
      'blocks.kind',
    ]
    expect(await listed({ fields: ['id', 'prequels'], sort: ['id'], limit: 2 })).toEqual([
      { id: first, prequels: [] },
      { id: second, prequels: [first] },
    ])
    const deep = await listed({
      fields,
      filter: { id: first },
      deep: { tags: { _sort: ['tag'] }, blocks: { _sort: ['id'] } },
    })
    expect(deep).toEqual([
      {
        id: first,
        prequels: [],
        sequel: { sequel: { id: third } },
        tags: [{ tag: { id: first } }, { tag: { id: fourth } }],
        blocks: [
          { item: third, kind: 'books' },
          { item: first, kind: 'tags' },
        ],
      },
    ])
    const arms = await listed({
      fields: ['blocks.item:books.title', 'blocks.item:tags.name', 'blocks.item:tags.id'],
      filter: { id: first },
      deep: { blocks: { _sort: ['id'] } },
    })
    expect(arms).toEqual([{ blocks: [{ item: { title: 'C' } }, { item: { name: 'old', id: first } }] }])
  })

  it('are exported as they are shown', async () => {
    const { body } = await exportItems(engine, 'books', { fields: ['id', 'sequel'], limit: 2 }, 'csv')
    expect((await new Response(body).text()).trim().split(/\r?\n/)).toEqual([
      'id,sequel',
      `${first},${second}`,
      `${second},${third}`,
    ])
  })

  it('stand in addresses in any form', async () => {
    const handle = createHandler(engine, { authenticate: () => ({ admin: true }) })
    for (const given of [fourth, form.alike(fourth)]) {
      const address = `https://example.org/items/books/${encodeURIComponent(given)}?fields=id,title`
      const answer = await handle(new Request(address))
      expect([given, await answer.json()]).toEqual([given, { data: { id: fourth, title: 'D' } }])
    }
    const [wrong = ''] = form.wrong
    const none = await handle(new Request(`https://example.org/items/books/${encodeURIComponent(wrong)}`))
    expect(none.status).toBe(404)
  })

  it('refer to versions, and stand in their deltas', async () => {
    await createVersion(engine, 'books', form.alike(fourth), { key: 'draft' })
    await saveVersion(engine, 'books', fourth, 'draft', {
      title: 'New',
      sequel: raw(0x00),
      tags: { create: [{ tag: raw(0xff) }], update: [], delete: [] },
    })
    const [version] = await listVersions(engine, 'books', fourth)
    expect(version).toMatchObject({
      item: fourth,
      delta: { sequel: first, tags: { create: [{ tag: fourth }], update: [], delete: [] } },
    })
    const query = { version: 'draft', fields: ['id', 'title', 'sequel.title', 'tags.tag.name'] }
    expect(await getItem(engine, 'books', fourth, query)).toEqual({
      id: fourth,
      title: 'New',
      sequel: { title: 'A' },
      tags: [{ tag: { name: 'dry' } }],
    })
  })

  it('are written, changed and deleted', async () => {
    const fresh = form.shown(bytes(0x42))
    expect(await createItem(engine, 'tags', { id: form.alike(fresh), name: 'new' })).toEqual({
      id: fresh,
      name: 'new',
    })
    await expect(createItem(engine, 'tags', { id: raw(0x42), name: 'again' })).rejects.toMatchObject({
      code: 'RECORD_NOT_UNIQUE',
    })
    expect(await updateItem(engine, 'tags', form.alike(fresh), { name: 'newer' })).toEqual({
      id: fresh,
      name: 'newer',
    })
    const gone = form.shown(bytes(0x43))
    await expect(
      createItem(engine, 'books', { id: gone, title: 'X', sequel: form.shown(bytes(0x44)) }),
    ).rejects.toMatchObject({ code: 'INVALID_FOREIGN_KEY' })
    await createItem(engine, 'tags', { id: gone, name: 'gone' })
    expect(await deleteItems(engine, 'tags', [form.alike(gone)])).toEqual({ deleted: 1, keys: [gone] })
    await createItem(engine, 'tags', { id: gone, name: 'gone' })
    expect(await deleteByQuery(engine, 'tags', { filter: { id: { _in: [gone] } } })).toEqual({
      deleted: 1,
      keys: [gone],
    })
    await deleteItem(engine, 'tags', fresh)
    expect((await listed({ fields: ['id'] }, 'tags')).map(({ id }) => id)).toEqual([first, fourth])
    for (const wrong of form.wrong)
      await expect(createItem(engine, 'tags', { id: wrong, name: 'x' })).rejects.toMatchObject({
        code: 'FAILED_VALIDATION',
        path: ['id'],
      })
  })
})
