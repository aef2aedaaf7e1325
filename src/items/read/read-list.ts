// Reads a list: its rows and its metadata.

import type { EngineInternals } from '../../engine/engine.ts'
import type { Options } from '../../execution/database.ts'
import { countAgain, countsItself } from '../../prepared/limits/check-nested-rows.ts'
import { checkResult, needsCheck } from '../../prepared/limits/check-result.ts'
import { filledOf, type PreparedRead, pageNow } from '../../prepared/prepare.ts'
import { areCut, readWhole, rowsFor } from '../../prepared/streams/watched-rows.ts'
import { type Mapper, onPage, type Row, type Watch } from '../../rows/row.ts'
import type { CellRecipe } from '../../sql/recipe.ts'
import { metaFrom } from '../meta.ts'
import type { Meta } from '../types/result.ts'
import { rowsWithin } from './answer-length.ts'
import { type Counted, readRowsAndCounts } from './rows-and-counts.ts'

export interface ReadListResult {
  readonly data: readonly unknown[]
  readonly meta?: Readonly<Record<string, unknown>>
}

type AnswerMaker<Answer> = (
  rows: readonly Row[],
  mapper: Mapper,
  counts: Counted,
  prepared: PreparedRead,
) => Answer

export const readList = (
  engine: EngineInternals,
  prepared: PreparedRead,
  options: Options,
): Promise<ReadListResult> => readRows(engine, prepared, options, toList)

export async function readRows<Answer>(
  engine: EngineInternals,
  prepared: PreparedRead,
  options: Options,
  make: AnswerMaker<Answer>,
): Promise<Answer> {
  const checked = needsCheck(prepared, engine) ? await checkResult(engine, prepared, options) : prepared
  return readChecked(engine, checked, options, make)
}

async function readChecked<Answer>(
  engine: EngineInternals,
  prepared: PreparedRead,
  options: Options,
  make: AnswerMaker<Answer>,
): Promise<Answer> {
  const layout = rowsFor(prepared, engine)
  const read = readRowsAndCounts(engine, prepared, options, filledOf(prepared, layout))
  const { rows, counts } = read instanceof Promise ? await read : read
  if (rows.length === 0 && countsItself(prepared))
    return readChecked(engine, await countAgain(engine, prepared, options), options, make)
  const all = areCut(rows, layout) ? await readWhole(engine, prepared, options) : rows
  return make(rowsWithin(all, engine.limits), layout.mapper(), counts, prepared)
}

function toList(
  rows: readonly Row[],
  mapper: Mapper,
  counts: Counted,
  prepared: PreparedRead,
): ReadListResult {
  const { found, watch, truncated, hasMore } = pageOfRows(rows, prepared)
  const data = new Array<unknown>(found.length)
  let index = 0
  for (const row of found) data[index++] = mapper(row, watch)
  if (!watch) return { data }
  const meta = metaFrom(prepared, counts, truncated())
  const { cursor } = prepared.template
  return { data, meta: cursor ? { ...meta, cursors: cursorsOf(found, hasMore, cursor) } : meta }
}

const cursorsOf = (rows: readonly Row[], hasMore: boolean, cell: CellRecipe): Meta['cursors'] => ({
  first: cursorIn(rows[0], cell),
  last: cursorIn(rows.at(-1), cell),
  has_more: hasMore,
})

export const cursorIn = (row: Row | undefined, { at, read }: CellRecipe): string | null =>
  row ? String(read?.(row[at] ?? [])) : null

/** The rows of a page, and the lists that a default or maximum limit cuts. */
interface PageOfRows {
  readonly found: readonly Row[]
  /** Watches the lists below. Undefined if cut lists are not reported. */
  readonly watch: Watch | undefined
  /** True if there are more rows beyond the page. Known only where one more was read. */
  readonly hasMore: boolean
  /** Returns the places of the lists that were cut so far, in the order of their names. */
  readonly truncated: () => readonly string[]
}

/** Returns the rows of a page, in the order of the list: where meta data are requested, one more is read to see whether the page is cut. */
export function pageOfRows(rows: readonly Row[], prepared: PreparedRead): PageOfRows {
  const { list, meta, cursor } = prepared.template
  const found = list.page.place?.isBackward ? rows.toReversed() : rows
  if (meta.length === 0) return { found, watch: undefined, truncated: none, hasMore: false }
  const cuts = new Set<string>()
  const watch: Watch = {
    limitOf: (page) => pageNow(prepared, page).limit,
    cut: (place) => cuts.add(place),
  }
  const { limit } = list.page.isCut || cursor ? pageNow(prepared, list.page) : { limit: undefined }
  const hasMore = limit !== undefined && rows.length > limit
  if (hasMore && list.page.isCut) watch.cut(list.place)
  return {
    found: hasMore ? onPage(found, limit, list.page) : found,
    watch,
    truncated: () => [...cuts].sort(),
    hasMore,
  }
}

const none = (): readonly string[] => []
