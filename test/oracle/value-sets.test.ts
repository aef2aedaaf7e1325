// One statement for many callers and filters answers what a read of each answers, on random worlds.
import { isDeepStrictEqual } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import type { Access, AnyRule } from '../../src/access/access.ts'
import { internalsOf } from '../../src/engine/engine.ts'
import {
  createEngine,
  defineSchema,
  type Engine,
  type EngineError,
  type SchemaDefinition,
} from '../../src/index.ts'
import { type MembersRequest, memberShape, readMemberSets } from '../../src/items/watch/member-sets.ts'
import { readMembers, type WatchedItem, type WatchedRequest } from '../../src/items/watch/watched-list.ts'
import { storedKey } from '../../src/plan/key.ts'
import { fuzzSeed, Random } from '../property/seeded-random.ts'
import { drawsOf } from '../support/draws.ts'
import { type Lane, lanes } from '../support/lanes.ts'
import { isLong } from '../support/long-runs.ts'
import { outcomeOf } from '../support/outcome.ts'
import { fieldNames, keyParts, keyValue } from './dataset.ts'
import type { Draw } from './draw.ts'
import type { Filter } from './filter.ts'
import { parametrized, withOthers } from './operands.ts'
import { operatorNames } from './operators.ts'
import { randomFields } from './random-fields.ts'
import { randomFilter } from './random-filter.ts'
import { randomLevel } from './random-level.ts'
import { randomWorld } from './random-rows.ts'
import { randomSchema } from './random-schema.ts'
import { build, demolish } from './tables.ts'
import { varied } from './variation.ts'

const worlds = drawsOf('sets of values')
const shapesPerWorld = 10
const counts = { shapes: 0, together: 0, alone: 0, refused: 0, members: 0 }
const tally = new Map<string, number>()

describe.each(lanes)('value sets on $title', (lane) => {
  it(`answer what single reads answer (QUERNEL_SEED=${fuzzSeed})`, async () => {
    const { db } = await lane.open()

    for (let seed = fuzzSeed; seed < fuzzSeed + worlds; seed++) await checkWorld(db, lane, seed)
  })
})

async function checkWorld(db: Engine['db'], lane: Lane, seed: number): Promise<void> {
  const random = new Random(seed + lanes.indexOf(lane) * 1_000_003)
  const world = randomWorld(random, randomSchema(random, { keys: 'any' }))
  await build(db, world, lane.name)
  const engine = createEngine({
    db,
    schema: defineSchema<SchemaDefinition>(world.definition),
    limits: { expandedFields: 1_000_000, nestedRows: 1_000_000_000, ...world.limits },
    acquireTimeoutMs: 600_000,
  })
  for (let shape = 0; shape < shapesPerWorld; shape++)
    await checkShape(engine, { world, random, tally }, seed)
  await demolish(db, world)
}

/** Draws lists of the same words, for callers with the same rules, and compares what is read of them. */
async function checkShape(engine: Engine, draw: Draw, seed: number): Promise<void> {
  const { random, world } = draw
  const isFull = (name: string) => keyParts(world, name).length > 0 && world.rows[name]?.length !== 0
  const names = Object.keys(world.rows).filter(isFull)
  if (names.length === 0) return
  const [collection, query] = [random.one(names), {}]
  Object.assign(query, randomQuery(draw, collection))
  const accessOf = random.chance(0.6) ? randomRules(draw) : undefined
  const number = isLong && random.chance(0.002) ? 1_000 : 2 + random.below(random.chance(0.1) ? 49 : 6)
  const all = (world.rows[collection] ?? []).map((row) =>
    storedKey(
      internalsOf(engine).schema.collections.get(collection) ?? fail(),
      keyValue(world, collection, row),
    ),
  )
  const shared = random.some(all, 12)
  const requests = Array.from({ length: number }, (): MembersRequest => {
    const access = accessOf?.()
    const own = random.chance(0.8) ? shared : random.some(all, 6)
    const request: WatchedRequest = { collection, query: another(draw, query), part: 'members' }
    return { engine: internalsOf(access ? engine.as(access) : engine), request, keys: own }
  })
  await compare(requests, `QUERNEL_SEED=${seed} begins with this world.`)
}

const fail = (): never => {
  throw new Error('no such collection')
}

function randomQuery(draw: Draw, collection: string): object {
  const { filter, search } = randomLevel(draw, collection, '')
  const { sort: _sort, ...fields } = randomFields(draw, collection) as { readonly sort?: unknown }
  const own = draw.random.chance(0.7) ? { filter: randomFilter(draw, collection) } : { filter }
  return JSON.parse(JSON.stringify({ ...fields, ...own, search }))
}

