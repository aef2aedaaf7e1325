// Relations that hold unique values of their target, in GraphQL.
import { beforeAll, describe, expect, it } from 'vitest'
import { answerGraphQL, printGraphQLSchema } from '../../../src/graphql.ts'
import { createEngine, type Engine } from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'
import { fillShop, makeShop, shop } from '../../support/unique-relations.ts'

describe.each(databases)('relations to unique columns in GraphQL on $name', ({ name, open }) => {
  let engine: Engine
  beforeAll(async () => {
    const database = await open()
    await makeShop(database, name === 'postgres')
    await fillShop(database, name === 'postgres')
    engine = createEngine({ db: database.db, schema: shop }) as Engine
  })
  const ask = async (query: string, caller = engine) => JSON.parse(await answerGraphQL(caller, { query }))

  it('are read from both ends', async () => {
    expect(
      await ask('{ prices(sort: ["id"]) { id product { id name tags(sort: ["id"]) { tag { slug } } } } }'),
    ).toEqual({
      data: {
        prices: [
          {
            id: '1',
            product: { id: '1', name: 'Salt', tags: [{ tag: { slug: 'white' } }, { tag: { slug: 'food' } }] },
          },
          {
            id: '2',
            product: { id: '1', name: 'Salt', tags: [{ tag: { slug: 'white' } }, { tag: { slug: 'food' } }] },
          },
          { id: '3', product: { id: '2', name: 'Oil', tags: [{ tag: { slug: 'food' } }] } },
          { id: '4', product: null },
        ],
      },
    })
    expect(
      await ask(
        '{ products(sort: ["id"]) { name prices(sort: ["-amount"], limit: 1) { amount } prices_func { count } } }',
      ),
    ).toEqual({
      data: {
        products: [
          { name: 'Salt', prices: [{ amount: 12 }], prices_func: { count: 2 } },
          { name: 'Oil', prices: [{ amount: 30 }], prices_func: { count: 1 } },
          { name: 'Nameless', prices: [], prices_func: { count: 0 } },
        ],
      },
    })
    expect(await ask('{ tickets(sort: ["id"]) { owner { name tickets { title } } } }')).toEqual({
      data: {
        tickets: [
          { owner: { name: 'Ben', tickets: [{ title: 'one' }] } },
          { owner: { name: 'Cleo', tickets: [{ title: 'two' }] } },
          { owner: null },
        ],
      },
    })
  })

  it('are filtered and sorted by, from both ends', async () => {
    const ids = async (query: string) => Object.values((await ask(query)).data ?? {}).flat()
    expect(await ids('{ prices(filter: { product: { name: { _eq: "Oil" } } }) { id } }')).toEqual([
      { id: '3' },
    ])
    expect(await ids('{ products(filter: { prices: { amount: { _gt: 20 } } }) { id } }')).toEqual([
      { id: '2' },
    ])
    expect(await ids('{ products(filter: { prices: { _none: { amount: { _gt: 0 } } } }) { id } }')).toEqual([
      { id: '3' },
    ])
    expect(await ids('{ users(filter: { tickets: { title: { _eq: "two" } } }) { name } }')).toEqual([
      { name: 'Cleo' },
    ])
    expect(
      await ids(
        '{ prices(sort: ["-product.name", "-id"], limit: 2, filter: { product: { id: { _nnull: true } } }) { id } }',
      ),
    ).toEqual([{ id: '2' }, { id: '1' }])
  })

  it('are created with nested items, linked and updated', async () => {
    expect(
      await ask(`mutation { create_products_item(data: {
        sku: "tea", name: "Tea", prices: [{ amount: 5 }], tags: [{ tag: { slug: "warm" } }]
      }) { sku prices { amount product { sku } } tags { tag { slug } } } }`),
    ).toEqual({
      data: {
        create_products_item: {
          sku: 'tea',
          prices: [{ amount: 5, product: { sku: 'tea' } }],
          tags: [{ tag: { slug: 'warm' } }],
        },
      },
    })
    expect(
      await ask(
        'mutation { create_prices_item(data: { amount: 6, product: { sku: "rice", name: "Rice" } }) { amount product { name } } }',
      ),
    ).toEqual({ data: { create_prices_item: { amount: 6, product: { name: 'Rice' } } } })
    expect(
      await ask('mutation { update_prices_item(id: 4, data: { product: { id: 2 } }) { product { sku } } }'),
    ).toEqual({ data: { update_prices_item: { product: { sku: 'oil' } } } })
    expect(
      await ask(
        'mutation { update_tickets_item(id: 3, data: { owner: { id: 3, name: "Clea" } }) { owner { name number } } }',
      ),
    ).toEqual({ data: { update_tickets_item: { owner: { name: 'Clea', number: 1 } } } })
    expect(
      await ask(
        'mutation { update_users_item(id: 3, data: { tickets: [{ id: 2 }] }) { tickets { title } } }',
      ),
    ).toEqual({ data: { update_users_item: { tickets: [{ title: 'two' }] } } })
  })

  it('show no field of the target that the caller may not read', async () => {
    const caller = engine.as({
      rules: {
        prices: { read: true, update: true },
        products: { read: { fields: ['id', 'name'] }, update: { fields: ['name'] } },
      },
    }) as Engine
    expect(printGraphQLSchema(caller)).not.toMatch(/\bsku\b/)
    expect(await ask('{ prices(filter: { id: { _eq: 1 } }) { product { name } } }', caller)).toEqual({
      data: { prices: [{ product: { name: 'Salt' } }] },
    })
    const { errors } = await ask(
      'mutation { update_prices_item(id: 1, data: { product: { id: 2 } }) { id } }',
      caller,
    )
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
  })
})
