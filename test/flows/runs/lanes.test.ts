// Lanes, as a worker finds their turns.
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { render, type Sql } from '../../../src/dialects/sql.ts'
import { internalsOf } from '../../../src/engine/engine.ts'
import { claimRuns } from '../../../src/flows/runs/claim-runs.ts'
import { RunTables } from '../../../src/flows/runs/run-tables.ts'
import { databases } from '../../support/databases.ts'
import { openWorld } from './world.ts'

const sqlite = databases.filter(({ name }) => name === 'sqlite')

it.each(sqlite)(
  'are looked up on $name by flow and lane, not read from the first one of a flow',
  async (database) => {
    const world = await openWorld(database)
    await world.flows({ flows: [] })
    const seen: string[] = []
    class SeenTables extends RunTables {
      override write(statement: Sql) {
        seen.push(render(statement, this.engine.dialect).sql)
        return super.write(statement)
      }
    }
    const tables = new SeenTables(internalsOf(world.engine), undefined)
    await claimRuns(tables, { leaseMs: 1_000, most: 10, mostLost: 10, except: [] }, [])
    const [claim = ''] = seen
    const { rows } = await sql.raw(`explain query plan ${claim.replaceAll('?', '1')}`).execute(world.db)
    const plan = rows.map((row) => String(Object(row).detail))
    expect(plan).toContainEqual(expect.stringContaining('quernel_runs_flow_lane_number ((flow,lane)>(?,?))'))
    expect(plan).toContainEqual(
      expect.stringContaining('quernel_runs_flow_lane_number_started (flow=? AND lane=?)'),
    )
  },
)
