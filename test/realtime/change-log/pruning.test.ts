// Old entries are removed in portions, however many there are. QUERNEL_LONG=1 removes ten million, and says how long the longest statement took.
import { expect, it } from 'vitest'
import { createEngine } from '../../../src/index.ts'
import { checkChangeLog, installChangeLog } from '../../../src/realtime.ts'
import { databases } from '../../support/databases.ts'
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
    expect(Math.max(...durations)).toBeLessThan(200)
  },
  isLong ? 3_600_000 : 120_000,
)
