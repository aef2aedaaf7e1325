import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createEngine, type Engine, type Schema } from '../../src/index.ts'
import type { OpenDatabase } from '../support/databases.ts'
import { readLanes } from './reads/lanes.ts'
import { type Contents, contents, differences, made, outcome } from './writes/call.ts'
import { createWriteTables, restored } from './writes/tables.ts'
import { schema as typed } from './writes/world.ts'
import { writeCases } from './writes.ts'

// The cases name collections by text, so the verbs are to see no names.
const schema: Schema = typed
const clock = () => new Date('2024-03-01T12:00:00Z')

describe.each(readLanes)('on $title', ({ name, collation, open }) => {
  let opened: OpenDatabase
  let seeded: Contents
  const engineWith = (options = {}): Engine =>
    createEngine({ db: opened.db, schema, clock, ...(collation && { collation }), ...options })
  beforeAll(async () => {
    opened = await open()
    await createWriteTables(name, opened.db.withoutPlugins())
    await restored[name](opened.db.withoutPlugins())
    seeded = await contents(engineWith())
  })
  beforeEach(() => restored[name](opened.db.withoutPlugins()))
  afterAll(() => opened.close())

  const has = name === 'postgres' ? 'lengthsOfColumns' : undefined
  const cases = writeCases.filter(({ needs }) => needs === undefined || needs === has)
  it.each(cases.map((one) => [one.title, one] as const))('%s', async (_, one) => {
    const engine = engineWith(one.engine)
    for (const call of one.before ?? []) await made(engine, call)
    const before = one.before ? await contents(engineWith()) : seeded
    expect(await outcome(() => made(engine, one.call))).toEqual(one.expect)
    expect(differences(before, await contents(engineWith()))).toEqual(one.leaves ?? {})
  })
})
