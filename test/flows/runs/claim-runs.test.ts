// Claims beside very many runs that are due, whatever the database knows of them.
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { render, type Sql } from '../../../src/dialects/sql.ts'
import { internalsOf } from '../../../src/engine/engine.ts'
import { claimRuns } from '../../../src/flows/runs/claim-runs.ts'
import { RunTables } from '../../../src/flows/runs/run-tables.ts'
import { defineFlow } from '../../../src/flows.ts'
import { databases } from '../../support/databases.ts'
import { openWorld } from './world.ts'

const logging = (name: string) =>
  defineFlow({
    name,
    trigger: { on: 'flow' },
    access: 'full',
    first: 'l',
    operations: { l: { type: 'log', options: { message: 'x' } } },
  })

const claiming = { leaseMs: 1_000, most: 10, mostLost: 10, except: [] }

/** On a server with what it knows of the rows when few were ready, and before it has looked at any. */
const cases = databases.flatMap((database) =>
  (database.name === 'sqlite' ? [false] : [false, true]).map((isKnown) => ({ database, isKnown })),
)

for (const { database, isKnown } of cases)
  it(`sorts no runs that are due, and reads none of the flow of which it has enough, on ${database.name}${isKnown ? ', with statistics' : ''}`, async () => {
    const isSqlite = database.name === 'sqlite'
    const world = await openWorld(database)
    const flows = await world.flows({ flows: [logging('crowd'), logging('other')] })
    await flows.run('crowd', {})
    await flows.run('other', {})
    if (isKnown) await sql.raw('analyze').execute(world.db)
    const series = isSqlite
      ? '(with recursive n (v) as (select 1 union all select v + 1 from n where v < 5000) select v from n)'
      : '(select generate_series(1, 5000) as v)'
    const id = isSqlite ? "printf('00000000-0000-4000-8000-%012d', v)" : 'gen_random_uuid()'
    await sql
      .raw(
        `insert into quernel_runs (id, flow, definition, state, "trigger", origin, access, due, token, deaths, attempt, depth, created) select ${id}, flow, definition, 'ready', "trigger", origin, access, due - 1, 0, 0, 0, 0, created from (select * from quernel_runs where flow = 'crowd') as r, ${series} as s`,
      )
      .execute(world.db)

    const seen: string[] = []
    class SeenTables extends RunTables {
      override write(statement: Sql) {
        seen.push(render(statement, this.engine.dialect).sql)
        return super.write(statement)
      }
    }
    const tables = new SeenTables(internalsOf(world.engine), undefined)
    const { runs, back } = await claimRuns(tables, claiming, ['crowd', 'other'])
    expect(runs.map(({ flow }) => flow)).toEqual(['other', ...Array.from({ length: 9 }, () => 'crowd')])
    expect(back.map(({ flow }) => flow)).toEqual(['crowd'])

    const plans = await Promise.all(
      seen.map(async (text) => {
        const explain = isSqlite ? 'explain query plan' : 'explain'
        const { rows } = await sql.raw(`${explain} ${text.replaceAll(/\$\d+|\?/g, '1')}`).execute(world.db)
        return rows.flatMap((row) => Object.values(Object(row)).map(String)).join('\n')
      }),
    )
    const [first, ofOthers] = plans
    expect(plans).toHaveLength(2)
    expect(first).toContain('quernel_runs_due_number')
    expect(first).not.toMatch(/Sort Key: r\./)
    expect(ofOthers).toContain('quernel_runs_flow_due_number')
    expect(ofOthers).not.toContain('quernel_runs_due_number')
  })
