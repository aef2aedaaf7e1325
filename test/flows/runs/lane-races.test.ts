// Lanes under claims at once: neither sees what the other is about to claim.
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { type EngineInternals, internalsOf } from '../../../src/engine/engine.ts'
import { claimRuns } from '../../../src/flows/runs/claim-runs.ts'
import { RunTables } from '../../../src/flows/runs/run-tables.ts'
import { defineFlow } from '../../../src/flows.ts'
import { createItem } from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'
import { openWorld, type World } from './world.ts'

const laned = defineFlow({
  name: 'laned',
  trigger: { on: 'items.create', collections: ['articles'], when: 'after' },
  access: 'nobody',
  lane: '{{ $trigger.payload.title }}',
})
const other = defineFlow({ name: 'other', trigger: { on: 'flow' }, access: 'nobody' })

const claiming = { leaseMs: 60_000, most: 10, mostLost: 10, except: [] }

interface Gate {
  readonly open: () => void
  readonly isOpen: Promise<void>
}

function gate(): Gate {
  let open = () => {}
  const isOpen = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, isOpen }
}

describe.each(databases)('on $name', (database) => {
  let world: World
  beforeEach(async () => {
    world = await openWorld(database)
  })

  const claim = async (engine: EngineInternals) => {
    const { runs } = await claimRuns(new RunTables(engine, undefined), claiming, ['laned', 'other'])
    return runs.map(({ flow, trigger }) => `${flow} ${Object(trigger).key ?? ''}`)
  }
  const running = async () => {
    const rows = await world.runs()
    return rows
      .filter(({ state }) => state === 'running')
      .map(({ trigger }) => Object(trigger).key as unknown)
  }

  // One writer holds the whole database elsewhere: no two claims are on their way.
  const lanes = database.name === 'sqlite' ? [] : ['a', ' ', '"; --', '\u{1F600}', 'x'.repeat(255), "it's"]
  it.each(lanes)(
    'run one of the lane %j at a time, though two causes commit while a claim is on its way',
    async (lane) => {
      const flows = await world.flows({ flows: [laned, other] })
      const [inserted, committing, claimed, late] = [gate(), gate(), gate(), gate()]
      await flows.run('other', {}, { waitMs: 0 })
      await sql`update quernel_runs set due = due + 60000000`.execute(world.db)
      for (const id of [1, 2]) await createItem(world.engine, 'articles', { id, title: lane })
      await sql`delete from quernel_runs where trigger->>'key' = '1'`.execute(world.db)
      await sql`update quernel_runs set state = 'ready', waits = null where flow = 'laned'`.execute(world.db)
      // The first run of the lane got its number before the second one, and nobody sees it yet.
      const cause = world.db.transaction().execute(async (inside) => {
        const first = sql`jsonb_build_object('id', gen_random_uuid(), 'number', r.number - 1, 'trigger', '{"key":1}'::jsonb)`
        await sql`insert into quernel_runs overriding system value
          select (jsonb_populate_record(r, ${first})).* from quernel_runs as r where flow = 'laned'`.execute(
          inside,
        )
        inserted.open()
        await committing.isOpen
      })
      await inserted.isOpen
      const held = world.engine.transaction(async (inside) => {
        const found = await claim(internalsOf(inside))
        claimed.open()
        await late.isOpen
        return found
      })
      await claimed.isOpen
      committing.open()
      await cause
      await sql`update quernel_runs set due = due - 60000000 where flow = 'other'`.execute(world.db)
      const second = claim(internalsOf(world.engine))
      const waits = sql<{ count: string }>`
        select count(*) from pg_stat_activity where wait_event = 'transactionid' and query like '%quernel_runs%'
          and application_name = current_schema()`
      const isOver = second.then(
        () => true,
        () => true,
      )
      // It waits for the first claim, or has ended beside it.
      for (;;) {
        const { rows } = await waits.execute(world.db)
        if (Number(rows[0]?.count) > 0) break
        if (await Promise.race([isOver, new Promise((resolve) => setTimeout(resolve, 20, false))])) break
      }
      late.open()
      expect(await held).toEqual(['laned 2'])
      expect(await second).toEqual(['other '])
      expect(await running()).toEqual(expect.arrayContaining([2]))
      expect(await running()).not.toContain(1)
      expect(world.errors).toEqual([])
    },
  )

  it('are unique after flows.install over tables of before, and a worker says that it is missing', async () => {
    const flows = await world.flows({ flows: [laned], pollMs: 20 })
    for (const id of [1, 2, 3])
      await createItem(world.engine, 'articles', { id, title: id < 3 ? 'same' : 'another' })
    await sql`drop index quernel_runs_flow_lane`.execute(world.db)
    await sql`update quernel_runs set state = 'running', waits = null, started = 1, lease = 1, token = 1`.execute(
      world.db,
    )
    await expect(flows.start()).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message:
        'The table "quernel_runs" has no unique index of "flow" and "lane". Call flows.install() first.',
    })
    await flows.install()
    expect(await running()).toEqual([1, 3])
    await expect(sql`update quernel_runs set state = 'running'`.execute(world.db)).rejects.toThrow(/unique/i)
    await flows.start()
    await world.settle()
    expect((await world.runs()).map(({ state }) => state)).toEqual(Array(3).fill('succeeded'))
  })
})
