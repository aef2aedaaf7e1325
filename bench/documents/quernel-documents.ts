// Quernel, asked by documents: as the host, and as a caller with rules. Beside it stand the functions that give the same without GraphQL.
import { Kysely } from 'kysely'
import { createEngine, getItem, listItemsJson } from 'quernel'
import { answerGraphQL } from 'quernel/graphql'
import { postgresDialect } from 'quernel/postgres'
import { sqliteDialect } from 'quernel/sqlite'
import type { DatabaseName } from '../options.ts'
import { openPool } from '../postgres-data.ts'
import { rules } from '../quernel.ts'
import { schema } from '../schema.ts'
import { openSqlite } from '../sqlite-data.ts'
import { type ArticleQuery, queries, type Turn } from '../workloads.ts'
import { coldDocuments } from './cold.ts'
import type { DocumentParty } from './document-party.ts'

export function openFunctions(database: DatabaseName, place: string): DocumentParty {
  const { engine, close } = engineOn(database, place)
  const list = (query: (turn: Turn) => ArticleQuery) => (turn: Turn) =>
    listItemsJson(engine, 'articles', query(turn))
  return {
    name: 'quernel, functions',
    form: 'listItemsJson, getItem',
    answers: {
      D1: list((turn) => ({ ...queries.W1(turn), fields: [...narrow, 'body', 'meta'] })),
      D3: list(queries.W3),
      D6: async (turn) => JSON.stringify(await getItem(engine, 'articles', turn.key, queries.W6(turn))),
      D7: list((turn) => ({ ...queries.W7(turn), fields: narrow })),
    },
    close,
  }
}

const narrow: NonNullable<ArticleQuery['fields']> = [
  'id',
  'title',
  'status',
  'published_at',
  'views',
  'author.id',
]

export function openDocuments(database: DatabaseName, place: string): DocumentParty {
  const { engine, close } = engineOn(database, place)
  const ask = (query: string, variables: Variables) => answerGraphQL(engine, { query, variables })
  const cold = coldDocuments(documents.D6)
  return {
    name: 'quernel',
    form: 'answerGraphQL',
    answers: {
      D1: ({ page }) => ask(documents.D1, { ...published, page }),
      D3: () => ask(documents.D3, published),
      D6: ({ key }) => ask(documents.D6, { key }),
      D7: ({ most }) => ask(documents.D7, { most }),
      DC: ({ key }) => ask(cold(), { key }),
    },
    close,
  }
}

/** Narrowed anew for each request, as a server does it: what is a filter elsewhere is a rule here. */
export function openNarrowedDocuments(database: DatabaseName, place: string): DocumentParty {
  const { engine, close } = engineOn(database, place)
  const ask = (query: string, variables: Variables) =>
    answerGraphQL(engine.as({ user: 1, rules }), { query, variables })
  return {
    name: 'quernel, narrowed',
    form: 'answerGraphQL',
    answers: { D1: ({ page }) => ask(documents.D1, { page }), D3: () => ask(documents.D3, {}) },
    close,
  }
}

type Variables = Readonly<Record<string, unknown>>

function engineOn(database: DatabaseName, place: string) {
  const db = new Kysely<Record<string, never>>({ dialect: dialects[database](place) })
  return { engine: createEngine({ db, schema }), close: () => db.destroy() }
}

const dialects = {
  sqlite: (file: string) => sqliteDialect({ database: openSqlite(file) }),
  postgres: (url: string) => postgresDialect({ pool: openPool(url) }),
} as const

const published = { filter: { status: { _eq: 'published' } } } as const
const latest = (fields: string) => `query Latest($filter: articles_filter, $page: Int) {
  articles(filter: $filter, sort: ["-published_at"], limit: 100, page: $page) { ${fields} }
}`
const flat = 'id title status published_at views author { id }'
const tree = `id title status published_at views author { id name email }
  comments(sort: ["-created_at"], limit: 5) { id body created_at author { id name } }
  tags { tags_id { id name } }`

const documents = {
  D1: latest(`${flat} body meta`),
  D3: latest(tree),
  D6: `query One($key: ID!) { articles_by_id(id: $key) { ${tree} } }`,
  D7: `query Many($most: Int) { articles(limit: $most) { ${flat} } }`,
} as const
