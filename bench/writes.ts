// W9 and W10: what is written is taken away again, so each contestant finds the same table. They take turns like the readers do, and
// answer the keys of what they have written or deleted.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import {
  createEngine,
  createItem,
  createItems,
  deleteByQuery,
  deleteItem,
  type Rules,
  updateItem,
} from 'quernel'
import { postgresDialect } from 'quernel/postgres'
import { sqliteDialect } from 'quernel/sqlite'
import { type Throughput, throughput } from './callers.ts'
import { contest, type Entrant, type Result } from './contest.ts'
import { countsFor } from './data.ts'
import { handWriter as handOnPostgres } from './hand/postgres-writes.ts'
import { handWriter as handOnSqlite } from './hand/sqlite-writes.ts'
import type { DatabaseName, Options } from './options.ts'
import { takesPart } from './parties.ts'
import { postgresData } from './postgres-data.ts'
import { printResults, printThroughput } from './tables.ts'
import type { WriteWorkload } from './workloads.ts'
import {
  change,
  deletion,
  filling,
  first,
  going,
  logStays,
  many,
  names,
  nextKey,
  one,
  schema,
  type Tables,
  tableOf,
  turns,
  valuesOf,
  type Writer,
} from './written.ts'
import { checkWritten } from './written-agreement.ts'

export interface WriteOutcome {
  readonly database: DatabaseName
  readonly workload: WriteWorkload
  readonly results: readonly Result[]
  /** With many callers at once, where that was measured. */
  readonly crowd: readonly Throughput[]
}

/** A table, and everybody who writes to it. */
interface Ground {
  readonly writers: readonly Writer[]
  /** What W10 finds beside the rows that it deletes. */
  readonly prepare: () => Promise<unknown>
  /** The rows that W10 deletes, and the one that W10d does. */
  readonly fill: () => Promise<unknown>
  readonly fillOne: () => Promise<unknown>
  readonly clear: () => Promise<unknown>
  /** The keys of all rows, in order. */
  readonly keys: () => Promise<readonly number[]>
  readonly close: () => Promise<void>
}

export async function measureWrites(options: Options): Promise<readonly WriteOutcome[]> {
  const outcomes: WriteOutcome[] = []
  for (const database of options.databases) {
    const ground = await grounds[database]()
    try {
      for (const workload of options.writes) {
        if (deletes(workload) || workload === 'W9u') await ground.prepare()
        if (workload === 'W9u') turns.keys = await ground.keys()
        const entrants = entrantsOf(ground, workload, options)
        await checkWritten(
          entrants,
          ground,
          deletes(workload) ? 'deleted' : workload === 'W9u' ? 'updated' : 'created',
        )
        const title = `${workload} on ${database}`
        const results = await contest(entrants, () => noTurn, options.seconds)
        printResults(title, results)
        const isCrowded = database === 'postgres' && workload === 'W9a'
        const crowd = isCrowded ? await throughput(entrants, () => noTurn, options.seconds * 2) : []
        if (isCrowded) printThroughput(title, crowd)
        outcomes.push({ database, workload, results, crowd })
        await ground.clear()
      }
    } finally {
      for (const { close } of ground.writers) await close?.()
      await ground.close()
    }
  }
  return outcomes
}

const deletes = (workload: WriteWorkload) => workload.startsWith('W10')

const noTurn = { page: 1, key: 1, most: 0, skipped: 0 }

function entrantsOf(
  { writers, fill, fillOne }: Ground,
  workload: WriteWorkload,
  { parties }: Options,
): readonly Entrant[] {
  const before = workload === 'W10d' ? fillOne : fill
  const chosen = writers.filter(({ name }) => takesPart(name, parties))
  return chosen.flatMap(({ name, forms }) =>
    Object.entries(forms).flatMap(([form, { [workload]: run }]) =>
      run ? { party: name, form, run, ...(deletes(workload) && { before }) } : [],
    ),
  )
}

