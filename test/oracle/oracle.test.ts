// The engine answers random queries on random worlds as the oracle does, on every database.
import { afterAll, describe, expect, it } from 'vitest'
import { fuzzSeed, Random } from '../property/seeded-random.ts'
import type { OpenDatabase } from '../support/databases.ts'
import { drawsOf } from '../support/draws.ts'
import { type Lane, lanes } from '../support/lanes.ts'
import { isLong } from '../support/long-runs.ts'
import type { Row, World } from './dataset.ts'
import { engineOf, type Tested } from './engine.ts'
import { evaluate } from './evaluate.ts'
import { operatorNames } from './operators.ts'
import { aggregateNames } from './random-aggregates.ts'
import { type Asked, randomQuery } from './random-query.ts'
import { randomWorld } from './random-rows.ts'
import { randomSchema } from './random-schema.ts'
import { type Check, smallerQuery, smallerWorld, tried } from './shrink.ts'
import { build, demolish } from './tables.ts'
import { differs, differsOtherwise } from './trial.ts'
import { varied } from './variation.ts'

const queriesPerWorld = 50
/** Of each database; 20,000 queries in a long run. */
const worlds = Math.ceil(drawsOf('queries of the oracle') / queriesPerWorld)
/** Of so many worlds one is asked in; the others are drawn only, so that words keep their shares. */
const worldsPerAsked = isLong ? 1 : 4
const mostReports = 3

const tally = new Map<string, number>()
const counts = { drawn: 0, asked: 0, answered: 0 }

describe.each(lanes)('on $title', (lane) => {
  it(`answers as the oracle does (QUERNEL_SEED=${fuzzSeed})`, async () => {
    const { db, close } = await lane.open()
    const reports: string[] = []
    for (let seed = fuzzSeed; seed < fuzzSeed + worlds && reports.length < mostReports; seed++) {
      if ((seed - fuzzSeed) % worldsPerAsked === 0) reports.push(...(await reportsOf(db, lane, seed)))
      else draw(lane, seed)
    }
    await close()
    expect(reports.join('\n\n')).toBe('')
  })
})

/** A world, and the chance that goes on behind it. Every database has worlds of its own. */
function worldOf(lane: Lane, seed: number): { readonly random: Random; readonly world: World } {
  const random = new Random(seed + lanes.indexOf(lane) * 1_000_003)
  return { random, world: randomWorld(random, randomSchema(random, { keys: 'any' })) }
}

function draw(lane: Lane, seed: number): void {
  const { random, world } = worldOf(lane, seed)
  for (const _ of questionsOf(world, random)) counts.drawn++
}

function* questionsOf(world: World, random: Random): Generator<Asked> {
  let asked: Asked | undefined
  for (let number = 0; number < queriesPerWorld; number++) {
    // Every third is the one before with other values.
    if (asked && number % 3 === 2) asked = { ...asked, query: varied(random, world, asked.query) }
    else asked = randomQuery({ world, random, tally })
    yield asked
  }
}

/** What goes wrong first in one world, made small. */
async function reportsOf(db: OpenDatabase['db'], lane: Lane, seed: number): Promise<readonly string[]> {
  const { random, world } = worldOf(lane, seed)
  await build(db, world, lane.name)
  const tested = engineOf(db, world)
  const failure = await firstFailure(world, tested, random)
  const smaller = failure && (await smallerQuery(failure.check, world, tested, failure.asked))
  await demolish(db, world)
  if (!failure || !smaller) return []
  const small = await smallerWorld(failure.check, db, lane.name, world, smaller)
  return [reportOf(seed, small, smaller, await tried(failure.check, db, lane.name, small, smaller))]
}

interface Failure {
  readonly asked: Asked
  readonly check: Check
}

/** Asks all the questions of a world. */
async function firstFailure(world: World, tested: Tested, random: Random): Promise<Failure | undefined> {
  const failures: Failure[] = []
  let number = -1
  for (const asked of questionsOf(world, random)) {
    number++
    const want = evaluate(world, asked.collection, asked.query)
    counts.drawn++
    counts.asked++
    if (want.data.length > 0) counts.answered++
    if (await differs(world, tested, asked, want)) failures.push({ asked, check: differs })
    else if (number % 10 === 0) {
      const check: Check = (...trial) => differsOtherwise(...trial, number)
      if (await check(world, tested, asked)) failures.push({ asked, check })
    }
  }
  return failures[0]
}

function reportOf(
  seed: number,
  { definition, rows, limits }: World,
  { collection, query }: Asked,
  found = 'nothing differs any more',
): string {
  const left = Object.entries(rows).filter(([, some]) => some.length > 0)
  return [
    found,
    `QUERNEL_SEED=${seed} begins with this world.`,
    `collection: ${collection}`,
    `query: ${JSON.stringify(query)}`,
    `limits: ${JSON.stringify(limits ?? {})}`,
    `schema: ${JSON.stringify(definition)}`,
    ...left.map(
      ([name, some]) => `rows of ${name}: ${JSON.stringify(some.map(onlyFields(definition, name)))}`,
    ),
  ].join('\n')
}

/** Fields may have been dropped, and their values left. */
const onlyFields = (definition: World['definition'], collection: string) => (row: Row) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => definition[collection]?.fields[name]))

describe('the queries asked', () => {
  const parameters =
    'fields filter search sort limit offset page aggregate groupBy having alias deep meta backlink'.split(' ')
  const below = parameters
    .filter((name) => !['fields', 'deep', 'meta', 'backlink'].includes(name))
    .map((name) => `_${name}`)
  const relations = ['m2o', 'o2m', 'm2m', 'm2a'].map((kind) => `relation ${kind}`)
  const functions = 'year month week day weekday hour minute second count json sum avg min max'
    .split(' ')
    .map((name) => `function ${name}`)
  const others = [
    '_and',
    '_or',
    '_some',
    '_none',
    '_json',
    '$FOLLOW',
    '$FOLLOW any',
    'arm',
    'shown arm',
    '*.*',
    'key of several parts',
    '$field',
    'condition of a relation',
    'arm with a condition',
    'shown arm with a condition',
    '$FOLLOW any with a condition',
  ]
  const aggregates = aggregateNames.map((name) => `aggregate ${name}`)
  const words = [
    ...parameters,
    ...below,
    ...relations,
    ...functions,
    ...others,
    ...aggregates,
    ...operatorNames,
    'sort to many',
    'sort to one',
  ]

  afterAll(() => {
    const uses = words.map((word) => `${word} ${tally.get(word) ?? 0}`).join(', ')
    console.log(`${counts.drawn} queries drawn, ${counts.asked} asked, ${counts.answered} with rows; ${uses}`)
  })

  it('return rows in at least two cases of five', () => {
    expect(counts.answered / counts.asked).toBeGreaterThanOrEqual(0.4)
  })

  it('hold every operator, relation and parameter a hundred times or more', () => {
    const share = counts.drawn / 20_000
    expect(words.filter((word) => (tally.get(word) ?? 0) < 100 * Math.min(share, 1))).toEqual([])
  })
})
