// Versions change relations to unique columns without writing anything.
import { beforeEach, describe, expect, it } from 'vitest'
import { compareVersion, createEngine, createVersion, getItem, promoteVersion } from '../../src/index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { fillShop, makeShop, shop } from '../support/unique-relations.ts'

describe.each(databases)('versions of relations to unique columns on $name', ({ name, open }) => {
  let database: OpenDatabase
  const engine = () => createEngine({ db: database.db, schema: shop })
  beforeEach(async () => {
    database = await open()
    await makeShop(database, name === 'postgres')
    await fillShop(database, name === 'postgres')
    await engine().install()
  })

  it('show children that are created, moved and removed, and promote them', async () => {
    const prices = [{ id: 1, amount: 11 }, 3, { amount: 5 }]
    await createVersion(engine(), 'products', 1, { key: 'draft', delta: { name: 'Sea', prices } })
    const query = { fields: ['name', 'prices.id', 'prices.amount', 'prices.product.name'] } as const
    const product = { name: 'Sea' }
    const seen = await getItem(engine(), 'products', 1, { ...query, version: 'draft' })
    expect(seen).toEqual({
      name: 'Sea',
      prices: [
        { id: 1, amount: 11, product },
        { id: 3, amount: 30, product },
        { id: null, amount: 5, product },
      ],
    })
    const { mainHash } = await compareVersion(engine(), 'products', 1, 'draft')
    await promoteVersion(engine(), 'products', 1, 'draft', { mainHash })
    const made = { id: name === 'postgres' ? 100 : 5, amount: 5, product }
    expect(await getItem(engine(), 'products', 1, query)).toEqual({
      name: 'Sea',
      prices: [{ id: 1, amount: 11, product }, { id: 3, amount: 30, product }, made],
    })
  })

  it('follow new values and new items of a junction', async () => {
    const tags = { create: [{ tag: 'white' }, { tag: { slug: 'new' } }, { tag: { id: 2 } }] }
    await createVersion(engine(), 'products', 2, { key: 'draft', delta: { tags } })
    const query = { fields: ['tags.tag.slug', 'tags.tag.id'], version: 'draft' } as const
    expect(await getItem(engine(), 'products', 2, query)).toEqual({
      tags: [
        { tag: { slug: 'food', id: 2 } },
        { tag: { slug: 'white', id: 1 } },
        { tag: { slug: 'new', id: null } },
        { tag: { slug: 'food', id: 2 } },
      ],
    })
    const raw = { fields: ['tags.tag'], version: 'draft' } as const
    expect((await getItem(engine(), 'products', 2, raw)).tags.map((row) => row?.tag)).toEqual([
      'food',
      'white',
      'new',
      'food',
    ])
  })
})