const grounds: Readonly<Record<DatabaseName, () => Promise<Ground>>> = {
  sqlite: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quernel-bench-written-'))
    const file = join(folder, 'written.sqlite')
    const database = new Database(file)
    // As better-sqlite3 advises servers to.
    database.pragma('journal_mode = wal')
    // Whose call it is that brings the log into the file is a matter of luck, so it is brought there in between.
    database.pragma(logStays)
    const settle = () => database.pragma('wal_checkpoint(truncate)')
    database.exec(tableOf('integer primary key', 'text'))
    const { stays, goes } = filling(
      (count) =>
        `(with recursive s (n) as (select 1 union all select n + 1 from s where n < ${count}) select n from s)`,
    )
    const fill = database.prepare(goes)
    const insertGoing = database.prepare(`insert into written (${names}) values (?, ?, ?, ?, ?, ?)`)
    const own = new Kysely<Tables>({ dialect: sqliteDialect({ database }) })
    const plain = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) })
    return {
      writers: [
        ...handOnSqlite(database),
        quernelWriter('quernel', own),
        quernelWriter('quernel, plain', plain),
        quernelWriter('quernel, narrowed', own, rules),
        kyselyWriter(plain),
        await installed('drizzle-writes-sqlite', database),
        await installed('prisma-writes', 'sqlite', file),
      ],
      prepare: async () => database.exec(stays),
      fill: async () => {
        fill.run()
        settle()
      },
      fillOne: async () => {
        turns.gone = Number(insertGoing.run(...valuesOf(going)).lastInsertRowid)
      },
      clear: async () => {
        database.exec('delete from written')
        settle()
      },
      keys: async () => database.prepare<[], number>('select id from written order by id').pluck().all(),
      close: async () => {
        database.close()
        rmSync(folder, { recursive: true })
      },
    }
  },
  postgres: async () => {
    const { url, close } = await postgresData(countsFor(undefined))
    const [pool, other] = [url, url].map((connectionString) => new pg.Pool({ connectionString }))
    if (!pool || !other) throw new Error('There are two.')
    await pool.query('drop table if exists written')
    await pool.query(tableOf('integer primary key generated by default as identity', 'timestamptz'))
    const { stays, goes } = filling((count) => `generate_series(1, ${count}) as s (n)`)
    const own = new Kysely<Tables>({ dialect: postgresDialect({ pool }) })
    const plain = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: other }) })
    return {
      writers: [
        ...handOnPostgres(pool),
        quernelWriter('quernel', own),
        quernelWriter('quernel, plain', plain),
        quernelWriter('quernel, narrowed', own, rules),
        kyselyWriter(plain),
        await installed('drizzle-writes-postgres', other),
        await installed('prisma-writes', 'postgres', url),
      ],
      prepare: () => pool.query(stays),
      fill: async () => {
        // Those that others have deleted are in nobody's way.
        await pool.query('vacuum written')
        await pool.query(goes)
      },
      fillOne: async () => {
        const { rows } = await pool.query<{ id: number }>(
          `insert into written (${names}) values ($1, $2, $3, $4, $5, $6) returning id`,
          valuesOf(going),
        )
        turns.gone = rows[0]?.id ?? 0
      },
      clear: () => pool.query('truncate written'),
      keys: async () =>
        (await pool.query<{ id: number }>('select id from written order by id')).rows.map(({ id }) => id),
      close: async () => {
        await pool.query('drop table written')
        await pool.end()
        await other.end()
        await close()
      },
    }
  },
}

/** A peer from the package of the bench. It is loaded by name, so that types can be checked before it is installed. */
async function installed(name: string, ...place: readonly unknown[]): Promise<Writer> {
  const module: { readonly openWriter: (...place: readonly unknown[]) => Writer | Promise<Writer> } =
    await import(new URL(`./peers/${name}.ts`, import.meta.url).href)
  return module.openWriter(...place)
}

/** A caller may see and write what is worth anything, and delete what is gone. */
const rules: Rules<typeof schema> = {
  written: {
    read: { filter: { views: { _gte: 0 } } },
    create: { validation: { views: { _gte: 0 } } },
    update: { filter: { author: '$CURRENT_USER' }, fields: ['title', 'views'] },
    delete: { filter: { status: 'gone' } },
  },
}

/** With rules, it is narrowed anew for each call, as a server does it. */
function quernelWriter(name: string, db: Kysely<Tables>, scope?: Rules<typeof schema>): Writer {
  const whole = createEngine({ db, schema })
  const engine = scope ? () => whole.as({ user: 1, rules: scope }) : () => whole
  const verb = {
    W9a: () => createItem(engine(), 'written', one, { fields: ['id'] }),
    W9b: () => createItems(engine(), 'written', many, { fields: ['id'] }),
    W9u: () => updateItem(engine(), 'written', nextKey(), change(), { fields: ['id', 'title'] }),
    W10d: async () => {
      await deleteItem(engine(), 'written', turns.gone)
      return { deleted: 1 }
    },
    W10: async () => {
      const { deleted } = await deleteByQuery(
        engine(),
        'written',
        { filter: { status: 'gone' } },
        { keys: false },
      )
      return { deleted }
    },
    W10k: () => deleteByQuery(engine(), 'written', { filter: { status: 'gone' } }),
  }
  return { name, forms: { verb } }
}

function kyselyWriter(db: Kysely<Tables>): Writer {
  const builder = {
    W9a: async () =>
      first(
        await db
          .insertInto('written')
          .values(one as Tables['written'])
          .returning('id')
          .execute(),
      ),
    W9b: () =>
      db.transaction().execute(async (transaction) => {
        const items: { id: number }[] = []
        for (const half of [many.slice(0, 500), many.slice(500)])
          items.push(
            ...(await transaction
              .insertInto('written')
              .values(half as Tables['written'][])
              .returning('id')
              .execute()),
          )
        return items
      }),
    W9u: async () =>
      first(
        await db
          .updateTable('written')
          .set(change())
          .where('id', '=', nextKey())
          .returning(['id', 'title'])
          .execute(),
      ),
    W10d: async () => {
      const { numDeletedRows } = await db
        .deleteFrom('written')
        .where('id', '=', turns.gone)
        .executeTakeFirstOrThrow()
      return { deleted: Number(numDeletedRows) }
    },
    W10: async () => {
      const { numDeletedRows } = await db
        .deleteFrom('written')
        .where('status', '=', 'gone')
        .executeTakeFirstOrThrow()
      return { deleted: Number(numDeletedRows) }
    },
    W10k: async () =>
      deletion(await db.deleteFrom('written').where('status', '=', 'gone').returning('id').execute()),
  }
  return { name: 'kysely', forms: { builder } }
}
