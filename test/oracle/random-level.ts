// The parameters of one level, the root or one below, drawn by chance: which rows, in which order, how many.
import { isTuple } from './dataset.ts'
import {
  type Draw,
  jsonFunction,
  note,
  numberFunction,
  relatedAggregate,
  underPath,
  valueFields,
  way,
} from './draw.ts'
import { randomFilter } from './random-filter.ts'
import { texts } from './random-values.ts'

type Tree = Record<string, unknown>

/** At the root the prefix is empty, below it is an underscore. */
export function randomLevel(draw: Draw, collection: string, prefix: '' | '_'): Tree {
  const { random } = draw
  const level: Tree = {}
  const set = (name: string, value: unknown) => {
    level[`${prefix}${name}`] = value
    if (prefix !== '') note(draw, `${prefix}${name}`)
  }
  if (random.chance(0.55)) set('filter', randomFilter(draw, collection))
  if (random.chance(0.08)) set('search', randomSearch(draw))
  if (random.chance(0.45)) set('sort', randomSort(draw, collection))
  randomWindow(draw, set)
  return level
}

function randomWindow({ random, world }: Draw, set: (name: string, value: unknown) => void): void {
  const most = world.limits?.maxLimit ?? 50
  const start = random.below(14)
  // A list without a limit has no second page.
  const least = start === 1 && world.limits?.maxLimit === undefined ? 0 : -1
  const limits = [-1, 0, 1, 2, 3, 3, 5, 10, most].filter((limit) => limit >= least && limit <= most)
  if (random.chance(0.3)) set('limit', random.one(limits))
  if (start === 0) set('offset', random.below(6))
  if (start === 1) set('page', 1 + random.below(3))
}

function randomSearch({ random }: Draw): string {
  const text = random.one(texts)
  const part = [...text].slice(0, 1 + random.below(3)).join('')
  return random.one([text, part, part.toUpperCase(), ` ${part} `, '  '])
}

export function randomSort(draw: Draw, collection: string, aliases: readonly string[] = []): string[] {
  const { random } = draw
  const names = random.many(1, 3, () => {
    if (aliases.length > 0 && random.chance(0.4)) return random.one(aliases)
    return sortName(draw, collection)
  })
  return [...new Set(names)].map((name) => `${random.chance(0.45) ? '-' : ''}${name}`)
}

function sortName(draw: Draw, collection: string): string {
  const { random } = draw
  const {
    path,
    collection: end,
    isMany,
  } = way(draw, collection, random.chance(0.4) ? 2 : 0, random.chance(0.5))
  if (isMany) note(draw, 'sort to many')
  else if (path.length > 0) note(draw, 'sort to one')
  // Of several JSON values, which are the smallest is not said.
  const json = !isMany && random.chance(0.12) ? jsonFunction(draw, end) : undefined
  const related = random.chance(0.1) ? relatedAggregate(draw, end, false)?.name : undefined
  const called = json ?? related ?? (random.chance(0.15) ? numberFunction(draw, end) : undefined)
  // A key of several parts has no least value among many.
  const hasOrder = (type: string) => type !== 'json' && !(isMany && isTuple(type))
  const name = called ?? random.one(valueFields(draw, end, hasOrder))
  return underPath(random, path, name)
}
