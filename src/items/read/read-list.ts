// Reads a list: its rows and its metadata.

import type { EngineInternals } from '../../engine/engine.ts'
import type { Options } from '../../execution/database.ts'
import { countAgain, countsItself } from '../../prepared/limits/check-nested-rows.ts'
import { checkResult, needsCheck } from '../../prepared/limits/check-result.ts'
import { filledOf, type PreparedRead, pageNow } from '../../prepared/prepare.ts'
import { areCut, readWhole, rowsFor } from '../../prepared/streams/watched-rows.ts'
import type { Mapper, Row, Watch } from '../../rows/row.ts'
import { metaFrom } from '../meta.ts'
import { rowsWithin } from './answer-length.ts'
import { type Counted, readRowsAndCounts } from './rows-and-counts.ts'

export interface ReadListResult {
  readonly data: readonly unknown[]
  readonly meta?: Readonly<Record<string, unknown>>
}

/** Reads a list. */
export async function readList(
  engine: EngineInternals,
  prepared: PreparedRead,
  options: Options,
): Promise<ReadListResult> {
  const checked = needsCheck(prepared, engine) ? await checkResult(engine, prepared, options) : prepared
  return readChecked(engine, checked, options)
}

async function readChecked(
  engine: EngineInternals,
  prepared: PreparedRead,
  options: Options,
): Promise<ReadListResult> {
  const layout = rowsFor(prepared, engine)
  const read = readRowsAndCounts(engine, prepared, options, filledOf(prepared, layout))
  const { rows, counts } = read instanceof Promise ? await read : read
  if (rows.length === 0 && countsItself(prepared))
    return readChecked(engine, await countAgain(engine, prepared, options), options)
  const all = areCut(rows, layout) ? await readWhole(engine, prepared, options) : rows
  return toList(rowsWithin(all, engine.limits), layout.mapper(), counts, prepared)
}

function toList(
  rows: readonly Row[],
  mapper: Mapper,
  counts: Counted,
  prepared: PreparedRead,
): ReadListResult {
  const { found, watch, truncated } = pageOfRows(rows, prepared)
  const data = new Array<unknown>(found.length)
  let index = 0
  for (const row of found) data[index++] = mapper(row, watch)
  return watch ? { data, meta: metaFrom(prepared, counts, truncated()) } : { data }
}

/** The rows of a page, and the lists that a default or maximum limit cuts. */
interface PageOfRows {
  readonly found: readonly Row[]
  /** Watches the lists below. Undefined if cut lists are not reported. */
  readonly watch: Watch | undefined
  /** Returns the places of the lists that were cut so far, in the order of their names. */
  readonly truncated: () => readonly string[]
}

/** Returns the rows of a page: where meta data are requested, one more is read to see whether the page is cut. */
export function pageOfRows(rows: readonly Row[], prepared: PreparedRead): PageOfRows {
  const { list, meta } = prepared.template
  if (meta.length === 0) return { found: rows, watch: undefined, truncated: none }
  const cuts = new Set<string>()
  const watch: Watch = {
    limitOf: (page) => pageNow(prepared, page).limit,
    cut: (place) => cuts.add(place),
  }
  const limit = list.page.isCut ? watch.limitOf(list.page) : undefined
  const isCut = limit !== undefined && rows.length > limit
  if (isCut) watch.cut(list.place)
  return { found: isCut ? rows.slice(0, limit) : rows, watch, truncated: () => [...cuts].sort() }
}

const none = (): readonly string[] => []
