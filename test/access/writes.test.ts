// What rules say of writes, with the exact difference that each call leaves.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createEngine, type Engine, type Schema } from '../../src/index.ts'
import { type Contents, contents, differences, made, outcome } from '../conformance/writes/call.ts'
import { schema as typed } from '../conformance/writes/collections.ts'
import { createWriteTables, restored } from '../conformance/writes/tables.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { itemCases } from './writes/items.ts'
import {
  movedCases,
  nestedCases,
  presetCases,
  referenceCases,
  validationCases,
  wholeRowCases,
} from './writes/rules.ts'

// The cases name collections by text, so the verbs are to see no names.
const schema: Schema = typed
const cases = [
  ...itemCases,
  ...presetCases,
  ...validationCases,
  ...wholeRowCases,
  ...referenceCases,
  ...nestedCases,
  ...movedCases,
]

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let engine: Engine<Schema>
  let seeded: Contents
  beforeAll(async () => {
    opened = await open()
    await createWriteTables(name, opened.db)
    await restored[name](opened.db)
    engine = createEngine({ db: opened.db, schema })
    seeded = await contents(engine)
  })
  beforeEach(() => restored[name](opened.db))

  it.each(cases.map((one) => [one.title, one] as const))('%s', async (_, one) => {
    for (const call of one.before ?? []) await made(engine, call)
    const before = one.before ? await contents(engine) : seeded
    expect(await outcome(() => made(engine.as(one.access), one.call))).toEqual(one.expect)
    expect(differences(before, await contents(engine))).toEqual(one.leaves ?? {})
  })
})
