// A log whose clock is set. Entries are kept as long as anybody on the server has a transaction open, so it has a server of its own.
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { installChangeLog } from '../../../src/realtime.ts'
import { type AnyTables, openedOn, openSqlite, type TestDatabase } from '../../support/databases.ts'
import { startPostgres } from '../../support/postgres.ts'
import { insertMany, listen, logged, openTables, until } from './tables.ts'

const alone: readonly TestDatabase[] = [
  { name: 'sqlite', open: openSqlite },
  { name: 'postgres', open: openOwnServer },
]

async function openOwnServer() {
  const { url, stop } = await startPostgres()
  const db = new Kysely<AnyTables>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }),
  })
  return openedOn(db, async () => {
    await db.destroy()
    await stop()
  })
}

describe.each(alone)('on $name', (database) => {
  it('loses nothing when the clock jumps, and is pruned by the next time that is right', async () => {
    const { engine, run, rows } = await openTables(database)
    await installChangeLog(engine, logged, { keep: { forMs: 60_000, rows: 1_000_000 } })
    const heard = await listen(engine)
    await insertMany(run, 1_000, 3_000)
    await until(() => heard.texts.length >= 3_000)
    // As if a clock that was a day ahead had been set right. An entry that was read last has its time, or it were another one.
    const move = async (hours: number) => {
      const tables =
        database.name === 'sqlite' ? ['quernel_changes'] : ['quernel_changes', 'quernel_changes_marks']
      for (const table of tables)
        await run(
          database.name === 'sqlite'
            ? `update ${table} set at = at + ${hours * 3_600_000} where seq < (select max(seq) from quernel_changes)`
            : `update ${table} set at = at + interval '${hours} hours'`,
        )
    }
    await move(24)
    await insertMany(run, 4_000, 3_000)
    await until(() => heard.texts.length >= 6_000)
    const count = async () => Number((await rows('select count(*) as n from quernel_changes'))[0]?.n)
    expect(await count()).toBe(6_000)
    // And now as if it were a day later at once: at least what was there when the clock was set right is old.
    await move(-48)
    let next = 7_000
    await until(async () => {
      await insertMany(run, next, 1_000)
      next += 1_000
      // A reader that is behind prunes nothing.
      await until(() => heard.texts.length >= next - 1_000)
      return next - 1_000 - (await count()) >= 3_000
    })
    await until(() => heard.texts.length >= next - 1_000)
    expect(new Set(heard.texts).size).toBe(next - 1_000)
    expect(heard.isBroken).toBe(false)
  })
})
