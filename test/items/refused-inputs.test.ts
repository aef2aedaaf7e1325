// Inputs that are refused alike by functions, over HTTP and in GraphQL: cursors, sums of related items, compared fields, changes of documents.
import { beforeAll, describe, expect, it } from 'vitest'
import { createGraphQLHandler } from '../../src/graphql.ts'
import { createHandler } from '../../src/http.ts'
import {
  createEngine,
  defineSchema,
  type Engine,
  listItems,
  type Schema,
  type SchemaDefinition,
  updateItem,
  upsertItem,
} from '../../src/index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { json, key, many, maybeOne, number, string, text } from '../support/fields.ts'
import { rejectionOf } from '../support/outcome.ts'

const definition = {
  articles: {
    fields: {
      id: { ...key, defaulted: true },
      title: { ...string, unique: true },
      views: number,
      secret: number,
      meta: json,
      labels: { type: 'csv', nullable: true },
      author: maybeOne('articles'),
      comments: many('comments.article'),
    },
  },
  comments: { fields: { id: key, stars: number, text, article: maybeOne('articles') } },
} as const satisfies SchemaDefinition
const schema: Schema = defineSchema<SchemaDefinition>(definition)

const rules = {
  articles: {
    read: { fields: ['id', 'title', 'views', 'meta', 'labels', 'author', 'comments'] },
    update: true,
  },
  comments: { read: true },
}

interface Fault {
  readonly message: string
  readonly extensions: { readonly code: string; readonly hint?: string; readonly path?: unknown }
}

const said = ([first]: readonly Fault[] = []) => [
  first?.extensions.code,
  `${first?.message} ${first?.extensions.hint}`,
]

