// What templates make of the options of one operation is bounded while it is made.
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { defineFlow } from '../../../src/flows.ts'
import { databases } from '../../support/databases.ts'
import { openWorld, type World } from '../runs/world.ts'

const many = (count: number, text: string) => Array.from({ length: count }, () => text)
const condition = (_in: readonly string[]) => ({
  type: 'condition',
  options: { filter: { $trigger: { name: { _in } } } },
})
/** Operations that would make much of a payload of 250 kB. */
const cases: Readonly<Record<string, object>> = {
  'the operands of a condition': condition(many(4_000, 'is {{ $trigger.text }}')),
  'whole values in a log': { type: 'log', options: { message: many(400, '{{ $trigger }}') } },
  'texts in a log': {
    type: 'log',
    options: { message: many(400, '{{ $trigger.text }}{{ $trigger.text }}') },
  },
  'one text': { type: 'transform', options: { json: many(900, '{{ $trigger.text }}').join(' ') } },
  'parts of an address': {
    type: 'request',
    options: { url: `https://example.com/${many(90, '{{ $trigger.text }}').join('/')}` },
  },
}
const message = /^What templates make of the options of one operation has more than 4,194,304 bytes\.$/

describe.each(databases)('on $name', (database) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(database)
  })

  it('of a large payload little is made and recorded', async () => {
    const definitions = Object.entries(cases).map(([name, o]) =>
      defineFlow({ name, trigger: { on: 'flow' }, access: 'nobody', first: 'o', operations: { o } } as never),
    )
    const flows = await world.start({ flows: definitions })
    const payload = { name: 'x', text: '\u00e9'.repeat(125_000) }
    for (const name of Object.keys(cases)) {
      const inline = await flows.run(name, payload, { inline: true })
      expect(inline).toMatchObject({ state: 'failed', error: { code: 'INVALID_PAYLOAD', message } })
      const run = await flows.run(name, payload)
      expect(run).toMatchObject({ state: 'failed', error: { code: 'INVALID_PAYLOAD', message } })
    }
    const { rows } = await sql.raw('select options from quernel_steps').execute(world.db)
    expect(rows).toHaveLength(Object.keys(cases).length)
    for (const row of rows) expect(JSON.stringify(row).length).toBeLessThan(250_000)
    await flows.stop()
  })
})
