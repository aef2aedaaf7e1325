// Schemas of zod: what a form and a reader of answers do with them.
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  createEngine,
  createItem,
  defineSchema,
  type Engine,
  getSingleton,
  isEngineError,
  listItems,
} from '../../src/index.ts'
import { zodSchema } from '../../src/zod.ts'
import { databases } from '../support/databases.ts'
import { integer, key, many, maybeOne, number, string, text } from '../support/fields.ts'

const schema = defineSchema({
  places: { key: ['shop', 'row'], fields: { shop: integer, row: { type: 'string', length: 3 }, name: text } },
  goods: {
    note: 'What is sold.',
    fields: {
      id: { type: 'bigInteger', key: true },
      name: { type: 'string', length: 5, note: 'As on the label.' },
      price: { type: 'decimal', scale: 2, nullable: true },
      kind: { type: 'string', values: ['tea', 'salt'] },
      since: { type: 'timestamp', validation: { since: { _lte: '$NOW' } }, nullable: true },
      owner: { type: 'string', validation: { owner: { _eq: '$CURRENT_USER' } }, nullable: true },
      codes: { type: 'integer', array: true, nullable: true },
      shop: number,
      row: text,
      place: { type: 'm2o', to: 'places', by: ['shop', 'row'] },
      parts: { type: 'm2a', through: 'goods_parts.good', to: 'item' },
    },
  },
  goods_parts: {
    fields: {
      id: key,
      good: maybeOne('goods'),
      item: { type: 'any', to: ['places', 'goods'], by: 'kind', nullable: true },
      kind: text,
    },
  },
  settings: { singleton: true, fields: { id: key, title: string } },
})

const tables = [
  'create table places (shop integer not null, row varchar(3) not null, name text, primary key (shop, row))',
  `create table goods (id bigint primary key, name text not null, price numeric(9, 2), kind text not null, since text, owner text,
    codes text, shop integer, row text, foreign key (shop, row) references places (shop, row))`,
  'create table goods_parts (id integer primary key, good bigint, item text, kind text)',
  'create table settings (id integer primary key, title text not null)',
]

describe.each(databases)('on $name', ({ name, open }) => {
  let engine: Engine<typeof schema>
  beforeAll(async () => {
    const opened = await open()
    for (const one of tables)
      await opened.run(
        name === 'postgres'
          ? one.replace('since text', 'since timestamptz').replace('codes text', 'codes integer[]')
          : one,
      )
    engine = createEngine({ db: opened.db, schema })
  })

  it('takes each item as it is returned', async () => {
    await createItem(engine, 'goods', {
      id: '9007199254740993',
      name: 'Salt',
      price: '1.5',
      kind: 'salt',
      since: new Date('2024-01-01T00:00:00Z'),
      codes: [1, 2],
      place: { shop: 1, row: 'a' },
    })
    await createItem(engine, 'goods', {
      id: 2,
      name: 'Tea',
      kind: 'tea',
      parts: [{ id: 1, kind: 'goods', item: '9007199254740993' }],
    })
    const goods = await listItems(engine, 'goods', { sort: 'id' })
    expect(z.array(zodSchema(schema, 'goods', 'item')).parse(goods.data)).toEqual(goods.data)
    const places = await listItems(engine, 'places')
    expect(z.array(zodSchema(schema, 'places', 'item')).parse(places.data)).toEqual(places.data)
    const parts = await listItems(engine, 'goods_parts')
    expect(z.array(zodSchema(schema, 'goods_parts', 'item')).parse(parts.data)).toEqual(parts.data)
    const settings = await getSingleton(engine, 'settings')
    expect(zodSchema(schema, 'settings', 'item').parse(settings)).toEqual(settings)
  })
})

describe('a schema of items', () => {
  const item = zodSchema(schema, 'goods', 'item')
  it('refuses what no answer holds', () => {
    const wrong = { id: 1, name: null, kind: 'rice', price: '1', since: null, owner: null, parts: [] }
    const { error } = item.safeParse(wrong)
    expect(error?.issues.map(({ path }) => path[0]).sort()).toEqual(
      ['codes', 'id', 'kind', 'name', 'place', 'price', 'row', 'shop'].sort(),
    )
  })

  it('can be picked from and extended', () => {
    const short = item
      .pick({ id: true, name: true })
      .extend({ place: zodSchema(schema, 'places', 'item').nullable() })
    const found = { id: '1', name: 'Tea', place: { shop: 1, row: 'a', name: null } }
    expect(short.parse(found)).toEqual(found)
    expect(short.safeParse({ ...found, place: 1 }).success).toBe(false)
  })
})

