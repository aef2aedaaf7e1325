// W9 and W10: what is written is taken away again, so each contestant finds the same table. They take turns like the readers do, and all
// answer the keys of what they have written or deleted.
import Database from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import pg from 'pg'
import { createEngine, createItem, createItems, defineSchema, deleteByQuery } from 'quernel'
import { postgresDialect } from 'quernel/postgres'
import { sqliteDialect } from 'quernel/sqlite'
import { contest, type Entrant, type Result } from './contest.ts'
import { countsFor } from './data.ts'
import type { DatabaseName, Options } from './options.ts'
import { postgresData } from './postgres-data.ts'
import { printResults } from './print.ts'
import type { WriteWorkload } from './workloads.ts'

export interface WriteOutcome {
  readonly database: DatabaseName
  readonly workload: WriteWorkload
  readonly results: readonly Result[]
}

const schema = defineSchema({
  written: {
    fields: {
      id: { type: 'integer', key: true },
      title: { type: 'string' },
      body: { type: 'text' },
      status: { type: 'string' },
      published_at: { type: 'timestamp', nullable: true },
      views: { type: 'integer' },
      author: { type: 'integer', nullable: true },
    },
  },
})

interface Row extends Readonly<Record<string, unknown>> {
  title: string
  body: string
  status: string
  published_at: string
  views: number
  author: number
}
interface Tables {
  written: Row & { id: number }
}

const columns = ['title', 'body', 'status', 'published_at', 'views', 'author'] as const
const names = columns.join(', ')
const rowAt = (index: number): Row => ({
  title: `Title ${index}`,
  body: 'A few words. '.repeat(46),
  status: index % 2 === 0 ? 'draft' : 'published',
  published_at: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString(),
  views: index,
  author: index % 100,
})
const one = rowAt(1)
const many = Array.from({ length: 1_000 }, (_, index) => rowAt(index))
const valuesOf = (row: Row) => columns.map((column) => row[column])

interface Ground {
  readonly hand: Readonly<Record<WriteWorkload, () => unknown>>
  readonly own: Kysely<Tables>
  readonly plain: Kysely<Tables>
  /** 5,000 rows that W10 deletes. */
  readonly fill: () => Promise<void>
  readonly close: () => Promise<void>
}

export async function measureWrites(options: Options): Promise<readonly WriteOutcome[]> {
  const outcomes: WriteOutcome[] = []
  for (const database of options.databases) {
    const ground = await grounds[database]()
    try {
      for (const workload of options.writes) {
        const results = await contest(entrantsOf(ground, workload), () => noTurn, options.seconds)
        printResults(`${workload} on ${database}`, results)
        outcomes.push({ database, workload, results })
        await sql`delete from written`.execute(ground.own)
      }
    } finally {
      await ground.close()
    }
  }
  return outcomes
}

const noTurn = { page: 1, key: 1, most: 0, skipped: 0 }

function entrantsOf({ hand, own, plain, fill }: Ground, workload: WriteWorkload): readonly Entrant[] {
  const engines = {
    quernel: createEngine({ db: own, schema }),
    'quernel, plain': createEngine({ db: plain, schema }),
  }
  const form = (party: string, name: string, run: () => unknown): Entrant => ({
    party,
    form: name,
    run,
    ...(workload === 'W10' && { before: fill }),
  })
  return [
    form('hand', 'statement', hand[workload]),
    ...Object.entries(engines).map(([party, engine]) =>
      form(
        party,
        'verb',
        {
          W9a: () => createItem(engine, 'written', one, { fields: ['id'] }),
          W9b: () => createItems(engine, 'written', many, { fields: ['id'] }),
          W10: () => deleteByQuery(engine, 'written', { filter: { status: 'gone' } }),
        }[workload],
      ),
    ),
    form(
      'kysely',
      'builder',
      {
        W9a: () =>
          plain
            .insertInto('written')
            .values(one as Tables['written'])
            .returning('id')
            .execute(),
        W9b: () =>
          plain.transaction().execute(async (transaction) => {
            for (const half of [many.slice(0, 500), many.slice(500)])
              await transaction
                .insertInto('written')
                .values(half as Tables['written'][])
                .returning('id')
                .execute()
          }),
        W10: () => plain.deleteFrom('written').where('status', '=', 'gone').returning('id').execute(),
      }[workload],
    ),
  ]
}

const table = (key: string, moment: string) =>
  `create table written (id ${key}, title text not null, body text not null, status text not null, published_at ${moment},
    views integer not null, author integer)`
const gone = (series: string) =>
  `insert into written (${names}) select 'Gone', 'A few words.', 'gone', null, n, 1 from ${series}`

const grounds = {
  sqlite: async (): Promise<Ground> => {
    const database = new Database(':memory:')
    database.exec(table('integer primary key', 'text'))
    database.exec('create index written_status on written (status)')
    const insert = database.prepare(`insert into written (${names}) values (?, ?, ?, ?, ?, ?)`)
    const create = (row: Row) => ({ id: Number(insert.run(...valuesOf(row)).lastInsertRowid) })
    const createAll = database.transaction(() => many.map(create))
    const found = database
      .prepare<[], number>("select id from written where status = 'gone' order by id")
      .pluck()
    const remove = database.prepare("delete from written where status = 'gone'")
    const removeAll = database.transaction(() => {
      const keys = found.all()
      return { deleted: remove.run().changes, keys }
    })
    const refill = database.prepare(
      gone(
        '(with recursive s (n) as (select 1 union all select n + 1 from s where n < 5000) select n from s)',
      ),
    )
    const own = new Kysely<Tables>({ dialect: sqliteDialect({ database }) })
    const plain = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) })
    return {
      hand: { W9a: () => create(one), W9b: createAll, W10: removeAll },
      own,
      plain,
      fill: async () => void refill.run(),
      close: () => own.destroy(),
    }
  },
  postgres: async (): Promise<Ground> => {
    const { url, close } = await postgresData(countsFor(undefined))
    const pool = new pg.Pool({ connectionString: url })
    await pool.query('drop table if exists written')
    await pool.query(table('integer primary key generated by default as identity', 'timestamptz'))
    await pool.query('create index written_status on written (status)')
    const types = ['text', 'text', 'text', 'timestamptz', 'int', 'int']
    const marks = columns.map((_, index) => `$${index + 1}`)
    const lists = marks.map((mark, index) => `${mark}::${types[index]}[]`)
    const single = `insert into written (${names}) values (${marks.join(', ')}) returning id`
    const all = `insert into written (${names}) select * from unnest(${lists.join(', ')}) returning id`
    const removed = "delete from written where status = 'gone' returning id"
    const listsOf = () => columns.map((column) => many.map((row) => row[column]))
    const own = new Kysely<Tables>({ dialect: postgresDialect({ pool }) })
    const plain = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }),
    })
    return {
      hand: {
        W9a: async () => (await pool.query({ name: 'single', text: single, values: valuesOf(one) })).rows[0],
        W9b: async () => (await pool.query({ name: 'all', text: all, values: listsOf() })).rows,
        W10: async () => {
          const { rows } = await pool.query<[number]>({ name: 'gone', text: removed, rowMode: 'array' })
          const keys = rows.map(([id]) => id).sort((one, other) => one - other)
          return { deleted: keys.length, keys }
        },
      },
      own,
      plain,
      fill: async () => void (await pool.query(gone('generate_series(1, 5000) as s (n)'))),
      close: async () => {
        await pool.query('drop table written')
        await own.destroy()
        await plain.destroy()
        await close()
      },
    }
  },
}
