// What a query deletes or changes is what a list with the same query shows, and nothing else.

import { beforeAll, describe, expect, it } from 'vitest'
import {
  createEngine,
  defineSchema,
  deleteByQuery,
  type Engine,
  isEngineError,
  listItems,
  type Schema,
  type SchemaDefinition,
  updateByQuery,
} from '../../src/index.ts'
import { fuzzSeed, Random } from '../property/seeded-random.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { drawsOf } from '../support/draws.ts'
import { keyParts, keyValue, type Row, type World } from './dataset.ts'
import type { Draw } from './draw.ts'
import { randomLevel } from './random-level.ts'
import { randomWorld } from './random-rows.ts'
import { randomSchema } from './random-schema.ts'
import { build, demolish } from './tables.ts'

const worlds = drawsOf('deletions of the oracle')
const trialsPerWorld = 20
const choosing = new Set(['filter', 'search', 'sort', 'limit', 'offset'])

interface Trial extends Draw {
  readonly engine: Engine
  readonly collection: string
  readonly query: Readonly<Record<string, unknown>>
}

describe.each(databases)(`on $name (QUERNEL_SEED=${fuzzSeed})`, ({ name, open }) => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await open()
  })

  /** Tries queries on worlds, and counts how many items they found and how many they left. */
  async function everywhere(
    check: (trial: Trial) => Promise<{ found: number; left: number }>,
  ): Promise<void> {
    const counts = { partly: 0, refused: 0 }
    for (let seed = fuzzSeed; seed < fuzzSeed + worlds; seed++) {
      const random = new Random(seed)
      const { definition, rows } = randomWorld(random, randomSchema(random, { keys: 'any' }))
      const world: World = { definition, rows }
      await build(opened.db, world, name)
      try {
        const schema: Schema = defineSchema<SchemaDefinition>(definition)
        const engine = createEngine({ db: opened.db, schema })
        for (let number = 0; number < trialsPerWorld; number++) {
          const draw = { world, random, tally: new Map() }
          const collection = random.one(
            Object.keys(definition).filter((one) => keyParts(world, one).length > 0),
          )
          const level = Object.entries(randomLevel(draw, collection, ''))
          const query = Object.fromEntries(level.filter(([parameter]) => choosing.has(parameter)))
          try {
            const { found, left } = await check({ ...draw, engine, collection, query })
            if (found > 0 && left > 0) counts.partly++
          } catch (error) {
            if (!isEmptyFilter(error))
              throw new Error(`${seed}: ${collection} ${JSON.stringify(query)}`, { cause: error })
            counts.refused++
          }
        }
      } finally {
        await demolish(opened.db, world)
      }
    }
    expect(counts.partly).toBeGreaterThan((worlds * trialsPerWorld) / 8)
    expect(counts.refused).toBeGreaterThan(0)
  }

  it('a deletion deletes the items of the list, and then none', () => everywhere(deleted))
  it('a change by query changes the items of the list', () => everywhere(changed))
})

const isEmptyFilter = (error: unknown) =>
  isEngineError(error) && error.code === 'INVALID_PAYLOAD' && String(error.path) === 'filter'

class RolledBack extends Error {}

/** Does something and undoes it. */
async function undone<Result>(engine: Engine, work: (inside: Engine) => Promise<Result>): Promise<Result> {
  let result: { readonly is: Result } | undefined
  try {
    await engine.transaction(async (inside) => {
      result = { is: await work(inside) }
      throw new RolledBack()
    })
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
  }
  if (!result) throw new Error('nothing was done')
  return result.is
}

async function contents(engine: Engine, world: World): Promise<ReadonlyMap<string, readonly Row[]>> {
  const all = new Map<string, readonly Row[]>()
  for (const name of Object.keys(world.definition)) {
    const fields = [...(engine.schema.collections.get(name)?.fields.values() ?? [])]
    const own = fields.filter((field) => 'column' in field).map((field) => field.name)
    all.set(name, (await listItems(engine, name, { fields: own, limit: -1 })).data)
  }
  return all
}

async function keysShown({ engine, world, collection, query }: Trial): Promise<unknown[]> {
  const fields = keyParts(world, collection)
  const { data } = await listItems(engine, collection, { limit: -1, ...query, fields })
  return data.map((row: Row) => keyValue(world, collection, row))
}

/** Tells whether a row is one of those with the given keys. */
function isAmong({ world, collection }: Trial, keys: readonly unknown[]): (row: Row) => boolean {
  const known = new Set(keys.map((key) => JSON.stringify(key)))
  return (row) => known.has(JSON.stringify(keyValue(world, collection, row)))
}

async function deleted(trial: Trial): Promise<{ found: number; left: number }> {
  const { engine, world, collection, query } = trial
  const keys = await keysShown(trial)
  const expected = new Map(await contents(engine, world))
  const isGone = isAmong(trial, keys)
  const before = expected.get(collection) ?? []
  expected.set(
    collection,
    before.filter((row) => !isGone(row)),
  )
  await undone(engine, async (inside) => {
    expect(await deleteByQuery(inside, collection, query, { dryRun: true })).toEqual({
      deleted: keys.length,
      keys,
    })
    expect(await deleteByQuery(inside, collection, query)).toEqual({ deleted: keys.length, keys })
    expect(await contents(inside, world)).toEqual(expected)
    if (query.limit === undefined && query.offset === undefined && !looksAround(query.filter))
      expect(await deleteByQuery(inside, collection, query)).toEqual({ deleted: 0, keys: [] })
  })
  return { found: keys.length, left: before.length - keys.length }
}

/** What is said of other items may become true of one when they are gone. */
const looksAround = (filter: unknown) =>
  JSON.stringify(filter ?? {}).match(/_none|count\(|\$FOLLOW|"_n?(null|empty)|null/) !== null

async function changed(trial: Trial): Promise<{ found: number; left: number }> {
  const { engine, world, collection, query } = trial
  const keys = await keysShown(trial)
  const before = await contents(engine, world)
  await undone(engine, async (inside) => {
    const field = [...(inside.schema.collections.get(collection)?.fields.values() ?? [])].find(
      (one) => 'column' in one && one.isNullable && !keyParts(world, collection).includes(one.name),
    )
    if (!field) return
    expect(await updateByQuery(inside, collection, query, { [field.name]: null })).toEqual({
      updated: keys.length,
      keys,
    })
    const expected = new Map(before)
    const isMeant = isAmong(trial, keys)
    expected.set(
      collection,
      (before.get(collection) ?? []).map((row) => (isMeant(row) ? { ...row, [field.name]: null } : row)),
    )
    expect(byKey(await contents(inside, world), world)).toEqual(byKey(expected, world))
  })
  return { found: keys.length, left: (before.get(collection)?.length ?? 0) - keys.length }
}

/** A field that a collection is sorted by may be the one that is changed. Without a key, nothing is. */
const byKey = (all: ReadonlyMap<string, readonly Row[]>, world: World) =>
  new Map(
    [...all].map(([name, rows]) => [
      name,
      new Map(rows.map((row, at) => [JSON.stringify(keyValue(world, name, row) ?? at), row])),
    ]),
  )