/** The query with other operands, and now and then with other pages below. */
function another({ random, world }: Draw, query: { readonly filter?: Filter }): WatchedRequest['query'] {
  const { filter } = query
  const other = filter ? { ...query, filter: withOthers(random, world, filter) } : query
  // The words stay, so that it is a query still.
  return (random.chance(0.1) ? varied(random, world, other as never) : other) as WatchedRequest['query']
}

/** Rules whose operands are variables, and a function that draws a caller. */
function randomRules(draw: Draw): () => Access {
  const { random, world } = draw
  const written = Object.keys(world.definition).flatMap((name, index) =>
    random.chance(0.02)
      ? []
      : random.many(1, 2, (at) => ({
          name,
          prefix: `v${index}_${at}_`,
          filter: random.chance(0.7) ? ruleFilter(draw, name) : undefined,
          fields: random.chance(0.9) ? ['*'] : fieldNames(world, name).filter(() => random.chance(0.9)),
        })),
  )
  const rules: Record<string, { read: AnyRule[] }> = {}
  for (const { name, prefix, filter, fields } of written) {
    rules[name] ??= { read: [] }
    rules[name].read.push({ fields, ...(filter && { filter: parametrized(filter, prefix).filter }) })
  }
  return () => ({
    rules,
    variables: Object.assign(
      {},
      ...written.map(({ filter, prefix }) =>
        filter ? parametrized(withOthers(random, world, filter), prefix).variables : {},
      ),
    ),
  })
}

/** A rule needs a branch in each junction. */
function ruleFilter(draw: Draw, collection: string): Filter {
  const filter = randomFilter(draw, collection)
  return JSON.stringify(filter).includes('[]') ? ruleFilter(draw, collection) : filter
}

async function compare(requests: readonly MembersRequest[], seed: string): Promise<void> {
  const shapes = new Map<object | undefined, MembersRequest[]>()
  for (const read of requests) {
    const shape = memberShape(read.engine, read.request)
    shapes.set(shape, [...(shapes.get(shape) ?? []), read])
  }
  for (const [shape, some] of shapes) {
    const alone = await Promise.all(
      some.map(({ engine, request, keys }) => outcomeOf(() => readMembers(engine, request, keys), said)),
    )
    if (!shape) {
      const refused = alone.filter((one) => typeof one === 'string').length
      counts.refused += refused
      counts.alone += some.length - refused
      continue
    }
    counts.shapes++
    counts.together += some.length
    const read = some.filter((_, at) => typeof alone[at] !== 'string')
    const wanted = alone.filter((one) => typeof one !== 'string')
    const found = await outcomeOf(() => readMemberSets(read), said)
    const first =
      typeof found === 'string'
        ? 0
        : wanted.findIndex((one, at) => !isDeepStrictEqual(byKey(one), byKey(found[at] ?? [])))
    if (first < 0) {
      for (const one of wanted) counts.members += one.length
      continue
    }
    throw new Error(
      reportOf(
        seed,
        read[first] ?? fail(),
        wanted[first] ?? [],
        typeof found === 'string' ? found : found[first],
      ),
    )
  }
}

function reportOf(
  seed: string,
  { engine, request, keys }: MembersRequest,
  wanted: readonly WatchedItem[],
  found: unknown,
): string {
  const { ruleCaller, permissions } = engine.scope ?? {}
  const about = { ...request, keys, rules: permissions?.rules, variables: ruleCaller?.variables }
  const text = (value: unknown) =>
    JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}n` : part))
  return [seed, text(about), `alone: ${text(byKey(wanted))}`, `together: ${text(found)}`].join('\n')
}

const byKey = (items: readonly WatchedItem[]): readonly WatchedItem[] =>
  [...items].sort((one, other) => (one.identity < other.identity ? -1 : 1))

const said = ({ code, message, cause }: EngineError) => `${code} ${message} ${String(cause)}`

describe('the value sets', () => {
  afterAll(() => {
    console.log(JSON.stringify(counts))
  })

  it('are read together, and have members', () => {
    // Of few worlds, one may hold next to nothing.
    expect(counts.together).toBeGreaterThan(isLong ? counts.alone / 2 : 20)
    expect(counts.members).toBeGreaterThan(isLong ? counts.together / 2 : 20)
  })

  it('hold every operator', () => {
    const missing = operatorNames.filter((name) => !tally.has(name))
    expect(missing.length).toBeLessThan(isLong ? 1 : operatorNames.length / 3)
  })
})
