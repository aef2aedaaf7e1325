// In which order rows come.

import { collectionOf, keyOf, type Row, type World } from './dataset.ts'
import { type Aliases, expressionOf, follow, readName, unaliased } from './expression.ts'
import { compare } from './values.ts'

export interface SortKey {
  readonly name: string
  readonly isDescending: boolean
}

export const readSort = (text: string): SortKey =>
  text.startsWith('-') ? { name: text.slice(1), isDescending: true } : { name: text, isDescending: false }

export function sorted(
  world: World,
  collection: string,
  rows: readonly Row[],
  sort: readonly string[],
  aliases: Aliases = {},
): Row[] {
  const keys = sort.map(readSort)
  const last = { name: keyOf(world, collection), isDescending: keys.at(-1)?.isDescending ?? false }
  // The key needs no alias: a name in `sort` may stand for something else, the tie-breaker may not.
  const columns = [
    ...keys.map((key) => ({ ...sortValues(world, collection, key, aliases), ...key })),
    { ...sortValues(world, collection, last, {}), ...last },
  ]
  return [...rows].sort((left, right) => {
    for (const { type, read, isDescending } of columns) {
      const difference = compareInOrder(type, read(left), read(right), isDescending)
      if (difference !== 0) return difference
    }
    return 0
  })
}

/** Nulls come last ascending, and first descending. */
export function compareInOrder(type: string, left: unknown, right: unknown, isDescending: boolean): number {
  const difference = compareWithNulls(type, left, right)
  return isDescending ? -difference : difference
}

function compareWithNulls(type: string, left: unknown, right: unknown): number {
  if (type === 'json') return compare(type, left, right)
  if (left === null || right === null) return Number(left === null) - Number(right === null)
  return compare(type, left, right)
}

/** Of several children the smallest value counts ascending, and the largest descending. */
function sortValues(world: World, collection: string, key: SortKey, aliases: Aliases) {
  const name = readName(unaliased(key.name, aliases))
  const target = follow(world, collection, undefined, name.path)
  const { type, read } = expressionOf(world, target.collection, name)
  return {
    type,
    read: (row: Row): unknown => {
      const { rows, isMany } = follow(world, collection, row, name.path)
      if (!isMany) return read(rows[0])
      const values = rows.map((one) => read(one)).filter((value) => value !== null)
      values.sort((left, right) => compareInOrder(type, left, right, key.isDescending))
      return values[0] ?? null
    },
  }
}

/** The order of a list for which no sort is given. */
export function defaultSort(world: World, collection: string): readonly string[] {
  const { sortField } = collectionOf(world, collection)
  return sortField === undefined ? [] : [sortField]
}
