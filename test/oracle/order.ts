// In which order rows come.

import {
  collectionOf,
  fieldNames,
  heldBy,
  keyParts,
  type Row,
  relationOf,
  typeOf,
  type World,
} from './dataset.ts'
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
  const isDescending = keys.at(-1)?.isDescending ?? false
  const last = endsOf(world, collection).map((name) => ({ name, isDescending }))
  const columnOf = (key: SortKey, named: Aliases) => ({
    ...sortValues(world, collection, key, named),
    ...key,
  })
  // A name in `sort` may stand for something else, but neither the tie-breaker nor a part of what is named.
  const columns = [
    ...keys.flatMap((key) => {
      const parts = partsOf(world, collection, key, aliases)
      return parts.length === 0 ? [columnOf(key, aliases)] : parts.map((part) => columnOf(part, {}))
    }),
    ...last.map((key) => columnOf(key, {})),
  ]
  return [...rows].sort((left, right) => {
    for (const { type, read, isDescending } of columns) {
      const difference = compareInOrder(type, read(left), read(right), isDescending)
      if (difference !== 0) return difference
    }
    return 0
  })
}

/** The fields that tell items apart: without a key, all that have an order. */
function endsOf(world: World, collection: string): readonly string[] {
  const parts = keyParts(world, collection)
  if (parts.length > 0) return parts
  return fieldNames(world, collection).filter((name) => {
    const kind = relationOf(world, collection, name)?.kind
    const isStored = kind === undefined || (kind === 'one' && heldBy(world, collection, name).length === 0)
    return isStored && typeOf(world, collection, name) !== 'json'
  })
}

/** A relation that several fields hold is sorted by each of them; none for all else. */
function partsOf(world: World, collection: string, key: SortKey, aliases: Aliases): readonly SortKey[] {
  const name = readName(unaliased(key.name, aliases))
  if (name.function !== undefined) return []
  const end = follow(world, collection, undefined, name.path).collection
  return heldBy(world, end, name.field).map((part) => ({ ...key, name: [...name.path, part].join('.') }))
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
