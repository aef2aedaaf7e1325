// The oracle: what a list should answer, by the contract alone. It imports nothing of the engine but types, and is
// meant to be obviously right, not fast.
import type { PlainQuery } from '../../src/query/query.ts'
import { itemAt, type Row, type World } from './dataset.ts'
import { list, type Place, shown } from './items.ts'
import { windowOf } from './list.ts'
import { type Deep, select } from './selection.ts'

export interface Answer {
  readonly data: readonly unknown[]
  readonly meta?: Readonly<Record<string, unknown>>
}

export function evaluate(world: World, collection: string, query: PlainQuery): Answer {
  const cuts = new Set<string>()
  const place = rootOf(world, collection, query, (path) => cuts.add(path))
  const selection = select(world, collection, fieldsOf(query), place.deep, query.backlink)
  const rows = world.rows[collection] ?? []
  const result = list(place, rows, undefined, (row) => shown(place, row, selection))
  const counts = { total: rows.length, rows: result.rowsFound, answers: result.answersFound }
  const wanted = query.meta ?? []
  if (wanted.length === 0) return { data: result.answers }
  return { data: result.answers, meta: metaOf(place, wanted, counts, [...cuts].sort()) }
}

/** One item in its shape; undefined when there is none. */
export function evaluateOne(
  world: World,
  collection: string,
  key: unknown,
  query: PlainQuery,
): Row | undefined {
  const place = rootOf(world, collection, query, () => {})
  const row = itemAt(world, collection, key)
  return row && shown(place, row, select(world, collection, fieldsOf(query), place.deep, query.backlink))
}

const fieldsOf = ({ fields = [] }: PlainQuery) => (fields.length === 0 ? ['*'] : fields)

/** The root is a level like those below it. */
function rootOf(world: World, collection: string, query: PlainQuery, onCut: Place['onCut']): Place {
  const { filter, search, sort, limit, offset, page, aggregate, groupBy, having, alias } = query
  const level = { filter, search, sort, limit, offset, page, aggregate, groupBy, having, alias }
  const own = Object.entries(level).map(([name, value]) => [`_${name}`, value])
  const deep: Deep = { ...query.deep, ...Object.fromEntries(own) }
  return { world, collection, deep, path: '', onCut }
}

interface Counts {
  readonly total: number
  readonly rows: number
  readonly answers: number
}

function metaOf({ world, deep }: Place, wanted: readonly string[], counts: Counts, cuts: readonly string[]) {
  const { offset, limit } = windowOf(world, deep)
  const isAll = limit === Number.POSITIVE_INFINITY
  const meta: Readonly<Record<string, unknown>> = {
    total_count: counts.total,
    filter_count: counts.rows,
    limit: isAll ? -1 : limit,
    offset,
    page: isAll || limit === 0 ? 1 : Math.floor(offset / limit) + 1,
    page_count: pageCount(counts.answers, limit),
    truncated: cuts,
  }
  const names = wanted.includes('*') ? Object.keys(meta) : wanted
  const told = Object.fromEntries(names.map((name) => [name, meta[name]]))
  // Whoever asks anything about a list is told that it was cut.
  return cuts.length === 0 ? told : { ...told, truncated: cuts }
}

/** Nothing fills no page, and pages of nothing hold nothing. */
function pageCount(answers: number, limit: number): number {
  if (answers === 0 || limit === 0) return 0
  return limit === Number.POSITIVE_INFINITY ? 1 : Math.ceil(answers / limit)
}
