// Two databases that differ only in what a caller may not read are the same to that caller, who reads and who writes.

import { describe, expect, it } from 'vitest'
import type { World } from '../oracle/dataset.ts'
import { difference } from '../oracle/difference.ts'
import { randomWorld } from '../oracle/random-rows.ts'
import { randomSchema } from '../oracle/random-schema.ts'
import { build, demolish } from '../oracle/tables.ts'
import { fuzzSeed, Random } from '../property/seeded-random.ts'
import { databases, type OpenDatabase, type TestDatabase } from '../support/databases.ts'
import { drawsOf } from '../support/draws.ts'
import { randomCaller } from './caller.ts'
import { randomQuestion } from './dataset-pairs.ts'
import { mayReveal, randomWrite, withWrites, written } from './drawn-writes.ts'
import { changedOutOfSight } from './hidden-changes.ts'
import { removed } from './removed.ts'
import { ask, engineOn, type Outcome } from './requests.ts'

const worlds = drawsOf('answers equal to those of the caller alone')
const questionsPerWorld = 20
const writesPerWorld = 20

interface Databases {
  readonly name: TestDatabase['name']
  readonly ours: OpenDatabase
  readonly theirs: OpenDatabase
}

describe.each(databases)(`on $name (QUERNEL_SEED=${fuzzSeed})`, ({ name, open }) => {
  it('what a caller may not read changes no answer, no count and no error', () =>
    everywhere(open, name, { trial: asked, leastDone: 0.2 }))
  it('what a caller may not read changes no outcome of what they write', () =>
    everywhere(open, name, { trial: writtenAlike, leastDone: 0.15 }))
})

/** What differed, and how often which outcome was seen. */
interface Findings {
  readonly reports: string[]
  readonly outcomes: Map<string, number>
  /** How much is different where the caller does not see it. */
  readonly changes: number
}

type Trial = (random: Random, world: World, databases: Databases) => Promise<Findings>

async function everywhere(
  open: () => Promise<OpenDatabase>,
  name: TestDatabase['name'],
  { trial, leastDone }: { readonly trial: Trial; readonly leastDone: number },
): Promise<void> {
  const [ours, theirs] = [await open(), await open()]
  const reports: string[] = []
  const outcomes = new Map<string, number>()
  let changes = 0
  for (let seed = fuzzSeed; seed < fuzzSeed + worlds && reports.length < 3; seed++) {
    const random = new Random(seed + (name === 'postgres' ? 1_000_003 : 0))
    const world = randomWorld(random, randomSchema(random))
    await build(ours.db, world, name)
    const found = await trial(random, world, { name, ours, theirs })
    await demolish(ours.db, world)
    changes += found.changes
    for (const report of found.reports.slice(0, 1))
      reports.push(`QUERNEL_SEED=${seed} begins with this world.\n${report}`)
    for (const [kind, times] of found.outcomes) outcomes.set(kind, (outcomes.get(kind) ?? 0) + times)
  }
  await Promise.all([ours.close(), theirs.close()])
  expect(reports.join('\n\n')).toBe('')
  console.log(
    `on ${name}: ${changes} changes out of sight, ${[...outcomes].map(([kind, times]) => `${kind} ${times}`).join(', ')}`,
  )
  expect(changes).toBeGreaterThan(worlds * 3)
  const total = [...outcomes.values()].reduce((sum, times) => sum + times, 0)
  // Of what is asked, four fifths are answered; of 400 writes, 80 to 90 are done.
  expect((outcomes.get('answer') ?? 0) / total).toBeGreaterThan(leastDone)
  expect(outcomes.get('error NOT_FOUND') ?? 0).toBeGreaterThan(0)
  expect(outcomes.get('error FORBIDDEN') ?? 0).toBeGreaterThan(0)
}

const kindOf = (outcome: Outcome): string =>
  'error' in outcome ? `error ${Reflect.get(Object(outcome.error), 'code')}` : (Object.keys(outcome)[0] ?? '')

async function asked(random: Random, world: World, { name, ours, theirs }: Databases): Promise<Findings> {
  const caller = randomCaller({ random, world, tally: new Map() })
  const seen = removed(world, caller.reads)
  const { other, changes } = changedOutOfSight(random, world, caller)
  await build(theirs.db, other, name)
  const [mine, yours] = [engineOn(ours.db, world), engineOn(theirs.db, other)]
  const findings: Findings = { reports: [], outcomes: new Map(), changes }
  for (let number = 0; number < questionsPerWorld; number++) {
    const question = randomQuestion(random, new Map(), world, seen)
    const got = await ask(mine.as(caller.access), question)
    const want = await ask(yours.as(caller.access), question)
    note(findings, got, want, { question, access: caller.access })
  }
  await demolish(theirs.db, other)
  return findings
}

async function writtenAlike(
  random: Random,
  world: World,
  { name, ours, theirs }: Databases,
): Promise<Findings> {
  const reader = randomCaller({ random, world, tally: new Map() }, 'by own fields')
  const caller = withWrites(random, world, reader)
  const { other, changes } = changedOutOfSight(random, world, caller)
  await build(theirs.db, other, name)
  const [mine, yours] = [engineOn(ours.db, world), engineOn(theirs.db, other)]
  const findings: Findings = { reports: [], outcomes: new Map(), changes }
  for (let number = 0; number < writesPerWorld; number++) {
    const write = randomWrite(random, world, other, caller)
    const got = await written(mine.as(caller.access), write)
    const want = await written(yours.as(caller.access), write)
    // What is shown because of the write may be different; that something is shown may not.
    const isAlike = mayReveal(caller, write) && kindOf(got) === 'answer' && kindOf(want) === 'answer'
    note(findings, got, isAlike ? got : want, { write, access: caller.access })
  }
  await demolish(theirs.db, other)
  return findings
}

function note({ reports, outcomes }: Findings, got: Outcome, want: Outcome, about: object): void {
  const found = 'bug' in got ? got.bug : difference(got, want)
  if (found) reports.push(`${found}\n${JSON.stringify(about)}`)
  outcomes.set(kindOf(got), (outcomes.get(kindOf(got)) ?? 0) + 1)
}
