// Random queries on random worlds are answered over HTTP as beside the database: by an address, and by a body.
import { describe, expect, it } from 'vitest'
import { getItem, listItems } from '../../src/client.ts'
import { randomCaller } from '../access/caller.ts'
import { randomQuestion } from '../access/dataset-pairs.ts'
import { removed } from '../access/removed.ts'
import { keyValue, type Row, type World } from '../oracle/dataset.ts'
import { engineFor, engineOf } from '../oracle/engine.ts'
import type { Answer } from '../oracle/evaluate.ts'
import { type Asked, randomQuery } from '../oracle/random-query.ts'
import { randomWorld } from '../oracle/random-rows.ts'
import { randomSchema } from '../oracle/random-schema.ts'
import { build, demolish } from '../oracle/tables.ts'
import { fuzzSeed, Random } from '../property/seeded-random.ts'
import { databases } from '../support/databases.ts'
import { drawsOf } from '../support/draws.ts'
import { type Served, served } from './served.ts'

const worlds = drawsOf('worlds of the client')
const queriesPerWorld = 50

describe.each(databases)('on $name', ({ name, open }) => {
  it.each([
    ['as by the host', false],
    ['as by its caller under rules', true],
  ])(`a query is answered as beside the database, %s (QUERNEL_SEED=${fuzzSeed})`, async (_, hasRules) => {
    const { db } = await open()
    let answered = 0
    let server: Served | undefined
    for (let seed = fuzzSeed; seed < fuzzSeed + worlds; seed++) {
      const random = new Random(seed + (name === 'sqlite' ? 0 : 1_000_003))
      const world = randomWorld(random, randomSchema(random, { keys: hasRules ? 'single' : 'any' }))
      const caller = hasRules ? randomCaller({ random, world, tally: new Map() }) : undefined
      await build(db, world, name)
      server ??= await served(engineFor(db, world))
      server.serve(engineFor(db, world), { authenticate: () => caller?.access ?? { admin: true } })
      const asking = server
      const tested = engineOf(db, world, caller?.access)
      for (let number = 0; number < queriesPerWorld; number++) {
        const asked = caller
          ? randomQuestion(random, new Map(), world, removed(world, caller.reads))
          : randomQuery({ world, random, tally: new Map<string, number>() })
        const { collection, query } = asked
        const want = await outcome(() => tested.list(collection, query))
        const found = await outcome(() => remote(asking, asked, number % 2 === 0))
        expect({ seed, asked, answer: found }).toEqual({ seed, asked, answer: want })
        if (want.startsWith('{"data":[{')) answered++
        const one = oneOf(world, collection, number)
        if (one === undefined) continue
        const item = await outcome(() => tested.get(collection, one, {}))
        expect(await outcome(() => getItem(asking.api, collection, one as never, {}))).toEqual(item)
      }
      await demolish(db, world)
    }
    expect(answered).toBeGreaterThan((worlds * queriesPerWorld) / (hasRules ? 8 : 5))
  })
})

/** The key of a row of a collection. */
function oneOf(world: World, collection: string, number: number) {
  const rows: readonly Row[] = world.rows[collection] ?? []
  const row = rows[number % rows.length]
  return row && (keyValue(world, collection, row) ?? undefined)
}

/** Asks by the address as usual, or by the body that a longer query would be sent in. */
function remote({ api, client }: Served, { collection, query }: Asked, isShort: boolean): Promise<Answer> {
  const byBody = client({
    fetch: (url, init) => {
      const { origin, pathname, searchParams } = new URL(String(url))
      const body = JSON.stringify({ query: Object.fromEntries(searchParams) })
      const headers = { ...init?.headers, 'content-type': 'application/json' }
      return init?.method === 'GET'
        ? fetch(`${origin}${pathname}/search`, { ...init, method: 'POST', headers, body })
        : fetch(url, init)
    },
  })
  // The names of random worlds are unknown to the compiler.
  return listItems(isShort ? api : byBody, collection, query as never) as Promise<unknown> as Promise<Answer>
}

/** The answer as text, or the message of the error. */
const outcome = (work: () => Promise<unknown>): Promise<string> =>
  work().then(
    (answer) => JSON.stringify(answer),
    (error: unknown) => String(error),
  )
