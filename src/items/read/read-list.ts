// Reads a list: its rows and its metadata.

import type { EngineInternals } from '../../engine/engine.ts'
import type { Options } from '../../execution/database.ts'
import { executeSoon } from '../../execution/execute.ts'
import { checkAnswer, needsCheck } from '../../prepared/check-answer.ts'
import { filledOf, type PreparedRead, pageNow } from '../../prepared/prepare.ts'
import { areCut, readWhole, rowsFor } from '../../prepared/watched-rows.ts'
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
  if (needsCheck(prepared, engine)) await checkAnswer(engine, prepared, options)
  const form = rowsFor(prepared, engine)
  const statement = filledOf(prepared, form)
  if (prepared.template.counts) {
    const { rows, counts } = await readRowsAndCounts(engine, prepared, options, statement)
    const all = areCut(rows, form) ? await readWhole(engine, prepared, options) : rows
    return toList(rowsWithin(all, engine.limits), form.mapper(), counts, prepared)
  }
  const rows = executeSoon(engine, statement, options)
  const arrived = rows instanceof Promise ? await rows : rows
  const all = areCut(arrived, form) ? await readWhole(engine, prepared, options) : arrived
  return toList(rowsWithin(all, engine.limits), form.mapper(), {}, prepared)
}

function toList(
  rows: readonly Row[],
  mapper: Mapper,
  counts: Counted,
  prepared: PreparedRead,
): ReadListResult {
  const { meta } = prepared.template
  const cuts = new Set<string>()
  const watch = meta.length > 0 ? watching(prepared, cuts) : undefined
  const found = watch ? cutRoot(rows, prepared, watch) : rows
  const data = new Array<unknown>(found.length)
  let index = 0
  for (const row of found) data[index++] = mapper(row, watch)
  return meta.length === 0 ? { data } : { data, meta: metaFrom(prepared, counts, [...cuts]) }
}

export function watching(prepared: PreparedRead, cuts: Set<string>): Watch {
  return { limitOf: (page) => pageNow(prepared, page).limit, cut: (place) => cuts.add(place) }
}

export function cutRoot(rows: readonly Row[], { template }: PreparedRead, watch: Watch): readonly Row[] {
  const { page, place } = template.list
  const limit = page.isCut ? watch.limitOf(page) : undefined
  if (limit === undefined || rows.length <= limit) return rows
  watch.cut(place)
  return rows.slice(0, limit)
}
