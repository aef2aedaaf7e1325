// What a query may speak of at a collection, drawn by chance; and a tally of what was drawn.
import type { Random } from '../property/seeded-random.ts'
import {
  fieldNames,
  fieldOf,
  isTuple,
  keyOf,
  type Relation,
  relationOf,
  type ToAny,
  typeOf,
  type World,
} from './dataset.ts'
import { partNames } from './moments.ts'
import { jsonPaths } from './random-values.ts'

export interface Draw {
  readonly world: World
  readonly random: Random
  /** How often each word was used, over all queries. */
  readonly tally: Map<string, number>
}

export function note({ tally }: Draw, word: string): void {
  tally.set(word, (tally.get(word) ?? 0) + 1)
}

/** Plain values, keys included, that are of one of the types. */
export function valueFields(
  { world }: Draw,
  collection: string,
  fits: (type: string) => boolean,
): readonly string[] {
  return fieldNames(world, collection).filter((name) => {
    const kind = relationOf(world, collection, name)?.kind
    return (kind === undefined || kind === 'one') && fits(typeOf(world, collection, name))
  })
}

export interface Named<Kind extends Relation = Relation> {
  readonly name: string
  readonly relation: Kind
}

export function relationsOf<Kind extends Relation['kind']>(
  { world }: Draw,
  collection: string,
  kind: Kind,
): readonly Named<Extract<Relation, { kind: Kind }>>[] {
  return fieldNames(world, collection).flatMap((name) => {
    const relation = relationOf(world, collection, name)
    const isOfKind = (one: Relation): one is Extract<Relation, { kind: Kind }> => one.kind === kind
    return relation && isOfKind(relation) ? [{ name, relation }] : []
  })
}

/** m2o, o2m, m2m or m2a, for the tally. */
export function noteRelation(draw: Draw, collection: string, name: string): void {
  note(draw, `relation ${fieldOf(draw.world, collection, name).type}`)
  const relation = relationOf(draw.world, collection, name)
  if (relation?.kind === 'many' && relation.within) note(draw, 'condition of a relation')
}

/** An item of one of several collections, which may have to meet a condition. */
export function noteArm(
  draw: Draw,
  word: string,
  { conditions }: Pick<ToAny, 'conditions'>,
  arm: string,
): void {
  note(draw, word)
  if (conditions[arm]) note(draw, `${word} with a condition`)
}

const ofMoments = new Set(['date', 'dateTime', 'timestamp'])
const ofTimes = new Set(['time', 'dateTime', 'timestamp'])
const clockParts = ['hour', 'minute', 'second']

/** `year(born)` or `count(comments)`: a function that gives a whole number. */
export function numberFunction(draw: Draw, collection: string): string | undefined {
  const { random, world } = draw
  const options = fieldNames(world, collection).flatMap((name) => {
    const { type } = fieldOf(world, collection, name)
    if (type === 'json' || type === 'o2m' || type === 'm2m' || type === 'm2a') return [`count(${name})`]
    const parts = partNames.filter((part) => (clockParts.includes(part) ? ofTimes : ofMoments).has(type))
    return parts.length === 0 ? [] : [`${random.one(parts)}(${name})`]
  })
  if (options.length === 0) return undefined
  const chosen = random.one(options)
  note(draw, `function ${chosen.slice(0, chosen.indexOf('('))}`)
  return chosen
}

export interface RelatedAggregate {
  readonly name: string
  readonly type: string
  /** Values that it may have. */
  readonly samples: readonly unknown[]
}

const unordered = new Set(['json', 'uuid', 'boolean', 'binary', 'csv'])
const inexact = new Set(['decimal', 'float'])

/** `sum(comments.likes)`. `isShown`: its last digits may differ, because nothing is compared with it. */
export function relatedAggregate(
  draw: Draw,
  collection: string,
  isShown: boolean,
): RelatedAggregate | undefined {
  const { random, world } = draw
  const options = relationsOf(draw, collection, 'many').flatMap(({ name, relation: { to } }) =>
    valueFields(draw, to, (type) => !isTuple(type) && !unordered.has(type)).flatMap((field) => {
      const type = typeOf(world, to, field)
      const adds = ['integer', 'bigInteger', ...(isShown ? inexact : [])].includes(type)
      const words = adds ? ['sum', 'avg', 'min', 'max'] : ['min', 'max']
      return words.map((word) => ({ word, name: `${word}(${name}.${field})`, to, field, type }))
    }),
  )
  if (options.length === 0) return undefined
  const { word, name, to, field, type } = random.one(options)
  note(draw, `function ${word}`)
  const samples = (world.rows[to] ?? []).map((row) => row[field] ?? null)
  return {
    name,
    type: word === 'avg' ? 'float' : type,
    samples: word === 'avg' ? samples.map(asNumber) : samples,
  }
}

const asNumber = (value: unknown) => (value === null ? null : Number(value))

export function jsonFunction(draw: Draw, collection: string): string | undefined {
  const fields = fieldNames(draw.world, collection).filter(
    (name) => fieldOf(draw.world, collection, name).type === 'json',
  )
  if (fields.length === 0) return undefined
  note(draw, 'function json')
  return `json(${draw.random.one(fields)}, ${draw.random.one(jsonPaths)})`
}

/** `author`, `year(born)` → `author.year(born)` or `year(author.born)`. */
export function underPath(random: Random, path: readonly string[], name: string): string {
  if (path.length === 0) return name
  // An aggregate of related items has a dot of its own.
  const open = name.indexOf('(')
  if (open >= 0 && random.chance(0.3)) {
    return `${name.slice(0, open + 1)}${path.join('.')}.${name.slice(open + 1)}`
  }
  return [...path, name].join('.')
}

export interface Way {
  readonly path: readonly string[]
  readonly collection: string
  readonly isMany: boolean
}

/** Relations to follow, up to so many. */
export function way(draw: Draw, collection: string, most: number, isManyAllowed: boolean): Way {
  const { random } = draw
  let at: Way = { path: [], collection, isMany: false }
  for (let left = random.below(most + 1); left > 0; left--) {
    const ones = relationsOf(draw, at.collection, 'one')
    const manys = isManyAllowed ? relationsOf(draw, at.collection, 'many') : []
    const anys = isManyAllowed ? relationsOf(draw, at.collection, 'any') : []
    const steps = [
      ...[...ones, ...manys].map(({ name, relation }) => ({ name, field: name, to: relation.to })),
      ...anys.flatMap(({ name, relation }) =>
        relation.to.map((to) => ({ name: `${name}:${to}`, field: name, to })),
      ),
    ]
    if (steps.length === 0) return at
    const { name, field, to } = random.one(steps)
    noteRelation(draw, at.collection, field)
    const any = anys.find((one) => one.name === field)
    if (any) noteArm(draw, 'arm', any.relation, to)
    const isMany = at.isMany || manys.some((many) => many.name === name)
    at = { path: [...at.path, name], collection: to, isMany }
  }
  return at
}

export const keyName = ({ world }: Draw, collection: string): string => keyOf(world, collection)
