// Describes the read verbs on every database, case by case.
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createEngine,
  type Engine,
  getItem,
  getSingleton,
  listItems,
  listItemsJson,
  type Schema,
  streamItems,
} from '../../../src/index.ts'
import type { OpenDatabase } from '../../support/databases.ts'
import { outcomeOf, problemsIn, told } from '../../support/outcome.ts'
import { type Chapter, describeCases } from '../describe-cases.ts'
import { readCases } from '../reads.ts'
import { createTables } from '../tables.ts'
import type { Call, ReadCase } from './case.ts'
import { rows, schema as typed } from './collections.ts'
import type { ReadLane } from './lanes.ts'

// The cases name collections by text, so the verbs are to see no names.
const schema: Schema = typed
const clock = () => new Date('2024-03-01T12:00:00Z')

/** The verbs that each file of tests describes. */
const verbs = {
  list: ['list', 'stream'],
  get: ['one'],
  singleton: ['singleton'],
} as const satisfies Readonly<Record<string, readonly Call['verb'][]>>
type Described = keyof typeof verbs

/** Describes the cases of some verbs on each database, by chapters. */
export function describeReads(of: Described, chapters: Readonly<Record<string, readonly ReadCase[]>>): void {
  const isOf = ({ call }: ReadCase) => verbs[of].some((verb) => verb === call.verb)
  describeCases({ chapters, all: readCases, isOf, canHold, describeOn })
}

const canHold = ({ has }: ReadLane, { needs }: ReadCase): boolean => !needs || has.includes(needs)

function describeOn({ name, collation, has, open }: ReadLane, chapters: readonly Chapter<ReadCase>[]): void {
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

  describe.each(chapters)('%s', (_title, cases) => {
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
}

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

const outcome = (work: () => Promise<unknown>) =>
  outcomeOf(work, (refusal) => ({ problems: problemsIn(refusal).map(told) }))
