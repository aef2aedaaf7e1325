// Streams any number of rows, a chunk at a time, so that no more than a chunk is in memory.

import type { Database, Options } from '../execution/database.ts'
import { execute } from '../execution/execute.ts'
import type { BoundStatement } from '../execution/statement.ts'
import { takeStreamSlot } from '../execution/stream-slots.ts'
import { mostRows } from '../plan/nested-lists.ts'
import type { ListPlan, Page } from '../plan/read-plan.ts'
import type { Limits } from '../query/limits.ts'
import { compileMapper } from '../rows/compile-mapper.ts'
import type { Mapper, Row } from '../rows/row.ts'
import type { Setting } from '../sql/frame.ts'
import type { KeysetPosition } from '../sql/keyset.ts'
import { lastPart } from '../sql/pagination.ts'
import { pageStatement, rowStatement } from '../sql/row-statements.ts'
import type { Statement } from '../sql/statement.ts'
import { byCursor, type Chunking } from './cursor-stream.ts'
import { belowOf, countsBelow, mayExceed, type RowsBelow, refuseExcess } from './nested-row-limit.ts'
import { bindStatement } from './template.ts'

/** Rows per chunk. Rows that hold lists are large. */
const chunk = { flat: 1_000, nested: 100 } as const

function chunkingOf(list: ListPlan, limits: Limits): Chunking {
  const { rows } = list
  const isNested = rows.kind === 'items' && rows.members.some(({ kind }) => kind === 'many')
  const most = isNested ? chunk.nested : chunk.flat
  const below = belowOf(list, limits)
  const each = below ? mostRows(below.lists, 1) : 0
  if (!below || each * most <= below.most) return { rows: most, counted: undefined }
  const fitting = Math.floor(below.most / each)
  return fitting > 0 ? { rows: fitting, counted: undefined } : { rows: most, counted: below }
}

/** Database and settings of a stream. */
type StreamDatabase = Database & Setting & { readonly limits: Limits }

/** Yields the items of a list in chunks. */
export async function* chunksOf(
  list: ListPlan,
  database: StreamDatabase,
  options: Options,
): AsyncGenerator<readonly unknown[]> {
  for await (const chunk of chunksAtOnce(list, database, options)) {
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
  // Nothing tells a row from one that is alike, so no page can begin after it.
  if (streaming.kind !== 'cursor')
    return list.collection.key ? byPages(list, database, options) : atOnce(list, database, options)
  const chunks = byCursor(list, chunkingOf(list, database.limits), streaming, database, options)
  return holdsConnection(database) ? seated(chunks, database, options) : chunks
}

/** True if a stream holds a connection of its own until it is read. */
export const holdsConnection = ({ dialect, db, home }: Database): boolean =>
  dialect.streaming.kind === 'cursor' && db === home

async function* seated(
  chunks: AsyncGenerator<readonly unknown[]>,
  database: Database,
  options: Options,
): AsyncGenerator<readonly unknown[]> {
  const leave = await takeStreamSlot(database, options)
  try {
    yield* chunks
  } finally {
    leave()
  }
}

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
  const { rows: longest, counted } = chunkingOf(list, database.limits)
  const pages = new Pages(list, counted, database)
  let left = list.page.limit ?? Number.POSITIVE_INFINITY
  while (left > 0) {
    const most = Math.min(left, longest)
    const counts = pages.counts(most)
    if (counted && counts) refuseExcess(counted, (await execute(database, counts, options))[0])
    const rows = await execute(database, pages.next(most), options)
    if (rows.length > 0) yield mapped(rows, pages.mapper)
    left -= rows.length
    if (rows.length === most) pages.pass(rows.at(-1))
    else if (!pages.turn()) return
  }
}

/** Statements of a list that is read by pages. They differ only in which values of the last row were null. The first page is that of a
 *  list; from then on, rows with a value and rows with null in the first column of the order are apart. */
class Pages {
  readonly #list: ListPlan
  readonly #setting: Setting
  readonly #counted: RowsBelow | undefined
  readonly #made = new Map<string, ReturnType<Pages['make']>>()
  #place: readonly unknown[] = []
  #current: ReturnType<Pages['make']>

  constructor(list: ListPlan, counted: RowsBelow | undefined, setting: Setting) {
    this.#list = list
    this.#counted = counted
    this.#setting = setting
    this.#current = this.make(undefined)
  }

  get mapper(): Mapper {
    return this.#current.mapper
  }

  next(rows: number): BoundStatement {
    return this.fill(this.#current.statement, rows)
  }

  /** Returns the statement that counts the rows below the same page. */
  counts(rows: number): BoundStatement | undefined {
    const { counts } = this.#current
    return counts && this.fill(counts, rows)
  }

  private fill(statement: Statement, rows: number): BoundStatement {
    const { after, list } = this.#current
    const page: Page = { ...list.page, limit: rows }
    const answers = new Map<object, unknown>([[list.page, page]])
    if (after) answers.set(after, this.#place)
    return bindStatement(statement, answers)
  }

  pass(row: Row | undefined): void {
    this.#place = this.#current.statement.bookmarks.map((at) => row?.[at] ?? null)
    const nulls = this.#place.map((value) => value === null)
    const name = nulls.join()
    this.#current = this.#made.get(name) ?? this.make({ part: nulls[0] ? 'nulls' : 'values', nulls })
    this.#made.set(name, this.#current)
  }

  /** Moves from the end of one part to the beginning of the other, if that comes later. */
  turn(): boolean {
    const { after } = this.#current
    const part = lastPart(this.#list)
    if (!after || !part || after.part === part) return false
    this.#current = this.make({ part })
    return true
  }

  private make(after: KeysetPosition | undefined) {
    // Only the first page has an offset; each has a limit.
    const offset = after ? 0 : this.#list.page.offset
    const list = { ...this.#list, page: { ...this.#list.page, limit: 1, offset } }
    const statement = pageStatement(list, this.#setting, after)
    const counts = this.#counted && countsBelow(list, this.#counted, this.#setting, after)
    return { list, after, statement, counts, mapper: compileMapper(statement.recipe) }
  }
}
