// Rows as an answer shows them.

import {
  armOf,
  childrenOf,
  isTuple,
  itemAt,
  keyType,
  keyValue,
  type Row,
  relationOf,
  type ToMany,
  type World,
} from './dataset.ts'
import { expressionOf, readName } from './expression.ts'
import { grouped } from './groups.ts'
import type { Having } from './having.ts'
import { chosen, cut, namesOf, ordered, windowOf } from './list.ts'
import { type Arms, aliasesOf, below, type Deep, type Nested, type Selection } from './selection.ts'

export interface Place {
  readonly world: World
  readonly collection: string
  readonly deep: Deep
  /** How the answer leads here, with dots; the root is empty. */
  readonly path: string
  /** Takes note of a list that was cut by a limit nobody chose. */
  readonly onCut: (path: string) => void
}

/** An item in its shape. */
export function shown(place: Place, row: Row, selection: Selection): Row {
  const item: Record<string, unknown> = {}
  for (const [key, one] of selection) {
    if (one.kind === 'value') item[key] = value(place, row, key, one.name)
    else if (one.kind === 'arms') item[key] = arm(place, row, key, one)
    else item[key] = nested(place, row, key, one)
  }
  return item
}

function value(place: Place, row: Row, key: string, text: string): unknown {
  const { world, collection } = place
  const name = readName(text)
  const relation = name.function === undefined ? relationOf(world, collection, name.field) : undefined
  if (relation?.kind !== 'many') return expressionOf(world, collection, name).read(row)
  return children(place, row, key, relation, (_, child) => keyValue(world, relation.to, child))
}

/** Beside an item of another collection, a bare key is typed as that of its own. */
function anyKey(world: World, row: Row, field: string, by: string): unknown {
  const stored = row[field] ?? null
  const to = row[by]
  if (stored === null || typeof to !== 'string') return stored
  const type = keyType(world, to)
  if (isTuple(type)) return listIn(String(stored))
  return type === 'integer' ? Number(stored) : stored
}

/** What is no list stays the text that it is. */
function listIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function nested(place: Place, row: Row, key: string, { field, selection }: Nested): unknown {
  const { world, collection } = place
  const relation = relationOf(world, collection, field)
  if (relation?.kind === 'many') {
    return children(place, row, key, relation, (inner, child) => shown(inner, child, selection))
  }
  if (relation?.kind !== 'one') throw new Error(`${field} is no relation to one or many`)
  return single(inside(place, key, relation.to), itemAt(world, relation.to, row[field]), selection)
}

function arm(place: Place, row: Row, key: string, { field, selections }: Arms): unknown {
  const { world, collection } = place
  const relation = relationOf(world, collection, field)
  if (relation?.kind !== 'any') throw new Error(`${field} points to one collection only`)
  const to = row[relation.by]
  const selection = typeof to === 'string' ? selections.get(to) : undefined
  if (typeof to !== 'string' || !selection) return anyKey(world, row, field, relation.by)
  return single(inside(place, `${key}:${to}`, to), armOf(world, row, field, relation, to), selection)
}

/** An item that is not there, or that the level's filter does not want, is null. */
function single(place: Place, row: Row | undefined, selection: Selection): Row | null {
  if (!row || chosen(place.world, place.collection, [row], place.deep).length === 0) return null
  return shown(place, row, selection)
}

function inside(place: Place, key: string, collection: string): Place {
  const path = place.path === '' ? key : `${place.path}.${key}`
  return { ...place, collection, deep: below(place.deep, key), path }
}

function children(
  place: Place,
  row: Row,
  key: string,
  relation: ToMany,
  show: (place: Place, child: Row) => unknown,
): unknown[] {
  const inner = inside(place, key, relation.to)
  const all = childrenOf(place.world, place.collection, row, relation)
  return list(inner, all, relation.sort, (child) => show(inner, child)).answers
}

/** The answers of a level: its items or its groups. */
export function list(
  { world, collection, deep, path, onCut }: Place,
  rows: readonly Row[],
  relationSort: string | undefined,
  show: (row: Row) => unknown,
): { readonly answers: unknown[]; readonly rowsFound: number; readonly answersFound: number } {
  const found = chosen(world, collection, rows, deep)
  const window = windowOf(world, deep)
  const aggregate = (deep._aggregate ?? {}) as Readonly<Record<string, readonly string[]>>
  const groupBy = namesOf(deep._groupBy)
  const isGrouped = groupBy.length > 0 || Object.keys(aggregate).length > 0
  const all: readonly unknown[] = isGrouped
    ? grouped(world, collection, found, {
        aggregate,
        groupBy,
        having: (deep._having ?? {}) as Having,
        sort: namesOf(deep._sort),
        alias: aliasesOf(deep),
      })
    : ordered(world, collection, found, deep, relationSort)
  const { kept, isCut } = cut(all, window)
  if (isCut && window.isImposed) onCut(path)
  // Without groups these are the rows that were ordered just above.
  const answers = isGrouped ? [...kept] : kept.map((row) => show(row as Row))
  return { answers, rowsFound: found.length, answersFound: all.length }
}
