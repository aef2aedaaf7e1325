// Quernel itself: through its own doors, and through a Kysely dialect that knows nothing of it.
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import { createEngine, getItem, listItems, listItemsJson, type Rules } from 'quernel'
import { postgresDialect } from 'quernel/postgres'
import { sqliteDialect } from 'quernel/sqlite'
import type { Form, Party } from './contestant.ts'
import { openPool } from './postgres-data.ts'
import { schema } from './schema.ts'
import { openSqlite } from './sqlite-data.ts'
import { queries, type Turn, type WorkloadName } from './workloads.ts'

type Tables = Record<string, never>

export const openQuernelSqlite = (file: string) =>
  quernelParty('quernel', new Kysely<Tables>({ dialect: sqliteDialect({ database: openSqlite(file) }) }))

export const openPlainSqlite = (file: string) =>
  quernelParty(
    'quernel, plain',
    new Kysely<Tables>({ dialect: new SqliteDialect({ database: openSqlite(file) }) }),
  )

export const openQuernelPostgres = (url: string) =>
  quernelParty('quernel', new Kysely<Tables>({ dialect: postgresDialect({ pool: openPool(url) }) }))

export const openPlainPostgres = (url: string) =>
  quernelParty(
    'quernel, plain',
    new Kysely<Tables>({ dialect: new PostgresDialect({ pool: openPool(url) }) }),
  )

export const openNarrowedSqlite = (file: string) =>
  narrowedParty(new Kysely<Tables>({ dialect: sqliteDialect({ database: openSqlite(file) }) }))

export const openNarrowedPostgres = (url: string) =>
  narrowedParty(new Kysely<Tables>({ dialect: postgresDialect({ pool: openPool(url) }) }))

/** Who asks may see what is published: what is a filter elsewhere is a rule here. */
export const rules: Rules<typeof schema> = {
  articles: { read: { filter: { status: 'published' } } },
  authors: { read: true },
  comments: { read: true },
  tags: { read: true },
  articles_tags: { read: true },
}

/** Narrowed anew for each call, as a server does it. */
function narrowedParty(db: Kysely<Tables>): Party {
  const engine = createEngine({ db, schema })
  const list =
    (workload: WorkloadName): Form =>
    (turn) => {
      const { filter: _rule, ...query } = queries[workload](turn)
      return listItems(engine.as({ user: 1, rules }), 'articles', query)
    }
  const named = (['W1', 'W2', 'W3'] as const).map((workload) => [workload, { listItems: list(workload) }])
  return { name: 'quernel, narrowed', objects: Object.fromEntries(named), close: () => db.destroy() }
}

function quernelParty(name: string, db: Kysely<Tables>): Party {
  const engine = createEngine({ db, schema })
  const list = (workload: WorkloadName): Record<string, Form> => ({
    listItems: (turn) => listItems(engine, 'articles', queries[workload](turn)),
  })
  const text = (workload: WorkloadName): Record<string, Form> => ({
    listItemsJson: (turn) => listItemsJson(engine, 'articles', queries[workload](turn)),
  })
  const one = (turn: Turn) => ({ ...queries.W6(turn), filter: { id: turn.key } })
  const lists = ['W1', 'W2', 'W2r', 'W3', 'W3p', 'W3r', 'W3u', 'W3pu', 'W4', 'W5', 'W5h', 'W7', 'W8'] as const
  const texts = ['W1', 'W2', 'W3', 'W7'] as const
  return {
    name,
    objects: {
      ...Object.fromEntries(lists.map((workload) => [workload, list(workload)])),
      W6: { getItem: (turn) => getItem(engine, 'articles', turn.key, queries.W6(turn)) },
      W6u: { getItem: (turn) => getItem(engine, 'articles', turn.key, queries.W6u(turn)) },
    },
    texts: {
      ...Object.fromEntries(texts.map((workload) => [workload, text(workload)])),
      W6: { listItemsJson: (turn) => listItemsJson(engine, 'articles', one(turn)) },
    },
    close: () => db.destroy(),
  }
}
