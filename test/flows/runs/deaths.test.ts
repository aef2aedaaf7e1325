// Workers that die, and runs that are set aside because of it.
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { internalsOf } from '../../../src/engine/engine.ts'
import { reviewAside } from '../../../src/flows/runs/claim-runs.ts'
import { RunTables } from '../../../src/flows/runs/run-tables.ts'
import { pruneWorkers, WorkerRow } from '../../../src/flows/runs/worker-row.ts'
import { defineFlow, type Flows } from '../../../src/flows.ts'
import { databases } from '../../support/databases.ts'
import { note, openWorld, type World } from './world.ts'

const noting = defineFlow({
  name: 'noting',
  trigger: { on: 'flow' },
  access: 'full',
  first: 'note',
  operations: { note: note('done') },
})

const leaseMs = 150
/** Longer than any run is set aside. */
const longMs = 7_200_000

describe.each(databases)('on $name', (database) => {
  let world: World
  let now: number
  let flows: Flows
  let id: string
  beforeEach(async () => {
    world = await openWorld(database)
    now = Date.now()
    flows = await started()
    ;({ id } = await flows.run('noting', {}, { waitMs: 0 }))
  })

  const clock = () => now
  const started = () => world.flows({ flows: [noting], clock, leaseMs, pollMs: 20 })
  const tables = () => new RunTables(internalsOf(world.engine), clock)
  const state = async () => (await world.runs()).map((run) => [run.state, run.waits])
  const judge = (livedMs: number) => reviewAside(tables(), leaseMs, livedMs)
  const workers = async () => {
    const { rows } = await sql<{ run: unknown }>`select run from quernel_runs_workers`.execute(world.db)
    return rows.map(({ run }) => run)
  }
  /** Lets a worker that has claimed the run die: alone with it, or beside others. */
  const die = async (isAlone: boolean) => {
    const row = new WorkerRow(tables(), leaseMs)
    await (isAlone ? row.tries(id) : row.seen())
    now += 10
    await row.seen()
    await sql`update quernel_runs set state = 'running', waits = null, token = token + 1, started = 1, lease = ${now + leaseMs}`.execute(
      world.db,
    )
    now += 2 * leaseMs
  }
  const dieOften = async (times: number) => {
    for (let at = 0; at < times; at++) await die(true)
  }
  const untilAside = async () => {
    await flows.start()
    await expect.poll(state, { interval: 10 }).toEqual([['waiting', 'aside']])
    // What is judged from here on is judged by the test.
    await flows.stop()
    flows = await started()
  }

  it('a run is tried again after the deaths of two workers, and ends', async () => {
    await die(false)
    await dieOften(2)
    await flows.start()
    await world.settle()
    expect(await world.notes()).toEqual(['done'])
    expect(await state()).toEqual([['succeeded', null]])
  })

  it('a run is set aside after three, and tried once others have lived without it for as long', async () => {
    await dieOften(3)
    await untilAside()
    now += longMs
    // Whoever has just begun to live knows nothing.
    expect(await judge(0)).toBe(0)
    expect(await state()).toEqual([['waiting', 'aside']])
    expect(await judge(longMs)).toBe(1)
    await flows.start()
    await world.settle()
    expect(await state()).toEqual([['succeeded', null]])
    // A run ends before its worker has written that it has none any more.
    await expect.poll(async () => [...new Set(await workers())]).toEqual([null])
  })

  it('a run is tried at once when a worker has died without it meanwhile', async () => {
    await dieOften(5)
    await untilAside()
    const other = new WorkerRow(tables(), leaseMs)
    await other.seen()
    now += longMs
    expect(await judge(0)).toBe(1)
    await flows.start()
    await world.settle()
    expect(await state()).toEqual([['succeeded', null]])
  })

  it('a run fails under which five workers died, none of them without it, and may be taken up', async () => {
    await dieOften(5)
    await untilAside()
    now += longMs
    expect(await judge(longMs)).toBe(0)
    const message = '5 workers died at the same step of this run, each alone with it, and none without it.'
    expect(await world.runs()).toMatchObject([{ state: 'failed', error: { message } }])
    expect(await world.notes()).toEqual([])
    await flows.retry(id)
    await flows.start()
    await world.settle()
    expect(await state()).toEqual([['succeeded', null]])
  })

  it('a worker that was paused, or whose database was away, has not died', async () => {
    const paused = Array.from({ length: 3 }, () => new WorkerRow(tables(), leaseMs))
    for (const row of paused) await row.tries(id)
    await sql`update quernel_runs set state = 'running', token = 1, started = 1, lease = ${now}`.execute(
      world.db,
    )
    now += longMs
    for (const row of paused) await row.seen()
    await flows.start()
    await world.settle()
    expect(await state()).toEqual([['succeeded', null]])
  })

  it('a run that is set aside is cancelled like any other', async () => {
    await dieOften(3)
    await untilAside()
    expect(await flows.cancel(id)).toBe(true)
    now += longMs
    expect(await judge(longMs)).toBe(0)
    expect(await state()).toEqual([['cancelled', null]])
  })

  it('a worker that stops leaves no row, and those of dead ones are removed after a day', async () => {
    await flows.start()
    await world.settle()
    expect(await workers()).toEqual([null])
    await flows.stop()
    expect(await workers()).toEqual([])
    await die(true)
    now += 90_000_000
    await pruneWorkers(tables())
    expect(await workers()).toEqual([])
  })

  it('of a database that is away a worker tells once, and again when it has been back', async () => {
    let looks = 0
    const counting = await world.start({
      flows: [noting],
      pollMs: 5,
      leaseMs: 60,
      clock: () => {
        looks += 1
        return now
      },
    })
    await world.settle()
    for (const times of [1, 2]) {
      await sql`alter table quernel_runs rename to away`.execute(world.db)
      await expect.poll(() => world.errors.length).toBe(times)
      const seen = looks
      await expect.poll(() => looks - seen).toBeGreaterThan(30)
      expect(world.errors).toHaveLength(times)
      await sql`alter table away rename to quernel_runs`.execute(world.db)
      await counting.run('noting', {})
      expect(world.errors).toHaveLength(times)
    }
  })
})
