// Reads of a file of SQLite with a million rows in threads, beside the same in the process: waits of others, what a thread costs, and how a read ends.
// Run by `npx tsx --tsconfig bench/tsconfig.json bench/readers.ts`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import Database from 'better-sqlite3'
import { Kysely } from 'kysely'
import {
  createEngine,
  defineSchema,
  type Engine,
  getItem,
  listItems,
  listItemsJson,
  type Schema,
} from 'quernel'
import { sqliteDialect, sqliteReaders } from 'quernel/sqlite'
import { median } from './median.ts'

const rows = 1_000_000
const clients = 16
const seconds = 3
const rounds = 5

const schema: Schema = defineSchema({
  sales: {
    fields: {
      id: { type: 'integer', key: true },
      shop: { type: 'integer' },
      amount: { type: 'integer' },
      note: { type: 'string' },
    },
  },
})
const groups = { groupBy: ['shop'], aggregate: { sum: ['amount'] } }

const home = mkdtempSync(join(tmpdir(), 'readers-'))
const path = join(home, 'sales.db')
const file = new Database(path)
file.pragma('journal_mode = wal')
file.exec(`create table sales (id integer primary key, shop integer not null, amount integer not null, note text not null);
  with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows})
    insert into sales select i, i * 7919 % 5000, i % 1000, 'note of sale ' || i from n;
  analyze`)
file.close()

type Tables = Record<string, never>
const open: Kysely<Tables>[] = []
const kept = (db: Kysely<Tables>) => {
  open.push(db)
  return db
}
const engineWith = (readers?: number, reads?: Kysely<Tables>): Engine => {
  const dialect = sqliteDialect({ database: new Database(path), ...(readers !== undefined && { readers }) })
  return createEngine({ db: kept(new Kysely<Tables>({ dialect })), schema, ...(reads && { reads }) })
}
const plain = engineWith()
const threaded = engineWith(2)
const throughThreads = engineWith(
  undefined,
  kept(new Kysely<Tables>({ dialect: sqliteReaders({ path, threads: 2 }) })),
)

const at = (values: readonly number[], share: number) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN
const pause = () => new Promise((resolve) => setTimeout(resolve, 1))

/** Clients that read by key, of whom some may group: the 99th percentile of a read by key, and the longest stop of the process. */
async function crowd(
  engine: Engine,
  grouping: number,
): Promise<{ readonly p99: number; readonly stop: number }> {
  const times: number[] = []
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const end = performance.now() + seconds * 1_000
  delay.enable()
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (performance.now() < end) {
        const start = performance.now()
        if (client < grouping) await listItems(engine, 'sales', groups)
        else {
          await getItem(engine, 'sales', 1 + ((client * 7919 + times.length) % rows))
          times.push(performance.now() - start)
        }
        await pause()
      }
    }),
  )
  delay.disable()
  return { p99: at(times, 0.99), stop: delay.max / 1e6 }
}

/** Median times of calls in turns, so that what else the machine does is shared. A quarter of the calls come first and are not counted: until
 *  then what runs is compiled. */
async function compare(runs: number, calls: Readonly<Record<string, () => Promise<unknown>>>): Promise<void> {
  const times = new Map<string, number[]>()
  for (let run = -runs / 4; run < runs; run++)
    for (const [what, call] of Object.entries(calls)) {
      const start = performance.now()
      await call()
      if (run >= 0) times.set(what, [...(times.get(what) ?? []), performance.now() - start])
    }
  const first = median([...times.values()][0] ?? [])
  for (const [what, all] of times)
    console.log(`${what}\t${median(all).toFixed(3)} ms\t${(median(all) / first).toFixed(2)}`)
}

const crowds = [
  ['by key alone', threaded, 0],
  ['beside two groups, in threads', threaded, 2],
  ['beside two groups, in the process', plain, 2],
] as const
const seen = new Map<string, { readonly p99: number; readonly stop: number }[]>()
await crowd(threaded, 2)
for (let round = 0; round < rounds; round++)
  for (const [what, engine, grouping] of crowds)
    seen.set(what, [...(seen.get(what) ?? []), await crowd(engine, grouping)])
for (const [what, all] of seen) {
  const [p99, stop] = [median(all.map((one) => one.p99)), median(all.map((one) => one.stop))]
  console.log(`${what}\tp99 ${p99.toFixed(2)} ms\tlongest stop ${stop.toFixed(1)} ms`)
}

await compare(9, {
  'group, in the process': () => listItems(plain, 'sales', groups),
  'group, in a thread': () => listItems(throughThreads, 'sales', groups),
})
const page = { limit: 100, sort: ['-id'] }
await compare(2_000, {
  '100 rows as text, in the process': () => listItemsJson(plain, 'sales', page),
  '100 rows as text, in a thread': () => listItemsJson(throughThreads, 'sales', page),
})
await compare(4_000, {
  'by key, without readers (W6)': () => getItem(plain, 'sales', 5),
  'by key, beside idle readers (W6)': () => getItem(threaded, 'sales', 5),
})
await compare(2_000, {
  'a page, without readers (W1)': () => listItems(plain, 'sales', page),
  'a page, beside idle readers (W1)': () => listItems(threaded, 'sales', page),
})

const ends: number[] = []
for (let run = 0; run < 30; run++) {
  const start = performance.now()
  await listItems(throughThreads, 'sales', groups, { timeoutMs: 100 }).catch(() => undefined)
  ends.push(performance.now() - start)
}
console.log(
  `a group that ends after 100 ms\t${median(ends).toFixed(0)} ms\tthe longest ${Math.max(...ends).toFixed(0)} ms`,
)

const starts: number[] = []
for (let run = 0; run < 10; run++) {
  const db = new Kysely<Tables>({ dialect: sqliteReaders({ path, threads: 1 }) })
  const engine = createEngine({ db: kept(db), schema })
  const before = process.cpuUsage()
  await getItem(engine, 'sales', 1)
  const { user, system } = process.cpuUsage(before)
  starts.push((user + system) / 1_000)
}
console.log(`a thread begins and reads\t${median(starts).toFixed(0)} ms of the processor`)

for (const db of open) await db.destroy()
rmSync(home, { recursive: true, force: true })
