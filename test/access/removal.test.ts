// What a caller is answered is what anybody is answered where the rows and columns that the caller may not read are gone.

import { isDeepStrictEqual } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import type { World } from '../oracle/dataset.ts'
import { difference } from '../oracle/difference.ts'
import { aggregateNames } from '../oracle/random-aggregates.ts'
import { randomWorld } from '../oracle/random-rows.ts'
import { randomSchema } from '../oracle/random-schema.ts'
import { type Check, smallerQuery, smallerWorld } from '../oracle/shrink.ts'
import { build, demolish } from '../oracle/tables.ts'
import { fuzzSeed, Random } from '../property/seeded-random.ts'
import { databases, type OpenDatabase, type TestDatabase } from '../support/databases.ts'
import { drawsOf } from '../support/draws.ts'
import { isLong } from '../support/long-runs.ts'
import { type DrawnCaller, randomCaller } from './caller.ts'
import { randomQuestion } from './dataset-pairs.ts'
import { removed } from './removed.ts'
import {
  ask,
  engineOn,
  engineOnLeft,
  isBeyondStatement,
  type Outcome,
  type Question,
  withoutHiddenKeys,
} from './requests.ts'

// Fewer drawn would be too few to hold their shares.
const callersPerWorld = 2
const questionsPerCaller = 25
/** Of each database; 5,000 pairs of a caller and a question in a long run. */
const worlds = Math.ceil(drawsOf('callers and rows that are removed') / callersPerWorld / questionsPerCaller)
/** Of so many worlds one is asked in; the others are drawn only, which takes next to no time. */
const worldsPerAsked = isLong ? 1 : 4
const mostReports = 3

const tally = new Map<string, number>()
const counts = { drawn: 0, pairs: 0, answered: 0, refused: 0, compared: 0, different: 0 }

describe.each(databases)('on $name', ({ name, open }) => {
  it(`a caller is answered as if what they may not read were gone (QUERNEL_SEED=${fuzzSeed})`, async () => {
    const [home, bare] = [await open(), await open()]
    const reports: string[] = []
    for (let seed = fuzzSeed; seed < fuzzSeed + worlds && reports.length < mostReports; seed++) {
      // Every database has worlds of its own.
      const random = new Random(seed + (name === 'postgres' ? 1_000_003 : 0))
      const world = randomWorld(random, randomSchema(random))
      if ((seed - fuzzSeed) % worldsPerAsked !== 0) {
        for (const { question } of pairsOf(random, world)) if (question) counts.drawn++
        continue
      }
      await build(home.db, world, name)
      const failure = await firstFailure(random, world, { name, home, bare })
      await demolish(home.db, world)
      if (failure) reports.push(await reportOf(seed, world, failure, { name, home, bare }))
    }
    await Promise.all([home.close(), bare.close()])
    expect(reports.join('\n\n')).toBe('')
  })
})

interface Databases {
  readonly name: TestDatabase['name']
  readonly home: OpenDatabase
  /** Where what a caller may not read is gone. */
  readonly bare: OpenDatabase
}

interface Failure {
  readonly caller: DrawnCaller
  readonly question: Question
}

/** The callers of a world and what each of them asks. */
function* pairsOf(
  random: Random,
  world: World,
): Generator<Failure & { readonly left: World; readonly turn: number }> {
  for (let number = 0; number < callersPerWorld; number++) {
    const caller = randomCaller({ random, world, tally })
    const left = removed(world, caller.reads)
    // Somebody for whom there is nothing asks of a world of nothing, which no schema describes.
    if (Object.keys(left.definition).length === 0) continue
    for (let turn = 0; turn < questionsPerCaller; turn++)
      yield { caller, left, turn, question: randomQuestion(random, tally, world, left) }
  }
}

async function firstFailure(
  random: Random,
  world: World,
  { name, home, bare }: Databases,
): Promise<Failure | undefined> {
  const engine = engineOn(home.db, world)
  let built: World | undefined
  let narrowed = engine
  let others = engine
  let failure: Failure | undefined
  for (const { caller, left, turn, question } of pairsOf(random, world)) {
    counts.drawn++
    if (left !== built) {
      if (built) await demolish(bare.db, built)
      await build(bare.db, left, name)
      built = left
      narrowed = engine.as(caller.access)
      others = engineOnLeft(bare.db, left, world)
    }
    const got = await ask(narrowed, question)
    count(got)
    if (turn % 5 === 0) {
      counts.compared++
      if (!isDeepStrictEqual(got, await ask(engine, question))) counts.different++
    }
    if (parting(got, await ask(others, question))) {
      failure = { caller, question }
      break
    }
  }
  if (built) await demolish(bare.db, built)
  return failure
}

