// The rows of a list: filtered, searched, ordered and cut.

import { collectionOf, type Row, type World } from './dataset.ts'
import { type Filter, matches } from './filter.ts'
import { defaultSort, sorted } from './order.ts'
import { aliasesOf, type Deep } from './selection.ts'
import { fold } from './values.ts'

/** The parameters of one level, as `deep` names them; the root's are given in the same form. */
export interface Window {
  readonly offset: number
  /** Infinite when all are wanted and may be had. */
  readonly limit: number
  /** Whether the limit is the default or the maximum, and not the caller's choice. */
  readonly isImposed: boolean
}

/** The rows that `_filter` and `_search` leave. */
export function chosen(world: World, collection: string, rows: readonly Row[], deep: Deep): Row[] {
  const { _filter: filter, _search: search } = deep
  return rows.filter(
    (row) =>
      (filter === undefined || matches(world, collection, filter as Filter, row)) &&
      (typeof search !== 'string' || isFound(world, collection, row, search.trim())),
  )
}

/** The text of one field holds it. */
function isFound(world: World, collection: string, row: Row, search: string): boolean {
  if (search === '') return true
  return Object.entries(collectionOf(world, collection).fields).some(([name, field]) => {
    if (field.type !== 'string' && field.type !== 'text') return false
    if (field.searchable === false || field.conceal) return false
    const text = row[name]
    return typeof text === 'string' && fold(text).includes(fold(search))
  })
}

export function ordered(
  world: World,
  collection: string,
  rows: readonly Row[],
  deep: Deep,
  relationSort?: string,
): Row[] {
  const given = namesOf(deep._sort)
  if (given.length > 0) return sorted(world, collection, rows, given, aliasesOf(deep))
  return sorted(
    world,
    collection,
    rows,
    relationSort === undefined ? defaultSort(world, collection) : [relationSort],
  )
}

export const namesOf = (names: unknown): readonly string[] => (Array.isArray(names) ? names : [])

export function windowOf(world: World, deep: Deep): Window {
  const { defaultLimit = 100, maxLimit = Number.POSITIVE_INFINITY } = world.limits ?? {}
  const given = typeof deep._limit === 'number' ? deep._limit : undefined
  const limit = given === undefined ? Math.min(defaultLimit, maxLimit) : given === -1 ? maxLimit : given
  const page = typeof deep._page === 'number' ? deep._page : 1
  const skipped = limit === Number.POSITIVE_INFINITY ? 0 : (page - 1) * limit
  const offset = typeof deep._offset === 'number' ? deep._offset : skipped
  return { offset, limit, isImposed: given === undefined || given === -1 }
}

export function cut<Thing>(
  things: readonly Thing[],
  { offset, limit }: Window,
): { readonly kept: readonly Thing[]; readonly isCut: boolean } {
  return { kept: things.slice(offset, offset + limit), isCut: things.length > offset + limit }
}
