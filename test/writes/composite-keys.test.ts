// Writes to items whose keys have several parts, to what refers to them, and to junctions without a key of their own.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  createItems,
  createVersion,
  defineSchema,
  deleteByQuery,
  deleteItem,
  deleteItems,
  type Engine,
  getItem,
  type HookEvent,
  listItems,
  promoteVersion,
  type Schema,
  saveVersion,
  updateByQuery,
  updateItem,
  updateItems,
} from '../../src/index.ts'
import { databases } from '../support/databases.ts'
import { across, integer, many, number, one, string, text } from '../support/fields.ts'

const id = { type: 'integer', key: true } as const

const typed = defineSchema({
  orders: { fields: { id, note: text, lines: { type: 'o2m', from: 'lines.order', deselect: 'delete' } } },
  products: { fields: { id, name: string } },
  lines: {
    key: ['order', 'product'],
    versioned: true,
    fields: {
      order: { type: 'm2o', to: 'orders', column: 'order_id' },
      product: { type: 'm2o', to: 'products', column: 'product_id' },
      amount: { type: 'integer', default: 1 },
      parcels: many('parcels.line'),
    },
  },
  parcels: {
    fields: {
      id,
      order_id: number,
      product_id: number,
      weight: number,
      line: { type: 'm2o', to: 'lines', by: ['order_id', 'product_id'] },
    },
  },
  playlists: { fields: { id, name: string, tracks: across('playlists_tracks.playlist', 'track') } },
  tracks: { fields: { id, title: string } },
  playlists_tracks: {
    key: ['playlist', 'track'],
    fields: { playlist: one('playlists'), track: one('tracks'), place: number },
  },
  log: { key: false, fields: { at: integer, text: string } },
})
// The verbs are to see no names: what a caller gives may be anything.
const schema: Schema = typed

const tables = [
  'create table orders (id integer primary key, note text)',
  'create table products (id integer primary key, name text not null)',
  'create table lines (order_id integer not null references orders, product_id integer not null references products, amount integer not null, primary key (order_id, product_id))',
  'create table parcels (id integer primary key, order_id integer, product_id integer, weight integer, foreign key (order_id, product_id) references lines)',
  'create table playlists (id integer primary key, name text not null)',
  'create table tracks (id integer primary key, title text not null)',
  'create table playlists_tracks (playlist integer not null references playlists, track integer not null references tracks, place integer, primary key (playlist, track))',
  'create table log (at integer not null, text text not null)',
  "insert into orders values (1, 'a'), (2, 'b')",
  "insert into products values (1, 'Tea'), (2, 'Jam'), (3, 'Rye')",
  'insert into lines values (1, 1, 5), (1, 2, 6), (2, 1, 7)',
  'insert into parcels values (1, 1, 1, 10), (2, 1, 2, 20), (3, null, null, 30)',
  "insert into playlists values (1, 'Work'), (2, 'Rest')",
  "insert into tracks values (1, 'One'), (2, 'Two'), (3, 'Three')",
  'insert into playlists_tracks values (1, 1, 1), (1, 2, 2), (2, 1, null)',
  "insert into log values (1, 'x')",
]

