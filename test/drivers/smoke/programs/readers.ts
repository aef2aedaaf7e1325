// Reads in threads over node:sqlite. Prints what they answer, and how they end.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import { createEngine, defineSchema, explainItems, listItems, streamItems } from '../../../../src/index.ts'
import { type NodeSqliteDatabase, sqliteDialect, sqliteReaders } from '../../../../src/sqlite.ts'

type Db = Kysely<Record<string, never>>

const schema = defineSchema({
  numbers: {
    fields: {
      id: { type: 'integer', key: true },
      parent: { type: 'm2o', to: 'numbers', nullable: true },
      children: { type: 'o2m', from: 'numbers.parent' },
    },
  },
})
const home = mkdtempSync(join(tmpdir(), 'quernel-smoke-'))
const path = join(home, 'numbers.db')
const module: object = await import('node:sqlite' as string)
const DatabaseSync: new (path: string) => NodeSqliteDatabase & { exec(text: string): void } = Reflect.get(
  module,
  'DatabaseSync',
)
const database = new DatabaseSync(path)
database.exec(`pragma journal_mode = wal;
  create table numbers (id integer primary key, parent integer);
  insert into numbers with recursive n(id) as (select 1 union all select id + 2 from n where id < 60001) select id, 1 from n`)
const db: Db = new Kysely({ dialect: sqliteDialect({ database, readers: 2 }) })
const threads: Db = new Kysely({ dialect: sqliteReaders({ path, threads: 1 }) })
const absent: Db = new Kysely({ dialect: sqliteReaders({ path: `${path}.absent` }) })
const chosen = createEngine({ db, schema })
const apart = createEngine({ db, reads: threads, schema, acquireTimeoutMs: 20_000 })

const groups = { groupBy: ['parent'], aggregate: { count: '*' } } as const
/** Takes minutes, unless its statement ends with it. */
const siblings = { filter: { parent: { 'count(children)': { _lt: 0 } } } } as const
const message = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )

async function streamed(): Promise<number> {
  let count = 0
  for await (const _ of streamItems(chosen, 'numbers', { fields: ['id'], limit: -1 })) count++
  return count
}

const answers = [
  await listItems(chosen, 'numbers', groups),
  (await explainItems(chosen, 'numbers', groups)).reader,
  await streamed(),
  await message(sql`insert into numbers values (0, 0)`.execute(threads)),
  await message(listItems(apart, 'numbers', siblings, { timeoutMs: 50 })),
  await message(listItems(apart, 'numbers', siblings, { timeoutMs: 50 })),
  await message(listItems(apart, 'numbers', siblings, { timeoutMs: 50 })),
  await listItems(apart, 'numbers', { fields: ['id'], limit: 2 }),
  await message(sql`select 1`.execute(absent)),
]
// The threads of `threads` are left, and keep no process alive.
await db.destroy()
rmSync(home, { recursive: true })
console.log(JSON.stringify(answers))
