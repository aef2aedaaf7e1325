// Compiled filters, relations and all, select on random worlds what the oracle selects.

import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import {
  compileFilter,
  createEngine,
  defineSchema,
  type Schema,
  type SchemaDefinition,
} from '../../src/index.ts'
import { Dice, fuzzSeed } from '../property/seeded-random.ts'
import { databases } from '../support/databases.ts'
import { timesOf } from '../support/long-runs.ts'
import { fieldOf, keyOf } from './dataset.ts'
import { matches } from './filter.ts'
import { randomFilter } from './random-filter.ts'
import { randomWorld } from './random-rows.ts'
import { randomSchema } from './random-schema.ts'
import { build, columnOf, demolish, keyField, shownCell } from './tables.ts'

const worlds = Math.ceil(40 * timesOf('QUERNEL_ORACLE', 0.5))
const filtersPerWorld = 60

describe.each(databases)('on $name', ({ name, open }) => {
  it(`random filters select what they select in the oracle (QUERNEL_SEED=${fuzzSeed})`, async () => {
    const { db, close } = await open()
    const disagreements: unknown[] = []
    let selecting = 0
    for (let seed = fuzzSeed; seed < fuzzSeed + worlds && disagreements.length < 3; seed++) {
      const dice = new Dice(seed)
      const world = randomWorld(dice, randomSchema(dice))
      const schema: Schema = defineSchema<SchemaDefinition>(world.definition)
      const engine = createEngine({ db, schema })
      await build(db, world, name)
      for (let number = 0; number < filtersPerWorld; number++) {
        const collection = dice.one(Object.keys(world.definition))
        const filter = randomFilter({ world, dice, tally: new Map() }, collection)
        const key = keyOf(world, collection)
        const want = (world.rows[collection] ?? []).filter((row) => matches(world, collection, filter, row))
        if (want.length > 0) selecting++
        const got = await db
          .selectFrom(world.definition[collection]?.table ?? collection)
          .select(sql`${sql.id(columnOf(key, fieldOf(world, collection, key)))}`.as('key'))
          .where(compileFilter(engine, collection, filter).expression)
          .execute()
        const shown = keyField(world, fieldOf(world, collection, key))
        const ours = got.map((row) => shownCell(row.key, shown))
        const theirs = want.map((row) => String(row[key]))
        if (ours.sort().join() !== theirs.sort().join()) {
          disagreements.push({ seed, collection, filter, got: ours, want: theirs })
        }
      }
      await demolish(db, world)
    }
    await close()
    expect(disagreements).toEqual([])
    expect(selecting).toBeGreaterThan((worlds * filtersPerWorld) / 4)
  })
})
