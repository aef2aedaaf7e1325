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
import { fuzzSeed, Random } from '../property/seeded-random.ts'
import { databases } from '../support/databases.ts'
import { drawsOf } from '../support/draws.ts'
import { fieldOf, keyParts, type World } from './dataset.ts'
import { matches } from './filter.ts'
import { randomFilter } from './random-filter.ts'
import { randomWorld } from './random-rows.ts'
import { randomSchema } from './random-schema.ts'
import { build, columnOf, demolish, isOfBytes, keyField, shownCell } from './tables.ts'

const worlds = drawsOf('filters of the oracle')
const filtersPerWorld = 60

describe.each(databases)('on $name', ({ name, open }) => {
  it(`random filters select what they select in the oracle (QUERNEL_SEED=${fuzzSeed})`, async () => {
    const { db, close } = await open()
    const disagreements: unknown[] = []
    let selecting = 0
    for (let seed = fuzzSeed; seed < fuzzSeed + worlds && disagreements.length < 3; seed++) {
      const random = new Random(seed)
      const world = randomWorld(random, randomSchema(random, { keys: 'any' }))
      const schema: Schema = defineSchema<SchemaDefinition>(world.definition)
      const engine = createEngine({ db, schema })
      await build(db, world, name)
      for (let number = 0; number < filtersPerWorld; number++) {
        const keyed = Object.keys(world.definition).filter((one) => keyParts(world, one).length > 0)
        const collection = random.one(keyed)
        const filter = randomFilter({ world, random, tally: new Map() }, collection)
        const names = keyParts(world, collection)
        const shown = names.map((one) => keyField(world, fieldOf(world, collection, one)))
        const want = (world.rows[collection] ?? []).filter((row) => matches(world, collection, filter, row))
        if (want.length > 0) selecting++
        const got = await db
          .selectFrom(world.definition[collection]?.table ?? collection)
          .select(names.map((one, at) => keyCell(world, collection, one).as(`k${at}`)))
          .where(compileFilter(engine, collection, filter).expression)
          .execute()
        const ours = got.map((row) => shown.map((one, at) => shownCell(row[`k${at}`], one)).join('\n'))
        const theirs = want.map((row) => names.map((one) => String(row[one])).join('\n'))
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

/** A part of a key; as text, because drivers have forms of their own for large numbers and dates. */
function keyCell(world: World, collection: string, name: string) {
  const field = fieldOf(world, collection, name)
  const column = sql`${sql.id(columnOf(name, field))}`
  return isOfBytes(keyField(world, field)) ? column : sql`cast(${column} as text)`
}
