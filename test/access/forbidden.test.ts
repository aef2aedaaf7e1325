// Whoever asks for what they may not use is told the same as whoever asks for what there is not.
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import * as library from '../../src/index.ts'
import { keyOf, relationOf, type World } from '../oracle/dataset.ts'
import { randomWorld } from '../oracle/random-rows.ts'
import { randomSchema } from '../oracle/random-schema.ts'
import { build, demolish } from '../oracle/tables.ts'
import { fuzzSeed, Random } from '../property/seeded-random.ts'
import { databases } from '../support/databases.ts'
import { drawsOf } from '../support/draws.ts'
import { isLong } from '../support/long-runs.ts'
import { type DrawnCaller, randomCaller } from './caller.ts'
import { isHidden, removed } from './removed.ts'
import { ask, engineOn, type Outcome, outcomeOf } from './requests.ts'

const worlds = drawsOf('names that are forbidden')
const namesPerWorld = 3
/** How many names are tried in one place. */
const enough = isLong ? Number.POSITIVE_INFINITY : 8

type Tree = Readonly<Record<string, unknown>>

/** Where a field may be named in a query. `way`: relations that lead to its collection, with a dot behind each. */
const places: Readonly<Record<string, (name: string) => Tree>> = {
  field: (name) => ({ fields: [name] }),
  'field behind it': (name) => ({ fields: [`${name}.id`] }),
  'wildcard behind it': (name) => ({ fields: [`${name}.*`] }),
  arm: (name) => ({ fields: [`${name}:articles.id`] }),
  part: (name) => ({ fields: [`year(${name})`] }),
  'field counted': (name) => ({ fields: [`count(${name})`] }),
  'json path': (name) => ({ fields: [`json(${name}, a.b)`] }),
  filter: (name) => ({ filter: { [name]: { _eq: 1 } } }),
  'filter without operator': (name) => ({ filter: { [name]: null } }),
  'filter behind it': (name) => ({ filter: { [name]: { id: { _nnull: true } } } }),
  'filter of some': (name) => ({ filter: { _or: [{ [name]: { _some: { id: { _gt: 1 } } } }] } }),
  'filter of an arm': (name) => ({ filter: { [`${name}:articles`]: { id: { _nnull: true } } } }),
  'filter of a part': (name) => ({ filter: { [`month(${name})`]: { _lt: 3 } } }),
  'filter of a count': (name) => ({ filter: { [`count(${name})`]: { _lt: 3 } } }),
  'filter in json': (name) => ({ filter: { [name]: { _json: { a: { _eq: 1 } } } } }),
  sort: (name) => ({ sort: [name] }),
  'sort behind it': (name) => ({ sort: [`-${name}.id`] }),
  'sort by a part': (name) => ({ sort: [`-day(${name})`] }),
  groupBy: (name) => ({ groupBy: [name], aggregate: { count: ['*'] } }),
  'groupBy behind it': (name) => ({ groupBy: [`${name}.id`] }),
  'aggregate max': (name) => ({ aggregate: { max: [name] } }),
  'aggregate count': (name) => ({ aggregate: { count: [name] } }),
  'aggregate of a part': (name) => ({ aggregate: { min: [`hour(${name})`] } }),
  'having max': (name) => ({ groupBy: ['id'], having: { max: { [name]: { _gt: 1 } } } }),
  'having count': (name) => ({ groupBy: ['id'], having: { _or: [{ count: { [name]: 1 } }] } }),
  'having of a part': (name) => ({
    groupBy: ['id'],
    having: { min: { [`hour(${name})`]: { _null: true } } },
  }),
  alias: (name) => ({ alias: { x: name }, fields: ['x'] }),
  'alias of a function': (name) => ({ alias: { x: `count(${name})` }, sort: ['x'] }),
  deep: (name) => ({ deep: { [name]: { _limit: 1 } } }),
}

/** The same behind a relation. */
const behind: Readonly<Record<string, (relation: string, name: string) => Tree>> = {
  field: (relation, name) => ({ fields: [`${relation}.${name}`] }),
  function: (relation, name) => ({ fields: [`year(${relation}.${name})`] }),
  filter: (relation, name) => ({ filter: { [relation]: { [name]: { _eq: 1 } } } }),
  none: (relation, name) => ({ filter: { _and: [{ [relation]: { _none: { [name]: { _eq: 1 } } } }] } }),
  sort: (relation, name) => ({ sort: [`${relation}.${name}`] }),
  groupBy: (relation, name) => ({ groupBy: [`${relation}.${name}`] }),
  _filter: (relation, name) => ({
    fields: [`${relation}.*`],
    deep: { [relation]: { _filter: { [name]: 1 } } },
  }),
  _sort: (relation, name) => ({ fields: [`${relation}.*`], deep: { [relation]: { _sort: [name] } } }),
  _groupBy: (relation, name) => ({ fields: [relation], deep: { [relation]: { _groupBy: [name] } } }),
  _aggregate: (relation, name) => ({
    fields: [relation],
    deep: { [relation]: { _aggregate: { max: [name] } } },
  }),
  _having: (relation, name) => ({
    fields: [relation],
    deep: { [relation]: { _groupBy: ['id'], _having: { max: { [name]: 1 } } } },
  }),
  _alias: (relation, name) => ({ fields: [`${relation}.x`], deep: { [relation]: { _alias: { x: name } } } }),
  below: (relation, name) => ({ fields: [`${relation}.*`], deep: { [relation]: { [name]: { _limit: 1 } } } }),
}

