// Old entries are removed in portions, however many there are. QUERNEL_LONG=1 removes ten million, and says how long the longest statement took.
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createEngine } from '../../../src/index.ts'
import { checkChangeLog, installChangeLog } from '../../../src/realtime.ts'
import { databases, openPostgres } from '../../support/databases.ts'
import { isLong } from '../../support/long-runs.ts'
import { listen, openTables, schema, until } from './tables.ts'

const entries = isLong ? 10_000_000 : 50_000
const portion = 25_000

it.each(databases)(
  'a log that has grown is pruned by its readers on $name',
  async (database) => {
    const { db, engine, run, rows } = await openTables(database)
    await installChangeLog(engine, ['tasks'], { keep: { rows: 1_000, forMs: 3_600_000 } })
    // As if nobody had pruned for long.
    const upkeep =
      database.name === 'sqlite'
        ? (await rows(`select sql from sqlite_master where name = 'quernel_log_upkeep'`))[0]?.sql
        : undefined
    if (upkeep) await run('drop trigger quernel_log_upkeep')
    const series =
      database.name === 'sqlite'
        ? `(with recursive s (n) as (select 1 union all select n + 1 from s where n < ${portion}) select n from s)`
        : `generate_series(1, ${portion}) as s (n)`
    for (let count = 0; count < entries; count += portion)
      await run(
        `insert into quernel_changes (collection, op, key) select 'tasks', 'u', ${database.name === 'sqlite' ? `'i' || n` : `'["' || n || '"]'`} from ${series}`,
      )
    if (upkeep) await run(String(upkeep))
    const durations: number[] = []
    const counted = createEngine({
      db,
      schema,
      onQuery: ({ sql, durationMs }) => void (/prune|delete|update/i.test(sql) && durations.push(durationMs)),
    })
    const heard = await listen(counted)
    let key = 10
    await until(
      async () => {
        // Readers prune once they have read a thousand entries.
        for (let batch = 0; batch < 12; batch++) {
          const values = Array.from({ length: 100 }, () => `(${key++})`)
          await run(`insert into tasks (id) values ${values.join(', ')}`)
        }
        await until(() => heard.texts.includes(`create tasks ${key - 1}`))
        return (await checkChangeLog(engine)).rows < 10_000
      },
      isLong ? 3_000_000 : undefined,
    )
    expect(heard.isBroken).toBe(false)
    expect(heard.texts).toHaveLength(key - 10)
    if (!isLong) return
    console.log(`${database.name}: ${durations.length} statements, the longest ${Math.max(...durations)} ms`)
  },
  isLong ? 3_600_000 : 120_000,
)

it.each(databases)(
  'a log that cannot be pruned is told of once, and pruned again, on $name',
  async (database) => {
    const { engine, run, rows, db } = await openTables(database)
    const isFile = database.name === 'sqlite'
    await installChangeLog(engine, ['tasks'], { keep: { rows: 1_000_000, forMs: 6_000 } })
    if (isFile) await run('drop trigger quernel_log_upkeep')
    const heard = await listen(engine)
    let key = 10
    const write = async () => {
      const values = Array.from({ length: 1_100 }, () => `(${key++})`)
      await run(`insert into tasks (id) values ${values.join(', ')}`)
      await until(() => heard.texts.includes(`create tasks ${key - 1}`))
    }
    await write()
    // As if it were long ago. An entry that was read last has its time, or it were another one.
    for (const table of isFile ? ['quernel_changes'] : ['quernel_changes', 'quernel_changes_marks'])
      await run(
        isFile
          ? `update ${table} set at = at - 600000 where seq < (select max(seq) from quernel_changes)`
          : `update ${table} set at = at - interval '1 hour'`,
      )
    const reports = () => heard.errors.filter((error) => String(error).includes('has not been pruned'))
    const oldest = async () => Number((await rows('select min(seq) as n from quernel_changes'))[0]?.n)
    if (isFile) {
      // A lock of the file would keep the test from writing, too: a trigger stands for it.
      await run('create trigger held before delete on quernel_changes begin select raise(ignore); end')
      await write()
      await until(() => reports().length > 0)
      await write()
      await run('drop trigger held')
    } else {
      await db.transaction().execute(async (holder) => {
        await sql`select from quernel_changes_state for update`.execute(holder)
        await write()
        await until(() => reports().length > 0)
        await write()
      })
    }
    expect(reports()).toHaveLength(1)
    const before = await oldest()
    await until(async () => {
      await write()
      return (await oldest()) > before
    })
    expect(heard.isBroken).toBe(false)
  },
)

it('a transaction that whoever may connect to PostgreSQL leaves open is told of', async () => {
  const { engine, run, rows, db } = await openTables({ open: openPostgres })
  await installChangeLog(engine, ['tasks'], { keep: { rows: 1_000_000, forMs: 6_000 } })
  const heard = await listen(engine)
  const reports = () => heard.errors.filter((error) => String(error).includes('has not been pruned'))
  let key = 10
  const write = async () => {
    await run(`insert into tasks (id) select generate_series(${key}, ${key + 1_099})`)
    key += 1_100
    await until(() => heard.texts.includes(`create tasks ${key - 1}`))
  }
  await db.transaction().execute(async (holder) => {
    await sql`select pg_current_xact_id()`.execute(holder)
    await write()
    await run(`update quernel_changes set at = at - interval '1 hour'`)
    await run(`update quernel_changes_marks set at = at - interval '1 hour'`)
    await until(async () => {
      await write()
      return reports().length > 0
    })
    await write()
  })
  expect(reports()).toHaveLength(1)
  await until(async () => {
    await write()
    const [row] = await rows('select min(seq) as n from quernel_changes')
    return Number(row?.n) > 1_100
  })
  expect(heard.isBroken).toBe(false)
})

it('whoever may connect to PostgreSQL cannot keep a log from being pruned', async () => {
  const { engine, run, rows, db } = await openTables({ open: openPostgres })
  await installChangeLog(engine, ['tasks'], { keep: { rows: 1_000, forMs: 3_600_000 } })
  await db.connection().execute(async (holder) => {
    await sql`select pg_advisory_lock(731086851, 'quernel_changes'::regclass::oid::integer)`.execute(holder)
    let key = 10
    // A transaction of anybody on the server, that of another test, too, keeps what it might be about to read.
    await until(async () => {
      await run(`insert into tasks (id) select generate_series(${key}, ${key + 999})`)
      key += 1_000
      await run('select quernel_changes_prune(100000)')
      const [row] = await rows('select count(*) as n from quernel_changes')
      return key > 8_000 && Number(row?.n) < 4_000
    })
    await sql`select pg_advisory_unlock_all()`.execute(holder)
  })
})
