// Each case of the verbs that write does over HTTP what it does beside the database, and answers the same.
import { beforeAll, describe, expect, it } from 'vitest'
import * as client from '../../src/client.ts'
import { createEngine, type Engine, type Schema } from '../../src/index.ts'
import { contents, differences, made, madeBy, outcome, type WriteVerbs } from '../conformance/writes/call.ts'
import type { WriteCase } from '../conformance/writes/case.ts'
import { schema as typed } from '../conformance/writes/collections.ts'
import { createWriteTables, restored } from '../conformance/writes/tables.ts'
import { writeCases } from '../conformance/writes.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { type Served, served } from './served.ts'

// The cases name collections by text, so the verbs are to see no names.
const schema: Schema = typed
const clock = () => new Date('2024-03-01T12:00:00Z')

// A client in the place of an engine: the cases give both what no type allows.
const verbs = client as unknown as WriteVerbs
const asEngine = (api: client.Client) => api as unknown as Engine

/** Bounds of how many items are written, and results without keys, are of the library alone. */
const isOverHttp = ({ title, call, needs }: WriteCase) =>
  needs === undefined &&
  !letBe.test(title) &&
  !('options' in call && call.options && Object.keys(call.options).some((name) => name !== 'dryRun'))

/** What a body says is refused as a body, and a singleton as a path that lacks such a method. */
const saidOtherwise = new RegExp(
  [
    '^an item is no ',
    '^a place that is left free in a list',
    '^a list of keys needs data',
    '^a payload that holds itself',
    '^a singleton is not for bulk',
  ].join('|'),
)
/** The server lets be what selects no part of an answer, and data for no item. */
const letBe = /^"(filter|aggregate)" has no meaning for what is answered|^no keys with null behind them/

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let server: Served
  const restore = () => restored[name](opened.db.withoutPlugins())
  beforeAll(async () => {
    opened = await open()
    await createWriteTables(name, opened.db.withoutPlugins())
    server = await served(createEngine({ db: opened.db, schema }))
  })

  const cases = writeCases.filter(isOverHttp)
  it.each(cases.map((one) => [one.title, one] as const))('%s', async (_, one) => {
    const engine = createEngine({ db: opened.db, schema, clock, ...one.engine })
    server.serve(engine)
    const effectOf = async (work: () => Promise<unknown>) => {
      await restore()
      for (const call of one.before ?? []) await made(engine, call)
      const before = await contents(engine)
      const answer = await outcome(work)
      return { answer, leaves: differences(before, await contents(engine)) }
    }
    const expected = await effectOf(() => made(engine, one.call))
    const found = await effectOf(() => madeBy(verbs, asEngine(server.api), one.call))
    if (!saidOtherwise.test(one.title)) return expect(found).toEqual(expected)
    expect(found.leaves).toEqual({})
    expect([found.answer, expected.answer]).toEqual(Array(2).fill({ problems: expect.any(Array) }))
  })
})
