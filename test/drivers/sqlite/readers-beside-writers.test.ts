// Threads that read a file while others write, check out, fill the disk, change the schema and put another file in its place.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { Kysely, sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  defineSchema,
  type Engine,
  listItems,
  updateItem,
} from '../../../src/index.ts'
import { sqliteDialect, sqliteReaders } from '../../../src/sqlite.ts'
import { key, number } from '../../support/fields.ts'

const schema = defineSchema({ counters: { fields: { id: key, value: number } } })
type Db = Kysely<Record<string, never>>

let home: string
let path: string
let database: BetterSqlite.Database
let reads: Db
let engine: Engine<typeof schema>

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'quernel-beside-'))
  path = join(home, 'shop.db')
  database = new BetterSqlite(path)
  database.pragma('journal_mode = wal')
  database.exec(
    'create table counters (id integer primary key, value integer not null); insert into counters values (1, 0)',
  )
  reads = new Kysely({ dialect: sqliteReaders({ path, threads: 2 }) })
  engine = createEngine({
    db: new Kysely<Record<string, never>>({ dialect: sqliteDialect({ database }) }),
    reads,
    schema,
  })
})
afterEach(async () => {
  await reads.destroy()
  database.close()
  await rm(home, { recursive: true, force: true })
})

const counters = async () => (await listItems(engine, 'counters', { sort: ['id'], limit: -1 })).data

it('10,000 reads after own writes see them', async () => {
  for (let round = 1; round <= 10_000; round++) {
    await updateItem(engine, 'counters', 1, { value: round })
    const [item] = await counters()
    if (item?.value !== round) throw new Error(`read ${item?.value} after ${round} was written`)
  }
})

it('a schema that changes under reads changes no answer', async () => {
  let isDone = false
  const readOn = async () => {
    while (!isDone) expect(await counters()).toEqual([{ id: 1, value: 0 }])
  }
  const reading = [readOn(), readOn()]
  for (let round = 0; round < 100; round++) {
    database.exec(
      `alter table counters add column more${round} text default 'x'; create index at${round} on counters (value)`,
    )
    await new Promise((resolve) => setImmediate(resolve))
    if (round % 2) database.exec(`drop index at${round}; alter table counters drop column more${round}`)
  }
  isDone = true
  await Promise.all(reading)
})

it('a checkpoint takes nothing from a read that has begun, and all is there behind it', async () => {
  await reads.transaction().execute(async (inside) => {
    const count = async () =>
      (await sql<{ n: number }>`select count(*) as n from counters`.execute(inside)).rows
    expect(await count()).toEqual([{ n: 1 }])
    for (let id = 2; id <= 50; id++) {
      await createItem(engine, 'counters', { id, value: id })
      database.pragma('wal_checkpoint(passive)')
    }
    expect(await count()).toEqual([{ n: 1 }])
  })
  expect(await counters()).toHaveLength(50)
  const [{ busy } = { busy: 1 }] = database.pragma('wal_checkpoint(truncate)') as { busy: number }[]
  expect(busy).toBe(0)
  expect(await counters()).toHaveLength(50)
})

it('reads follow a writer in another process, and none goes back', async () => {
  const program = `const db = new (require('better-sqlite3'))(${JSON.stringify(path)})
    for (let id = 2; id <= 2000; id++) db.prepare('insert into counters values (?, ?)').run(id, id)`
  const writer = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'inherit', 'inherit'] })
  const ended = once(writer, 'exit')
  let last = 1
  while (writer.exitCode === null) {
    const { length } = await counters()
    expect(length).toBeGreaterThanOrEqual(last)
    last = length
  }
  expect(await ended).toEqual([0, null])
  expect(await counters()).toHaveLength(2_000)
})

it('reads go on where the disk is full', async () => {
  const { page_count: pages } = (database.pragma('page_count') as { page_count: number }[])[0] ?? {
    page_count: 0,
  }
  database.pragma(`max_page_count = ${pages}`)
  const writes = createItem(engine, 'counters', { id: 2, value: 0 }).then(async () => {
    for (let id = 3; id < 5_000; id++) await createItem(engine, 'counters', { id, value: id })
  })
  await expect(writes).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  const rows = await counters()
  expect(rows.length).toBeGreaterThan(1)
  expect(rows).toEqual(database.prepare('select * from counters order by id').all())
})

it('where another file takes the place of theirs, threads read on what the process reads', async () => {
  expect(await counters()).toEqual([{ id: 1, value: 0 }])
  const other = new BetterSqlite(join(home, 'other.db'))
  other.exec(
    'create table counters (id integer primary key, value integer not null); insert into counters values (9, 9)',
  )
  other.close()
  await rename(join(home, 'other.db'), path)
  await updateItem(engine, 'counters', 1, { value: 5 })
  expect(await counters()).toEqual([{ id: 1, value: 5 }])
  expect(await createItem(engine.fresh(), 'counters', { id: 2, value: 2 })).toEqual({ id: 2, value: 2 })
  expect(await counters()).toHaveLength(2)
})
