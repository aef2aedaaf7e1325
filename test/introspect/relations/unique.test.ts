// Foreign keys to unique columns become relations, and those that cannot are told with a hint that works.
import { describe, expect, it } from 'vitest'
import { createEngine, createItem, listItems, type Schema } from '../../../src/index.ts'
import { type IntrospectedSchema, introspectSchema } from '../../../src/introspect.ts'
import { databases, openPostgres } from '../../support/databases.ts'
import { run } from '../samples/sample.ts'

const fieldOf = ({ definition }: IntrospectedSchema, collection: string, field: string) =>
  definition[collection]?.fields[field]

describe.each(databases)('foreign keys to unique columns on $name', ({ name, open }) => {
  const isPostgres = name === 'postgres'

  it('are read and written from both ends', async () => {
    const { db } = await open()
    await run(
      db,
      'create table product (id integer primary key, sku varchar(9) not null unique)',
      'create table price (id integer primary key, sku varchar(9) references product (sku), amount integer)',
      'create table users (id integer primary key, tenant integer not null, no integer not null, unique (tenant, no))',
      'create table tickets (id integer primary key, tenant integer not null, no integer, foreign key (tenant, no) references users (tenant, no))',
    )
    const schema = await introspectSchema(db)
    expect(schema.report.filter(({ kind }) => kind === 'skipped')).toEqual([])
    const engine = createEngine({ db, schema: schema as Schema })
    await createItem(engine, 'product', { id: 1, sku: 'a', price: [{ id: 1, amount: 3 }] })
    await createItem(engine, 'users', { id: 5, tenant: 1, no: 2 })
    await createItem(engine, 'tickets', { id: 1, tenant: 1, users: { id: 5 } })
    expect((await listItems(engine, 'price', { fields: ['sku.id', 'amount'] })).data).toEqual([
      { sku: { id: 1 }, amount: 3 },
    ])
    const filter = { price: { amount: 3 } }
    expect((await listItems(engine, 'product', { fields: ['sku', 'price.id'], filter })).data).toEqual([
      { sku: 'a', price: [{ id: 1 }] },
    ])
    expect((await listItems(engine, 'users', { fields: ['tickets'] })).data).toEqual([{ tickets: [1] }])
  })

  it('are plain values where the types differ', async () => {
    const { db } = await open()
    const [one, other] = isPostgres ? ['integer', 'numeric(9)'] : ['text', 'integer']
    await run(
      db,
      `create table product (id integer primary key, code ${other} not null unique)`,
      `create table price (id integer primary key, code ${one} references product (code))`,
    )
    const schema = await introspectSchema(db)
    const [remark] = schema.report.filter(({ code }) => code === 'FOREIGN_KEY_TO_NO_KEY')
    expect(remark?.message).toMatch(/leads to "product", where the columns have other types or forms/)
    expect(remark?.hint).toMatch('override: { "price": { fields: { "code": { type: … } } } }')
    expect(remark?.commandHint).toMatch('--type "price.code=…"')
    expect(fieldOf(schema, 'price', 'code')).not.toHaveProperty('to')
  })

  it('are plain values where the target has no key, until the host says one', async () => {
    const { db } = await open()
    await run(
      db,
      'create table product (sku varchar(9) unique)',
      'create table price (id integer primary key, sku varchar(9) references product (sku))',
    )
    const schema = await introspectSchema(db, isPostgres ? {} : { exclude: [] })
    const remark = schema.report.find(({ code }) => code === 'FOREIGN_KEY_TO_NO_KEY')
    if (remark) expect(remark.commandHint).toMatch('--key "product=sku"')
    const keyed = await introspectSchema(db, { override: { product: { key: 'sku' } } })
    expect(fieldOf(keyed, 'price', 'sku')).toMatchObject({ type: 'm2o', to: 'product' })
  })

  it('that lead to each other in a circle are cut at one of them', async () => {
    const { db } = await open()
    await run(
      db,
      'create table a (id integer primary key, x varchar(9) unique)',
      'create table b (id integer primary key, y varchar(9) unique references a (x))',
      ...(isPostgres
        ? ['alter table a add foreign key (x) references b (y)']
        : ['drop table a', 'create table a (id integer primary key, x varchar(9) unique references b (y))']),
    )
    const schema = await introspectSchema(db)
    expect(schema.report.map(({ code }) => code)).toEqual(['CIRCLE_OF_KEYS'])
  })
})

it('foreign keys between texts that PostgreSQL cannot compare are plain values, by the key and by unique columns', async () => {
  const { db } = await openPostgres()
  await run(
    db,
    'create table a (id varchar(9) collate "C" primary key, code text collate "C" unique)',
    'create table b (id integer primary key, x varchar(9) collate "en-x-icu" references a, y text collate "en-x-icu" references a (code), z text references a (code))',
    'create table c (id integer primary key, x varchar(9) collate "C" references a, y text collate "C" references a (code))',
  )
  const schema = await introspectSchema(db)
  expect(schema.report.map(({ code, column, hint }) => [code, column, hint])).toEqual(
    ['x', 'y'].map((column) => [
      'FOREIGN_KEY_TO_NO_KEY',
      column,
      'Give the columns of both tables the same collation.',
    ]),
  )
  expect(schema.report[0]?.message).toBe(
    'The column "x" of the table "b" leads to "a", whose texts have another collation, so that the database compares them by neither; it is a plain value here.',
  )
  await run(
    db,
    "insert into a values ('k', 'v')",
    "insert into b values (1, 'k', 'v', 'v')",
    "insert into c values (1, 'k', 'v')",
  )
  const engine = createEngine({ db, schema: schema as Schema })
  expect((await listItems(engine, 'b', { fields: ['x', 'y', 'z.id'] })).data).toEqual([
    { x: 'k', y: 'v', z: { id: 'k' } },
  ])
  expect((await listItems(engine, 'c', { fields: ['x.code', 'y.id'] })).data).toEqual([
    { x: { code: 'v' }, y: { id: 'k' } },
  ])
})

it('a declared relation between texts of two collations is refused', async () => {
  const { db } = await openPostgres()
  await run(
    db,
    "create collation careless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
    'create table products (id integer primary key, sku text collate careless not null unique, name text not null unique)',
    'create table prices (id integer primary key, sku text collate "C", name text collate careless)',
  )
  const related = (from: string, to: string) => introspectSchema(db, { relations: { [from]: to } })
  await expect(related('prices.sku', 'products.sku')).rejects.toMatchObject({
    code: 'INVALID_OPTIONS',
    message: expect.stringContaining('whose texts have another collation'),
    hint: 'Give the columns of both tables the same collation.',
  })
  const engine = createEngine({ db, schema: (await related('prices.name', 'products.name')) as Schema })
  expect((await listItems(engine, 'prices', { fields: ['name.id'] })).data).toEqual([])
})
