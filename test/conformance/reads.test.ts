import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createEngine,
  type Engine,
  type EngineError,
  getItem,
  getSingleton,
  isEngineError,
  listItems,
  listItemsJson,
  type Schema,
  streamItems,
} from '../../src/index.ts'
import { fuzzSeed } from '../property/seeded-random.ts'
import type { OpenDatabase } from '../support/databases.ts'
import { lanes } from '../support/lanes.ts'
import { fourthOf } from '../support/long-runs.ts'
import type { Call, ReadCase } from './reads/case.ts'
import { rows, schema as typed } from './reads/collections.ts'
import { readLanes } from './reads/lanes.ts'
import { readCases } from './reads.ts'
import { createTables } from './tables.ts'

// The cases name collections by text, so the verbs are to see no names.
const schema: Schema = typed
const clock = () => new Date('2024-03-01T12:00:00Z')

/** The databases as they come answer all cases; those that a host has set up in odd ways, some others each run. */
const oftenLanes = readLanes.map((lane, at) => ({
  ...lane,
  some: at < lanes.length ? readCases : fourthOf(readCases, fuzzSeed + at),
}))

describe.each(oftenLanes)(`on $title (QUERNEL_SEED=${fuzzSeed})`, ({ name, collation, has, open, some }) => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await open()
    await createTables(name, opened.db.withoutPlugins(), schema, rows)
    if (has.includes('looseColumns'))
      await opened.db
        .withoutPlugins()
        .updateTable('papers')
        .set({ paper: '{loose' })
        .where('id', '=', 2)
        .execute()
  })
  afterAll(() => opened.close())

  const cases = some.filter(({ needs }) => !needs || has.includes(needs))
  it.each(cases.map((one) => [one.title, one] as const))('%s', async (_, one) => {
    const engine = createEngine({
      db: opened.db,
      schema,
      clock,
      ...(collation && { collation }),
      ...one.engine,
    })
    const answer = await outcome(() => answerOf(engine, one.call))
    expect(answer).toEqual(one.expect)
    // The order of names is a part of the answer, but for what a document holds.
    expect(JSON.stringify(answer, inOrder)).toBe(JSON.stringify(one.expect, inOrder))
    if (one.call.verb !== 'list') return
    expect(await outcome(() => fromText(engine, one.call))).toEqual(answer)
    if (isStreamed(one)) expect(await outcome(() => streamed(engine, one.call))).toEqual(answer)
  })
})

const inOrder = (name: string, value: unknown) =>
  ['meta', 'paper'].includes(name) || name.endsWith('_json') ? undefined : value

function answerOf(engine: Engine, call: Call): Promise<unknown> {
  const { verb, of, query } = call
  if (verb === 'list') return listItems(engine, of, query)
  if (verb === 'stream') return streamed(engine, call)
  return verb === 'one' ? getItem(engine, of, call.key, query) : getSingleton(engine, of, query)
}

async function fromText(engine: Engine, { of, query }: Call): Promise<unknown> {
  return JSON.parse(await listItemsJson(engine, of, query))
}

async function streamed(engine: Engine, { of, query }: Call): Promise<unknown> {
  const data: unknown[] = []
  for await (const item of streamItems(engine, of, query)) data.push(item)
  return { data }
}

/** A stream tells nothing beside its items, and has no default limit. */
const isStreamed = ({ call, engine }: ReadCase) =>
  call.query.meta === undefined &&
  (call.query.limit !== undefined || !(call.of === 'stars' || engine?.limits))

async function outcome(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work()
  } catch (error) {
    if (isEngineError(error)) return { problems: (error.errors ?? [error]).map(told) }
    throw error
  }
}

const told = ({ code, path, message, hint }: EngineError) => ({
  code,
  ...(path && { path }),
  message,
  ...(hint !== undefined && { hint }),
})
