// Flows that change while very many of their runs are asleep.
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineFlow, defineOperation, operationTypes } from '../../../src/flows.ts'
import { createItems, listItems } from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'
import { note, openWorld, type World } from './world.ts'

/** Number of the runs of all flows; `QUERNEL_RUNS=1000` for very many. */
const each = Math.ceil(Number(process.env.QUERNEL_RUNS ?? 60) / 3)
const hour = 3_600_000

const types = {
  ...operationTypes,
  mine: defineOperation({
    kind: 'pure',
    doc: 'Returns a text.',
    options: { text: { schema: z.string(), doc: 'The text.' } },
    run: ({ text }) => text,
  }),
}

/** A flow that sleeps for an hour, and writes then. */
const sleeping = (name: string, text: string) =>
  defineFlow({
    name,
    trigger: { on: 'items.create', collections: ['articles'], when: 'after' },
    access: 'full',
    first: 'nap',
    operations: {
      nap: { type: 'sleep', options: { milliseconds: hour }, resolve: 'write' },
      write: note(text),
    },
  })

const foreign = defineFlow(
  {
    ...sleeping('foreign', ''),
    operations: {
      nap: { type: 'sleep', options: { milliseconds: hour }, resolve: 'own' },
      own: { type: 'mine', options: { text: 'of the host' }, resolve: 'write' },
      write: note('{{ own }}'),
    },
  },
  { operationTypes: types },
)

describe.each(databases)('on $name', (database) => {
  let world: World
  let now = 0
  beforeEach(async () => {
    world = await openWorld(database)
    now = Date.UTC(2026, 0, 1)
  })

  const shared = { clock: () => now, pollMs: 20 }
  const createArticles = () =>
    createItems(
      world.engine,
      'articles',
      Array.from({ length: each }, (_, at) => ({ title: `${at}` })),
    )

  /** The numbers of runs in each state, and of those that are asleep. */
  const states = async (): Promise<Readonly<Record<string, number>>> => {
    const { data } = await listItems(world.engine, 'quernel_runs', {
      fields: ['state', 'started'],
      limit: -1,
    })
    const counts: Record<string, number> = {}
    for (const { state, started } of data) {
      const name = state === 'ready' && started !== null ? 'asleep' : state
      counts[name] = (counts[name] ?? 0) + 1
    }
    return counts
  }
  const reach = (counts: Readonly<Record<string, number>>) =>
    expect.poll(states, { timeout: 200_000, interval: 100 }).toEqual(counts)

  it('ends runs as they began, and leaves those with operations that only others have', async () => {
    const flows = [sleeping('edited', 'before'), sleeping('removed', 'of what is gone'), foreign]
    const first = await world.flows({ ...shared, operationTypes: types, flows })
    await createArticles()
    await first.start()
    await reach({ asleep: each * 3 })
    await first.stop()
    const second = await world.start({ ...shared, flows: [sleeping('edited', 'anew')] })
    now += hour + 1
    await reach({ asleep: each, succeeded: each * 2 })
    await expect.poll(() => second.status().unrunnable, { timeout: 60_000 }).toBe(each)
    await second.stop()
    await world.start({ ...shared, operationTypes: types, flows: [] })
    await reach({ succeeded: each * 3 })
    const counts = new Map<string, number>()
    for (const text of await world.notes()) counts.set(text, (counts.get(text) ?? 0) + 1)
    expect(Object.fromEntries(counts)).toEqual({ before: each, 'of what is gone': each, 'of the host': each })
    expect(world.errors).toEqual([])
  }, 600_000)

  it('fails those that do not fit the operations any more, and says so', async () => {
    const first = await world.flows({ ...shared, operationTypes: types, flows: [foreign] })
    await createArticles()
    await first.start()
    await reach({ asleep: each })
    await first.stop()
    const mine = defineOperation({
      kind: 'pure',
      doc: 'Returns a number.',
      options: { count: { schema: z.number(), doc: 'The number.' } },
      run: ({ count }) => count,
    })
    await world.start({ ...shared, operationTypes: { ...operationTypes, mine }, flows: [] })
    now += hour + 1
    await reach({ failed: each })
    const errors = (await world.runs()).map(({ error }) => [error?.code, error?.message])
    expect(new Set(errors.map(String)).size).toBe(1)
    const [code, message] = errors[0] ?? []
    expect(code).toBe('UNPROCESSABLE_CONTENT')
    expect(message).toContain('The definition with which this run of "foreign" began does not fit any more: ')
    expect(await world.notes()).toEqual([])
  }, 600_000)
})
