import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createEngine, type Engine, type Schema } from '../../src/index.ts'
import { fuzzSeed } from '../property/seeded-random.ts'
import type { OpenDatabase } from '../support/databases.ts'
import { lanes } from '../support/lanes.ts'
import { fourthOf } from '../support/long-runs.ts'
import { readLanes } from './reads/lanes.ts'
import { type Contents, contents, differences, made, outcome } from './writes/call.ts'
import { schema as typed } from './writes/collections.ts'
import { createWriteTables, restored } from './writes/tables.ts'
import { writeCases } from './writes.ts'

// The cases name collections by text, so the verbs are to see no names.
const schema: Schema = typed
const clock = () => new Date('2024-03-01T12:00:00Z')

/** The databases as they come hold all cases; those that a host has set up in odd ways, some others each run. */
const writeLanes = readLanes.map((lane, at) => ({
  ...lane,
  some: at < lanes.length ? writeCases : fourthOf(writeCases, fuzzSeed + at),
}))

describe.each(writeLanes)(`on $title (QUERNEL_SEED=${fuzzSeed})`, ({ name, collation, open, some }) => {
  let opened: OpenDatabase
  let looking: Engine
  let seeded: Contents
  const engineWith = (options = {}): Engine =>
    createEngine({ db: opened.db, schema, clock, ...(collation && { collation }), ...options })
  beforeAll(async () => {
    opened = await open()
    await createWriteTables(name, opened.db.withoutPlugins())
    await restored[name](opened.db.withoutPlugins())
    // It plans what it looks at once.
    looking = engineWith()
    seeded = await contents(looking)
  })
  beforeEach(() => restored[name](opened.db.withoutPlugins()))
  afterAll(() => opened.close())

  const has = name === 'postgres' ? 'lengthsOfColumns' : undefined
  const cases = some.filter(({ needs }) => needs === undefined || needs === has)
  it.each(cases.map((one) => [one.title, one] as const))('%s', async (_, one) => {
    const engine = engineWith(one.engine)
    for (const call of one.before ?? []) await made(engine, call)
    const before = one.before ? await contents(looking) : seeded
    expect(await outcome(() => made(engine, one.call))).toEqual(one.expect)
    expect(differences(before, await contents(looking))).toEqual(one.leaves ?? {})
  })
})
