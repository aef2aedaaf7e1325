// Lists by cursors, in GraphQL and over HTTP.
import { beforeAll, describe, expect, it } from 'vitest'
import { answerGraphQL, printGraphQLSchema } from '../../../src/graphql.ts'
import { createHandler } from '../../../src/http.ts'
import { createEngine, defineSchema, type Engine } from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'
import { key, many, maybeOne, number, string } from '../../support/fields.ts'

const schema = defineSchema({
  teas: { fields: { id: key, name: string, rank: number, lots: many('lots.tea') } },
  lots: { fields: { id: key, tea: maybeOne('teas') } },
  site: { singleton: true, fields: { id: key, name: string } },
})

interface Answered {
  readonly data: Record<string, readonly Record<string, unknown>[]>
  readonly errors?: readonly { readonly message: string }[]
}

describe.each(databases)('cursors on $name', ({ open }) => {
  let engine: Engine
  const ask = async (query: string, variables: Record<string, unknown> = {}): Promise<Answered> =>
    JSON.parse(await answerGraphQL(engine, { query, variables }))
  beforeAll(async () => {
    const opened = await open()
    await opened.run(
      'create table teas (id integer primary key, name varchar(20) not null, rank integer)',
      'create table lots (id integer primary key, tea integer references teas)',
      'create table site (id integer primary key, name varchar(20) not null)',
      "insert into teas values (1, 'Assam', 2), (2, 'Ceylon', null), (3, 'Matcha', 1), (4, 'Sencha', 1)",
      'insert into lots values (1, 1), (2, 1), (3, 1), (4, 3), (5, 3)',
    )
    engine = createEngine({ db: opened.db, schema }) as Engine
  })

  const page =
    'query ($after: String, $before: String) { teas(sort: ["rank"], limit: 2, after: $after, before: $before) { name place: _cursor } }'

  it('are members of items in GraphQL, and arguments of lists', async () => {
    const first = await ask(page)
    expect(first.data.teas?.map(({ name }) => name)).toEqual(['Matcha', 'Sencha'])
    const second = await ask(page, { after: first.data.teas?.[1]?.place })
    expect(second.data.teas?.map(({ name }) => name)).toEqual(['Assam', 'Ceylon'])
    const back = await ask(page, { before: second.data.teas?.[0]?.place })
    expect(back).toEqual(first)
  })

  it('are of the lists below items', async () => {
    const { data } = await ask('{ teas(filter: { id: { _eq: 1 } }) { lots { id _cursor } } }')
    const [tea] = data.teas ?? []
    const lots = Array.isArray(tea?.lots) ? tea.lots : []
    const below = await ask(
      'query ($at: String) { teas(filter: { lots: { id: { _gt: 0 } } }) { lots(after: $at, limit: 1) { id } } }',
      { at: lots[0]?._cursor },
    )
    expect(below.data.teas).toEqual([{ lots: [{ id: '2' }] }, { lots: [{ id: '4' }] }])
  })

  it('are refused where there is no list', async () => {
    const one = 'A cursor is of a list, and there is one item here.'
    for (const query of ['{ teas_by_id(id: 1) { _cursor } }', '{ lots { tea { _cursor } } }']) {
      const { errors } = await ask(query)
      expect(errors?.map(({ message }) => message)).toEqual([one])
    }
    const { errors } = await ask(page, { after: 'x' })
    expect(errors?.[0]?.message).toBe('"after" is no cursor of this list as it is now; begin anew.')
    const below = await ask('{ teas { lots(after: "x") { id } } }')
    expect(below.errors?.[0]?.message).toBe('"after" is no cursor of this list as it is now; begin anew.')
    const printed = printGraphQLSchema(engine)
    expect(printed).not.toContain('type site {\n  id: ID\n  name: String\n  _cursor')
    expect(printed).toMatch(/tea\(filter: teas_filter, [^)]*search: String\): teas/)
  })

  it('are parameters over HTTP', async () => {
    const handler = createHandler(engine, { authenticate: () => ({ admin: true }) })
    const get = async (query: string) => {
      const url = `http://localhost/items/teas?sort=-rank&fields=name&limit=2${query}`
      return JSON.parse(await (await handler(new Request(url))).text())
    }
    const first = await get('&meta=cursors')
    expect(first).toEqual({
      data: [{ name: 'Ceylon' }, { name: 'Assam' }],
      meta: { cursors: { first: expect.any(String), last: expect.any(String), has_more: true } },
    })
    const { last } = first.meta.cursors
    expect(await get(`&after=${last}`)).toEqual({ data: [{ name: 'Sencha' }, { name: 'Matcha' }] })
    expect(await get(`&before=${last}`)).toEqual({ data: [{ name: 'Ceylon' }] })
    expect((await get(`&after=${last}&page=2`)).errors[0]).toEqual({
      message: '"page" and "after" exclude each other.',
      extensions: { code: 'INVALID_QUERY', path: ['page'] },
    })
  })
})
