// Aggregates and groups drawn by chance.
import type { Random } from '../property/seeded-random.ts'
import { isTuple } from './dataset.ts'
import { type Draw, note, numberFunction, underPath, valueFields, way } from './draw.ts'
import { aggregateNames, alike, fieldsFor } from './random-aggregates.ts'
import { randomHaving } from './random-having.ts'

type Tree = Record<string, unknown>

/** `aggregate`, `groupBy`, and a `sort` that suits them, in place of that of the level. */
export function randomGrouping(draw: Draw, collection: string, prefix: '' | '_', level: Tree): Tree {
  const { random } = draw
  const meant = random.chance(0.65) ? randomGroups(draw, collection) : []
  // Some go by another name: paths have none.
  const alias = Object.fromEntries(
    meant.flatMap((name, index) => (!name.includes('.') && random.chance(0.25) ? [[`g${index}`, name]] : [])),
  )
  const groupBy = meant.map((name, index) => (alias[`g${index}`] === undefined ? name : `g${index}`))
  const aggregate = groupBy.length === 0 || random.chance(0.85) ? randomAggregate(draw, collection) : {}
  const sort = groupBy.length > 0 && random.chance(0.5) ? groupSort(draw, collection, groupBy, aggregate) : []
  const named: Tree = Object.fromEntries(Object.entries(level).filter(([name]) => name !== `${prefix}sort`))
  if (groupBy.length > 0) named[`${prefix}groupBy`] = groupBy
  if (Object.keys(alias).length > 0) {
    note(draw, 'groupBy alias')
    named[`${prefix}alias`] = { ...Object(named[`${prefix}alias`]), ...alias }
  }
  if (Object.keys(aggregate).length > 0) named[`${prefix}aggregate`] = aggregate
  if (sort.length > 0) named[`${prefix}sort`] = sort
  // Below the root groups are rarer.
  if (groupBy.length > 0 && random.chance(prefix === '' ? 0.4 : 0.75))
    named[`${prefix}having`] = randomHaving(draw, collection)
  if (prefix !== '')
    for (const name of ['_groupBy', '_aggregate', '_having']) if (Object.hasOwn(named, name)) note(draw, name)
  return named
}

function randomGroups(draw: Draw, collection: string): string[] {
  const { random } = draw
  const drawn = random.many(1, 2, () => {
    const { path, collection: end } = way(draw, collection, random.chance(0.3) ? 2 : 0, false)
    const called = random.chance(0.25) ? numberFunction(draw, end) : undefined
    const fields = valueFields(draw, end, isOfGroups)
    const field = called ?? (fields.length > 0 ? random.one(fields) : undefined)
    return field === undefined ? [] : [underPath(random, path, field)]
  })
  const names = drawn.flat()
  // A relation and a field behind it would both want the same place in the answer.
  const [first, second] = names
  if (first === undefined) return []
  const isClash = second === undefined || isWithin(first, second) || isWithin(second, first)
  return isClash ? [first] : names
}

const isOfGroups = (type: string) => !alike.has(type) && !isTuple(type)

function isWithin(name: string, other: string): boolean {
  const steps = (text: string) => text.replace(/^(\w+)\((.*)\)$/, '$2').split('.')
  const [ours, theirs] = [steps(name), steps(other)]
  return ours.every((step, index) => step === theirs[index])
}

function randomAggregate(draw: Draw, collection: string): Record<string, string[]> {
  const { random } = draw
  const aggregate: Record<string, string[]> = {}
  for (const word of random.many(1, 3, () => random.one(aggregateNames))) {
    const fields = fieldsFor(draw, collection, word)
    if (fields.length === 0) continue
    note(draw, `aggregate ${word}`)
    aggregate[word] = fields
  }
  return Object.keys(aggregate).length === 0 ? { count: ['*'] } : aggregate
}

/** Not by sums of fractions, whose last digits may differ. */
function groupSort(
  { random, world }: Draw,
  collection: string,
  groupBy: readonly string[],
  aggregate: Readonly<Record<string, readonly string[]>>,
): string[] {
  const sortable = Object.entries(aggregate).flatMap(([word, fields]) =>
    fields
      .filter((field) => isSteady(word, world.definition[collection]?.fields[field]?.type))
      .map((field) => (field === '*' ? word : `${word}.${field}`)),
  )
  const names = sortable.length > 0 ? random.some(sortable, 2) : []
  return signed(random, [...names, ...(random.chance(0.6) ? groupBy : random.some(groupBy, 2))])
}

const isSteady = (word: string, type: string | undefined) =>
  word.startsWith('count') || ((word === 'min' || word === 'max') && type !== undefined) || type === 'integer'

const signed = (random: Random, names: readonly string[]) =>
  names.map((name) => `${random.chance(0.5) ? '-' : ''}${name}`)
