// What a caller may not read is in no answer of a tool, no description, no error, no hint and no last line: they are those of a database without it.
import { describe, expect, it } from 'vitest'
import type { Engine } from '../../src/index.ts'
import { createMcpServer } from '../../src/mcp.ts'
import { randomCaller } from '../access/caller.ts'
import { randomQuestion } from '../access/dataset-pairs.ts'
import { randomWrite, type Write, withWrites } from '../access/drawn-writes.ts'
import { changedOutOfSight } from '../access/hidden-changes.ts'
import { hiddenKey, removed } from '../access/removed.ts'
import { engineOn, engineOnLeft, type Question, withoutHiddenKeys } from '../access/requests.ts'
import type { World } from '../oracle/dataset.ts'
import { randomWorld } from '../oracle/random-rows.ts'
import { randomSchema } from '../oracle/random-schema.ts'
import { build, demolish } from '../oracle/tables.ts'
import { fuzzSeed, Random } from '../property/seeded-random.ts'
import { databases } from '../support/databases.ts'
import { drawsOf } from '../support/draws.ts'
import { openAgent } from './agent.ts'

type Call = (tool: string, input: object) => Promise<string>

async function toolsOf(engine: Engine, write = false): Promise<Call> {
  const { call } = await openAgent(createMcpServer(engine, { write }))
  const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
  return (name, input) => call(name, JSON.parse(JSON.stringify(input, plain)))
}

/** The call of the tool that asks what a question asks. */
function callOf({ verb, collection, query, key }: Question): readonly [tool: string, input: object] {
  const { fields, filter, sort, search, limit, aggregate, groupBy, having } = query as Record<string, unknown>
  if (verb === 'one') return ['get', { collection, key, fields }]
  if (aggregate === undefined) return ['list', { collection, fields, filter, sort, search, limit }]
  return ['aggregate', { collection, aggregate, groupBy, having, filter, sort, limit }]
}

/** An answer without what differs at any rate: the signature of a plan, keys of the test's own, and cursors, which an order has that is shown on
 *  every row. */
function plain(text: string): unknown {
  const alike = text
    .replace(/"confirm":"[^"]*"/, '"confirm":""')
    .replaceAll(new RegExp(`, ${hiddenKey}\\d+\\?? \\w+`, 'g'), '')
    .replace(/ For more: "after": ".*"\.$| Narrow "filter" for others\.$/, ' There are more.')
  const [json = '', ...rest] = alike.split('\n')
  try {
    return [withoutHiddenKeys(JSON.parse(json)), ...rest]
  } catch {
    return [json, ...rest]
  }
}

const worlds = drawsOf('worlds of agents')
const questionsPerWorld = 40

describe.each(databases)(`on $name (QUERNEL_SEED=${fuzzSeed})`, ({ name, open }) => {
  const eachWorld = async (trial: (random: Random, world: World) => Promise<void>) => {
    for (let seed = fuzzSeed; seed < fuzzSeed + worlds; seed++) {
      const random = new Random(seed + (name === 'postgres' ? 1_000_003 : 0))
      await trial(random, randomWorld(random, randomSchema(random)))
    }
  }

  it('tools that read say what they say where rows and fields that are hidden are gone', async () => {
    const [home, bare] = [await open(), await open()]
    const seen = { answers: 0, errors: 0 }
    await eachWorld(async (random, world) => {
      const caller = randomCaller({ random, world, tally: new Map() })
      const left = removed(world, caller.reads)
      if (Object.keys(left.definition).length === 0) return
      await build(home.db, world, name)
      await build(bare.db, left, name)
      const got = await toolsOf(engineOn(home.db, world).as(caller.access))
      const want = await toolsOf(engineOnLeft(bare.db, left, world))
      const calls = Array.from({ length: questionsPerWorld }, () =>
        callOf(randomQuestion(random, new Map(), world, left)),
      )
      // A collection whose key is hidden has another one in its place.
      const names = Object.keys(world.definition).filter((one) => !left.definition[one]?.fields[hiddenKey])
      for (const one of names) calls.push(['describe', { names: [one] }])
      for (const [tool, input] of calls) {
        const answer = await got(tool, input)
        if (answer.includes('more than the database takes in one statement')) continue
        // Without rules everything may be done.
        const expected = plain((await want(tool, input)).replaceAll('[crud]', '[r]'))
        expect({ tool, input, answer: plain(answer) }).toEqual({ tool, input, answer: expected })
        seen[answer.startsWith('{"errors"') ? 'errors' : 'answers']++
      }
      await demolish(bare.db, left)
      await demolish(home.db, world)
    })
    await Promise.all([home.close(), bare.close()])
    expect(seen.answers).toBeGreaterThan(worlds * 10)
    expect(seen.errors).toBeGreaterThan(0)
  })

  it('tools that write plan the same whatever is hidden', async () => {
    const [ours, theirs] = [await open(), await open()]
    const seen = { plans: 0, errors: 0 }
    await eachWorld(async (random, world) => {
      const caller = withWrites(
        random,
        world,
        randomCaller({ random, world, tally: new Map() }, 'by own fields'),
      )
      const { other } = changedOutOfSight(random, world, caller)
      await build(ours.db, world, name)
      await build(theirs.db, other, name)
      const mine = await toolsOf(engineOn(ours.db, world).as(caller.access), true)
      const yours = await toolsOf(engineOn(theirs.db, other).as(caller.access), true)
      for (let number = 0; number < questionsPerWorld; number++) {
        const [tool, input] = planOf(randomWrite(random, world, other, caller))
        const answer = await mine(tool, input)
        const expected = plain(await yours(tool, input))
        expect({ tool, input, answer: plain(answer) }).toEqual({ tool, input, answer: expected })
        seen[answer.startsWith('{"errors"') ? 'errors' : 'plans']++
      }
      await demolish(theirs.db, other)
      await demolish(ours.db, world)
    })
    await Promise.all([ours.close(), theirs.close()])
    expect(seen.plans).toBeGreaterThan(0)
    expect(seen.errors).toBeGreaterThan(0)
  })
})

function planOf(write: Write): readonly [tool: string, input: object] {
  const { collection } = write
  if (write.verb === 'create') return ['write', { collection, data: write.data }]
  if (write.verb === 'delete') return ['delete', { collection, keys: [write.key] }]
  return ['write', { collection, keys: [write.key], data: write.data }]
}
