// What a caller may write, drawn by chance, and what comes of it. Everything is undone again.
import * as library from '../../src/index.ts'
import { fieldNames, fieldOf, keyOf, relationOf, typeOf, type World } from '../oracle/dataset.ts'
import { makers } from '../oracle/random-values.ts'
import type { Random } from '../property/seeded-random.ts'
import { type DrawnCaller, ownCondition, type Reading } from './caller.ts'
import { newKey, type Watcher } from './hidden-changes.ts'
import { type Outcome, outcomeOf } from './requests.ts'

export function withWrites(random: Random, world: World, { access, reads }: DrawnCaller): Watcher {
  const writes: Record<string, Reading[]> = {}
  const rules = Object.entries(access.rules ?? {}).map(([name, grants]) => {
    const written = ['update', 'delete'].map((action) => {
      const names = fieldNames(world, name)
      const fields = random.chance(0.4) ? names : names.filter(() => random.chance(0.7))
      const filter = random.chance(0.4)
        ? ownCondition({ random, world, tally: new Map() }, name, names)
        : undefined
      writes[name] = [...(writes[name] ?? []), { fields, rows: filter?.rows }]
      return [
        action,
        random.chance(0.2) ? false : { fields, ...(filter && { filter: filter.given }) },
      ] as const
    })
    const create = random.chance(0.6)
      ? true
      : { fields: fieldNames(world, name).filter(() => random.chance(0.9)) }
    return [name, { ...grants, ...Object.fromEntries(written), create }]
  })
  return { access: { ...access, rules: Object.fromEntries(rules) }, reads, writes }
}

type Data = Readonly<Record<string, unknown>>

export type Write =
  | { readonly verb: 'create'; readonly collection: string; readonly data: Data }
  | { readonly verb: 'update'; readonly collection: string; readonly key: unknown; readonly data: Data }
  | { readonly verb: 'delete'; readonly collection: string; readonly key: unknown }

/** Keys are those of either world, and such as there are in neither. */
export function randomWrite(random: Random, world: World, other: World, { access }: DrawnCaller): Write {
  const named = Object.keys(access.rules ?? {})
  const collection = random.one(
    named.length > 0 && random.chance(0.9) ? named : Object.keys(world.definition),
  )
  const verb = random.one(['create', 'update', 'update', 'delete'] as const)
  const key = randomKey(random, random.chance(0.5) ? world : other, collection)
  const names = valueNames(world, collection)
  if (verb === 'delete') return { verb, collection, key }
  if (verb === 'update') {
    const some = random.many(1, 2, () => random.one(names))
    return { verb, collection, key, data: valuesFor(random, world, other, collection, some) }
  }
  // A key that a hidden row has is taken all the same: what has to be unique cannot be kept secret, so it is a new one here. For the
  // same reason the tables have no other unique column, and no foreign key by which hidden rows would hold others.
  const own = keyOf(world, collection)
  const fresh = { [own]: newestKey(random, typeOf(world, collection, own)) }
  const most = names.filter((name) => !isNullable(world, collection, name) || random.chance(0.5))
  return { verb, collection, data: { ...valuesFor(random, world, other, collection, most), ...fresh } }
}

/** Whether an update may show what was hidden: it changes what a rule for reading looks at. */
export function mayReveal({ access }: DrawnCaller, write: Write): boolean {
  if (write.verb !== 'update') return false
  const looked = wordsIn(access.rules?.[write.collection]?.read)
  return Object.keys(write.data).some((name) => looked.has(name))
}

/** All names in a rule, also inside of functions. */
const wordsIn = (rule: unknown): ReadonlySet<string> =>
  new Set(JSON.stringify(rule ?? null).split(/[^\p{L}\p{N}_$ ]+/u))

/** In neither world. */
function newestKey(random: Random, type: string): unknown {
  if (type === 'integer') return 1_500
  if (type === 'binary') return 'eeeeeeff'
  return type === 'uuid' ? '00000000-0000-4000-8000-000000000000' : `${newKey(random, 'string')} newest`
}

function randomKey(random: Random, world: World, collection: string): unknown {
  const name = keyOf(world, collection)
  const rows = world.rows[collection] ?? []
  if (rows.length === 0 || random.chance(0.1)) return newestKey(random, typeOf(world, collection, name))
  return random.one(rows)[name]
}

function isNullable(world: World, collection: string, name: string): boolean {
  const field = fieldOf(world, collection, name)
  return 'nullable' in field && field.nullable === true
}

const valueNames = (world: World, collection: string): readonly string[] =>
  fieldNames(world, collection).filter((name) => {
    const kind = relationOf(world, collection, name)?.kind
    return name !== keyOf(world, collection) && (kind === undefined || kind === 'one')
  })

function valuesFor(
  random: Random,
  world: World,
  other: World,
  collection: string,
  names: readonly string[],
): Data {
  const values = names.map((name) => {
    const relation = relationOf(world, collection, name)
    if (relation?.kind === 'one')
      return [name, randomKey(random, random.chance(0.5) ? world : other, relation.to)]
    const field = fieldOf(world, collection, name)
    return [name, makers[field.type]?.(random, field) ?? null]
  })
  return Object.fromEntries(values)
}

class Undone extends Error {}

/** The outcome, and what the caller sees of the collection afterwards. */
export async function written(engine: library.Engine, write: Write): Promise<Outcome> {
  const outcomes: Outcome[] = []
  await engine
    .transaction(async (inside) => {
      outcomes.push(await outcomeOf(() => perform(inside, write)))
      outcomes.push(await outcomeOf(() => library.listItems(inside, write.collection, { meta: ['*'] })))
      throw new Undone()
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error
    })
  const [first, then] = outcomes
  if (!first || !then || 'bug' in then) return then ?? { bug: 'nothing was done' }
  return 'answer' in first ? { answer: { ...first, then } } : first
}

export function perform(engine: library.Engine, write: Write): Promise<unknown> {
  if (write.verb === 'create') return library.createItem(engine, write.collection, write.data)
  // Keys are of any kind here.
  const key = write.key as never
  if (write.verb === 'delete') return library.deleteItem(engine, write.collection, key)
  return library.updateItem(engine, write.collection, key, write.data)
}