describe.each(databases)('on $name', ({ name, open }) => {
  let database: OpenDatabase
  let whole: Engine
  let engine: Engine
  let token: string
  beforeAll(async () => {
    database = await open()
    const document = name === 'sqlite' ? 'text' : 'jsonb'
    await database.run(
      `create table articles (id integer primary key, title text not null unique, views integer, secret integer, meta ${document}, labels text, author integer)`,
      'create table comments (id integer primary key, stars integer, text text, article integer)',
      `insert into articles values (1, 'a', 1, 1, '[1]', 'x,y', null), (2, 'b', 2, 2, '{}', null, 1)`,
    )
    whole = createEngine({ db: database.db, schema })
    engine = whole.as({ rules })
    const { data } = await listItems(engine, 'articles', { fields: ['$cursor'], sort: ['views'] })
    token = String(data[0]?.$cursor)
  })

  const thrown = async (call: Promise<unknown>) => {
    const { code, message, hint } = await rejectionOf(call)
    return [code, `${message} ${hint}`]
  }
  const overHttp = async (path: string, init: RequestInit = {}) => {
    const handler = createHandler(whole, { authenticate: () => ({ rules }) })
    const headers = { 'content-type': 'application/json' }
    const answer = await handler(new Request(`http://localhost${path}`, { headers, ...init }))
    const { errors } = (await answer.json()) as { errors?: Fault[] }
    return said(errors)
  }
  const faultsInGraphQL = async (query: string, variables: object = {}) => {
    const handler = createGraphQLHandler(whole, { authenticate: () => ({ rules }) })
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ query, variables })
    const answer = await handler(new Request('http://localhost/graphql', { method: 'POST', headers, body }))
    const { errors } = (await answer.json()) as { errors?: Fault[] }
    return errors
  }
  const inGraphQL = async (query: string, variables?: object) => said(await faultsInGraphQL(query, variables))
  /** The same list by each door. */
  const refused = async (query: Record<string, unknown>, code: string, says: string) => {
    const { filter, sort, ...page } = query
    const parameters = new URLSearchParams(
      Object.entries(query).map(([one, value]): [string, string] => [one, String(value)]),
    )
    const named = { sort: sort === undefined ? undefined : [sort], ...page }
    const written = JSON.stringify(named)
      .replace(/"(\w+)":/g, '$1:')
      .slice(1, -1)
    const inDocument = filter === undefined ? written : `${written}${written && ', '}filter: ${filter}`
    for (const [door, found] of [
      ['function', await thrown(listItems(engine, 'articles', query as object))],
      ['HTTP', await overHttp(`/items/articles?${parameters}`)],
      ['GraphQL', await inGraphQL(`{ articles(${inDocument}) { id } }`)],
    ] as const)
      expect(found, door).toEqual([code, expect.stringContaining(says)])
  }

  it('cursors with an offset, a page, each other, or of another list', async () => {
    await refused({ sort: 'views', after: token, offset: 1 }, 'INVALID_QUERY', '"after"')
    await refused({ sort: 'views', after: token, page: 2 }, 'INVALID_QUERY', '"after"')
    await refused({ sort: 'views', after: token, before: token }, 'INVALID_QUERY', '"after" and "before"')
    await refused({ sort: 'title', after: token }, 'INVALID_QUERY', 'begin anew')
    await refused({ sort: 'views', after: 'none' }, 'INVALID_QUERY', 'begin anew')
    await refused({ sort: 'views', before: '' }, 'INVALID_QUERY', '"before"')
  })

  it('cursors of before a change of the schema', async () => {
    const fields = { ...definition.articles.fields, views: { type: 'float', nullable: true } } as const
    const later: Schema = defineSchema<SchemaDefinition>({ ...definition, articles: { fields } })
    const of = createEngine({ db: database.db, schema: later }).as({ rules })
    expect(await thrown(listItems(of, 'articles', { sort: ['views'], after: token }))).toEqual([
      'INVALID_QUERY',
      expect.stringContaining('begin anew'),
    ])
  })

  it('sums without a field, of text, and of a relation to one', async () => {
    await refused({ sort: 'sum(comments)' }, 'INVALID_QUERY', '"sum(comments.stars)"')
    await refused({ sort: 'sum(comments.text)' }, 'INVALID_QUERY', '"sum')
    await refused({ sort: 'sum(author.views)' }, 'INVALID_QUERY', 'Write "author.views"')
  })

  it('fields of another family, unknown and hidden ones in the place of a value', async () => {
    const ask = async (field: string, code: string, says: string) => {
      const filter = { views: { _gt: { $field: field } } }
      for (const [door, found] of [
        ['function', await thrown(listItems(engine, 'articles', { filter }))],
        ['HTTP', await overHttp(`/items/articles?filter=${encodeURIComponent(JSON.stringify(filter))}`)],
        [
          'GraphQL',
          await inGraphQL(`{ articles(filter: { views: { _field: { _gt: "${field}" } } }) { id } }`),
        ],
      ] as const)
        expect(found, door).toEqual([code, expect.stringContaining(says)])
    }
    await ask('title', 'INVALID_QUERY', 'fields of the same family')
    await ask('nope', 'FORBIDDEN', 'There is no field "nope" in "articles"')
    await ask('secret', 'FORBIDDEN', 'There is no field "secret" in "articles"')
  })

  it('names of fields where each door has them', async () => {
    const wrong = { _gt: { $field: 'nope' } }
    const call = listItems(engine, 'articles', { filter: { author: { views: wrong } } })
    await expect(call).rejects.toMatchObject({ path: ['filter', 'author', 'views', '_gt', '$field'] })
    const placesIn = async (query: string, variables?: object) =>
      (await faultsInGraphQL(query, variables))?.map(({ extensions }) => extensions.path)
    const field = 'views: { _lt: 9, _field: { _gt: "nope" } }'
    expect(await placesIn(`{ articles(filter: { author: { ${field} } }) { id } }`)).toEqual([
      ['filter', 'author', 'views', '_field', '_gt'],
    ])
    expect(
      await placesIn(`{ articles(filter: { _and: [{ id: { _eq: 1 } }, { ${field} }] }) { id } }`),
    ).toEqual([['filter', '_and', 1, 'views', '_field', '_gt']])
    expect(await placesIn(`{ articles_aggregated(filter: { ${field} }) { countAll } }`)).toEqual([
      ['filter', 'views', '_field', '_gt'],
    ])
    const variables = { filter: { stars: { _field: { _lt: 'text', _gt: 'text' } } } }
    const nested = 'query ($filter: comments_filter) { articles { of: comments(filter: $filter) { id } } }'
    expect(await placesIn(nested, variables)).toEqual([
      ['of', 'filter', 'stars', '_field', '_lt'],
      ['of', 'filter', 'stars', '_field', '_gt'],
    ])
  })

  it('changes of what is no object, and of texts', async () => {
    for (const [field, id] of [
      ['meta', 1],
      ['labels', 1],
    ] as const) {
      const change = { [field]: { _merge: { a: 1 } } }
      const body = JSON.stringify(change)
      const mutation = `mutation ($data: update_articles_input!) { update_articles_item(id: ${id}, data: $data) { id } }`
      for (const [door, found] of [
        ['function', await thrown(updateItem(engine, 'articles', id, change))],
        ['HTTP', await overHttp(`/items/articles/${id}`, { method: 'PATCH', body })],
        ['GraphQL', await inGraphQL(mutation, { data: change })],
      ] as const)
        expect(found[0], `${door} ${field}`).toMatch(
          field === 'meta' ? 'INVALID_PAYLOAD' : /INVALID_PAYLOAD|BAD_USER_INPUT|INVALID_QUERY/,
        )
    }
  })

  it('a condition of an upsert that says not by what it finds', async () => {
    const where = { views: { _lt: 6 } }
    expect(await thrown(upsertItem(whole, 'articles', { title: 'a' }, {}, { where } as never))).toEqual([
      'INVALID_OPTIONS',
      expect.stringContaining('"where"'),
    ])
    const body = JSON.stringify({ title: 'a' })
    const path = `/items/articles?where=${encodeURIComponent(JSON.stringify(where))}`
    expect((await overHttp(path, { method: 'PUT', body }))[0]).toBe('INVALID_QUERY')
  })
})
