// Chains that are as large as they may be, through sleep and into another worker.
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineFlow, defineOperation, operationTypes } from '../../../src/flows.ts'
import { databases } from '../../support/databases.ts'
import { note, openWorld, type World } from './world.ts'

const mebibyte = 1_048_576
const types = {
  ...operationTypes,
  fill: defineOperation({
    kind: 'pure',
    doc: 'Returns a long text.',
    options: { letter: { schema: z.string(), doc: 'The letter.' } },
    run: ({ letter }) => letter.repeat(mebibyte - 2),
  }),
  measure: defineOperation({
    kind: 'pure',
    doc: 'Returns what texts consist of.',
    options: { texts: { schema: z.array(z.string()), doc: 'The texts.' } },
    run: ({ texts }) => texts.map((text) => `${text.length} ${[...new Set(text)].join('')}`),
  }),
}

const large = defineFlow(
  {
    name: 'large',
    trigger: { on: 'flow', returns: 'measured' },
    access: 'full',
    first: 'a',
    operations: {
      a: { type: 'fill', options: { letter: 'a' }, resolve: 'b' },
      b: { type: 'fill', options: { letter: 'b' }, resolve: 'nap' },
      nap: { type: 'sleep', options: { milliseconds: 60_000 }, resolve: 'c' },
      c: { type: 'fill', options: { letter: 'c' }, resolve: 'measured' },
      measured: { type: 'measure', options: { texts: ['{{ a }}', '{{ b }}', '{{ c }}'] }, resolve: 'd' },
      d: { type: 'fill', options: { letter: 'd' }, resolve: 'unreachable', reject: 'refused' },
      unreachable: note('more than 4 MiB'),
      refused: note('{{ $last.message }}'),
    },
  },
  { operationTypes: types },
)

describe.each(databases)('on $name', (database) => {
  let world: World
  beforeEach(async () => {
    world = await openWorld(database)
  })

  it('go on elsewhere with all that they hold, and no further than 4 MiB', async () => {
    let now = Date.UTC(2026, 0, 1)
    const options = { operationTypes: types, clock: () => now, pollMs: 20 }
    const first = await world.flows({ ...options, flows: [large] })
    const { id } = await first.run('large')
    await first.start()
    const isAsleep = async () => (await world.runs())[0]?.steps.at(-1)?.operation === 'nap'
    await expect.poll(isAsleep, { timeout: 60_000 }).toBe(true)
    await first.stop()
    now += 60_001
    await world.start({ ...options, flows: [large] })
    await world.settle()
    const [run] = await world.runs()
    expect([run?.id, run?.state, run?.error]).toEqual([id, 'succeeded', null])
    expect(run?.result).toEqual(['a', 'b', 'c'].map((letter) => `${mebibyte - 2} ${letter}`))
    expect(await world.notes()).toEqual([expect.stringContaining('4,194,304')])
    expect(world.errors).toEqual([])
  }, 120_000)
})