const ofMany: ReadonlySet<string> = new Set(['none', '_sort', '_groupBy', '_aggregate', '_having'])

/** Where a collection may be named. */
const ofCollections: Readonly<Record<string, (name: string, field: string) => Tree>> = {
  follow: (name, field) => ({ filter: { [`$FOLLOW(${name}, ${field})`]: { _null: true } } }),
  'follow any': (name, field) => ({ filter: { [`$FOLLOW(${name}, ${field}, ${field})`]: { _null: true } } }),
  arm: (name, field) => ({ fields: [`${field}:${name}.id`] }),
  'filter of an arm': (name, field) => ({ filter: { [`${field}:${name}`]: { id: 1 } } }),
  deep: (name, field) => ({ deep: { [`${field}:${name}`]: { _filter: { id: 1 } } } }),
}

interface Asked {
  readonly place: string
  /** A name, and what comes of it. */
  readonly of: (name: string) => Promise<Outcome>
  readonly forbidden: string
}

describe.each(databases)('on $name', ({ name, open }) => {
  it(`forbidden names are refused like unknown ones (QUERNEL_SEED=${fuzzSeed})`, async () => {
    const { db, close } = await open()
    const reports: string[] = []
    const tried = new Map<string, number>()
    for (let seed = fuzzSeed; seed < fuzzSeed + worlds && reports.length < 3; seed++) {
      const random = new Random(seed)
      const world = randomWorld(random, randomSchema(random))
      const caller = randomCaller({ random, world, tally: new Map() })
      await build(db, world, name)
      const engine = engineOn(db, world).as(mayWrite(caller))
      const seen = removed(world, caller.reads)
      for (const asked of questions(random, engine, { world, caller, seen })) {
        if ((tried.get(asked.place) ?? 0) >= enough) continue
        const fresh = freshName(random)
        const [got, want] = [await asked.of(asked.forbidden), await asked.of(fresh)]
        tried.set(asked.place, (tried.get(asked.place) ?? 0) + 1)
        const names = [asked.forbidden, fresh]
        const isTold = isRefusal(got) && isDeepStrictEqual(unnamed(got, names), unnamed(want, names))
        // One letter more, for which a hint would offer the name.
        const near = await asked.of(`${asked.forbidden}z`)
        const betrayed = [got, near].flatMap((outcome) => betrayals(outcome, seen, caller))
        if (isTold && betrayed.length === 0) continue
        const about = { place: asked.place, names, got, want, betrayed, access: mayWrite(caller) }
        reports.push(`QUERNEL_SEED=${seed} begins with this world.\n${JSON.stringify(about)}`)
        break
      }
      await demolish(db, world)
    }
    await close()
    expect(reports.join('\n\n')).toBe('')
    const least = Math.min(worlds, 2)
    expect(every.filter((place) => (tried.get(place) ?? 0) < least)).toEqual([])
    console.log(`${[...tried.values()].reduce((sum, some) => sum + some, 0)} names on ${name}`)
  })
})

const every = [
  ...Object.keys(places).map((place) => `place ${place}`),
  ...Object.keys(behind).map((place) => `behind ${place}`),
  ...Object.keys(ofCollections).map((place) => `collection ${place}`),
  ...['list', 'text', 'stream', 'one'].map((verb) => `collection for ${verb}`),
  ...['create', 'update', 'delete', 'update by query'].map((verb) => `collection to ${verb}`),
  ...['field to create', 'field to update'],
]

/** What may be read may be written. */
function mayWrite({ access }: DrawnCaller): library.Access<library.Schema> {
  const rules = Object.entries(access.rules ?? {}).map(([name, grants]) => [
    name,
    {
      ...grants,
      create: grants?.read ?? false,
      update: grants?.read ?? false,
      delete: grants?.read ?? false,
    },
  ])
  return { ...access, rules: Object.fromEntries(rules) }
}

interface Scene {
  readonly world: World
  readonly caller: DrawnCaller
  readonly seen: World
}

