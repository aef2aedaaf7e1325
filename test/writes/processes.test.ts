// Deletions in processes of their own: killed in the middle, and of a million rows in little memory. And two who want the same at once.

import { spawn } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteDialect, sql } from 'kysely'
import { afterEach, describe, expect, inject, it } from 'vitest'
import {
  createEngine,
  createItem,
  deleteItem,
  type Engine,
  getSingleton,
  isEngineError,
  listItems,
  updateSingleton,
} from '../../src/index.ts'
import { builtPrograms } from '../support/built.ts'
import { type AnyTables, openPostgres } from '../support/databases.ts'
import { isLong } from '../support/long-runs.ts'
import { createLibrary, type Library, schema } from './library.ts'

const programOf = builtPrograms({
  deleting: 'test/writes/deleting.ts',
  creating: 'test/writes/creating.ts',
})

interface Store {
  readonly db: Kysely<AnyTables>
  /** What the other process is told. */
  readonly address: readonly [url: string, path: string]
  /** Whether somebody has a transaction open that has written. */
  isWriting(): Promise<boolean>
  close(): Promise<void>
}

const stores = [
  { name: 'sqlite', open: openFile },
  { name: 'postgres', open: openSchema },
] as const

async function openFile(): Promise<Store> {
  const home = await mkdtemp(join(tmpdir(), 'quernel-writes-'))
  const path = join(home, 'test.db')
  const db = new Kysely<AnyTables>({
    dialect: new SqliteDialect({ database: new BetterSqlite(path, { timeout: 50 }) }),
  })
  const journal = `${path}-journal`
  return {
    db,
    address: ['sqlite', path],
    isWriting: async () => existsSync(journal) && statSync(journal).size > 0,
    close: async () => {
      await db.destroy()
      await rm(home, { recursive: true, force: true })
    },
  }
}

async function openSchema(): Promise<Store> {
  const { db, close } = await openPostgres()
  const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db)
  const [{ name } = { name: '' }] = rows
  return {
    db,
    address: [inject('postgres').c, name],
    isWriting: async () => {
      const found = await sql<{ pid: number }>`
        select pid from pg_locks join pg_class on pg_class.oid = relation
        where relname = 'rows' and relnamespace = ${name}::regnamespace and mode = 'RowExclusiveLock'`.execute(
        db,
      )
      return found.rows.length > 0
    },
    close,
  }
}

async function fillRows({ db, address: [url] }: Store, count: number): Promise<void> {
  // Nothing here is to outlive the server, so it need not write everything twice.
  const kind = url.startsWith('postgres:') ? sql`unlogged table` : sql`table`
  await sql`create ${kind} if not exists "rows" (id integer primary key, "text" text not null, "number" integer not null)`.execute(
    db,
  )
  const columns = sql`id, 'text of ' || id as "text", id % 1000 as "number"`
  const series = url.startsWith('postgres:')
    ? sql`select ${columns} from generate_series(1, ${sql.lit(count)}) as s (id)`
    : sql`with recursive s (id) as (select 1 union all select id + 1 from s where id < ${sql.lit(count)}) select ${columns} from s`
  await sql`insert into "rows" (id, "text", "number") ${series}`.execute(db)
}

function deleting({ address }: Store, below: number) {
  const options = ['--max-old-space-size=64', '--expose-gc', programOf('deleting')]
  const child = spawn(process.execPath, [...options, ...address, String(below)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const ended = new Promise<string>((resolve) => child.once('close', () => resolve(output)))
  const begun = async () => {
    while (!output.includes('begun') && child.exitCode === null) await sleep(1)
  }
  return { child, begun, ended }
}

/** Creates trees in a process of its own until so many are told as done, and kills it. Answers what was told. */
async function createUntilKilled({ address }: Store, most: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [programOf('creating'), ...address], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (output.split('\n').length > most) child.kill('SIGKILL')
  })
  await new Promise((resolve) => child.once('close', resolve))
  return output.split('\n').slice(0, -1)
}

