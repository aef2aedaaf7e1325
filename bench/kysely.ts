// Kysely with its helpers for JSON, as its guide shows it.
import {
  type ExpressionBuilder,
  Kysely,
  ParseJSONResultsPlugin,
  PostgresDialect,
  SqliteDialect,
  sql,
} from 'kysely'
import * as postgresHelpers from 'kysely/helpers/postgres'
import * as sqliteHelpers from 'kysely/helpers/sqlite'
import type { Party } from './contestant.ts'
import type { Tables } from './kysely-tables.ts'
import { openPool } from './postgres-data.ts'
import { openSqlite } from './sqlite-data.ts'
import { names, type Turn, until } from './workloads.ts'

type Helpers = Pick<typeof sqliteHelpers, 'jsonArrayFrom' | 'jsonObjectFrom'>

export function openKyselySqlite(file: string): Party {
  const dialect = new SqliteDialect({ database: openSqlite(file) })
  // SQLite has JSON as text only, which this plugin parses.
  return kyselyParty(
    new Kysely<Tables>({ dialect, plugins: [new ParseJSONResultsPlugin()] }),
    sqliteHelpers,
    sql<number | null>`cast(strftime('%Y', published_at) as integer)`,
  )
}

export function openKyselyPostgres(url: string): Party {
  const dialect = new PostgresDialect({ pool: openPool(url) })
  return kyselyParty(
    new Kysely<Tables>({ dialect }),
    postgresHelpers,
    sql<number | null>`extract(year from published_at at time zone 'UTC')::int`,
  )
}

type Year = ReturnType<typeof sql<number | null>>

function kyselyParty(db: Kysely<Tables>, helpers: Helpers, year: Year): Party {
  const latest = ({ limit = 100, offset = 0 }) =>
    db
      .selectFrom('articles')
      .where('articles.status', '=', 'published')
      .orderBy('articles.published_at', 'desc')
      .orderBy('articles.id', 'desc')
      .limit(limit)
      .offset(offset)
  const past = db
    .selectFrom('articles')
    .where('articles.published_at', '<=', until)
    .orderBy('articles.published_at', 'desc')
    .orderBy('articles.id', 'desc')
    .limit(100)
  const flat = ['id', 'title', 'body', 'status', 'published_at', 'views', 'meta', 'author'] as const
  const author = ({ selectFrom }: Builder) =>
    helpers
      .jsonObjectFrom(
        selectFrom('authors').select(['id', 'name', 'email']).whereRef('authors.id', '=', 'articles.author'),
      )
      .as('author')
  const tree = ['articles.id', 'title', 'status', 'published_at', 'views'] as const
  const lists = lastCommentsAndTags(helpers)
  const page = ({ page }: Turn) => ({ offset: (page - 1) * 100 })
  const trees = async (range: { readonly offset?: number }) => ({
    data: await latest(range)
      .select([...tree])
      .select(author)
      .select(lists)
      .execute(),
  })
  return {
    name: 'kysely',
    objects: {
      W1: {
        select: async (turn) => ({
          data: await latest(page(turn))
            .select([...flat])
            .execute(),
        }),
      },
      W2: {
        jsonObjectFrom: async () => ({
          data: await latest({}).select(['id', 'title', 'published_at', 'views']).select(author).execute(),
        }),
      },
      W2r: {
        jsonObjectFrom: async () => ({
          data: await past.select(['id', 'title', 'published_at', 'views']).select(author).execute(),
        }),
      },
      W3: { helpers: () => trees({}) },
      W3p: { helpers: (turn) => trees(page(turn)) },
      W3r: {
        helpers: async () => ({
          data: await past
            .select([...tree])
            .select(author)
            .select(lists)
            .execute(),
        }),
      },
      W4: { exists: found(db, helpers) },
      W5: { groupBy: grouped(db, year) },
      W6: {
        helpers: ({ key }) =>
          db
            .selectFrom('articles')
            .where('id', '=', key)
            .select([...tree])
            .select(author)
            .select(lists)
            .executeTakeFirst(),
      },
      W7: {
        select: async ({ most }) => ({
          data: await db
            .selectFrom('articles')
            .select(['id', 'title', 'status', 'published_at', 'views', 'author'])
            .orderBy('id')
            .limit(most)
            .execute(),
        }),
      },
      W8: {
        select: async ({ skipped }) => ({
          data: await latest({ offset: skipped })
            .select([...flat])
            .execute(),
        }),
      },
    },
    close: () => db.destroy(),
  }
}

type Builder = ExpressionBuilder<Tables, 'articles'>

const lastCommentsAndTags =
  ({ jsonArrayFrom, jsonObjectFrom }: Helpers) =>
  ({ selectFrom }: Builder) => [
    jsonArrayFrom(
      selectFrom('comments')
        .select(['comments.id', 'comments.body', 'comments.created_at'])
        .select(({ selectFrom }) =>
          jsonObjectFrom(
            selectFrom('authors').select(['id', 'name']).whereRef('authors.id', '=', 'comments.author'),
          ).as('author'),
        )
        .whereRef('comments.article', '=', 'articles.id')
        .orderBy('comments.created_at', 'desc')
        .orderBy('comments.id', 'desc')
        .limit(5),
    ).as('comments'),
    jsonArrayFrom(
      selectFrom('articles_tags')
        .innerJoin('tags', 'tags.id', 'articles_tags.tags_id')
        .select(['tags.id', 'tags.name'])
        .whereRef('articles_tags.articles_id', '=', 'articles.id')
        .orderBy('articles_tags.id'),
    ).as('tags'),
  ]

/** The needles hold nothing that LIKE would take for a pattern, nor letters whose case differs anywhere in the data. */
const found =
  (db: Kysely<Tables>, { jsonObjectFrom }: Helpers) =>
  async () => {
    const matching = db
      .selectFrom('articles')
      .innerJoin('authors', 'authors.id', 'articles.author')
      .where('authors.name', 'like', `%${names.author}%`)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('comments')
            .select(sql.lit(1).as('one'))
            .whereRef('comments.article', '=', 'articles.id')
            .where('comments.body', 'like', `%${names.comment}%`),
        ),
      )
    const [data, count] = await Promise.all([
      matching
        .select(['articles.id', 'title', 'published_at', 'views'])
        .select(({ selectFrom }) =>
          jsonObjectFrom(
            selectFrom('authors as own')
              .select(['own.id', 'own.name'])
              .whereRef('own.id', '=', 'articles.author'),
          ).as('author'),
        )
        .orderBy('published_at', (order) => order.desc().nullsFirst())
        .orderBy('articles.id', 'desc')
        .limit(25)
        .execute(),
      matching.select(({ fn }) => fn.countAll<string>().as('count')).executeTakeFirst(),
    ])
    return { data, meta: { filter_count: Number(count?.count) } }
  }

const grouped = (db: Kysely<Tables>, year: Year) => async () => {
  const rows = await db
    .selectFrom('articles')
    .select(({ fn }) => [
      year.as('year'),
      'status',
      fn.countAll<string>().as('count'),
      fn.avg<string>('views').as('views'),
    ])
    .groupBy([year, 'status'])
    .orderBy(year, (order) => order.asc().nullsLast())
    .orderBy('status')
    .execute()
  return {
    data: rows.map(({ year, status, count, views }) => ({
      published_at_year: year,
      status,
      count: Number(count),
      avg: { views: Number(views) },
    })),
  }
}
