// The engine's own tables: their numbers and indexes, and tables of others with their names.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import BetterSqlite from 'better-sqlite3'
import { sql as ofKysely } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { sql } from '../../src/dialects/sql.ts'
import { internalsOf } from '../../src/engine/engine.ts'
import { installTables } from '../../src/engine/install-tables.ts'
import { createEngine, defineSchema } from '../../src/index.ts'
import type { Collection } from '../../src/schema/model.ts'
import { conditionOf, type FieldCondition, type OwnTable } from '../../src/sql/install.ts'
import { builtPrograms } from '../support/built.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { integer, string, text } from '../support/fields.ts'

const programOf = builtPrograms({ installing: 'test/engine/installing-process.ts' })

const schema = defineSchema({
  jobs: {
    table: 'quernel_jobs',
    fields: {
      id: { type: 'uuid', key: true },
      number: { type: 'integer', wide: true },
      state: { type: 'string', column: 'job_state' },
      lane: text,
      due: { type: 'timestamp', storage: 'milliseconds' },
    },
  },
  steps: { fields: { id: { type: 'integer', wide: true, key: true }, job: string, at: integer } },
})

const collectionOf = (name: string): Collection => {
  const found = schema.collections.get(name)
  if (!found) throw new Error(`no collection ${name}`)
  return found
}
const jobs = collectionOf('jobs')
const unfinished: readonly FieldCondition[] = [
  { field: 'state', isOneOf: ['waiting', "it's ready"] },
  { field: 'lane', isNull: false },
]
const tables: readonly OwnTable[] = [
  {
    collection: jobs,
    unique: [],
    numberedBy: 'number',
    indexes: [
      { fields: ['lane', 'number'], where: unfinished },
      { fields: ['due'], where: [{ field: 'lane', isNull: true }], isUnique: true },
      { fields: ['due', 'number'] },
    ],
    isStrict: true,
  },
  { collection: collectionOf('steps'), unique: ['job', 'at'], numberedBy: 'id', isStrict: true },
]

const id = (last: number) => `00000000-0000-4000-8000-00000000000${last}`

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  beforeEach(async () => {
    opened = await open()
  })

  const install = (own = tables) => installTables(internalsOf(createEngine({ db: opened.db, schema })), own)
  const insert = (table: string, ...rows: readonly object[]) =>
    opened.db.insertInto(table).values(rows).execute()
  const job = (last: number, more: object = {}) => ({ id: id(last), job_state: 'done', due: last, ...more })
  const numbers = async (table: string, column: string) => {
    const rows = await opened.db.selectFrom(table).select(column).orderBy(column).execute()
    return rows.map((row) => Number(row[column]))
  }
  const indexes = async () => {
    const { rows } = await ofKysely
      .raw<{ name: string }>(
        name === 'sqlite'
          ? `select name from sqlite_master where type = 'index' and name like 'quernel%' order by name`
          : `select indexname as name from pg_indexes where schemaname = current_schema() and indexname like 'quernel%' and indexname not like '%key' order by 1`,
      )
      .execute(opened.db)
    return rows.map((row) => row.name)
  }
  const own = ['quernel_jobs_due', 'quernel_jobs_due_number', 'quernel_jobs_lane_number']

  it('the database counts up a field beside the key, and a key', async () => {
    await install()
    await insert('quernel_jobs', job(3), job(1))
    await insert('quernel_jobs', job(2))
    expect(await numbers('quernel_jobs', 'number')).toEqual([1, 2, 3])
    await insert('steps', { job: 'a', at: 1 }, { job: 'a', at: 2 })
    expect(await numbers('steps', 'id')).toEqual([1, 2])
  })

  it('the key is still one, beside a field that is counted up', async () => {
    await install()
    await insert('quernel_jobs', job(1))
    await expect(insert('quernel_jobs', job(1))).rejects.toThrow(/unique/i)
    await expect(insert('quernel_jobs', job(1, { id: null }))).rejects.toThrow(/null/i)
  })

  it('a unique index holds the rows of its condition only', async () => {
    await install()
    await insert('quernel_jobs', job(1, { lane: 'a' }), job(2, { lane: 'a', due: 1 }), job(3))
    await expect(insert('quernel_jobs', job(4, { due: 3 }))).rejects.toThrow(/unique/i)
  })

  it('indexes are created once, and those that are missing later', async () => {
    await install(tables.map(({ indexes, ...table }) => table))
    expect(await indexes()).toEqual([])
    await insert('quernel_jobs', job(1))
    await install()
    await install()
    expect(await indexes()).toEqual(own)
    expect(await numbers('quernel_jobs', 'number')).toEqual([1])
  })

  it('many may install at once', async () => {
    await Promise.all([install(), install(), install(), install()])
    expect(await indexes()).toEqual(own)
  })

  it('installing again waits for nobody who writes', async () => {
    await install()
    if (name === 'sqlite') return
    await opened.db.transaction().execute(async (transaction) => {
      await transaction.insertInto('quernel_jobs').values(job(1)).execute()
      await install()
    })
  })

  it('a query that repeats the condition is served by the index', async () => {
    await install()
    const { dialect } = internalsOf(createEngine({ db: opened.db, schema }))
    const conditions = unfinished.map((one) =>
      conditionOf(one, jobs, (column) => sql`j.${dialect.identifier(column)}`),
    )
    const [where = ''] = sql.join(conditions, sql` and `).texts
    if (name === 'postgres') await opened.run('set enable_seqscan = off')
    for (const extra of ['', ` and j.job_state = 'waiting'`, ' and j.number < 7']) {
      const rows = await opened.run(
        `${dialect.explain.texts[0]}select j.id from quernel_jobs as j where ${where} and j.lane = 'a'${extra}`,
      )
      expect(JSON.stringify(rows)).toMatch(/quernel_jobs_lane_number/)
    }
  })

  it('a name that is too long for an index is shortened, and stays its own', async () => {
    const long = defineSchema({
      jobs: {
        table: `jobs_${'x'.repeat(40)}`,
        fields: {
          id: { type: 'uuid', key: true },
          the_first_of_two_fields: string,
          the_first_of_two_fields_2: string,
        },
      },
    }).collections.get('jobs')
    if (!long) throw new Error('no collection')
    const fields = ['the_first_of_two_fields', 'the_first_of_two_fields_2']
    const table = { collection: long, unique: [], indexes: fields.map((field) => ({ fields: [field] })) }
    await install([table])
    await install([table])
    const found = await indexes()
    expect(found).toHaveLength(2)
    for (const one of found) expect(one.length).toBeLessThan(63)
  })

  it("another's table of that name is refused, and nothing is touched", async () => {
    await opened.run('create table steps (id integer primary key, job text)')
    await expect(install()).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: 'The table "steps" has no column "at", so it is none of the engine\'s.',
      hint: 'Give the table of "steps" another name.',
    })
    expect(await indexes()).toEqual([])
    await expect(insert('quernel_jobs', job(1))).rejects.toThrow(/no such table|does not exist/)
  })

  it('a table with more columns, in any order, is one of its own', async () => {
    await opened.run('create table steps (at integer, "more" text, job text, id integer primary key)')
    await install()
    expect(await indexes()).toEqual(own)
  })
})

