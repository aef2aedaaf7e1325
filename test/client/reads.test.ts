// Each case of the read verbs is answered over HTTP as beside the database.
import { beforeAll, describe, expect, it } from 'vitest'
import * as client from '../../src/client.ts'
import * as local from '../../src/index.ts'
import { createEngine, type Engine, type Schema } from '../../src/index.ts'
import type { Call } from '../conformance/reads/case.ts'
import { rows, schema as typed } from '../conformance/reads/collections.ts'
import { readCases } from '../conformance/reads.ts'
import { createTables } from '../conformance/tables.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { outcomeOf, problemsIn, told } from '../support/outcome.ts'
import { type Served, served } from './served.ts'

// The cases name collections by text, so the verbs are to see no names.
const schema: Schema = typed
const clock = () => new Date('2024-03-01T12:00:00Z')

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let server: Served
  beforeAll(async () => {
    opened = await open()
    await createTables(name, opened.db.withoutPlugins(), schema, rows)
    server = await served(createEngine({ db: opened.db, schema }))
  })

  const cases = readCases.filter(({ needs }) => needs === undefined)
  it.each(cases.map((one) => [one.title, one] as const))('%s', async (_, one) => {
    const engine = createEngine({ db: opened.db, schema, clock, ...one.engine })
    server.serve(engine)
    const expected = await outcome(() => answerBy(local, engine, one.call))
    const answer = await outcome(() => answerBy(client, server.api, one.call))
    expect(answer).toEqual(expected)
    expect(JSON.stringify(answer)).toBe(JSON.stringify(expected))
  })
})

/** The verbs of either side. */
interface Verbs<Of> {
  listItems(of: Of, collection: string, query: object): Promise<unknown>
  getItem(of: Of, collection: string, key: never, query: object): Promise<unknown>
  getSingleton(of: Of, collection: string, query: object): Promise<unknown>
  streamItems(of: Of, collection: string, query: object): AsyncIterable<unknown>
}

async function answerBy<Of extends Engine | client.Client>(
  verbs: Verbs<Of>,
  side: Of,
  { verb, of, key, query }: Call,
): Promise<unknown> {
  if (verb === 'list') return verbs.listItems(side, of, query)
  if (verb === 'one') return verbs.getItem(side, of, key as never, query)
  if (verb === 'singleton') return verbs.getSingleton(side, of, query)
  const data: unknown[] = []
  for await (const item of verbs.streamItems(side, of, query)) data.push(item)
  return { data }
}

const outcome = (work: () => Promise<unknown>) =>
  outcomeOf(work, (refusal) => ({ problems: problemsIn(refusal).map(told).map(withPlainNumbers) }))

/** Numbers of an address are texts, which messages quote. */
const withPlainNumbers = (problem: ReturnType<typeof told>) => ({
  ...problem,
  message: problem.message.replace(/not "(-?[\d.]+)"/, 'not $1'),
})
