// The same question with other values: where an engine keeps what it has prepared, the first answer must not show
// through.
import type { PlainQuery } from '../../src/query/query.ts'
import type { Random } from '../property/seeded-random.ts'
import type { World } from './dataset.ts'
import { flagNames } from './operators.ts'

type Tree = Readonly<Record<string, unknown>>

export function varied(random: Random, { limits }: World, query: PlainQuery): PlainQuery {
  const most = limits?.maxLimit ?? 50
  // The shape stays, so that it is a query still.
  return variedTree(random, most, query as Tree) as PlainQuery
}

function variedTree(random: Random, most: number, tree: Tree): Tree {
  const isPaged = Object.hasOwn(tree, 'page') || Object.hasOwn(tree, '_page')
  const limits = [-1, 0, 1, 2, 4].filter((limit) => limit <= most && !(isPaged && limit < 0))
  return Object.fromEntries(
    Object.entries(tree).map(([word, value]) => [word, other(random, { most, limits }, word, value)]),
  )
}

const names = new Set(
  ['fields', 'sort', 'groupBy', 'aggregate', 'alias', 'meta'].flatMap((word) => [word, `_${word}`]),
)
const whole = new Set(['_lt', '_lte', '_gt', '_gte'])

interface Most {
  readonly most: number
  /** A list that is paged has a limit. */
  readonly limits: readonly number[]
}

function other(random: Random, { most, limits }: Most, word: string, value: unknown): unknown {
  if (names.has(word)) return value
  if (word === 'limit' || word === '_limit') return random.one(limits)
  if (word === 'offset' || word === '_offset') return random.below(4)
  if (word === 'page' || word === '_page') return 1 + random.below(3)
  if (flagNames.includes(word)) return random.chance(0.5)
  if (word === '_in' || word === '_nin') return Array.isArray(value) ? value.slice(random.below(2)) : value
  if (whole.has(word) && Number.isSafeInteger(value)) return Number(value) + random.below(3) - 1
  if (/search$|contains$|with$/.test(word)) return [...String(value)].reverse().join('')
  if (Array.isArray(value))
    return value.map((member) => (isTree(member) ? variedTree(random, most, member) : member))
  return isTree(value) ? variedTree(random, most, value) : value
}

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
