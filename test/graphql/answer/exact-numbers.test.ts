// Exact numbers in answers: their digits are those of the database, wherever they stand.
import { beforeEach, describe, expect, it } from 'vitest'
import { answerGraphQL } from '../../../src/graphql.ts'
import { createEngine, createItem, createItems, defineSchema, type Engine } from '../../../src/index.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { key, many, maybeOne, text } from '../../support/fields.ts'

const price = { type: 'decimal', precision: 24, scale: 4, nullable: true } as const
const schema = defineSchema({
  teas: {
    fields: {
      id: key,
      price,
      kind: text,
      best: { type: 'any', by: 'kind', to: ['lots'], nullable: true },
      lots: many('lots.tea'),
    },
  },
  lots: { fields: { id: key, tea: maybeOne('teas'), price, weight: { type: 'float', nullable: true } } },
})

describe.each(databases)('A decimal in a GraphQL answer on $name', ({ name, open }) => {
  // More than the 15 to 17 digits that a number of JavaScript has; SQLite has no decimals of its own, and keeps 15.
  const [long, twice] =
    name === 'sqlite' ? ['123456.1234', '246912.2468'] : ['12345678901234567.1234', '24691357802469134.2468']
  let database: OpenDatabase
  let engine: Engine<typeof schema>

  beforeEach(async () => {
    database = await open()
    await database.run(
      'create table teas (id integer primary key, price numeric, kind text, best text)',
      'create table lots (id integer primary key, tea integer, price numeric, weight double precision)',
    )
    engine = createEngine({ db: database.db, schema })
  })

  const ask = (query: string) => answerGraphQL(engine, { query })

  /** Texts, because a number would have lost its digits. SQLite tells its own with or without zeros at their end. */
  const expectText = (text: string, exact: string) =>
    name === 'sqlite' ? expect(JSON.parse(text)).toEqual(JSON.parse(exact)) : expect(text).toBe(exact)

  const selected = '{ price p: price lots { price weight } best { ... on lots { price } } __typename }'
  const answered = `{"price":${long},"p":${long},"lots":[{"price":${long},"weight":0.5},{"price":null,"weight":null}],"best":{"price":${long}},"__typename":"teas"}`

  it('has all its digits in what a mutation returns', async () => {
    await createItem(engine, 'teas', {
      id: 1,
      price: long,
      lots: [{ id: 1, price: long, weight: 0.5 }, { id: 2 }],
    })
    await database.run("update teas set best = '1'")
    expectText(
      await ask(`mutation { update_teas_item(id: 1, data: { kind: "lots" }) ${selected} }`),
      `{"data":{"update_teas_item":${answered}}}`,
    )
    expectText(
      await ask(`mutation { update_teas_items(ids: [1], data: { kind: "lots" }) ${selected} }`),
      `{"data":{"update_teas_items":[${answered}]}}`,
    )
  })

  it('has them in what a query returns, and in sums', async () => {
    await createItems(engine, 'teas', [
      { id: 1, price: long },
      { id: 2, price: long },
    ])
    expectText(await ask('{ teas(limit: 1) { price } }'), `{"data":{"teas":[{"price":${long}}]}}`)
    expectText(
      await ask('{ teas_aggregated { sum { price } max { top: price } countAll __typename } }'),
      `{"data":{"teas_aggregated":[{"sum":{"price":${twice}},"max":{"top":${long}},"countAll":2,"__typename":"teas_aggregated"}]}}`,
    )
  })
})
