// Describes the write verbs on every database, case by case.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createEngine, type Engine, type Schema } from '../../../src/index.ts'
import type { OpenDatabase } from '../../support/databases.ts'
import { type Chapter, describeCases } from '../describe-cases.ts'
import type { ReadLane } from '../reads/lanes.ts'
import { writeCases } from '../writes.ts'
import { type Contents, contents, differences, made, outcome } from './call.ts'
import type { Call, WriteCase } from './case.ts'
import { schema as typed } from './collections.ts'
import { createWriteTables, restored } from './tables.ts'

// The cases name collections by text, so the verbs are to see no names.
const schema: Schema = typed
const clock = () => new Date('2024-03-01T12:00:00Z')

/** The verbs that each file of tests describes. */
const verbs = {
  create: ['create', 'createAll'],
  update: ['update', 'updateAll', 'updateEach', 'updateFound'],
  delete: ['delete', 'deleteAll', 'deleteFound'],
  singleton: ['updateSingle'],
} as const satisfies Readonly<Record<string, readonly Call['verb'][]>>
type Described = keyof typeof verbs

/** Describes the cases of some verbs on each database, by chapters. */
export function describeWrites(
  of: Described,
  chapters: Readonly<Record<string, readonly WriteCase[]>>,
): void {
  const isOf = ({ call }: WriteCase) => verbs[of].some((verb) => verb === call.verb)
  describeCases({ chapters, all: writeCases, isOf, canHold, describeOn })
}

/** Only one database keeps texts as short as their columns. */
const canHold = ({ name }: ReadLane, { needs }: WriteCase): boolean =>
  needs === undefined || name === 'postgres'

function describeOn({ name, collation, open }: ReadLane, chapters: readonly Chapter<WriteCase>[]): void {
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

  describe.each(chapters)('%s', (_title, cases) => {
    it.each(cases.map((one) => [one.title, one] as const))('%s', async (_, one) => {
      const engine = engineWith(one.engine)
      for (const call of one.before ?? []) await made(engine, call)
      const before = one.before ? await contents(looking) : seeded
      expect(await outcome(() => made(engine, one.call))).toEqual(one.expect)
      expect(differences(before, await contents(looking))).toEqual(one.leaves ?? {})
    })
  })
}
