// A list, read: its rows, and what is told about them.

import type { Engine } from '../engine.ts'
import type { Options } from '../run/execute.ts'
import type { Rows } from '../run/make-template.ts'
import { filledOf, type Prepared, packedFor, pageNow } from '../run/prepare.ts'
import type { Mapper, Row, Watch } from '../run/row.ts'
import { next, type Soon } from '../run/soon.ts'
import { unlessTooMany } from '../run/unless-too-many.ts'
import { metaFrom } from './meta.ts'
import { type Counted, rowsAndCounts } from './rows.ts'

export interface List {
  readonly data: readonly unknown[]
  readonly meta?: Readonly<Record<string, unknown>>
}

export const readList = (engine: Engine, prepared: Prepared, options: Options): Soon<List> =>
  unlessTooMany(engine, prepared, options, () => readAny(engine, prepared, options))

function readAny(engine: Engine, prepared: Prepared, options: Options): Soon<List> {
  const { rows } = prepared.template
  const packed = packedFor(prepared)
  return readRows(packed ?? rows, engine, prepared, options)
}

function readRows(asked: Rows, engine: Engine, prepared: Prepared, options: Options): Soon<List> {
  const statement = filledOf(prepared, asked)
  return next(rowsAndCounts(engine, prepared, options, statement), ([rows, counts]) =>
    listOf(rows, asked.mapper(), counts, prepared),
  )
}

function listOf(rows: readonly Row[], mapper: Mapper, counts: Counted, prepared: Prepared): List {
  const { meta } = prepared.template
  const cuts = new Set<string>()
  const watch = meta.length > 0 ? watching(prepared, cuts) : undefined
  const found = watch ? cutRoot(rows, prepared, watch) : rows
  const data = new Array<unknown>(found.length)
  let index = 0
  for (const row of found) data[index++] = mapper(row, watch)
  return meta.length === 0 ? { data } : { data, meta: metaFrom(prepared, counts, [...cuts]) }
}

export function watching(prepared: Prepared, cuts: Set<string>): Watch {
  return { limitOf: (page) => pageNow(prepared, page).limit, cut: (place) => cuts.add(place) }
}

export function cutRoot(rows: readonly Row[], { template }: Prepared, watch: Watch): readonly Row[] {
  const { page, place } = template.list
  const limit = page.isCut ? watch.limitOf(page) : undefined
  if (limit === undefined || rows.length <= limit) return rows
  watch.cut(place)
  return rows.slice(0, limit)
}
