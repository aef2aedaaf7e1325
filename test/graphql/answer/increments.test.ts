// The argument `inc` of updates: it adds to numbers, beside the values in `data`.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { answerGraphQL, printGraphQLSchema } from '../../../src/graphql.ts'
import { createEngine, defineSchema, type Engine } from '../../../src/index.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'

const schema = defineSchema({
  goods: {
    fields: {
      id: { type: 'integer', key: true },
      name: { type: 'string', nullable: true },
      stock: { type: 'integer', nullable: true },
      price: { type: 'decimal', precision: 10, scale: 2, nullable: true },
      secret: { type: 'integer', conceal: true, nullable: true },
      sum: { type: 'integer', readonly: true, nullable: true },
    },
  },
  counter: { singleton: true, fields: { id: { type: 'integer', key: true }, hits: { type: 'integer' } } },
  words: { fields: { id: { type: 'integer', key: true }, word: { type: 'string' } } },
})

describe.each(databases)('on $name', ({ open }) => {
  let opened: OpenDatabase
  let engine: Engine
  beforeAll(async () => {
    opened = await open()
    await opened.run(
      'create table goods (id integer primary key, name text, stock integer, price numeric(10, 2), secret integer, sum integer)',
    )
    await opened.run('create table counter (id integer primary key, hits integer)')
    engine = createEngine({ db: opened.db, schema }) as Engine
  })
  beforeEach(async () => {
    await opened.run('delete from goods')
    await opened.run('delete from counter')
    await opened.run("insert into goods values (1, 'tea', 10, 1.5, 7, 0), (2, 'salt', 2147483647, 2, 7, 0)")
    await opened.run('insert into counter values (1, 41)')
  })
  const ask = async (query: string, variables?: Record<string, unknown>, caller = engine) =>
    JSON.parse(await answerGraphQL(caller, { query, ...(variables && { variables }) }))

  it('adds to one item, to several and to a singleton', async () => {
    const one = await ask(
      'mutation { update_goods_item(id: 1, data: { name: "green" }, inc: { stock: -3, price: 0.25 }) { name stock price } }',
    )
    expect(one).toEqual({ data: { update_goods_item: { name: 'green', stock: 7, price: 1.75 } } })
    const several =
      'mutation ($inc: increment_goods_input) { update_goods_items(ids: [1], data: {}, inc: $inc) { stock } }'
    expect(await ask(several, { inc: { stock: 1 } })).toEqual({
      data: { update_goods_items: [{ stock: 8 }] },
    })
    expect(await ask(several, { inc: null })).toEqual({ data: { update_goods_items: [{ stock: 8 }] } })
    const hits = await ask('mutation { update_counter(data: {}, inc: { hits: 1 }) { hits } }')
    expect(hits).toEqual({ data: { update_counter: { hits: 42 } } })
  })

  it('refuses a field in both, and a sum beyond its range', async () => {
    const both = await ask(
      'mutation { update_goods_item(id: 1, data: { stock: 1 }, inc: { stock: 1 }) { stock } }',
    )
    expect(both.errors[0].extensions).toMatchObject({ code: 'INVALID_PAYLOAD', path: ['inc', 'stock'] })
    const beyond = await ask(
      'mutation { update_goods_items(ids: [1, 2], data: {}, inc: { stock: 1 }) { stock } }',
    )
    expect(beyond.errors[0].extensions.code).toBe('VALUE_OUT_OF_RANGE')
    expect(beyond.data).toBeNull()
    const none = await ask('mutation { update_goods_item(id: 1, data: {}, inc: { stock: null }) { stock } }')
    expect(none.errors[0].extensions.code).toBe('FAILED_VALIDATION')
    const stocks = await ask('{ goods { stock } }')
    expect(stocks.data.goods).toEqual([{ stock: 10 }, { stock: 2147483647 }])
  })

  it('offers the numbers that the caller writes and reads', () => {
    const inputOf = (caller: Engine) =>
      /input increment_goods_input \{[^}]*\}/.exec(printGraphQLSchema(caller))?.[0]?.replace(/\s+/g, ' ')
    expect(inputOf(engine)).toBe('input increment_goods_input { stock: Int price: Float }')
    const limited = (rules: object) => engine.as({ user: 1, rules: { goods: rules } } as never)
    const writing = {
      read: { fields: ['id', 'stock', 'price'] },
      update: { fields: ['name', 'price', 'sum'] },
    }
    expect(inputOf(limited(writing))).toBe('input increment_goods_input { price: Float }')
    const names = limited({ read: { fields: ['id', 'name'] }, update: true })
    expect(inputOf(names)).toBeUndefined()
    expect(printGraphQLSchema(names)).toContain(
      'update_goods_item(id: ID!, data: update_goods_input!): goods',
    )
    expect(printGraphQLSchema(engine)).not.toContain('increment_words_input')
  })
})