describe('a schema of payloads', () => {
  const create = zodSchema(schema, 'goods', 'create')

  it('says with the code and the details of the error what a form may show', () => {
    const { error } = create.safeParse({ id: 1, name: 'Pepper', kind: 'salt', price: 'free' })
    expect(error?.issues).toEqual([
      {
        code: 'custom',
        path: ['name'],
        message: '"name" takes at most 5 characters, not "Pepper".',
        params: expect.objectContaining({ code: 'VALUE_TOO_LONG', collection: 'goods', field: 'name' }),
      },
      expect.objectContaining({
        path: ['price'],
        params: expect.objectContaining({ code: 'FAILED_VALIDATION' }),
      }),
    ])
  })

  it('checks one field alone', () => {
    expect(create.shape.name.safeParse('Salt').success).toBe(true)
    expect(create.shape.name.safeParse('Pepper').error?.issues[0]?.path).toEqual([])
    expect(create.shape.parts.safeParse([{ item: 1, kind: 'nothing' }]).error?.issues[0]?.path).toEqual([
      0,
      'item',
    ])
  })

  it('knows what is required of a creation, and that nothing is of an update', () => {
    const texts = create.safeParse({ id: 1 }).error?.issues.map(({ path }) => path)
    expect(texts).toEqual([['name'], ['kind']])
    expect(zodSchema(schema, 'goods', 'update').safeParse({}).success).toBe(true)
    expect(zodSchema(schema, 'goods', 'update').safeParse({ name: null }).success).toBe(false)
  })

  it('judges variables by the time and the caller that it is given', () => {
    const payload = { id: 1, name: 'Tea', kind: 'tea', since: '2024-06-01T00:00:00Z', owner: 'ada' } as const
    const at = (now: string, user: string) =>
      zodSchema(schema, 'goods', 'create', { now: new Date(now), access: { user } })
        .safeParse(payload)
        .error?.issues.map(({ path }) => path[0])
    expect(at('2025-01-01T00:00:00Z', 'ada')).toBeUndefined()
    expect(at('2024-01-01T00:00:00Z', 'ada')).toEqual(['since'])
    expect(at('2025-01-01T00:00:00Z', 'bo')).toEqual(['owner'])
  })

  it('takes an item that names a row of which only the database knows whether it is there', () => {
    const named = { id: 1, name: 'Tea', kind: 'tea', place: { shop: 7, row: 'z' } } as const
    expect(create.safeParse(named).success).toBe(true)
    const update = zodSchema(schema, 'goods', 'update')
    expect(
      update.safeParse({ parts: [{ id: 3, kind: 'places', item: { shop: 1, row: 'long' } }] }).success,
    ).toBe(false)
  })

  it('finds the key of a nested item in the values that its relation holds', () => {
    const shop = defineSchema({
      products: { fields: { id: key, sku: { type: 'string', unique: true } } },
      shelves: { fields: { id: key, stock: many('stock.shelf') } },
      stock: {
        fields: {
          product: { type: 'm2o', to: 'products', references: 'sku', key: true },
          shelf: maybeOne('shelves'),
        },
      },
    })
    const update = zodSchema(shop, 'shelves', 'update')
    expect(update.safeParse({ stock: { update: [{ product: { sku: 'a' } }] } }).error).toBeUndefined()
    expect(update.safeParse({ stock: { update: [{ product: { id: 1 } }] } }).success).toBe(false)
  })

  it('says once that nothing names the collection of an item', () => {
    for (const item of [{ name: 'x' }, 1]) {
      const { error } = zodSchema(schema, 'goods_parts', 'create').safeParse({ kind: 'none', item })
      expect(error?.issues.map(({ path }) => path)).toEqual([['item']])
    }
  })

  it('ends for a payload that contains itself', () => {
    const payload: Record<string, unknown> = { id: 1, name: 'Tea', kind: 'tea' }
    payload.parts = [{ id: 1, kind: 'goods', item: payload }]
    const { error } = create.safeParse(payload)
    expect(error?.issues.map(({ message }) => message)).toContain('An item cannot be nested in itself.')
  })

  it('says lengths, words and what is required in JSON Schema', () => {
    expect(z.toJSONSchema(create, { io: 'input' })).toMatchObject({
      type: 'object',
      description: 'What is sold.',
      required: ['name', 'kind'],
      additionalProperties: false,
      properties: {
        name: { maxLength: 5, description: 'As on the label.' },
        kind: { enum: ['tea', 'salt'] },
      },
    })
  })

  it('refuses a collection, a use and options that do not exist', () => {
    const called = (...args: readonly unknown[]) => {
      try {
        return Reflect.apply(zodSchema, undefined, [schema, ...args])
      } catch (error) {
        return isEngineError(error) ? error.message : error
      }
    }
    expect(called('good', 'create')).toMatch(/good/)
    expect(called('goods', 'creat')).toBe('A schema is for create, update, item, not "creat".')
    expect(called('goods', 'create', { user: 1 })).toBe('There is no option "user".')
  })
})
