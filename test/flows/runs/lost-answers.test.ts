// Runs whose worker lives, while calls of its database fail or their answers get lost: of a commit, too.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { createItem, listItems } from '../../../src/index.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { injectedDatabases } from '../../writes/injector.ts'
import { contradictions, readHistory } from './history.ts'
import { createTables, survivingFlows } from './surviving.ts'

const orders = Number(process.env.QUERNEL_RUNS ?? 12)
/** Faults are this many calls apart at most. */
const mostApart = 40

const folder = mkdtempSync(join(tmpdir(), 'quernel-lost-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe.each(injectedDatabases)('with $title', ({ title, name, faults, open }) => {
  it.each(faults)(`write once, whichever calls are %s from seed ${fuzzSeed}`, async (fault) => {
    const random = new Random(fuzzSeed)
    const outside = join(folder, `${title.replace('/', '-')} ${fault}`)
    writeFileSync(outside, '')
    const opened = await open()
    await createTables(opened.db, name)
    const errors: unknown[] = []
    const { engine, flows } = survivingFlows({
      db: opened.db,
      outside,
      leaseMs: 500,
      onError: (error) => errors.push(error),
    })
    await flows.install()
    for (let id = 1; id <= orders; id++) await createItem(engine, 'orders', { id })
    let armed = 0
    let count = 0
    /** Arms the next fault once the one before has come. */
    const harm = () => {
      if (opened.calls.length < armed || count >= 2 * orders) return
      armed = 1 + random.below(mostApart)
      count += 1
      opened.arm(armed, fault)
    }
    await flows.start()
    const clock = setInterval(harm, 1)
    const unfinished = async () => {
      const { rows } =
        await sql`select state from quernel_runs where state in ('ready', 'running', 'waiting')`
          .execute(opened.db)
          .catch(() => ({ rows: [{}] }))
      return rows.length
    }
    await expect.poll(unfinished, { timeout: 600_000, interval: 20 }).toBe(0)
    clearInterval(clock)
    opened.arm(0)
    await flows.stop()
    const history = await readHistory(opened.db, readFileSync(outside, 'utf8').trim().split('\n'))
    expect(contradictions(history)).toEqual([])
    // A connection that breaks fails no run, and a worker that lives has not died.
    const { data: failed } = await listItems(engine, 'quernel_runs', {
      filter: { state: 'failed' },
      fields: ['error'],
    })
    if (fault !== 'refused') expect(failed).toEqual([])
    expect(await opened.leftovers()).toEqual([])
    await opened.close()
  })
})
