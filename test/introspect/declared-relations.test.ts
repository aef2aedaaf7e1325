// Relations that the host declares beside the foreign keys of the database.
import { describe, expect, it } from 'vitest'
import { createEngine, createItem, listItems, type Schema } from '../../src/index.ts'
import { introspectSchema } from '../../src/introspect.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { run } from './samples/sample.ts'

const tables = [
  'create table product (id integer primary key, sku varchar(9) not null unique, maker varchar(9))',
  'create table price (id integer primary key, sku varchar(9), amount integer, product integer)',
  'create table tag (id integer primary key, slug varchar(9) not null unique)',
  'create table product_tag (product varchar(9), tag varchar(9), primary key (product, tag))',
  'create table users (tenant_id integer, id integer, name varchar(9), primary key (tenant_id, id))',
  'create table orders (id integer primary key, user_id integer, tenant_id integer)',
  'create view prices as select id, sku from price',
]

const filled = async (database: OpenDatabase) => run(database.db, ...tables)

describe.each(databases)('relations that are declared on $name', ({ open }) => {
  it('are as foreign keys are, from both ends, by several columns, and through junctions', async () => {
    const database = await open()
    await filled(database)
    const schema = await introspectSchema(database.db, {
      relations: {
        'price.sku': 'product.sku',
        'price.product': 'product.id',
        'product_tag.product': 'product.sku',
        'product_tag.tag': 'tag.slug',
        'orders.tenant_id,user_id': 'users.tenant_id,id',
        'prices.sku': 'product.sku',
      },
    })
    const { product, price, tag, orders, users, prices } = schema.definition
    expect(price?.fields.sku).toEqual({ type: 'm2o', to: 'product', references: 'sku', nullable: true })
    expect(price?.fields.product).toEqual({ type: 'm2o', to: 'product', nullable: true })
    expect(product?.fields.tag).toEqual({
      type: 'm2m',
      through: 'product_tag.product',
      to: 'tag',
      deselect: 'delete',
    })
    expect(tag?.fields.product).toMatchObject({ type: 'm2m', through: 'product_tag.tag' })
    expect(prices?.fields.sku).toMatchObject({ type: 'm2o', references: 'sku' })
    expect(orders?.fields.users).toEqual({ type: 'm2o', to: 'users', by: ['tenant_id', 'user_id'] })
    expect(users?.fields.orders).toEqual({ type: 'o2m', from: 'orders.users' })
    expect(schema.report.filter(({ kind }) => kind === 'skipped')).toEqual([])

    const engine = createEngine({ db: database.db, schema: schema as Schema })
    await createItem(engine, 'product', { id: 1, sku: 'a', tag: [{ tag: { id: 1, slug: 'new' } }] })
    await createItem(engine, 'price', { id: 1, sku: { id: 1 }, amount: 3 })
    await createItem(engine, 'orders', { id: 1, users: { tenant_id: 1, id: 2, name: 'Ada' } })
    expect((await listItems(engine, 'price', { fields: ['sku.tag.tag.slug', 'amount'] })).data).toEqual([
      { sku: { tag: [{ tag: { slug: 'new' } }] }, amount: 3 },
    ])
    expect((await listItems(engine, 'orders', { fields: ['users.name'] })).data).toEqual([
      { users: { name: 'Ada' } },
    ])
  })

  it('take the place of a foreign key of the same columns, and name collections by their names here', async () => {
    const { db } = await open()
    await run(
      db,
      'create table a (id integer primary key)',
      'create table b (id integer primary key)',
      'create table c (id integer primary key, x integer references a)',
    )
    const schema = await introspectSchema(db, {
      rename: { c: 'cs', 'c.x': 'y' },
      relations: { 'cs.x': 'b.id' },
    })
    expect(schema.definition.cs?.fields.y).toMatchObject({ to: 'b', column: 'x' })
    expect(schema.report).toEqual([])
  })

  const wrong: readonly (readonly [string, string, string, string | undefined])[] = [
    [
      'prise.sku',
      'product.sku',
      'There is no collection "prise" for the relation "prise.sku".',
      'Did you mean "price"?',
    ],
    [
      'price.skus',
      'product.sku',
      'The table "price" has no column "skus" for the relation "price.skus".',
      'Did you mean "sku"?',
    ],
    [
      'price.sku',
      'products.sku',
      'There is no collection "products" for the relation "products.sku".',
      'Did you mean "product"?',
    ],
    [
      'price.sku',
      'product.sky',
      'The table "product" has no column "sky" for the relation "product.sky".',
      'Did you mean "sku"?',
    ],
    ['price.sku', 'product', 'The table "product" has no column "" for the relation "product".', undefined],
    ['price', 'product.sku', 'The table "price" has no column "" for the relation "price".', undefined],
    [
      'orders.tenant_id,tenant_id',
      'users.tenant_id,id',
      'The column "tenant_id" stands twice in the relation "orders.tenant_id,tenant_id".',
      undefined,
    ],
    [
      'orders.user_id',
      'users.tenant_id,id',
      'A relation has as many columns on both sides, not 1 and 2.',
      undefined,
    ],
  ]

  it.each(wrong)('%s to %s is refused, with the nearest name', async (from, to, message, hint) => {
    const database = await open()
    await filled(database)
    const promise = introspectSchema(database.db, { relations: { [from]: to } })
    await expect(promise).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message,
      path: ['relations', from],
    })
    if (hint !== undefined) await expect(promise).rejects.toMatchObject({ hint })
  })

  it('are refused where their columns are not unique, of another type, left out or something else', async () => {
    const database = await open()
    await filled(database)
    const refusal = (relations: Readonly<Record<string, string>>, more: object = {}) =>
      introspectSchema(database.db, { relations, ...more }).then(
        () => 'none',
        ({ message, hint = '' }) => `${message} ${hint}`,
      )
    expect(await refusal({ 'price.sku': 'product.maker' })).toMatch(
      /^The relation "price.sku" cannot be made: The column "sku" .* by "maker", which the database does not keep unique; .* Create a unique index/,
    )
    expect(await refusal({ 'price.sku': 'prices.sku' })).toMatch(/and it has no key; .*--key "prices=sku"/)
    const keyed = { override: { prices: { key: 'id' } } }
    expect(await refusal({ 'price.sku': 'prices.sku' }, keyed)).toMatch(
      /which the database does not keep unique; .*--key "prices=sku"/,
    )
    expect(await refusal({ 'price.amount': 'prices.id' }, keyed)).toBe('none')
    expect(await refusal({ 'price.amount': 'product.sku' })).toMatch(
      /^The relation "price.amount" cannot be made: .*, where the columns have other types or forms; /,
    )
    expect(await refusal({ 'price.sku': 'product.id' })).toMatch(
      /^"sku" of "price" is of the type .*, and cannot hold the key "id" of "product", .* The column "amount|product"/,
    )
    expect(await refusal({ 'price.sku': 'product.sku' }, { exclude: 'product' })).toMatch(
      /^There is no collection "product" for the relation "product.sku"/,
    )
    const override = { price: { fields: { sku: { type: 'string' } } } }
    expect(await refusal({ 'price.sku': 'product.sku' }, { override })).toBe(
      'The relation "price.sku" cannot be made: an override says what its columns hold. ',
    )
    const omitted = { price: { fields: { sku: false } } }
    expect(await refusal({ 'price.sku': 'product.sku' }, { override: omitted })).toBe(
      'The relation "price.sku" cannot be made: its columns have no fields here. ',
    )
  })

  it('can be an override with references, too, and their types are compared with what they refer to', async () => {
    const database = await open()
    await filled(database)
    const leading = (field: string) =>
      ({
        override: { price: { fields: { [field]: { type: 'm2o', to: 'product', references: 'sku' } } } },
      }) as const
    const { definition } = await introspectSchema(database.db, leading('sku'))
    expect(definition.price?.fields.sku).toMatchObject({ type: 'm2o', references: 'sku' })
    await expect(introspectSchema(database.db, leading('amount'))).rejects.toMatchObject({
      message: expect.stringMatching(
        /^"amount" of "price" is of the type "integer", and cannot hold "sku" of "product"/,
      ),
    })
  })

  it('are an object of texts', async () => {
    const { db } = await open()
    await run(db, 'create table a (id integer primary key)')
    const wrong: readonly (readonly [unknown, string])[] = [
      [['a.id=a.id'], '"relations" is an object'],
      [null, '"relations" is an object'],
      [{ 'a.id': 1 }, 'A relation leads to columns, not to 1.'],
    ]
    for (const [relations, says] of wrong)
      await expect(introspectSchema(db, Object.assign({}, { relations }) as object)).rejects.toMatchObject({
        code: 'INVALID_OPTIONS',
        message: expect.stringContaining(says),
      })
  })
})
