import { beforeAll, describe, expect, it } from 'vitest'
import {
  createEngine,
  defineSchema,
  type Engine,
  getItem,
  listItems,
  listItemsJson,
  type Schema,
  streamItems,
} from '../../../src/index.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { key, many, string } from '../../support/fields.ts'
import { fillShop, makeShop, shop } from '../../support/unique-relations.ts'

describe.each(databases)('relations to unique columns are read on $name', ({ name, open }) => {
  let database: OpenDatabase
  const engine = () => createEngine({ db: database.db, schema: shop })
  beforeAll(async () => {
    database = await open()
    await makeShop(database, name === 'postgres')
    await fillShop(database, name === 'postgres')
  })

  it('the raw value of a many-to-one field is the value of the target', async () => {
    const { data } = await listItems(engine(), 'prices')
    expect(data.map(({ product }) => product)).toEqual(['salt', 'salt', 'oil', null])
    expect((await getItem(engine(), 'tickets', 1)).owner).toEqual([1, 2])
    expect((await getItem(engine(), 'tickets', 3)).owner).toBeNull()
  })

  it('a many-to-one field is expanded by it', async () => {
    const { data } = await listItems(engine(), 'prices', { fields: ['id', 'product.id', 'product.name'] })
    expect(data).toEqual([
      { id: 1, product: { id: 1, name: 'Salt' } },
      { id: 2, product: { id: 1, name: 'Salt' } },
      { id: 3, product: { id: 2, name: 'Oil' } },
      { id: 4, product: null },
    ])
    expect((await listItems(engine(), 'tickets', { fields: ['owner.name'] })).data).toEqual([
      { owner: { name: 'Ben' } },
      { owner: { name: 'Cleo' } },
      { owner: null },
    ])
  })

  it('the items that hold it are a list, with its parameters', async () => {
    const query = {
      fields: ['name', 'prices.id'],
      deep: { prices: { _sort: ['-amount'], _limit: 1 } },
    } as const
    const expected = [
      { name: 'Salt', prices: [{ id: 2 }] },
      { name: 'Oil', prices: [{ id: 3 }] },
      { name: 'Nameless', prices: [] },
    ]
    expect((await listItems(engine(), 'products', query)).data).toEqual(expected)
    expect(JSON.parse(await listItemsJson(engine(), 'products', query)).data).toEqual(expected)
    expect((await getItem(engine(), 'users', 2, { fields: ['tickets'] })).tickets).toEqual([1])
    expect((await getItem(engine(), 'users', 1, { fields: ['tickets'] })).tickets).toEqual([])
  })

  it('a junction joins both sides by unique values', async () => {
    const { data } = await listItems(engine(), 'products', { fields: ['id', 'tags.tag.id'] })
    expect(data).toEqual([
      { id: 1, tags: [{ tag: { id: 1 } }, { tag: { id: 2 } }] },
      { id: 2, tags: [{ tag: { id: 2 } }] },
      { id: 3, tags: [] },
    ])
    const back = await listItems(engine(), 'tags', { fields: ['slug', 'products.product.name'] })
    expect(back.data).toEqual([
      { slug: 'white', products: [{ product: { name: 'Salt' } }] },
      { slug: 'food', products: [{ product: { name: 'Salt' } }, { product: { name: 'Oil' } }] },
    ])
  })

  it('filters go through it from both ends', async () => {
    const loose: Engine = createEngine({ db: database.db, schema: shop as Schema })
    const ids = async (collection: string, filter: Record<string, unknown>) =>
      (await listItems(loose, collection, { filter, fields: ['id'] })).data.map(({ id }) => id)
    expect(await ids('prices', { product: { name: 'Salt' } })).toEqual([1, 2])
    expect(await ids('prices', { product: { name: null } })).toEqual([4])
    expect(await ids('prices', { product: { _eq: 'oil' } })).toEqual([3])
    expect(await ids('prices', { product: { _in: ['oil', 'salt'] } })).toEqual([1, 2, 3])
    expect(await ids('products', { prices: { amount: { _gt: 11 } } })).toEqual([1, 2])
    expect(await ids('products', { prices: { id: 3 } })).toEqual([2])
    expect(await ids('products', { prices: { _null: true } })).toEqual([3])
    expect(await ids('products', { 'count(prices)': 2 })).toEqual([1])
    expect(await ids('products', { tags: { tag: { slug: 'white' } } })).toEqual([1])
    expect(await ids('products', { '$FOLLOW(prices, product)': { amount: 30 } })).toEqual([2])
    expect(await ids('users', { tickets: { _some: { title: 'two' } } })).toEqual([3])
    expect(await ids('tickets', { owner: { _eq: [1, 2] } })).toEqual([1])
    expect(await ids('tickets', { owner: { name: 'Cleo' } })).toEqual([2])
  })

  it('sorts and groups go through it', async () => {
    const { data } = await listItems(engine(), 'prices', { fields: ['id'], sort: ['product.name', '-id'] })
    expect(data.map(({ id }) => id)).toEqual([3, 2, 1, 4])
    const groups = await listItems(engine(), 'prices', {
      groupBy: ['product.name'],
      aggregate: { sum: ['amount'] },
      sort: ['product.name'],
    })
    expect(groups.data).toEqual([
      { product: { name: 'Oil' }, sum: { amount: 30 } },
      { product: { name: 'Salt' }, sum: { amount: 22 } },
      { product: { name: null }, sum: { amount: 40 } },
    ])
    const most = await listItems(engine(), 'products', { fields: ['id'], sort: ['-prices.amount'] })
    expect(most.data.map(({ id }) => id)).toEqual([3, 2, 1])
  })

  it('groups of a list are made for each item', async () => {
    const { data } = await listItems(engine(), 'products', {
      fields: ['id', 'prices'],
      deep: { prices: { _aggregate: { sum: ['amount'] } } },
    })
    expect(data.map(({ prices }) => prices)).toEqual([
      [{ sum: { amount: 22 } }],
      [{ sum: { amount: 30 } }],
      [{ sum: { amount: null } }],
    ])
  })

  it('rows below the root are counted by it', async () => {
    const few = createEngine({ db: database.db, schema: shop, limits: { nestedRows: 2 } })
    const query = { fields: ['id', 'prices.*'], deep: { prices: { _limit: -1 } } } as const
    await expect(listItems(few, 'products', query)).rejects.toMatchObject({ code: 'INVALID_QUERY' })
    const enough = createEngine({ db: database.db, schema: shop, limits: { nestedRows: 3 } })
    expect((await listItems(enough, 'products', query)).data).toHaveLength(3)
  })

  it('a far page and a stream are joined by it', async () => {
    const { data } = await listItems(engine(), 'prices', {
      fields: ['product.prices.id'],
      offset: 1,
      limit: 1,
    })
    expect(data).toEqual([{ product: { prices: [{ id: 1 }, { id: 2 }] } }])
  })

  it('a caller who does not see the values follows the relation all the same', async () => {
    const products = { fields: ['id', 'name', 'prices'], filter: { name: { _neq: 'Oil' } } } as const
    const mine = engine().as({ rules: { products: { read: products }, prices: { read: true } } })
    const { data } = await listItems(mine, 'prices', { fields: ['id', 'product.name'] })
    expect(data).toEqual([
      { id: 1, product: { name: 'Salt' } },
      { id: 2, product: { name: 'Salt' } },
      { id: 3, product: null },
      { id: 4, product: null },
    ])
    expect((await listItems(mine, 'products', { fields: ['id', 'prices'] })).data).toEqual([
      { id: 1, prices: [1, 2] },
      { id: 3, prices: [] },
    ])
    await expect(listItems(mine, 'products', { fields: ['sku'] })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
  })

  it('values that some rows hide join them all the same', async () => {
    const read = [{ fields: ['*'], filter: { name: 'Oil' } }, { fields: ['id', 'name', 'prices'] }] as const
    const mine = engine().as({ rules: { products: { read }, prices: { read: true } } })
    expect((await listItems(mine, 'products', { fields: ['id', 'sku', 'prices'] })).data).toEqual([
      { id: 1, sku: null, prices: [1, 2] },
      { id: 2, sku: 'oil', prices: [3] },
      { id: 3, sku: null, prices: [] },
    ])
    expect((await listItems(mine, 'products', { filter: { sku: 'salt' }, fields: ['id'] })).data).toEqual([])
    const { data } = await listItems(mine, 'prices', { fields: ['product.id', 'product.sku'] })
    expect(data[0]).toEqual({ product: { id: 1, sku: null } })
    const deep = { fields: ['id', 'prices.id'], deep: { prices: { _limit: -1 } } } as const
    const few = createEngine({ db: database.db, schema: shop, limits: { nestedRows: 3 } })
    const counted = few.as({ rules: { products: { read }, prices: { read: true } } })
    expect((await listItems(counted, 'products', deep)).data[0]).toEqual({
      id: 1,
      prices: [{ id: 1 }, { id: 2 }],
    })
  })
})

describe.each(databases)('columns that are not unique on $name', ({ name, open }) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await open()
    await makeShop(database, name === 'postgres')
    await fillShop(database, name === 'postgres')
    await database.run('create table copies as select * from products')
    await database.run('create table notes (id integer primary key, sku varchar(40))')
    await database.run("insert into notes values (1, 'salt')")
  })

  const schema = defineSchema({
    copies: {
      fields: { id: key, sku: { type: 'string', unique: true }, name: string, notes: many('notes.copy') },
    },
    notes: {
      fields: {
        id: key,
        copy: { type: 'm2o', to: 'copies', references: 'sku', column: 'sku', nullable: true },
      },
    },
  })

  it('refuse calls that join them, and no others, until there is an index', async () => {
    const engine = createEngine({ db: database.db, schema })
    const refused = { code: 'INVALID_OPTIONS' }
    expect((await listItems(engine, 'notes')).data).toEqual([{ id: 1, copy: 'salt' }])
    await expect(listItems(engine, 'notes', { fields: ['copy.name'] })).rejects.toMatchObject(refused)
    await expect(listItems(engine, 'notes', { filter: { copy: { name: 'x' } } })).rejects.toMatchObject(
      refused,
    )
    await expect(listItems(engine, 'copies', { fields: ['notes'] })).rejects.toMatchObject(refused)
    await expect(listItemsJson(engine, 'copies', { fields: ['notes'] })).rejects.toMatchObject(refused)
    await expect(getItem(engine, 'notes', 1, { fields: ['copy.id'] })).rejects.toMatchObject(refused)
    await expect(streamed(streamItems(engine, 'notes', { fields: ['copy.id'] }))).rejects.toMatchObject(
      refused,
    )
    const rules = { notes: { read: { filter: { copy: { name: 'Salt' } } } } }
    await expect(listItems(engine.as({ rules }), 'notes')).rejects.toMatchObject(refused)
    await database.run('create unique index one_sku on copies (sku)')
    expect((await listItems(engine, 'notes', { fields: ['copy.name'] })).data).toEqual([
      { copy: { name: 'Salt' } },
    ])
    expect(await streamed(streamItems(engine, 'notes', { fields: ['copy.id'] }))).toEqual([
      { copy: { id: 1 } },
    ])
  })
})

async function streamed<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}
