// Statements of readers whose caller gives up: each ends by itself, whatever it scans, so that its thread serves the next.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { statementMark } from '../../../src/dialects/connections/statement-mark.ts'
import { ReaderThread } from '../../../src/drivers/sqlite/readers/reader-thread.ts'
import { exportItems } from '../../../src/export.ts'
import {
  createEngine,
  defineSchema,
  type Engine,
  listItems,
  listItemsJson,
  streamItems,
} from '../../../src/index.ts'
import { sqliteDialect, sqliteReaders } from '../../../src/sqlite.ts'
import { key, number } from '../../support/fields.ts'

const schema = defineSchema({
  dense: { fields: { id: key, v: number } },
  odd: { fields: { id: key, v: number } },
})

/** Rows of a table by their numbers from 1 to 20,000. */
const rows = (table: string, rowid: string, most = 20_000) =>
  `create table ${table} (id integer primary key, v integer);
   with recursive n(i) as (select 1 union all select i + 1 from n where i < ${most}) insert into ${table} select ${rowid}, i from n;`

const tables = `${rows('dense', 'i')} ${rows('odd', 'i * 2 - 1')} ${rows('multiples', 'i * 1024')} ${rows('primes', 'i * 1009')}
  ${rows('small', 'i', 1_000)} ${rows('indexed', 'i')} create index by_v on indexed (v);
  create table keyed (id text primary key, v integer) without rowid; insert into keyed select 'k' || id, v from dense;
  create view seen as select id, v from odd where v > 0;
  create view sorted as select v, count(*) as n from odd group by v;`

let home: string
let path: string
let database: BetterSqlite.Database
let thread: ReaderThread

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'quernel-abandoned-'))
  path = join(home, 'shop.db')
  database = new BetterSqlite(path)
  database.pragma('journal_mode = wal')
  database.exec(tables)
  thread = await ReaderThread.begin({ path, places: [import.meta.url] })
})
afterAll(async () => {
  thread.close()
  database.close()
  await rm(home, { recursive: true, force: true })
})

const crossed = (names: readonly string[]) => {
  const aliases = names.map((_, at) => `"_q${at + 1}"`)
  const [first, ...others] = names.map((name, at) => `"${name}" as ${aliases[at]}`)
  const sum = aliases.map((alias) => `${alias}."v"`).join(' + ')
  return `select count(*) as "0" from ${first} ${others.map((one) => `join ${one}`).join(' ')} where ${sum} = -1`
}

// Each takes minutes to its end.
it.each([
  ['dense rowids', ['dense', 'dense', 'dense']],
  ['odd rowids', ['odd', 'odd', 'odd']],
  ['multiples of 1,024', ['multiples', 'multiples', 'multiples']],
  ['multiples of a prime', ['primes', 'primes', 'primes']],
  ['four tables of 1,000 rows crossed', ['small', 'small', 'small', 'small']],
  ['an index alone', ['indexed', 'indexed', 'indexed']],
  ['tables without rowid', ['keyed', 'keyed', 'keyed']],
  ['views', ['seen', 'seen', 'seen']],
  ['a view that groups', ['sorted', 'sorted', 'sorted']],
  ['a table in a scalar subselect', ['dense', 'odd', 'keyed', 'seen']],
])('a statement over %s ends', async (title, names) => {
  const text = crossed(names)
  const isNested = title.includes('subselect')
  const sql = `${statementMark}${isNested ? `select (${text}) as "0"` : text}`
  const read = thread.run({ sql, parameters: [] })
  const refused = expect(read).rejects.toThrow('enough')
  const ended = new Promise<void>((resolve) => {
    thread.onFree = resolve
  })
  // It has begun by then, and one that has not would be abandoned as well.
  setTimeout(() => thread.abandon(new Error('enough')), 20)
  await refused
  await ended
  const next = await thread.run<readonly unknown[]>({
    sql: `${statementMark}select "_q1"."v" as "0" from "odd" as "_q1" where "_q1"."v" < 3`,
    parameters: [],
  })
  expect(next.rows).toEqual([[1], [2]])
})

it('reads by node:sqlite where better-sqlite3 is not found, and says so where neither is', async () => {
  const hasNode = await import('node:sqlite' as string).then(
    (module) => 'aggregate' in module.DatabaseSync.prototype,
    () => false,
  )
  const begun = ReaderThread.begin({ path, places: [join(home, 'nowhere.js')] })
  if (!hasNode) {
    await expect(begun).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringContaining('find neither'),
    })
    return
  }
  const read = (await begun).run({
    sql: `${statementMark}${crossed(['odd', 'keyed', 'seen'])}`,
    parameters: [],
  })
  const refused = expect(read).rejects.toThrow('enough')
  const other = await begun
  const ended = new Promise<void>((resolve) => {
    other.onFree = resolve
  })
  setTimeout(() => other.abandon(new Error('enough')), 20)
  await refused
  await ended
  other.close()
})

it('a whole count is not guarded, and gives the number', async () => {
  const { rows: counted } = await thread.run({
    sql: `${statementMark}select count(*) as "0" from "odd" as "_q1"`,
    parameters: [],
  })
  expect(counted).toEqual([[20_000]])
})

