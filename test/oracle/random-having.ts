// Conditions on groups, drawn by chance.
import type { Draw } from './draw.ts'
import { aggregated, answerKey, readName, resultType } from './expression.ts'
import type { Having } from './having.ts'
import { aggregateNames, fieldsFor } from './random-aggregates.ts'
import { randomCondition, randomOperators } from './random-condition.ts'

export function randomHaving(draw: Draw, collection: string): Having {
  const { random } = draw
  if (random.chance(0.15)) return { _or: random.many(1, 2, () => leaf(draw, collection)) }
  if (random.chance(0.15)) return { _and: random.many(1, 2, () => leaf(draw, collection)) }
  return Object.assign({}, ...random.many(1, 2, () => leaf(draw, collection)))
}

function leaf(draw: Draw, collection: string): Having {
  const { random, world } = draw
  const word = random.one(aggregateNames)
  const [field] = random.chance(0.4) ? [] : fieldsFor(draw, collection, word)
  if (field === undefined || field === '*') {
    const count = numbers(draw, 'integer', samplesOf(draw, collection, 'count', '*'))
    return { count: field === '*' && random.chance(0.5) ? { '*': count } : count }
  }
  const type = resultType(world, collection, word, field)
  const samples = samplesOf(draw, collection, word, field)
  const name = random.chance(0.5) ? answerKey(readName(field)) : field
  return { [word]: { [name]: numbersOrOthers(draw, word, type, samples) } }
}

/** What some groups would answer. */
function samplesOf({ random, world }: Draw, collection: string, word: string, field: string): unknown[] {
  const rows = world.rows[collection] ?? []
  return random.many(3, 3, () => {
    const some = rows.length === 0 ? [] : random.some(rows, 3)
    return aggregated(world, collection, some, word, field)
  })
}

const ordering = ['_lt', '_lte', '_gt', '_gte', '_between', '_nbetween', '_null', '_nnull']

function numbersOrOthers(draw: Draw, word: string, type: string, samples: readonly unknown[]): unknown {
  const isAdded = word.startsWith('sum') || word.startsWith('avg')
  if (!isAdded) return randomCondition(draw, type, samples)
  return numbers(draw, type, samples)
}

/** Of numbers whose last digits may differ, nothing is asked that depends on them. */
function numbers(draw: Draw, type: string, samples: readonly unknown[]): unknown {
  if (type === 'integer' || type === 'bigInteger') return randomCondition(draw, type, samples)
  const near = samples.map((sample) => (sample === null ? null : Number(sample) * 0.75 + 0.0123))
  return randomOperators(draw, 'float', [...near, 0.0123], ordering)
}