describe.each(databases)('on $name', ({ open }) => {
  let engine: Engine

  beforeEach(async () => {
    const opened = await open()
    for (const one of tables) await opened.run(one)
    engine = createEngine({ db: opened.db, schema })
  })

  const rows = async (table: string, ...names: string[]) => {
    const { data } = await listItems(engine, table, { fields: names, limit: -1 })
    return data.map((row) => names.map((name) => row[name]))
  }
  const lines = () => rows('lines', 'order', 'product', 'amount')
  const parcels = () => rows('parcels', 'id', 'line', 'weight')
  const tracks = () => rows('playlists_tracks', 'playlist', 'track', 'place')

  describe('an item whose key has several parts', () => {
    it('is created with all of them, and answered in the order given', async () => {
      expect(
        await createItems(engine, 'lines', [
          { order: 2, product: 3 },
          { order: 2, product: 2, amount: 9 },
        ]),
      ).toMatchObject([
        { order: 2, product: 3, amount: 1 },
        { order: 2, product: 2, amount: 9 },
      ])
    })

    it('is refused without a part, and where there is one already', async () => {
      await expect(createItem(engine, 'lines', { order: 2 })).rejects.toMatchObject({
        code: 'FAILED_VALIDATION',
        path: ['product'],
      })
      await expect(createItem(engine, 'lines', { order: 1, product: 1 })).rejects.toMatchObject({
        code: 'RECORD_NOT_UNIQUE',
      })
    })

    it('is created with the items that its key refers to', async () => {
      const made = await createItem(engine, 'lines', {
        order: { id: 7, note: 'new' },
        product: { id: 2, name: 'Jelly' },
        amount: 3,
      })
      expect(made).toMatchObject({ order: 7, product: 2, amount: 3 })
      expect(await rows('products', 'id', 'name')).toContainEqual([2, 'Jelly'])
    })

    it('is changed, alone, by its key', async () => {
      expect(await updateItem(engine, 'lines', [1, 2], { amount: 8 })).toMatchObject({ amount: 8 })
      expect(await lines()).toEqual([
        [1, 1, 5],
        [1, 2, 8],
        [2, 1, 7],
      ])
    })

    it('is changed with others, by keys and as items', async () => {
      await updateItems(
        engine,
        'lines',
        [
          [1, 1],
          [2, 1],
        ],
        { amount: 0 },
      )
      await updateItems(engine, 'lines', [{ order: 1, product: 2, amount: 4 }])
      expect(await lines()).toEqual([
        [1, 1, 0],
        [1, 2, 4],
        [2, 1, 0],
      ])
    })

    it('is changed with the item behind a part of its key', async () => {
      await updateItem(engine, 'lines', [1, 2], { product: { id: 2, name: 'Jelly' }, amount: 4 })
      expect(await rows('products', 'id', 'name')).toContainEqual([2, 'Jelly'])
      expect(await getItem(engine, 'lines', [1, 2])).toMatchObject({ product: 2, amount: 4 })
    })

    it('keeps its key', async () => {
      await updateItem(engine, 'lines', [1, 2], { order: 1, product: 2, amount: 4 })
      for (const data of [{ product: 3 }, { product: { name: 'Oat' } }, { order: { id: 2 } }])
        await expect(updateItem(engine, 'lines', [1, 2], data)).rejects.toMatchObject({
          code: 'INVALID_PAYLOAD',
        })
      expect(await lines()).toContainEqual([1, 2, 4])
      expect(await rows('products', 'id')).toHaveLength(3)
    })

    it('is changed and deleted by a query, and the keys are answered', async () => {
      expect(
        await updateByQuery(engine, 'lines', { filter: { product: { name: 'Tea' } } }, { amount: 3 }),
      ).toEqual({
        updated: 2,
        keys: [
          [1, 1],
          [2, 1],
        ],
      })
      await updateByQuery(engine, 'parcels', { filter: { weight: { _lt: 30 } } }, { line: null })
      expect(
        await deleteByQuery(engine, 'lines', { filter: { amount: 3 }, sort: '-order', limit: 1 }),
      ).toEqual({ deleted: 1, keys: [[2, 1]] })
      expect(await lines()).toEqual([
        [1, 1, 3],
        [1, 2, 6],
      ])
    })

    it('is deleted by a query, with all that it finds or a page of them', async () => {
      const page = { sort: ['-playlist', '-track'], limit: 1 }
      expect(await deleteByQuery(engine, 'playlists_tracks', page)).toEqual({ deleted: 1, keys: [[2, 1]] })
      expect(await deleteByQuery(engine, 'playlists_tracks', { filter: { track: 1 } })).toEqual({
        deleted: 1,
        keys: [[1, 1]],
      })
      expect(await tracks()).toEqual([[1, 2, 2]])
    })

    it('is deleted, exactly one and several', async () => {
      await deleteItem(engine, 'lines', [2, 1])
      await expect(deleteItem(engine, 'lines', [2, 1])).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await updateByQuery(engine, 'parcels', { filter: { id: { _gt: 0 } } }, { line: null })
      expect(
        await deleteItems(engine, 'lines', [
          [1, 1],
          [1, 1],
          [1, 2],
        ]),
      ).toEqual({
        deleted: 2,
        keys: [
          [1, 1],
          [1, 2],
        ],
      })
    })

    it('is not taken for two keys where it stands for several', async () => {
      for (const given of [[1, 2], [[1]], [[1, 2, 3]], ['1,2']])
        await expect(deleteItems(engine, 'lines', given as never)).rejects.toMatchObject({
          code: 'INVALID_PAYLOAD',
          hint: 'A list of such keys is a list of lists: [[1,2]].',
        })
      expect(await lines()).toHaveLength(3)
    })

    it('is told to hooks with its key', async () => {
      const told: unknown[] = []
      const tell = ({ event, keys }: HookEvent<Engine>) => void told.push([event, keys])
      engine.on('items.create', 'lines', tell, { when: 'after' })
      engine.on('items.update', 'lines', tell, { when: 'after' })
      engine.on('items.delete', 'lines', tell, { when: 'after' })
      await createItem(engine, 'lines', { order: 2, product: 3 })
      await updateItem(engine, 'lines', [2, 3], { amount: 2 })
      await deleteItem(engine, 'lines', [2, 3])
      expect(told).toEqual([
        ['items.create', [[2, 3]]],
        ['items.update', [[2, 3]]],
        ['items.delete', [[2, 3]]],
      ])
    })

    it('has versions', async () => {
      await engine.install()
      await createVersion(engine, 'lines', [1, 2], { key: 'draft' })
      await saveVersion(engine, 'lines', [1, 2], 'draft', { amount: 40 })
      expect(await getItem(engine, 'lines', [1, 2], { version: 'draft' })).toMatchObject({ amount: 40 })
      expect(await getItem(engine, 'lines', [1, 2])).toMatchObject({ amount: 6 })
      await promoteVersion(engine, 'lines', [1, 2], 'draft', { mainHash: await hashOf([1, 2]) })
      expect(await getItem(engine, 'lines', [1, 2])).toMatchObject({ amount: 40 })
    })

    const hashOf = async (key: readonly number[]) => {
      const { compareVersion } = await import('../../src/index.ts')
      const { mainHash } = await compareVersion(engine, 'lines', key, 'draft')
      return mainHash
    }
  })

  describe('children whose key begins with that of their item', () => {
    it('are named by the rest of it', async () => {
      await updateItem(engine, 'orders', 1, {
        lines: { create: [{ product: 3, amount: 2 }], update: [{ product: 2, amount: 60 }], delete: [] },
      })
      expect(await lines()).toEqual([
        [1, 1, 5],
        [1, 2, 60],
        [1, 3, 2],
        [2, 1, 7],
      ])
    })

    it('are a whole set, in which those that are there already stay', async () => {
      await updateByQuery(engine, 'parcels', { filter: { id: { _gt: 0 } } }, { line: null })
      await updateItem(engine, 'orders', 1, { lines: [[1, 2], { product: 3 }] })
      expect(await lines()).toEqual([
        [1, 2, 6],
        [1, 3, 1],
        [2, 1, 7],
      ])
    })

    it('are created with their item', async () => {
      const made = await createItem(
        engine,
        'orders',
        { id: 9, lines: [{ product: 1 }, { product: { id: 4, name: 'Oat' } }] },
        { fields: ['id', 'lines.product.name'] },
      )
      expect(made).toEqual({ id: 9, lines: [{ product: { name: 'Tea' } }, { product: { name: 'Oat' } }] })
    })

    it('cannot be moved to another item', async () => {
      await expect(updateItem(engine, 'orders', 1, { lines: [[2, 1]] })).rejects.toMatchObject({
        code: 'INVALID_PAYLOAD',
        path: ['lines', 0],
      })
      await expect(createItem(engine, 'orders', { id: 9, lines: [[2, 1]] })).rejects.toMatchObject({
        code: 'INVALID_PAYLOAD',
      })
      expect(await lines()).toHaveLength(3)
    })
  })

  describe('a reference that several fields hold', () => {
    it('is set, shown and taken away as one value', async () => {
      expect(await updateItem(engine, 'parcels', 3, { line: [2, 1] })).toMatchObject({
        order_id: 2,
        product_id: 1,
        line: [2, 1],
      })
      expect(await updateItem(engine, 'parcels', 3, { line: null })).toMatchObject({
        order_id: null,
        product_id: null,
        line: null,
      })
    })

    it('is set by its fields, too', async () => {
      await updateItem(engine, 'parcels', 3, { order_id: 2, product_id: 1 })
      expect(await parcels()).toContainEqual([3, [2, 1], 30])
    })

    it('says the same as its fields beside it, or is refused', async () => {
      await updateItem(engine, 'parcels', 3, { line: [2, 1], order_id: 2 })
      await expect(updateItem(engine, 'parcels', 3, { line: [1, 1], order_id: 2 })).rejects.toMatchObject({
        code: 'INVALID_PAYLOAD',
        path: ['line'],
      })
    })

    it('is refused where it is no key, or that of nothing', async () => {
      for (const line of [1, [1], [1, 2, 3], [1, null], ['x', 1]])
        await expect(updateItem(engine, 'parcels', 3, { line })).rejects.toMatchObject({
          code: 'FAILED_VALIDATION',
          path: ['line'],
        })
      await expect(updateItem(engine, 'parcels', 3, { line: [2, 3] })).rejects.toMatchObject({
        code: 'INVALID_FOREIGN_KEY',
        path: ['line'],
      })
    })

    it('is written with the item behind it', async () => {
      await createItem(engine, 'parcels', { id: 4, line: { order: 2, product: 2, amount: 12 } })
      await updateItem(engine, 'parcels', 1, { line: { order: 1, product: 1, amount: 50 } })
      expect(await lines()).toEqual([
        [1, 1, 50],
        [1, 2, 6],
        [2, 1, 7],
        [2, 2, 12],
      ])
      expect(await parcels()).toContainEqual([4, [2, 2], null])
    })

    it('makes children, which are hung in, created and taken out', async () => {
      await updateItem(engine, 'lines', [1, 1], { parcels: [3, { id: 8, weight: 5 }] })
      expect(await parcels()).toEqual([
        [1, null, 10],
        [2, [1, 2], 20],
        [3, [1, 1], 30],
        [8, [1, 1], 5],
      ])
    })
  })

  describe('a junction without a key of its own', () => {
    it('is linked and unlinked by what it joins', async () => {
      await updateItem(engine, 'playlists', 2, {
        tracks: { create: [{ track: 3, place: 7 }], update: [], delete: [[2, 1]] },
      })
      expect(await tracks()).toEqual([
        [1, 1, 1],
        [1, 2, 2],
        [2, 3, 7],
      ])
    })

    it('is replaced as a whole set, and keeps what else its rows say', async () => {
      await updateItem(engine, 'playlists', 1, {
        tracks: [{ track: 2 }, { track: { id: 9, title: 'Nine' } }],
      })
      expect(await tracks()).toEqual([
        [1, 2, 2],
        [1, 9, null],
        [2, 1, null],
      ])
      await updateItem(engine, 'playlists', 1, { tracks: [] })
      expect(await tracks()).toEqual([[2, 1, null]])
    })

    it('is written with what it leads to', async () => {
      await updateItem(engine, 'playlists', 1, {
        tracks: { create: [], update: [{ track: { id: 2, title: 'Deux' }, place: 5 }], delete: [] },
      })
      expect(await tracks()).toContainEqual([1, 2, 5])
      expect(await rows('tracks', 'id', 'title')).toContainEqual([2, 'Deux'])
    })

    it('is written under its own rules', async () => {
      const rules = {
        playlists: { read: true, update: true },
        tracks: { read: { filter: { id: { _lt: 3 } } } },
        playlists_tracks: { read: true, create: true, delete: { filter: { place: { _nnull: true } } } },
      }
      const mine = engine.as({ user: 1, rules })
      await updateItem(mine, 'playlists', 1, { tracks: [{ track: 1 }] })
      expect(await tracks()).toEqual([
        [1, 1, 1],
        [2, 1, null],
      ])
      await expect(updateItem(mine, 'playlists', 2, { tracks: [] })).rejects.toMatchObject({
        code: 'FORBIDDEN',
      })
      await expect(
        updateItem(mine, 'playlists', 2, { tracks: [{ track: 3 }, [2, 1]] }),
      ).rejects.toMatchObject({
        code: 'INVALID_FOREIGN_KEY',
      })
      expect(await tracks()).toHaveLength(2)
    })
  })

  it('refuses a reference of several fields to an item that the caller does not see', async () => {
    const rules = {
      parcels: { read: true, create: true, update: true },
      lines: { read: { filter: { order: 1 } } },
      orders: { read: true },
      products: { read: true },
    }
    const mine = engine.as({ user: 1, rules })
    await updateItem(mine, 'parcels', 3, { line: [1, 2] })
    for (const data of [{ line: [2, 1] }, { order_id: 2, product_id: 1 }])
      await expect(updateItem(mine, 'parcels', 3, data)).rejects.toMatchObject({
        code: 'INVALID_FOREIGN_KEY',
      })
    await updateItem(engine, 'parcels', 3, { line: [2, 1] })
    // What stands there already may be sent back.
    await updateItem(mine, 'parcels', 3, { line: [2, 1], weight: 31 })
    await expect(updateItem(mine, 'parcels', 1, { order_id: 2 })).rejects.toMatchObject({
      code: 'INVALID_FOREIGN_KEY',
    })
    expect(await parcels()).toEqual([
      [1, [1, 1], 10],
      [2, [1, 2], 20],
      [3, [2, 1], 31],
    ])
  })

  it('judges rows of several parts by rules, while they are held', async () => {
    const rules = {
      lines: {
        read: true,
        update: { filter: { amount: { _lt: 7 } }, validation: { amount: { _lt: 100 } } },
        delete: { filter: { order: 2 } },
      },
      orders: { read: true },
      products: { read: true },
    }
    const mine = engine.as({ user: 1, rules })
    await updateItem(mine, 'lines', [1, 1], { amount: 6 })
    await expect(updateItem(mine, 'lines', [2, 1], { amount: 6 })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
    await expect(updateItem(mine, 'lines', [1, 1], { amount: 100 })).rejects.toMatchObject({
      code: 'FAILED_VALIDATION',
    })
    await expect(deleteItem(mine, 'lines', [1, 1])).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await deleteItem(mine, 'lines', [2, 1])
    expect(await lines()).toEqual([
      [1, 1, 6],
      [1, 2, 6],
    ])
  })

  it('writes nothing to a collection without a key, and says so', async () => {
    const calls = [
      () => createItem(engine, 'log', { at: 2, text: 'y' }),
      () => updateItem(engine, 'log', 1, { text: 'y' }),
      () => deleteByQuery(engine, 'log', { filter: { at: 1 } }),
      () => updateByQuery(engine, 'log', { filter: { at: 1 } }, { text: 'y' }),
    ]
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({ code: 'INVALID_PAYLOAD', message: '"log" has no key.' })
    expect(await rows('log', 'at', 'text')).toEqual([[1, 'x']])
  })
})
