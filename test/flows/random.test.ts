// Random flows answer what a second reading of their page answers: the state, the result, the error and every step.
import { beforeAll, expect, it } from 'vitest'
import { createFlows, defineFlow, type FlowDefinition } from '../../src/flows.ts'
import { createEngine, defineSchema, type Engine } from '../../src/index.ts'
import { fuzzSeed, Random } from '../property/seeded-random.ts'
import { openSqlite } from '../support/databases.ts'
import { drawsOf } from '../support/draws.ts'
import { interpret } from './interpreter.ts'
import { randomFlows, randomPayload } from './random-flows.ts'

let engine: Engine
beforeAll(async () => {
  const opened = await openSqlite()
  const schema = defineSchema({ notes: { fields: { id: { type: 'integer', key: true } } } })
  engine = createEngine({ db: opened.db, schema }) as unknown as Engine
})

const runs = drawsOf('flows that run')

it(`${runs} random flows from seed ${fuzzSeed} run as their page says`, { timeout: 600_000 }, async () => {
  const seen = { succeeded: 0, failed: 0, rejected: 0, untold: 0 }
  for (let run = 0; run < runs; run++) {
    const seed = fuzzSeed + run
    const random = new Random(seed)
    const definitions = randomFlows(random)
    const payload = randomPayload(random)
    const said = await outcomeOf(definitions, payload).catch((error: unknown) => {
      throw new Error(`seed ${seed}: ${JSON.stringify(definitions)}`, { cause: error })
    })
    const outcome = interpret(definitions, 'flow 0', payload)
    const told = `seed ${seed}: ${JSON.stringify(payload)} to ${JSON.stringify(definitions)}`
    if (outcome === undefined) {
      seen.untold++
      continue
    }
    seen[said.state]++
    if (said.steps.some((step) => step.endsWith('rejected'))) seen.rejected++
    expect(comparable(said), told).toEqual(comparable(outcome))
  }
  for (const count of [seen.succeeded, seen.failed, seen.rejected]) expect(count).toBeGreaterThan(runs / 10)
  expect(seen.untold).toBeLessThan(runs / 10)
})

async function outcomeOf(definitions: readonly FlowDefinition[], payload: unknown) {
  const flows = createFlows(engine, { flows: definitions.map((one) => defineFlow(one as never)) })
  try {
    const answer = await flows.run('flow 0', payload, { inline: true })
    const steps = answer.steps.map(({ operation, status }) => `${operation} ${status}`)
    return answer.state === 'succeeded'
      ? { state: answer.state, result: answer.result, steps }
      : { state: answer.state, code: answer.error.code, steps }
  } finally {
    await flows.stop()
  }
}

const comparable = (outcome: object): unknown => JSON.parse(JSON.stringify(outcome, worded))

/** Leaves out of errors what the package words itself: flows that throw their own begin with "own". */
function worded(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('message' in value && 'extensions' in value))
    return value
  return String(value.message).startsWith('own') ? value : { ...value, message: '', extensions: {} }
}
