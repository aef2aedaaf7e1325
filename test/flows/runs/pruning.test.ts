// What is kept of runs that are over, and of definitions that nobody uses.
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { internalsOf } from '../../../src/engine/engine.ts'
import { pruneDefinitions, pruneResults, pruneRuns } from '../../../src/flows/runs/prune-runs.ts'
import { RunTables } from '../../../src/flows/runs/run-tables.ts'
import { defineFlow, type Flows } from '../../../src/flows.ts'
import { databases } from '../../support/databases.ts'
import { openWorld, type World } from './world.ts'

const dayMs = 86_400_000

describe.each(databases)('on $name', (database) => {
  let world: World
  let flows: Flows
  let tables: RunTables
  beforeEach(async () => {
    world = await openWorld(database)
    flows = await world.flows({
      flows: [
        defineFlow({
          name: 'fine',
          trigger: { on: 'flow' },
          access: 'full',
          first: 'a',
          operations: { a: { type: 'transform', options: { json: 'x'.repeat(1_000) } } },
        }),
        defineFlow({
          name: 'bad',
          trigger: { on: 'flow' },
          access: 'full',
          first: 'a',
          operations: { a: { type: 'throw-error', options: {} } },
        }),
      ],
    })
    await flows.start()
    tables = new RunTables(internalsOf(world.engine as never), undefined)
  })

  /** Makes all runs older. */
  const age = (days: number) =>
    sql
      .raw(`update quernel_runs set created = created - ${days * dayMs}, ended = ended - ${days * dayMs}`)
      .execute(world.db)
  const states = async () => (await world.runs()).map(({ flow, state }) => `${flow} ${state}`)

  it('removes what is older than it is kept, with its steps', async () => {
    await flows.run('fine')
    await flows.run('bad')
    await age(31)
    await flows.run('fine')
    expect(await pruneRuns(tables)).toBe(2)
    expect(await states()).toEqual(['fine succeeded'])
    const { rows } = await sql.raw('select count(*) as count from quernel_steps').execute(world.db)
    expect(Number(Object(rows[0]).count)).toBe(1)
  })

  it('removes the oldest of too many, and keeps those that failed', async () => {
    await flows.run('bad')
    for (let at = 0; at < 4; at++) await flows.run('fine')
    expect(await pruneRuns(tables, { runs: 2 })).toBe(3)
    expect(await states()).toEqual(['bad failed', 'fine succeeded'])
  })

  it('removes results before runs where they are too large', async () => {
    for (let at = 0; at < 3; at++) await flows.run('fine')
    await pruneResults(tables, { bytes: 100 })
    const runs = await world.runs()
    expect(runs.map(({ state, result, trigger }) => [state, result, trigger])).toEqual(
      Array.from({ length: 3 }, () => ['succeeded', null, null]),
    )
    expect(runs.map(({ steps }) => steps.map(({ result }) => result))).toEqual([[null], [null], [null]])
    // What is gone already is not looked at again.
    await pruneResults(tables, { bytes: 1 })
    expect(await states()).toHaveLength(3)
  })

  it('keeps the answer to a key for a day, whatever else says', async () => {
    const first = await flows.run('fine', {}, { key: 'k' })
    await flows.run('fine')
    expect(await pruneRuns(tables, { runs: 0, days: 0 } as never)).toBe(1)
    expect((await flows.run('fine', {}, { key: 'k' })).id).toBe(first.id)
    await age(2)
    await pruneRuns(tables, { days: 1 })
    const later = await flows.run('fine', {}, { key: 'k' })
    expect(later.id).not.toBe(first.id)
    expect(later.state).toBe('succeeded')
  })

  it('takes a key anew after a day, though its run is still kept', async () => {
    const first = await flows.run('fine', { n: 1 }, { key: 'k' })
    await age(2)
    const second = await flows.run('fine', { n: 2 }, { key: 'k' })
    expect(second.id).not.toBe(first.id)
    expect(await states()).toHaveLength(2)
  })

  it('removes definitions that nobody uses', async () => {
    await flows.run('fine')
    const hashes = async () => {
      const { rows } = await sql.raw('select flow from quernel_flows order by flow').execute(world.db)
      return rows.map((row) => Object(row).flow)
    }
    expect(await hashes()).toEqual(['bad', 'fine'])
    await pruneDefinitions(tables)
    expect(await hashes()).toEqual(['bad', 'fine'])
    await sql.raw(`update quernel_flows set created = created - ${40 * dayMs}`).execute(world.db)
    await pruneDefinitions(tables)
    expect(await hashes()).toEqual(['fine'])
  })
})
