// What G1 to G7 ask for: tables of all sizes, items with few children and many, and trees.
import Database from 'better-sqlite3'
import { Kysely, sql } from 'kysely'
import pg from 'pg'
import { createEngine, defineSchema, type Engine } from 'quernel'
import { postgresDialect } from 'quernel/postgres'
import { sqliteDialect } from 'quernel/sqlite'
import { startPostgres } from '../test/support/postgres.ts'
import type { DatabaseName } from './options.ts'

export const tableSizes = [1_000, 10_000, 100_000, 1_000_000] as const
const row = {
  id: { type: 'integer', key: true },
  title: { type: 'string' },
  place: { type: 'integer' },
} as const

const schema = defineSchema({
  rows1000: { fields: row },
  rows10000: { fields: row },
  rows100000: { fields: row },
  rows1000000: { fields: row },
  parents: {
    fields: { id: { type: 'integer', key: true }, children: { type: 'o2m', from: 'children.parent' } },
  },
  children: { fields: { ...row, parent: { type: 'm2o', to: 'parents' } } },
  nodes: {
    fields: {
      id: { type: 'integer', key: true },
      title: { type: 'string' },
      parent: { type: 'm2o', to: 'nodes', nullable: true },
      nodes: { type: 'o2m', from: 'nodes.parent' },
    },
  },
})
export type Grown = Engine<typeof schema>

/** Ten trees in which each node has two below it, seven levels deep. */
const roots = 10
const deepest = 6
/** The items of all trees down to a level. */
export const itemsOf = (levels: number): number => roots * (2 ** (levels + 1) - 1)
export const childCounts = [1, 10, 100, 1_000] as const

interface Ground {
  readonly engine: Grown
  readonly close: () => Promise<void>
}

type Db = Kysely<Record<string, never>>

export const grounds: Readonly<Record<DatabaseName, () => Promise<Ground>>> = {
  sqlite: async () => {
    const db: Db = new Kysely({ dialect: sqliteDialect({ database: new Database(':memory:') }) })
    await fill(
      db,
      (count) =>
        `(with recursive s (n) as (select 1 union all select n + 1 from s where n < ${count}) select n from s)`,
    )
    return { engine: createEngine({ db, schema }), close: () => db.destroy() }
  },
  postgres: async () => {
    const { url, stop } = await startPostgres()
    const pool = new pg.Pool({ connectionString: url, max: 10 })
    const db: Db = new Kysely({ dialect: postgresDialect({ pool }) })
    await fill(db, (count) => `generate_series(1, ${count}) as s (n)`)
    const close = async () => {
      await db.destroy()
      await stop()
    }
    return { engine: createEngine({ db, schema }), close }
  },
}

async function fill(db: Db, series: (count: number) => string): Promise<void> {
  const columns = 'id integer primary key, title text not null, place integer not null'
  const row = (count: number) => `n, 'Title ' || n, n % ${count / 50}`
  const statements = [
    ...tableSizes.flatMap((size) => [
      `create table rows${size} (${columns})`,
      `insert into rows${size} select ${row(size)} from ${series(size)}`,
      `create index rows${size}_place on rows${size} (place)`,
    ]),
    'create table parents (id integer primary key)',
    `create table children (${columns}, parent integer not null)`,
    'create index children_parent on children (parent)',
    ...childCounts.flatMap((count) => [
      `insert into parents values (${count})`,
      `insert into children select ${count * 10} + n, 'Child ' || n, n, ${count} from ${series(count)}`,
    ]),
    'create table nodes (id integer primary key, title text not null, parent integer)',
    'create index nodes_parent on nodes (parent)',
    // The two below a node n are 2n and 2n + 1, as many times as there are trees.
    `insert into nodes select n, 'Node ' || n, case when n >= ${roots * 2} then n / 2 end from ${series(roots + itemsOf(deepest) - 1)} where n >= ${roots}`,
    'analyze',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** What one size took. */
export interface GrowthPoint {
  readonly size: number
  /** Milliseconds. */
  readonly time: number
}
