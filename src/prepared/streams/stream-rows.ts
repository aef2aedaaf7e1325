// Streams any number of rows, a chunk at a time, so that no more than a chunk is in memory.

import type { Database, Options } from '../../execution/database.ts'
import { execute, inReaders } from '../../execution/execute.ts'
import { maxRows } from '../../plan/read/nested-lists.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import type { Limits } from '../../query/limits.ts'
import { compileMapper } from '../../rows/compile-mapper.ts'
import type { Mapper, Row } from '../../rows/row.ts'
import type { Setting } from '../../sql/frame.ts'
import { rowStatement } from '../../sql/row-statements.ts'
import { belowOf, countsBelow, mayExceed, refuseExcess } from '../limits/nested-row-limit.ts'
import { bindStatement } from '../templates/template.ts'
import { byCursor, type Chunking, type ChunksLeft } from './cursor-stream.ts'
import { KeysetPages, type PassedRows } from './keyset-pages.ts'
import { chunksByKeys, keysToSort } from './sorted-keys.ts'

/** Rows per chunk. Rows that hold lists are large. */
const chunk = { flat: 1_000, nested: 100 } as const

function chunkingOf(list: ListPlan, limits: Limits): Chunking {
  const { rows } = list
  const isNested = rows.kind === 'items' && rows.members.some(({ kind }) => kind === 'many')
  const max = isNested ? chunk.nested : chunk.flat
  const below = belowOf(list, limits)
  const each = below ? maxRows(below.lists, 1) : 0
  if (!below || each * max <= below.max) return { rows: max, counted: undefined }
  const fitting = Math.floor(below.max / each)
  return fitting > 0 ? { rows: fitting, counted: undefined } : { rows: max, counted: below }
}

type StreamDatabase = Database & Setting & { readonly limits: Limits }

export async function* chunksOf(
  list: ListPlan,
  database: StreamDatabase,
  options: Options,
): AsyncGenerator<readonly unknown[]> {
  database.gate?.beforeHeavy()
  for await (const chunk of chunksAtOnce(list, inReaders(database), options)) {
    yield chunk
    // A database in the same process returns the next chunk without waiting, so no other work would get a turn.
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function chunksAtOnce(
  list: ListPlan,
  database: StreamDatabase,
  options: Options,
): AsyncGenerator<readonly unknown[]> {
  const { streaming } = database.dialect
  if (list.rows.kind === 'groups') return atOnce(list, database, options)
  // Nothing identifies one of two equal rows, so no page can begin after it.
  if (streaming.kind !== 'cursor')
    return list.collection.key ? byPages(list, database, options) : atOnce(list, database, options)
  return byCursor(list, { ...chunkingOf(list, database.limits), cursor: streaming }, database, options)
}

export const holdsConnection = ({ dialect, db, home }: Database): boolean =>
  dialect.streaming.kind === 'cursor' && db === home

const mapped = (rows: readonly Row[], mapper: Mapper) => rows.map((row) => mapper(row, undefined))

/** Reads all rows by one statement: groups, which are computed from all rows before the first of them is known, and rows without a key. */
async function* atOnce(list: ListPlan, database: StreamDatabase, options: Options) {
  const below = belowOf(list, database.limits)
  if (below && mayExceed(below, list.page.limit)) {
    const counts = bindStatement(countsBelow(list, below, database), new Map())
    refuseExcess(below, (await execute(database, counts, options))[0])
  }
  const { recipe, ...statement } = rowStatement(list, database, { probe: 0 })
  const rows = await execute(database, bindStatement(statement, new Map()), options)
  const mapper = compileMapper(recipe)
  for (let from = 0; from < rows.length; from += chunk.flat)
    yield mapped(rows.slice(from, from + chunk.flat), mapper)
}

/** Reads page after page, each behind the last row of the one before. Between two pages the connection is free for others. */
async function* byPages(list: ListPlan, database: StreamDatabase, options: Options) {
  const chunking = chunkingOf(list, database.limits)
  const pages = new KeysetPages(list, chunking.counted, database)
  // After the first page it is not known yet whether there is another one, which would have to be sorted again.
  const unsorted = new Set([pages.layout])
  let left = list.page.limit ?? Number.POSITIVE_INFINITY
  while (left > 0) {
    const keys = unsorted.has(pages.layout) ? 0 : await keysToSort(pages, database, options)
    const ahead = { ...chunking, left }
    const some = { ...chunking, left: Math.min(left, keys) }
    const sorted = keys > 0 && (yield* chunksByKeys(some, pages, database, options))
    if (!sorted) unsorted.add(pages.layout)
    const { rows, isFull } = sorted || (yield* nextPage(ahead, pages, database, options))
    left -= rows
    if (!isFull && !pages.turn()) return
  }
}

async function* nextPage(
  { rows: longest, counted, left }: ChunksLeft,
  pages: KeysetPages,
  database: Database,
  options: Options,
): AsyncGenerator<readonly unknown[], PassedRows> {
  const max = Math.min(left, longest)
  const { mapper, bookmarks } = pages.layout
  const counts = pages.counts(max)
  if (counted && counts) refuseExcess(counted, (await execute(database, counts, options))[0])
  const rows = await execute(database, pages.next(max), options)
  if (rows.length > 0) yield mapped(rows, mapper)
  const last = rows.at(-1)
  const isFull = rows.length === max
  if (last && isFull) pages.pass(last, bookmarks)
  return { rows: rows.length, isFull }
}
