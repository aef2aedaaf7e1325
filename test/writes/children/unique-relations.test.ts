// Relations to unique columns are written from both ends.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  createItems,
  deleteItem,
  getItem,
  listItems,
  updateByQuery,
  updateItem,
  updateItems,
} from '../../../src/index.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { fillShop, makeShop, shop } from '../../support/unique-relations.ts'

describe.each(databases)('relations to unique columns are written on $name', ({ name, open }) => {
  let database: OpenDatabase
  const isPostgres = name === 'postgres'
  const engine = () => createEngine({ db: database.db, schema: shop })
  const rows = (table: string) => database.db.selectFrom(table).selectAll().orderBy('id').execute()
  beforeEach(async () => {
    database = await open()
    await makeShop(database, isPostgres)
    await fillShop(database, isPostgres)
  })

  it('a value links an item', async () => {
    const made = await createItem(
      engine(),
      'prices',
      { product: 'oil', amount: 1 },
      { fields: ['product.name'] },
    )
    expect(made).toEqual({ product: { name: 'Oil' } })
    await updateItem(engine(), 'prices', 1, { product: 'oil' })
    await updateItem(engine(), 'prices', 2, { product: null })
    expect((await rows('prices')).map(({ product_sku }) => product_sku)).toEqual([
      'oil',
      null,
      'oil',
      null,
      'oil',
    ])
    await expect(createItem(engine(), 'prices', { product: 'none' })).rejects.toMatchObject({
      code: 'INVALID_FOREIGN_KEY',
      extensions: { field: 'product' },
    })
    const owner = await createItem(
      engine(),
      'tickets',
      { tenant: 1, owner: [1, 1] },
      { fields: ['*', 'owner.name'] },
    )
    expect(owner).toMatchObject({ tenant: 1, owner_number: 1, owner: { name: 'Ada' } })
    await updateItem(engine(), 'tickets', 1, { owner: null })
    expect(await getItem(engine(), 'tickets', 1)).toMatchObject({
      tenant: 1,
      owner_number: null,
      owner: null,
    })
  })

  it('an object with the key links an item, and changes it', async () => {
    await updateItem(engine(), 'prices', 4, { product: { id: 1 } })
    await updateItem(engine(), 'prices', 3, { product: { id: 1, name: 'Sea salt' } })
    expect((await rows('prices')).map(({ product_sku }) => product_sku)).toEqual([
      'salt',
      'salt',
      'salt',
      'salt',
    ])
    expect((await getItem(engine(), 'products', 1)).name).toBe('Sea salt')
    await updateItem(engine(), 'tickets', 3, { owner: { id: 3 } })
    expect(await getItem(engine(), 'tickets', 3)).toMatchObject({ tenant: 2, owner_number: 1 })
  })

  it('an item is created into a relation, with a value that is given or that the database fills in', async () => {
    const made = await createItem(engine(), 'prices', { product: { sku: 'rice', name: 'Rice' }, amount: 2 })
    expect(made?.product).toBe('rice')
    const fills = isPostgres
      ? "alter table products alter column sku set default 'made'"
      : "create trigger fill after insert on products when new.sku is null begin update products set sku = 'made' where id = new.id; end"
    await database.run(fills)
    const filled = await createItem(engine(), 'prices', { product: { name: 'Filled' }, amount: 3 })
    expect(filled?.product).toBe('made')
    const user = { tenant: 3, number: 7, name: 'Dan' }
    const ticket = await createItem(
      engine(),
      'tickets',
      { tenant: 3, owner: user },
      { fields: ['owner.name'] },
    )
    expect(ticket).toEqual({ owner: { name: 'Dan' } })
  })

  it('a new item whose value changes in the same call is linked by the new one', async () => {
    await updateItem(engine(), 'prices', 4, { product: { id: 2, sku: 'olive' } })
    expect((await rows('prices')).map(({ product_sku }) => product_sku)).toEqual([
      'salt',
      'salt',
      'olive',
      'olive',
    ])
  })

  it('an item without the value cannot be linked', async () => {
    const refused = { code: 'INVALID_PAYLOAD', path: ['product'] }
    await expect(updateItem(engine(), 'prices', 4, { product: { id: 3 } })).rejects.toMatchObject(refused)
    await expect(
      updateItem(engine(), 'products', 3, { prices: { create: [{ amount: 1 }] } }),
    ).rejects.toMatchObject({ code: 'INVALID_PAYLOAD' })
    await updateItem(engine(), 'products', 3, { prices: [] })
    await updateItem(engine(), 'products', 3, { sku: 'now', prices: [4, { amount: 5 }] })
    expect((await rows('prices')).slice(3)).toMatchObject([{ product_sku: 'now' }, { product_sku: 'now' }])
  })

  it('children are created, moved, linked and removed from the other end', async () => {
    const query = { fields: ['id', 'prices.id', 'prices.amount'] } as const
    const made = await createItem(
      engine(),
      'products',
      { sku: 'new', name: 'New', prices: [{ amount: 7 }, 3, { id: 4, amount: 41 }] },
      query,
    )
    expect(made?.prices).toEqual([
      { id: 3, amount: 30 },
      { id: 4, amount: 41 },
      { id: isPostgres ? 100 : 5, amount: 7 },
    ])
    const left = await updateItem(engine(), 'products', 1, { prices: [2] }, query)
    expect(left.prices).toEqual([{ id: 2, amount: 12 }])
    expect(await getItem(engine(), 'prices', 1)).toMatchObject({ product: null })
    const changes = { create: [{ amount: 9 }], update: [{ id: 2, amount: 13 }], delete: [2] }
    await expect(updateItem(engine(), 'products', 2, { prices: changes })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    await updateItem(engine(), 'products', 1, { prices: { update: [{ id: 1, amount: 11 }], delete: [2] } })
    expect((await getItem(engine(), 'products', 1, query)).prices).toEqual([{ id: 1, amount: 11 }])
    await updateItem(engine(), 'users', 1, { tickets: [{ title: 'nested' }] })
    expect((await getItem(engine(), 'users', 1, { fields: ['tickets.title'] })).tickets).toEqual([
      { title: 'nested' },
    ])
  })

  it('a value that changes takes its children along', async () => {
    await updateItem(engine(), 'products', 1, { sku: 'sea', prices: [1, { amount: 1 }] })
    expect((await rows('prices')).map(({ product_sku }) => product_sku)).toEqual([
      'sea',
      null,
      'oil',
      null,
      'sea',
    ])
    await updateItem(engine(), 'products', 2, { sku: 'olive', tags: { create: [{ tag: 'white' }] } })
    expect((await rows('products_tags')).map(({ product_sku }) => product_sku)).toEqual([
      'sea',
      'sea',
      'olive',
      'olive',
    ])
  })

  it('a junction is written through both unique values', async () => {
    const query = { fields: ['tags.tag.slug'] } as const
    const tags = [{ tag: { slug: 'new' } }, { tag: { id: 1 } }, { tag: 'food' }]
    const made = await createItem(engine(), 'products', { sku: 'x', name: 'X', tags }, query)
    expect(made?.tags).toEqual([
      { tag: { slug: 'new' } },
      { tag: { slug: 'white' } },
      { tag: { slug: 'food' } },
    ])
    await updateItem(engine(), 'products', 1, { tags: [] })
    expect((await getItem(engine(), 'products', 1, { fields: ['tags'] })).tags).toEqual([])
    expect(await rows('products_tags')).toHaveLength(4)
  })

  it('many items are written together', async () => {
    const made = await createItems(
      engine(),
      'prices',
      [{ product: 'oil' }, { product: { id: 1 } }, { product: { sku: 'p', name: 'P' } }, { product: null }],
      { fields: ['product.name'] },
    )
    expect(made.map(({ product }) => product?.name ?? null)).toEqual(['Oil', 'Salt', 'P', null])
    await updateItems(engine(), 'prices', [1, 2], { product: 'oil' })
    await updateByQuery(engine(), 'prices', { filter: { product: { name: 'Oil' } } }, { amount: 0 })
    const { data } = await listItems(engine(), 'prices', { filter: { amount: 0 }, fields: ['id'] })
    expect(data.map(({ id }) => id).slice(0, 3)).toEqual([1, 2, 3])
  })

  it('a deletion is up to the database', async () => {
    await expect(deleteItem(engine(), 'products', 1)).rejects.toMatchObject({ code: 'INVALID_FOREIGN_KEY' })
    await updateItem(engine(), 'products', 1, { prices: [] })
    await deleteItem(engine(), 'products', 1)
    expect(await rows('products_tags')).toHaveLength(1)
  })

  describe('under rules', () => {
    const all = true as const
    it('a value of an item that the caller does not see leads nowhere', async () => {
      const rules = {
        products: { read: { filter: { name: 'Salt' } } },
        prices: { create: all, read: all, update: all },
      } as const
      const mine = engine().as({ rules })
      expect(await createItem(mine, 'prices', { product: 'salt' })).toMatchObject({ product: 'salt' })
      const refused = { code: 'INVALID_FOREIGN_KEY' }
      await expect(createItem(mine, 'prices', { product: 'oil' })).rejects.toMatchObject(refused)
      await expect(updateItem(mine, 'prices', 1, { product: 'oil' })).rejects.toMatchObject(refused)
      await expect(
        createItems(mine, 'prices', [{ product: 'salt' }, { product: 'oil' }]),
      ).rejects.toMatchObject(refused)
      await expect(createItem(mine, 'prices', { product: { id: 2 } })).rejects.toMatchObject({
        code: 'FORBIDDEN',
      })
      await updateItem(mine, 'prices', 3, { product: 'oil', amount: 31 })
      await expect(updateItem(mine, 'prices', 1, { product: 'none' })).rejects.toMatchObject(refused)
    })

    it('a link that would show hidden values is FORBIDDEN', async () => {
      const rules = {
        products: {
          read: { fields: ['id', 'name', 'prices'] },
          create: { fields: ['name', 'sku'] },
          update: { fields: ['name', 'prices'] },
        },
        prices: { create: all, read: all, update: all },
      } as const
      const mine = engine().as({ rules })
      const refused = { code: 'FORBIDDEN' }
      await expect(createItem(mine, 'prices', { product: { id: 1 } })).rejects.toMatchObject(refused)
      await expect(updateItem(mine, 'prices', 4, { product: { id: 1, name: 'x' } })).rejects.toMatchObject(
        refused,
      )
      await expect(updateItem(mine, 'products', 1, { prices: { create: [{}] } })).rejects.toMatchObject(
        refused,
      )
      await expect(updateItem(mine, 'products', 1, { prices: [3] })).rejects.toMatchObject(refused)
      expect(await createItem(mine, 'prices', { product: 'salt' })).toMatchObject({ product: 'salt' })
      expect(await createItem(mine, 'prices', { product: { sku: 'own', name: 'Own' } })).toMatchObject({
        product: 'own',
      })
      await updateItem(mine, 'products', 1, { prices: { update: [{ id: 1, amount: 3 }] } })
      expect(await rows('prices')).toHaveLength(6)
    })

    it('values that the row hides are not linked either', async () => {
      const read = [{ fields: ['*'], filter: { name: 'Oil' } }, { fields: ['id', 'name', 'prices'] }] as const
      const mine = engine().as({
        rules: {
          products: { read, create: all, update: all },
          prices: { create: all, read: all, update: all },
        },
      })
      expect(await createItem(mine, 'prices', { product: { id: 2 } })).toMatchObject({ product: 'oil' })
      await expect(createItem(mine, 'prices', { product: { id: 1 } })).rejects.toMatchObject({
        code: 'FORBIDDEN',
      })
    })

    it('a rule through the relation judges the new row', async () => {
      const rules = {
        products: { read: all },
        prices: {
          read: all,
          create: { filter: { product: { name: 'Salt' } } },
          update: { filter: { product: { name: 'Salt' } } },
        },
      } as const
      const mine = engine().as({ rules })
      expect(await createItem(mine, 'prices', { product: 'salt' })).toMatchObject({ product: 'salt' })
      await expect(createItem(mine, 'prices', { product: 'oil' })).rejects.toMatchObject({
        code: 'FORBIDDEN',
      })
      await updateItem(mine, 'prices', 1, { amount: 5 })
      await expect(updateItem(mine, 'prices', 3, { amount: 5 })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    })
  })
})