function parting(got: Outcome, want: Outcome): string | undefined {
  if ('bug' in got) return `threw ${got.bug}`
  if (isBeyondStatement(got)) return undefined
  return 'bug' in want ? `without rules threw ${want.bug}` : difference(got, withoutHiddenKeys(want))
}

function count(got: Outcome): void {
  counts.pairs++
  if ('error' in got) counts.refused++
  else if ('answer' in got && holdsRows(got.answer)) counts.answered++
}

function holdsRows(answer: unknown): boolean {
  const data: unknown = Reflect.get(Object(answer), 'data') ?? answer
  return !Array.isArray(data) || data.length > 0
}

/** The same with a smaller query in a smaller world. */
async function reportOf(
  seed: number,
  world: World,
  { caller, question }: Failure,
  databases: Databases,
): Promise<string> {
  const { home, bare, name } = databases
  const check: Check = async (smaller, _, asked) => {
    const left = removed(smaller, caller.reads)
    await build(bare.db, left, name)
    try {
      const narrowed = engineOn(home.db, smaller).as(caller.access)
      const again = { ...question, ...asked }
      return parting(await ask(narrowed, again), await ask(engineOnLeft(bare.db, left, smaller), again))
    } finally {
      await demolish(bare.db, left)
    }
  }
  // The check makes engines of its own.
  const none = undefined as never
  await build(home.db, world, name)
  const asked = await smallerQuery(check, world, none, question)
  const found = await check(world, none, asked)
  await demolish(home.db, world)
  const small = await smallerWorld(check, home.db, name, world, asked)
  return [
    found ?? 'nothing differs any more',
    `QUERNEL_SEED=${seed} begins with this world.`,
    `question: ${JSON.stringify({ ...question, ...asked })}`,
    `access: ${JSON.stringify(caller.access)}`,
    `limits: ${JSON.stringify(small.limits ?? {})}`,
    `schema: ${JSON.stringify(small.definition)}`,
    `rows: ${JSON.stringify(small.rows)}`,
  ].join('\n')
}

describe('the pairs', () => {
  const relations = ['m2o', 'o2m', 'm2m', 'm2a', 'any']
  const words = [
    ...'fields filter search sort limit offset page aggregate groupBy having alias deep meta backlink'.split(
      ' ',
    ),
    ...'_filter _search _sort _limit _offset _page _aggregate _groupBy _having _alias'.split(' '),
    ...relations.filter((kind) => kind !== 'any').map((kind) => `relation ${kind}`),
    ...'year month week day weekday hour minute second count json'
      .split(' ')
      .map((word) => `function ${word}`),
    ...['_and', '_or', '_some', '_none', '_json', '$FOLLOW', '$FOLLOW any', 'arm', 'shown arm', '*.*'],
    ...aggregateNames.map((word) => `aggregate ${word}`),
    ...['sort to many', 'sort to one', 'asks of everything', 'asks of what is seen'],
    ...['list', 'text', 'stream', 'one'].map((verb) => `verb ${verb}`),
  ]
  const ofCallers = [
    ...['none', 'true', 'alone', 'together', 'fields some', 'fields all', 'filter some', 'filter none'].map(
      (form) => `rule ${form}`,
    ),
    ...['variable known', 'variable unknown', 'hidden key', 'hidden string', 'hidden integer'],
    ...relations.map((kind) => `hidden ${kind}`),
    ...['m2o', 'o2m', 'm2m', 'm2a'].map((kind) => `rule relation ${kind}`),
    ...['_and', '_or', '_some', '_none', '$FOLLOW', 'arm', 'function count', 'function json'].map(
      (word) => `rule ${word}`,
    ),
  ]

  afterAll(() => {
    const uses = [...words, ...ofCallers].map((word) => `${word} ${tally.get(word) ?? 0}`).join(', ')
    const { drawn, pairs, answered, refused, compared, different } = counts
    console.log(
      `${drawn} pairs drawn, ${pairs} asked, ${answered} with rows, ${refused} refused; ${different} of ${compared} differ from full access; ${uses}`,
    )
  })

  it('return rows in at least two cases of five', () => {
    expect(counts.answered / counts.pairs).toBeGreaterThanOrEqual(0.4)
  })

  // Of few callers the share strays further from that of many, which is above a half.
  const least = isLong ? 0.5 : 0.3
  it(`differ from full access in a share of ${least} of the cases, at least`, () => {
    expect(counts.different / counts.compared).toBeGreaterThanOrEqual(least)
  })

  it('hold every parameter, relation, function and aggregate often', () => {
    const share = Math.min(counts.drawn / 10_000, 1)
    expect(words.filter((word) => (tally.get(word) ?? 0) < 100 * share)).toEqual([])
  })

  it('come from callers with every form of rule', () => {
    const share = Math.min(counts.drawn / 10_000, 1)
    expect(ofCallers.filter((word) => (tally.get(word) ?? 0) < 20 * share)).toEqual([])
  })
})
