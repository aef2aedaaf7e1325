// The aggregates, and the fields that each takes, drawn by chance.
import { isTuple } from './dataset.ts'
import { type Draw, numberFunction, valueFields } from './draw.ts'

export const aggregateNames = [
  'count',
  'countDistinct',
  'sum',
  'sumDistinct',
  'avg',
  'avgDistinct',
  'min',
  'max',
]
const numeric = new Set(['integer', 'bigInteger', 'float', 'decimal'])
const unordered = new Set(['uuid', 'boolean', 'json', 'binary'])
export const alike = new Set(['json', 'binary'])

export function fieldsFor(draw: Draw, collection: string, word: string): string[] {
  const { random } = draw
  if (word === 'count' && random.chance(0.5)) return ['*']
  const called = random.chance(0.2) ? numberFunction(draw, collection) : undefined
  const fields = valueFields(draw, collection, (type) => fits(word, type))
  const chosen = [
    ...(fields.length > 0 ? random.many(1, 2, () => random.one(fields)) : []),
    ...(called ? [called] : []),
  ]
  return [...new Set(word === 'count' && random.chance(0.2) ? ['*', ...chosen] : chosen)]
}

function fits(word: string, type: string): boolean {
  if (word === 'count') return true
  if (isTuple(type)) return false
  if (word === 'countDistinct') return !alike.has(type)
  return word === 'min' || word === 'max' ? !unordered.has(type) : numeric.has(type)
}