async function countRows(db: Kysely<AnyTables>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from "rows"`.execute(db)
  return Number(rows[0]?.count)
}

/** How often a process is killed. */
const rounds = isLong ? 20 : 5

describe.each(stores)('on $name', ({ name, open }) => {
  let store: Store
  afterEach(() => store.close())

  it('a process that is killed in a deletion deletes all of it or nothing', async () => {
    store = await open()
    const all = 100_000
    await fillRows(store, all)
    let interrupted = 0
    // A slow machine kills some of them too late, and gets further rounds.
    for (let round = 0; round < rounds || (interrupted < rounds / 2 && round < 20 * rounds); round++) {
      const { child, begun, ended } = deleting(store, 1_000)
      await begun()
      // Until something is written, and then a little longer each time.
      while (child.exitCode === null && !(await store.isWriting())) await sleep(1)
      await sleep(round % rounds)
      const wasWriting = child.exitCode === null && (await store.isWriting())
      child.kill('SIGKILL')
      await ended
      const left = await settledCount(store.db)
      expect([0, all]).toContain(left)
      if (left === all && wasWriting) interrupted++
      if (left === 0) await fillRows(store, all)
    }
    expect(interrupted).toBeGreaterThanOrEqual(rounds / 2)
  })

  it('what a process was told as done before it is killed is there, and nothing is there in part', async () => {
    store = await open()
    await createLibrary(name, store.db)
    const told = await createUntilKilled(store, 20)
    expect(told.length).toBeGreaterThanOrEqual(20)
    const engine = createEngine({ db: store.db, schema })
    const { data } = await listItems(engine, 'books', {
      fields: ['title', 'author.name', 'chapters.heading'],
      filter: { title: { _starts_with: 'tree' } },
      limit: -1,
    })
    expect(data).toEqual(
      data.map(({ title }) => ({
        title,
        author: { name: title },
        chapters: [{ heading: title }, { heading: title }],
      })),
    )
    expect(data.map(({ title }) => title)).toEqual(expect.arrayContaining([...told]))
    expect(data.length).toBeLessThanOrEqual(told.length + 1)
    expect(await listItems(engine, 'authors', { aggregate: { count: '*' } })).toEqual({
      data: [{ count: data.length + 2 }],
    })
    await createItem(engine, 'authors', { name: 'next' })
  })

  const rowsDeleted = isLong ? 1_000_000 : 300_000
  it(`${rowsDeleted} rows are deleted with 64 MB more than none, at most`, async () => {
    store = await open()
    await fillRows(store, rowsDeleted)
    const { ended } = deleting(store, 999)
    const [, told = '{}'] = (await ended).split('\n')
    expect(JSON.parse(told)).toEqual({
      deleted: Math.floor(rowsDeleted / 1_000) * 999,
      bytes: expect.toSatisfy((bytes: number) => bytes <= 64 * 1_024 * 1_024),
    })
    expect(await countRows(store.db)).toBe(rowsDeleted / 1_000)
  })

  describe('two engines at once', () => {
    /** Two that know nothing of each other. */
    const two = async (): Promise<readonly [Library, Library, () => Promise<void>]> => {
      store = await open()
      await createLibrary(name, store.db)
      if (name === 'postgres') {
        const make = () => createEngine({ db: store.db, schema })
        return [make(), make(), async () => {}]
      }
      const second = new Kysely<AnyTables>({
        dialect: new SqliteDialect({ database: new BetterSqlite(store.address[1], { timeout: 50 }) }),
      })
      return [
        createEngine({ db: store.db, schema }),
        createEngine({ db: second, schema }),
        () => second.destroy(),
      ]
    }

    it('that create the item of an empty singleton make one, which has what the later one said', async () => {
      const [one, other, end] = await two()
      for (let round = 0; round < 10; round++) {
        await sql`delete from settings`.execute(store.db)
        const names = ['first', 'second']
        const answers = await Promise.all(
          [one, other].map((engine, index) =>
            updateSingleton(engine, 'settings', { name: names[index] ?? '' }),
          ),
        )
        expect(answers.map((answer) => answer.name)).toEqual(names)
        expect((await listItems(one, 'settings')).data).toHaveLength(1)
        expect(names).toContain((await getSingleton(one, 'settings')).name)
      }
      await end()
    })

    it('that delete the same item: one does, and for the other there is none', async () => {
      const [one, other, end] = await two()
      for (let round = 0; round < 10; round++) {
        const id = 100 + round
        await sql`insert into books (id, title) values (${id}, 'x')`.execute(store.db)
        const outcomes = await Promise.all(
          [one, other].map((engine) => deleteItem(engine, 'books', id).then(() => 'done', codeOf)),
        )
        expect(outcomes.toSorted()).toEqual(['NOT_FOUND', 'done'])
      }
      await end()
    })
  })
})

const codeOf = (error: unknown) => (isEngineError(error) ? error.code : error)

/** The server notices a moment later that a client is gone. */
async function settledCount(db: Kysely<AnyTables>): Promise<number> {
  const untyped: Engine['db'] = db
  for (let attempt = 0; ; attempt++) {
    try {
      await sql`delete from "rows" where false`.execute(untyped)
      return await countRows(db)
    } catch (error) {
      if (attempt > 200) throw error
      await sleep(10)
    }
  }
}
