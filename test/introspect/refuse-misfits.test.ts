// Relations that a host adds to columns which cannot hold the key of their target.
import { describe, expect, it } from 'vitest'
import { createEngine, listItems } from '../../src/index.ts'
import { type IntrospectOptions, introspectSchema } from '../../src/introspect.ts'
import { databases } from '../support/databases.ts'
import { run } from './samples/sample.ts'

const tables = [
  'create table product (id integer primary key, sku varchar(20) not null unique, name text)',
  'create table price (id integer primary key, sku varchar(20), product_id integer, amount real)',
  'create table stock (id integer primary key, sku varchar(20), words text)',
  "insert into product values (1, 'a', 'Tea')",
  "insert into price values (1, 'a', 1, 2.5)",
] as const

const leading = (table: string, column: string, to = 'product'): IntrospectOptions => ({
  override: { [table]: { fields: { [column]: { type: 'm2o', to } } } },
})

describe.each(databases)('on $name', ({ name, open }) => {
  const text = name === 'sqlite' ? 'varchar(20)' : 'character varying(20)'

  it.each([
    [
      'another column that would do',
      leading('price', 'sku'),
      `"sku" of "price" is of the type "${text}", and cannot hold the key "id" of "product", which is of the type "integer".`,
      'The column "product_id" of "price" would do.',
    ],
    [
      'the unique column that it was taken for',
      leading('stock', 'sku'),
      `"sku" of "stock" is of the type "${text}", and cannot hold the key "id" of "product", which is of the type "integer".`,
      '"sku" of "product" is unique and of its type, but not the key: refer to it with references: "sku", or with --relation "stock.sku=product.sku".',
    ],
  ])('a relation of a column of another type is refused with %s', async (_, options, message, hint) => {
    const { db } = await open()
    await run(db, ...tables)
    await expect(introspectSchema(db, options)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message,
      hint,
      path: ['override', Object.keys(options.override ?? {})[0], 'fields', 'sku'],
    })
  })

  it('a relation is refused that a function of columns makes', async () => {
    const { db } = await open()
    await run(db, ...tables)
    const columns: IntrospectOptions['columns'] = (column, table) =>
      column.name === 'sku' && table.name === 'price' ? { type: 'm2o', to: 'product' } : undefined
    await expect(introspectSchema(db, { columns })).rejects.toThrow('cannot hold the key "id" of "product"')
  })

  it('a relation of a column of its type is taken', async () => {
    const { db } = await open()
    await run(db, ...tables)
    const engine = createEngine({ db, schema: await introspectSchema(db, leading('price', 'product_id')) })
    expect(await listItems(engine, 'price', { fields: ['product_id.name'] })).toEqual({
      data: [{ product_id: { name: 'Tea' } }],
    })
  })

  it('numbers hold numbers of another size', async () => {
    const { db } = await open()
    await run(
      db,
      'create table a (id bigint primary key)',
      'create table b (id integer primary key, a numeric, c smallint)',
    )
    await introspectSchema(db, leading('b', 'a', 'a'))
    await introspectSchema(db, leading('b', 'c', 'a'))
  })
})
