import { beforeAll, describe, expect, it } from 'vitest'
import {
  createVersion,
  deleteVersion,
  type Engine,
  getItem,
  getSingleton,
  type QueryReport,
  type Schema,
} from '../../src/index.ts'
import { readLanes } from '../conformance/reads/lanes.ts'
import { outcomeOf, problemsIn } from '../support/outcome.ts'
import { told, type VersionCase } from './case.ts'
import { openWorld } from './collections.ts'
import { overlayCases } from './overlays.ts'

describe.each(readLanes)('on $title', ({ collation, ...database }) => {
  let engine: Engine<Schema>
  const statements: string[] = []
  beforeAll(async () => {
    const onQuery = ({ sql }: QueryReport) => statements.push(sql)
    const world = await openWorld(database, { onQuery, ...(collation && { collation }) })
    // The cases name collections by text, so the verbs are to see no names.
    engine = world.engine as unknown as Engine<Schema>
  })

  it.each(overlayCases.map((one) => [one.title, one] as const))('%s', async (_, one) => {
    const { of = 'articles', delta } = one
    const key = of === 'site' ? 7 : 1
    await createVersion(engine, of, key, { key: 'draft', delta: { ...delta } })
    statements.length = 0
    const answer = await outcome(() => read(engine, one, key))
    const sent = [...statements]
    await deleteVersion(engine, of, key, 'draft')
    expect(answer).toEqual(one.expect)
    expect(sent.filter((sql) => !isSelect.test(sql))).toEqual([])
    expect(sent.filter((sql) => locks.test(sql))).toEqual([])
  })
})

const isSelect = /^\/\* quernel \*\/ select /
const locks = /\b(for update|for share|lock table)\b/i

function read(engine: Engine, { of = 'articles', query }: VersionCase, key: number): Promise<unknown> {
  const asked = { version: 'draft', ...query }
  return of === 'site' ? getSingleton(engine, of, asked) : getItem(engine, of, key, asked)
}

const outcome = (work: () => Promise<unknown>) =>
  outcomeOf(work, (refusal) => ({ problems: problemsIn(refusal).map(told) }))