function* questions(
  random: Random,
  engine: library.Engine,
  { world, caller, seen }: Scene,
): Generator<Asked> {
  const seenNames = Object.keys(seen.definition)
  const fieldsOf = (one: World, collection: string) => Object.keys(one.definition[collection]?.fields ?? {})
  const list = (collection: string, query: Tree) =>
    ask(engine, { verb: 'list', collection, query: query as never })
  const hidden = seenNames.flatMap((collection) =>
    fieldsOf(world, collection)
      .filter((field) => !fieldsOf(seen, collection).includes(field))
      .map((field) => ({ collection, field })),
  )
  for (let number = 0; hidden.length > 0 && number < namesPerWorld; number++) {
    const { collection, field: forbidden } = random.one(hidden)
    for (const [place, query] of Object.entries(places))
      if (isGroupedById(world, collection) || !place.startsWith('having'))
        yield { place: `place ${place}`, forbidden, of: (name) => list(collection, query(name)) }
    const key = world.rows[collection]?.map((row) => row[keyOf(world, collection)])[0] ?? 1
    const create = (name: string) =>
      outcomeOf(() => library.createItem(engine, collection, { [name]: 1 } as never))
    const update = (name: string) =>
      outcomeOf(() => library.updateItem(engine, collection, key as never, { [name]: 1 } as never))
    // A relation of which nothing is seen may be written all the same. The key of an item to update is named by who it is.
    const isGranted = caller.reads[collection]?.some(({ fields }) => fields.includes(forbidden))
    if (!isGranted) yield { place: 'field to create', forbidden, of: create }
    if (!isGranted && forbidden !== keyOf(world, collection))
      yield { place: 'field to update', forbidden, of: update }
    for (const from of seenNames)
      for (const relation of fieldsOf(seen, from)) {
        const to = relationOf(seen, from, relation)
        if (to === undefined || to.kind === 'any' || to.to !== collection) continue
        const isMany = to.kind === 'many'
        for (const [place, query] of Object.entries(behind))
          if ((isMany || !ofMany.has(place)) && (isGroupedById(world, collection) || place !== '_having'))
            yield { place: `behind ${place}`, forbidden, of: (name) => list(from, query(relation, name)) }
      }
  }
  const gone = Object.keys(world.definition).filter((collection) => !seenNames.includes(collection))
  for (const forbidden of gone) {
    for (const verb of ['list', 'text', 'stream', 'one'] as const)
      yield {
        place: `collection for ${verb}`,
        forbidden,
        of: (collection) => ask(engine, { verb, collection, query: {}, key: 1 }),
      }
    const writes: Readonly<Record<string, (collection: string) => Promise<unknown>>> = {
      create: (collection) => library.createItem(engine, collection, {}),
      update: (collection) => library.updateItem(engine, collection, 1 as never, {}),
      delete: (collection) => library.deleteItem(engine, collection, 1 as never),
      'update by query': (collection) => library.updateByQuery(engine, collection, { filter: { id: 1 } }, {}),
    }
    for (const [verb, work] of Object.entries(writes))
      yield {
        place: `collection to ${verb}`,
        forbidden,
        of: (collection) => outcomeOf(() => work(collection)),
      }
    for (const collection of seenNames)
      for (const [place, query] of Object.entries(ofCollections)) {
        const fields = fieldsOf(seen, collection).filter((field) => !isHidden(field))
        const field = fields.find((one) => relationOf(seen, collection, one)?.kind === 'any') ?? fields[0]
        if (field)
          yield {
            place: `collection ${place}`,
            forbidden,
            of: (name) => list(collection, query(name, field)),
          }
      }
  }
}

/** False where the key is a type by which nothing is grouped, which is refused whatever else is named. */
const isGroupedById = ({ definition }: World, collection: string): boolean =>
  definition[collection]?.fields.id?.type !== 'binary'

/** Like no name that there is. */
const freshName = (random: Random) => `z${random.many(9, 14, () => random.one([...'qwxyzjkv'])).join('')}`

const isRefusal = (outcome: Outcome): boolean =>
  'error' in outcome && [403, 404].includes(Number(Reflect.get(Object(outcome.error), 'status')))

/** An outcome without hints, in which none of some names is told from another. */
function unnamed(outcome: Outcome, names: readonly string[]): unknown {
  const words = names.map((name) => name.replace(/[^\w]/g, '\\$&')).join('|')
  const text = JSON.stringify(outcome, (member, value) => (member === 'hint' ? undefined : value))
  return text.replace(new RegExp(`(?<!\\w)(${words})(?!\\w)`, 'g'), 'NAME')
}

/** Hints that name what is not seen. */
function betrayals(outcome: Outcome, seen: World, { reads }: DrawnCaller): string[] {
  if (!('error' in outcome)) return []
  const errors: unknown = Reflect.get(Object(outcome.error), 'errors')
  const all: unknown[] = Array.isArray(errors) ? errors : [outcome.error]
  return all.flatMap((error) => {
    const { hint, message } = Object(error)
    const [, hinted] = /^Did you mean "(.*)"\?$/.exec(String(hint)) ?? []
    if (hinted === undefined) return []
    const [, collection] = / in "([^"]*)", or you may not/.exec(String(message)) ?? []
    const legal = collection === undefined ? seen.definition : (seen.definition[collection]?.fields ?? {})
    // What may be written may be named, whether or not anything is seen of it.
    const isGranted = reads[collection ?? '']?.some(({ fields }) => fields.includes(hinted))
    return isGranted || Object.hasOwn(legal, hinted) ? [] : [String(hint)]
  })
}
