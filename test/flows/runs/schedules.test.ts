// Schedules: each tick once, whatever number of processes looks, and however their clocks go.
import { Cron } from 'croner'
import { beforeEach, describe, expect, it } from 'vitest'
import { defineFlow, defineOperation, operationTypes } from '../../../src/flows.ts'
import { databases } from '../../support/databases.ts'
import { note, openWorld, type World } from './world.ts'

const start = Date.UTC(2026, 0, 1)
const minute = 60_000
const hour = 60 * minute

describe.each(databases)('on $name', (database) => {
  let world: World
  let now = start
  beforeEach(async () => {
    world = await openWorld(database)
    now = start
  })

  const open = (trigger: object = {}, members: object = {}) =>
    world.flows({
      cron: Cron,
      clock: () => now,
      pollMs: 20,
      operationTypes: { ...operationTypes, hang },
      flows: [
        defineFlow(
          {
            name: 'each minute',
            trigger: { on: 'schedule', cron: '* * * * *', ...trigger },
            access: 'full',
            first: 'note',
            operations: { note: note('{{ $trigger.tick }}') },
            ...members,
          } as never,
          { operationTypes: { ...operationTypes, hang } },
        ),
      ],
    })
  const hang = defineOperation({
    kind: 'outside',
    doc: 'Waits until it is left.',
    options: {},
    run: (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(null))),
  })
  const ticks = async () => (await world.runs()).map(({ tick, state }) => [tick, state])
  const at = (minutes: number) => new Date(start + minutes * minute).toISOString()
  /** Lets every process look twice. */
  const look = () => new Promise((resolve) => setTimeout(resolve, 150))

  it('starts one run at each tick, of several processes', async () => {
    const all = await Promise.all([open(), open(), open()])
    for (const flows of all) await flows.start()
    await look()
    expect(await ticks()).toEqual([])
    for (let step = 1; step <= 5; step++) {
      now = start + step * minute
      await expect.poll(async () => (await ticks()).length, { timeout: 60_000 }).toBe(step)
      // A tick at which the run before is not over is skipped.
      await world.settle()
    }
    expect(await ticks()).toEqual([1, 2, 3, 4, 5].map((step) => [at(step), 'succeeded']))
    expect([...(await world.notes())].sort()).toEqual([1, 2, 3, 4, 5].map(at))
    expect(world.errors).toEqual([])
  })

  it('repeats none when the clock goes back, and makes up for the last one of a day', async () => {
    const flows = await open()
    await flows.start()
    await look()
    now = start + minute
    await expect.poll(async () => (await ticks()).length).toBe(1)
    now = start - 5 * hour
    await look()
    now = start + minute + 1_000
    await look()
    expect(await ticks()).toEqual([[at(1), 'succeeded']])
    // No process was there for ten hours.
    now = start + 10 * hour + 30_000
    await expect.poll(async () => (await ticks()).length).toBe(2)
    await look()
    expect((await ticks()).at(-1)).toEqual([at(600), 'succeeded'])
    // And then for a month.
    now = start + 30 * 24 * hour + 30_000
    await expect.poll(async () => (await ticks()).length).toBe(3)
    await look()
    expect((await ticks()).at(-1)).toEqual([at(30 * 24 * 60), 'succeeded'])
  })

  it('makes up for none if it says so', async () => {
    const flows = await open({ cron: '0 * * * *', missed: 'none' })
    await flows.start()
    await look()
    now = start + 10 * hour + 5 * minute
    await look()
    expect(await ticks()).toEqual([])
    now = start + 11 * hour + 1_000
    await expect.poll(ticks).toEqual([[at(11 * 60), 'succeeded']])
  })

  it('leaves out a tick at which the run before is not over, and keeps that', async () => {
    const hanging = { first: 'h', operations: { h: { type: 'hang', options: {} } } }
    const flows = await open({}, hanging)
    await flows.start()
    await look()
    now = start + minute
    await expect.poll(ticks).toEqual([[at(1), 'running']])
    now = start + 2 * minute
    await expect.poll(ticks).toEqual([
      [at(1), 'running'],
      [at(2), 'skipped'],
    ])
    const [run] = await world.runs()
    await flows.cancel(run?.id ?? '')
    now = start + 3 * minute
    await expect.poll(ticks).toEqual([
      [at(1), 'cancelled'],
      [at(2), 'skipped'],
      [at(3), 'running'],
    ])
  })

  it('has missed nothing of a cron that was edited, and makes up for what it says from then on', async () => {
    const first = await open({ cron: '0 16 * * *' })
    await first.start()
    await look()
    now = start + 16 * hour
    await expect.poll(ticks, { timeout: 60_000 }).toHaveLength(1)
    await first.stop()
    now = start + 39 * hour
    const edited = await open({ cron: '0 12 * * *' })
    await edited.start()
    await look()
    expect(await ticks()).toHaveLength(1)
    // One that still has the old cron, as during a deploy, begins nothing anew either.
    const other = await open({ cron: '0 16 * * *' })
    await other.start()
    await look()
    expect(await ticks()).toHaveLength(1)
    await edited.stop()
    await other.stop()
    now = start + 63 * hour
    const again = await open({ cron: '0 16 * * *' })
    await again.start()
    await expect.poll(async () => (await ticks()).at(-1)?.[0], { timeout: 60_000 }).toBe(at(40 * 60))
    expect(await ticks()).toHaveLength(2)
    expect(world.errors).toEqual([])
  })
})