it('the function that ends them has another name in each thread, and is unknown to the process', async () => {
  const other = await ReaderThread.begin({ path, places: [import.meta.url] })
  const drawn = `quernel_${'[0-9a-f]'.repeat(16)}`
  const list = `select distinct name from pragma_function_list where name glob '${drawn}'`
  const namesIn = async (one: ReaderThread) =>
    (await one.run<{ readonly name: string }>({ sql: list, parameters: [] })).rows
  const [[mine, ...more], [its]] = [await namesIn(thread), await namesIn(other)]
  other.close()
  expect(more).toEqual([])
  expect(mine?.name).not.toBe(its?.name)
  expect(database.prepare(list).all()).toEqual([])
  const db = new Kysely<Record<string, never>>({ dialect: sqliteDialect({ database }) })
  const engine = createEngine({ db, schema }) as Engine
  const named = listItems(engine, 'odd', { filter: { [`${mine?.name}(v)`]: { _eq: 1 } } } as never)
  await expect(named).rejects.toMatchObject({
    status: expect.toSatisfy((status) => status === 400 || status === 403),
  })
})

it('1,000 reads whose callers give up leave no thread busy', async () => {
  const reads = new Kysely<Record<string, never>>({ dialect: sqliteReaders({ path, threads: 2 }) })
  const db = new Kysely<Record<string, never>>({ dialect: sqliteDialect({ database }) })
  const engine = createEngine({ db, reads, schema, acquireTimeoutMs: 60_000 })
  const groups = { groupBy: ['v'], aggregate: { sum: ['id'] } } as const
  let refused = 0
  const one = async (round: number) => {
    const giveUp = new AbortController()
    setTimeout(() => giveUp.abort(new Error('enough')), round % 7)
    try {
      await listItems(engine, round % 2 ? 'odd' : 'dense', groups, { signal: giveUp.signal })
    } catch {
      refused += 1
    }
  }
  for (let round = 0; round < 1_000; round += 4) await Promise.all([0, 1, 2, 3].map((at) => one(round + at)))
  expect(refused).toBeGreaterThan(100)
  const last = await Promise.all([1, 2, 3, 4].map(() => listItems(engine, 'odd', { limit: 1 })))
  expect(last.map(({ data }) => data)).toEqual(Array(4).fill([{ id: 1, v: 1 }]))
  await reads.destroy()
})

it.each([
  ['an abort', 60_000, 'enough'],
  ['acquireTimeoutMs', 2_000, 'SERVICE_UNAVAILABLE'],
])('a thread goes on past 10,000 waiting reads that %s has ended', async (_, acquireTimeoutMs, reason) => {
  const reads = new Kysely<Record<string, never>>({ dialect: sqliteReaders({ path, threads: 1 }) })
  const db = new Kysely<Record<string, never>>({ dialect: sqliteDialect({ database }) })
  const engine = createEngine({ db, reads, schema, acquireTimeoutMs })
  const first = (signal?: AbortSignal) => listItems(engine, 'odd', { limit: 1 }, { signal })
  for (let round = 0; round < 3; round++) await first()
  const giveUp = new AbortController()
  const left = await reads.connection().execute(() => {
    const all = Array.from({ length: 10_000 }, () =>
      first(giveUp.signal).catch(({ code, message }) => code ?? message),
    )
    if (reason === 'enough') giveUp.abort(new Error(reason))
    return Promise.all(all)
  })
  expect([...new Set(left)]).toEqual([reason])
  expect((await first()).data).toEqual([{ id: 1, v: 1 }])
  await reads.destroy()
})

/** Reads that go to a thread, by their kinds. */
const kinds: Readonly<Record<string, (engine: Engine<typeof schema>) => Promise<unknown>>> = {
  'a list': (engine) => listItems(engine, 'odd', { sort: ['v'], limit: 2 }),
  'a list as text': (engine) => listItemsJson(engine, 'odd', { sort: ['v'], limit: 2 }),
  groups: (engine) => listItems(engine, 'odd', { groupBy: ['v'], aggregate: { sum: ['id'] }, limit: 2 }),
  'a count': (engine) =>
    listItems(engine, 'odd', { filter: { v: { _gt: 5 } }, limit: 0, meta: ['filter_count'] }),
  'a stream': async (engine) => {
    const ids: unknown[] = []
    for await (const { id } of streamItems(engine, 'odd', { limit: 2 })) ids.push(id)
    return ids
  },
  'an export': async (engine) => {
    const { body } = await exportItems(engine, 'odd', { limit: 2 }, 'csv')
    return new Response(body as never).text()
  },
}

it.each(Object.keys(kinds))(
  '%s whose thread exits is answered 503, and the next thread serves',
  async (kind) => {
    const reads = new Kysely<Record<string, never>>({ dialect: sqliteReaders({ path, threads: 1 }) })
    const db = new Kysely<Record<string, never>>({ dialect: sqliteDialect({ database }) })
    const engine = createEngine({ db, reads, schema, acquireTimeoutMs: 60_000 })
    const whole = await kinds[kind]?.(engine)
    const { send } = ReaderThread.prototype
    const once = vi.spyOn(ReaderThread.prototype, 'send').mockImplementationOnce(function (
      this: ReaderThread,
      statement,
      done,
    ) {
      this.close()
      send.call(this, statement, done)
    })
    await expect(kinds[kind]?.(engine)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(once).toHaveBeenCalled()
    once.mockRestore()
    expect(await kinds[kind]?.(engine)).toEqual(whole)
    await reads.destroy()
  },
)