describe('on PostgreSQL, where other schemas are looked up, too', () => {
  const [, { open }] = databases

  it('the tables are created in the first one', async () => {
    const opened = await open()
    const other = `${(await ofKysely<{ name: string }>`select current_schema() as name`.execute(opened.db)).rows[0]?.name}_2`
    try {
      await ofKysely`create schema ${ofKysely.id(other)}`.execute(opened.db)
      await ofKysely`create table ${ofKysely.id(other, 'steps')} (id integer)`.execute(opened.db)
      await opened.db.connection().execute(async (db) => {
        await ofKysely
          .raw(`select set_config('search_path', current_schema() || ', ${other}', false)`)
          .execute(db)
        await installTables(internalsOf(createEngine({ db, schema })), tables)
        await db.insertInto('steps').values({ job: 'a', at: 1 }).execute()
      })
    } finally {
      await ofKysely`drop schema ${ofKysely.id(other)} cascade`.execute(opened.db)
    }
  })
})

describe('on SQLite, in a file that is attached', () => {
  const [{ open }] = databases

  it('an index stands beside its table', async () => {
    const attached = defineSchema({
      jobs: { dbSchema: 'far', fields: { id: { type: 'uuid', key: true }, due: integer } },
    }).collections.get('jobs')
    if (!attached) throw new Error('no collection')
    const table = { collection: attached, unique: [], indexes: [{ fields: ['due'] }] }
    const opened = await open()
    await opened.run("attach ':memory:' as far")
    const engine = internalsOf(createEngine({ db: opened.db, schema }))
    await installTables(engine, [table])
    await installTables(engine, [table])
    const { rows } =
      await ofKysely`select name from far.sqlite_master where type = 'index' and sql is not null`.execute(
        opened.db,
      )
    expect(rows).toEqual([{ name: 'quernel_jobs_due' }])
  })
})

it('several processes install into one new file at once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quernel-'))
  try {
    const moment = Date.now() + 3_000
    const file = join(folder, 'file')
    const installing = () =>
      promisify(execFile)(process.execPath, [programOf('installing'), file, String(moment)])
    const outputs = await Promise.all([installing(), installing(), installing()])
    expect(outputs.map(({ stderr }) => stderr)).toEqual(['', '', ''])
    const database = new BetterSqlite(file)
    const tables = database
      .prepare("select name from sqlite_master where type = 'table' order by name")
      .pluck()
      .all()
    expect(tables).toEqual([
      'quernel_flows',
      'quernel_runs',
      'quernel_runs_workers',
      'quernel_steps',
      'versions',
    ])
    database.close()
  } finally {
    await rm(folder, { recursive: true })
  }
})
