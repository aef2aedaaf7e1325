// ZenStack, whose rules are policies of its models.
import { ZenStackClient } from '@zenstackhq/orm'
import { PostgresDialect } from '@zenstackhq/orm/dialects/postgres'
import { SqliteDialect } from '@zenstackhq/orm/dialects/sqlite'
import { PolicyPlugin } from '@zenstackhq/plugin-policy'
import type { Database } from 'better-sqlite3'
import type { Pool } from 'pg'
import { schema as postgresRelated } from '../generated/zenstack/postgres/related/schema.ts'
import { schema as postgresWritten } from '../generated/zenstack/postgres/written/schema.ts'
import { schema as sqliteRelated } from '../generated/zenstack/sqlite/related/schema.ts'
import { schema as sqliteWritten } from '../generated/zenstack/sqlite/written/schema.ts'
import { caller, change, many, nextKey, nextViews, one, type Row, turns, type Writer } from '../written.ts'

const plugins = [new PolicyPlugin()]

const onSqlite = {
  alone: (database: Database) =>
    new ZenStackClient(sqliteWritten, { dialect: new SqliteDialect({ database }), plugins }),
  related: (database: Database) =>
    new ZenStackClient(sqliteRelated, { dialect: new SqliteDialect({ database }), plugins }),
}
type Alone = ReturnType<(typeof onSqlite)['alone']>
type Related = ReturnType<(typeof onSqlite)['related']>

// It would read times of other columns in its own way, for all who use pg.
const fixPostgresTimezone = false
const onPostgres = {
  alone: (pool: Pool) =>
    new ZenStackClient(postgresWritten, {
      dialect: new PostgresDialect({ pool }),
      plugins,
      fixPostgresTimezone,
    }),
  related: (pool: Pool) =>
    new ZenStackClient(postgresRelated, {
      dialect: new PostgresDialect({ pool }),
      plugins,
      fixPostgresTimezone,
    }),
}

/** @public Loaded by name, once the peers are installed. */
export function openWriter(kind: 'alone' | 'related', place: Database | Pool): Writer {
  // Types that differ in the name of the database only.
  if (kind === 'alone')
    return writerAlone(
      'prepare' in place ? onSqlite.alone(place) : (onPostgres.alone(place) as unknown as Alone),
    )
  return writerRelated(
    'prepare' in place ? onSqlite.related(place) : (onPostgres.related(place) as unknown as Related),
  )
}

const select = { id: true } as const
const shown = { id: true, title: true } as const
const timed = (row: Row) => ({ ...row, published_at: new Date(row.published_at) })

function writerAlone(client: Alone): Writer {
  // The caller is told anew for each call, as a server does it.
  const written = () => client.$setAuth({ id: caller }).written
  const [item, items] = [timed(one), many.map(timed)]
  const methods = {
    W9a: () => written().create({ data: item, select }),
    // It reads them again by a condition for each, of which SQLite takes fewer than a thousand.
    W9b: () =>
      client
        .$setAuth({ id: caller })
        .$transaction(async ({ written }) => [
          ...(await written.createManyAndReturn({ data: items.slice(0, 500), select })),
          ...(await written.createManyAndReturn({ data: items.slice(500), select })),
        ]),
    W9u: () => written().update({ where: { id: nextKey() }, data: change(), select: shown }),
    W9q: async () => {
      const data = { views: nextViews() }
      return { updated: (await written().updateMany({ where: { status: 'gone' }, data })).count }
    },
    W10d: async () => {
      await written().delete({ where: { id: turns.gone }, select })
      return { deleted: 1 }
    },
    W10: async () => ({ deleted: (await written().deleteMany({ where: { status: 'gone' } })).count }),
  }
  return { name: 'zenstack, narrowed', forms: { methods } }
}

function writerRelated(client: Related): Writer {
  const written = () => client.$setAuth({ id: caller }).written
  const { author: authorId, ...rest } = timed(one)
  const data = { ...rest, authorId }
  const methods = {
    W9a: () => written().create({ data, select }),
    W9u: () => written().update({ where: { id: nextKey() }, data: change(), select: shown }),
    W10d: async () => {
      await written().delete({ where: { id: turns.gone }, select })
      return { deleted: 1 }
    },
  }
  return { name: 'zenstack, related', forms: { methods } }
}
